//! The storage of a directory: file system, mount, device and its queue, found from the list of mounts.

use crate::facts::{Facts, Form};
use crate::mounts::{MOUNTS, MountLine};
use crate::remote_protocol::{self, Networked};
use crate::tree::{self, Absent, Found, Tree};
use record::{Fact, Unit};

/// File systems that keep files in memory only.
const IN_MEMORY: [&str; 4] = ["tmpfs", "ramfs", "rootfs", "devtmpfs"];

/// File systems over other file systems.
const LAYERED: [&str; 3] = ["overlay", "aufs", "unionfs"];

/// File systems that the host of this virtual machine serves.
const FROM_HOST: [&str; 2] = ["9p", "virtiofs"];

/// Beginning of the names of file systems in user space.
const FUSE: &str = "fuse";

/// Where the files of a mount come from, by its file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remoteness {
    /// From another machine, over the network.
    Network,
    /// From the host of this virtual machine.
    Host,
    /// From a FUSE program whose own source is unknown.
    Program,
    /// From this machine.
    Local,
}

/// Parts of the sysfs path of devices that a hypervisor emulates.
const VIRTUAL: [&str; 4] = ["/virtio", "/vbd-", "/VMBUS", "/devices/virtual/"];

/// One line of the list of mounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Where it is mounted.
    pub point: String,
    /// Its kind: `ext4`.
    pub kind: String,
    /// What was mounted: `/dev/vda`.
    pub source: String,
    /// The options of the mount and of the file system, without repetition.
    pub options: String,
    /// Numbers of the device, `254:0`.
    device: String,
    /// The path below the mount by which it was found.
    below: String,
}

impl Mount {
    /// Whether its files are in memory only.
    pub fn is_in_memory(&self) -> bool {
        IN_MEMORY.contains(&self.kind.as_str())
    }

    /// Where its files come from.
    pub fn remoteness(&self) -> Remoteness {
        let kind = self.kind.as_str();
        if self.networked().is_some() {
            Remoteness::Network
        } else if FROM_HOST.contains(&kind) {
            Remoteness::Host
        } else if self.is_fuse() && !self.is_on_device() {
            Remoteness::Program
        } else {
            Remoteness::Local
        }
    }

    /// How its files come over the network, if they are known to.
    fn networked(&self) -> Option<Networked> {
        remote_protocol::of(&self.kind, &self.below)
    }

    /// Programs that a request passes on this machine before the network: none with a client in the kernel.
    fn programs(&self) -> u8 {
        let known = self.networked().map(|networked| networked.programs);
        known.unwrap_or_else(|| u8::from(self.is_fuse()))
    }

    /// Whether a program in user space serves it.
    fn is_fuse(&self) -> bool {
        self.kind.starts_with(FUSE)
    }

    /// A program may serve the files of a disk (`fuseblk`).
    fn is_on_device(&self) -> bool {
        self.kind == "fuseblk" || self.source.starts_with("/dev/") && self.source != "/dev/fuse"
    }

    /// What its files are on.
    fn nature(&self) -> &'static str {
        match self.remoteness() {
            _ if self.is_in_memory() => "memory, no disk",
            _ if LAYERED.contains(&self.kind.as_str()) => "layers of other file systems",
            Remoteness::Network => "another machine",
            Remoteness::Host => "the host of this machine",
            Remoteness::Program => "a program; whether it reads them from another machine is unknown",
            Remoteness::Local if self.is_fuse() => "a program",
            Remoteness::Local => "a block device",
        }
    }

    /// File system and source, for messages.
    pub fn in_words(&self) -> String {
        format!("{} on {}", self.kind, self.source)
    }

    fn of(line: &MountLine<'_>) -> Option<Self> {
        let own = line.options?;
        let known = |option: &str| own.split(',').any(|known| known == option);
        let more = line.system_options.split(',').filter(|option| !known(option));
        let options: Vec<&str> = own.split(',').chain(more).filter(|option| !option.is_empty()).collect();
        Some(Self {
            point: unescaped(line.point),
            kind: line.kind.to_owned(),
            source: unescaped(line.source?),
            options: options.join(","),
            device: line.device.to_owned(),
            below: String::new(),
        })
    }
}

/// Spaces, tabs, line ends and backslashes are octal numbers.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (code, letter)| text.replace(code, letter))
}

/// Whether a path lies at or below a mount's point.
fn is_below(path: &str, point: &str) -> bool {
    path.strip_prefix(point.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn find(tree: &dyn Tree, path: &str) -> Found<Mount> {
    let text = tree.read(MOUNTS)?;
    // Of mounts on one point the last hides the others.
    let mounts = text.lines().filter_map(|line| Mount::of(&MountLine::parse(line)?));
    let over = mounts.filter(|mount| is_below(path, &mount.point));
    let nearest = over.max_by_key(|mount| mount.point.len());
    let mut mount = nearest.ok_or_else(|| Absent::silent(MOUNTS, "has no mount for this directory"))?;
    let below = path.strip_prefix(mount.point.trim_end_matches('/'));
    mount.below = below.unwrap_or_default().to_owned();
    Ok(mount)
}

/// The mount of a directory, by its path without links; `None` where the list of mounts is unreadable.
pub fn mount_of(tree: &dyn Tree, path: &str) -> Option<Mount> {
    find(tree, path).ok()
}

/// Facts about a directory, by its path without links, and how it came to be chosen.
pub fn describe_directory(tree: &dyn Tree, path: &str, chosen: &str) -> Vec<Fact> {
    let mut facts = Facts::below(tree);
    let mount = mounted(&mut facts, "directory", path, chosen);
    device(&mut facts, mount);
    facts.into_machine().facts
}

/// Facts about a directory on a remote file system.
pub fn describe_remote(tree: &dyn Tree, path: &str, chosen: &str) -> Vec<Fact> {
    let mut facts = Facts::below(tree);
    let mount = mounted(&mut facts, "remote", path, chosen);
    let programs = mount.as_ref().map(|mount| f64::from(mount.programs()));
    facts.number("remote.programs", Unit::One, MOUNTS, programs.map_err(Clone::clone));
    if let Ok(mount) = mount {
        if let Some(protocol) = mount.networked().and_then(|networked| networked.protocol) {
            facts.text("remote.protocol", MOUNTS, Ok(protocol.to_owned()));
        }
        let file = format!("/sys/class/bdi/{}/read_ahead_kb", mount.device);
        facts.file("remote.read_ahead_kib", &file, Form::Number(Unit::One));
    }
    facts.into_machine().facts
}

/// A fact of a mount.
type Field = fn(&Mount) -> String;

/// Facts about the mount of a directory, in a group of facts.
fn mounted(facts: &mut Facts<'_>, group: &str, path: &str, chosen: &str) -> Found<Mount> {
    let mount = find(facts.tree, path);
    facts.text(&format!("{group}.path"), chosen, Ok(path.to_owned()));
    let fields: [(&str, Field); 5] = [
        ("file_system", |mount| mount.kind.clone()),
        ("lies_on", |mount| mount.nature().to_owned()),
        ("mount", |mount| mount.point.clone()),
        ("mount_options", |mount| mount.options.clone()),
        ("source", |mount| mount.source.clone()),
    ];
    for (key, of) in fields {
        let value = mount.as_ref().map(of).map_err(Clone::clone);
        facts.text(&format!("{group}.{key}"), MOUNTS, value);
    }
    mount
}

/// Facts about the queue of a device.
const QUEUE: [(&str, &str, Form); 6] = [
    ("rotational", "rotational", Form::Flag),
    ("scheduler", "scheduler", Form::Selected),
    ("requests", "nr_requests", Form::Number(Unit::One)),
    ("read_ahead_kib", "read_ahead_kb", Form::Number(Unit::One)),
    ("block_size", "logical_block_size", Form::Number(Unit::Bytes)),
    ("write_cache", "write_cache", Form::Line),
];

/// Facts about the device under a mount and its queue.
fn device(facts: &mut Facts<'_>, mount: Found<Mount>) {
    let place = mount.and_then(|mount| place_of(facts.tree, &mount));
    let name = place.clone().map(|(name, _)| name);
    facts.text("directory.device", "/sys/dev/block", name.clone());
    let is_virtual = place.map(|(_, place)| VIRTUAL.iter().any(|part| place.contains(part)));
    facts.flag("directory.virtual", "/sys/dev/block", is_virtual);
    let Ok(name) = name else { return };
    facts.files("directory", &format!("/sys/block/{name}/queue"), &QUEUE);
    let backing = format!("/sys/block/{name}/loop/backing_file");
    if let Ok(file) = tree::line(facts.tree, &backing) {
        facts.text("directory.loop_file", &backing, Ok(file));
    }
}

/// The name of the whole device and its sysfs path.
fn place_of(tree: &dyn Tree, mount: &Mount) -> Found<(String, String)> {
    let nature = mount.nature();
    if nature != "a block device" {
        return Err(Absent::silent(MOUNTS, &format!("the files are on {nature}")));
    }
    // Some file systems (btrfs) have numbers of their own; what was mounted names the device then.
    let by_number = tree.link(&format!("/sys/dev/block/{}", mount.device));
    let by_name = |_| {
        let name = mount.source.rsplit('/').next().unwrap_or_default();
        tree.link(&format!("/sys/class/block/{name}"))
    };
    let place = by_number.or_else(by_name)?;
    let parts: Vec<&str> = place.split('/').collect();
    // A partition is below its device, which is below `block`.
    let whole = parts.iter().position(|part| *part == "block").and_then(|at| parts.get(at + 1));
    let name = whole.ok_or_else(|| Absent::silent(&place, "is not the path of a block device"))?;
    Ok(((*name).to_owned(), place.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::texts;
    use record::Machine;

    const LIST: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 259:2 / /data rw,noatime shared:7 - xfs /dev/nvme0n1p2 rw,noatime,attr2
31 27 0:40 / /with\\040space rw - tmpfs tmpfs rw,size=4k
32 27 0:41 / /ov rw - overlay overlay rw,lowerdir=/a
33 27 0:42 / /far rw - fuse.sshfs host:/home rw,user_id=0
34 27 0:43 / /odd rw - fuse.own own rw
35 27 0:44 / /nfs rw - nfs4 host:/export rw,addr=192.0.2.7
36 27 0:45 / /stick rw - fuseblk /dev/sdb1 rw
37 27 0:46 / /host rw - virtiofs tag rw
38 27 0:47 / /run/user/0/gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw,user_id=0
";

    const FILES: &[(&str, &str)] = &[
        (MOUNTS, LIST),
        ("/sys/block/nvme0n1/queue/rotational", "0"),
        ("/sys/block/nvme0n1/queue/scheduler", "[none] kyber"),
        ("/sys/dev/block/259:2", "../../devices/pci0000:00/nvme/nvme0/block/nvme0n1/nvme0n1p2"),
        ("/sys/dev/block/254:0", "../../devices/pci0000:00/virtio3/block/vda"),
    ];

    fn described(path: &str) -> Machine {
        Machine { facts: describe_directory(&texts(FILES), path, "--dir") }
    }

    #[test]
    fn nearest_mount_and_whole_device_are_found() {
        let machine = described("/data/of/mine");
        assert_eq!(machine.text("directory.file_system"), Some("xfs"));
        assert_eq!(machine.text("directory.device"), Some("nvme0n1"));
        assert_eq!(machine.text("directory.scheduler"), Some("none"));
        assert_eq!(machine.text("directory.mount_options"), Some("rw,noatime,attr2"));
        assert_eq!(machine.flag("directory.rotational"), Some(false));
        assert_eq!(machine.flag("directory.virtual"), Some(false));
    }

    #[test]
    fn directory_beside_a_mount_is_not_on_it() {
        let machine = described("/database");
        assert_eq!(machine.text("directory.file_system"), Some("ext4"));
        assert_eq!(machine.flag("directory.virtual"), Some(true));
    }

    #[test]
    fn remote_file_systems_are_recognised() {
        let of = |path: &str| mount_of(&texts(FILES), path).unwrap().remoteness();
        assert_eq!((of("/far/x"), of("/nfs")), (Remoteness::Network, Remoteness::Network));
        assert_eq!((of("/odd"), of("/host")), (Remoteness::Program, Remoteness::Host));
        let gvfs = ["nfs:host=host,prefix=%2Fexport", "archive:host=file"];
        assert_eq!(
            gvfs.map(|name| of(&format!("/run/user/0/gvfs/{name}"))),
            [Remoteness::Network, Remoteness::Program]
        );
        for local in ["/", "/data", "/with space", "/ov", "/stick"] {
            assert_eq!(of(local), Remoteness::Local, "{local}");
        }
        assert_eq!(mount_of(&texts(FILES), "/data").unwrap().in_words(), "xfs on /dev/nvme0n1p2");
    }

    #[test]
    fn remote_directory_has_its_source_and_programs() {
        let described = |path: &str| Machine { facts: describe_remote(&texts(FILES), path, "--remote-dir") };
        let far = described("/far/x");
        assert_eq!(far.text("remote.file_system"), Some("fuse.sshfs"));
        assert_eq!(far.text("remote.source"), Some("host:/home"));
        assert_eq!(far.text("remote.lies_on"), Some("another machine"));
        assert_eq!(far.number("remote.programs"), Some(1.0));
        assert_eq!(far.text("remote.protocol"), Some("SFTP"));
        let nfs = described("/nfs");
        assert_eq!(nfs.text("remote.protocol"), Some("NFS"));
        assert_eq!(nfs.number("remote.programs"), Some(0.0));
        let gvfs = described("/run/user/0/gvfs/smb-share:server=host,share=export");
        assert_eq!(gvfs.text("remote.protocol"), Some("SMB"));
        assert_eq!(gvfs.text("remote.lies_on"), Some("another machine"));
        assert_eq!(gvfs.number("remote.programs"), Some(2.0));
        let camera = described("/run/user/0/gvfs/gphoto2:host=Camera");
        assert_eq!(camera.text("remote.protocol"), None);
    }

    #[test]
    fn in_memory_and_layered_file_systems_are_named() {
        let machine = described("/with space/x");
        assert_eq!(machine.text("directory.lies_on"), Some("memory, no disk"));
        assert_eq!(machine.text("directory.device"), None);
        assert!(mount_of(&texts(FILES), "/with space").unwrap().is_in_memory());
        let machine = described("/ov");
        assert_eq!(machine.text("directory.lies_on"), Some("layers of other file systems"));
    }
}
