//! Lines of the list of mounts, `/proc/self/mountinfo`: see proc_pid_mountinfo(5).

/// The mounts that this process sees.
pub(crate) const MOUNTS: &str = "/proc/self/mountinfo";

/// Mounts beyond this many are not read.
pub(crate) const MOST_MOUNTS: usize = 4096;

/// A line, as it is written.
pub(crate) struct MountLine<'l> {
    /// Numbers of the device, `254:0`.
    pub device: &'l str,
    /// What of the file system is mounted: for a control group the group.
    pub root: &'l str,
    /// Where it is mounted.
    pub point: &'l str,
    /// The options of the mount.
    pub options: Option<&'l str>,
    /// The file system.
    pub kind: &'l str,
    /// What was mounted.
    pub source: Option<&'l str>,
    /// The options of the file system.
    pub system_options: &'l str,
}

impl<'l> MountLine<'l> {
    pub fn parse(line: &'l str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let (mut mount, mut system) = (mount.split(' ').skip(2), system.split(' '));
        Some(Self {
            device: mount.next()?,
            root: mount.next()?,
            point: mount.next()?,
            options: mount.next(),
            kind: system.next()?,
            source: system.next(),
            system_options: system.next().unwrap_or_default(),
        })
    }
}
