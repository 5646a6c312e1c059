//! The storage of a directory: file system, mount, device and its queue, found from the list of mounts.

use crate::facts::{Facts, Form};
use crate::mounts::{MOUNTS, MountLine};
use crate::remote_protocol::{self, Networked};
use crate::storage::is_kind;
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

/// What holds files in the end, as far as this machine shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// A block device; caches below it, as those of a virtual machine's host, are not known.
    Device,
    /// Memory: the files count against its limits.
    Memory,
    /// A file behind a loop device without direct I/O: the kernel that has the loop device caches it.
    CachedLoop,
    /// Layers, a program, another machine.
    Other,
}

/// What files behind a loop device without direct I/O lie on, in words.
pub const CACHED_LOOP: &str = "a loop file, cached by the host of the loop";

/// What files in memory lie on, in words.
const MEMORY: &str = "memory, no disk";

/// Devices in memory, by their names: the compressed RAM disk and the plain one.
const MEMORY_DEVICES: [&str; 2] = ["zram", "ram"];

/// Loop files, layers, and devices made of devices are followed no deeper.
const MOST_LEVELS: usize = 8;

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
    /// Major and minor number of its device, `254:0`; a number that no device has where it is on none.
    pub fn device_numbers(&self) -> &str {
        &self.device
    }

    /// Whether it keeps its files in memory itself.
    fn is_in_memory(&self) -> bool {
        IN_MEMORY.contains(&self.kind.as_str())
    }

    /// Whether it is made of other file systems.
    fn is_layered(&self) -> bool {
        LAYERED.contains(&self.kind.as_str())
    }

    /// What holds its files in the end.
    fn medium(&self, tree: &dyn Tree, levels: usize) -> Medium {
        if self.is_in_memory() {
            return Medium::Memory;
        }
        if self.is_layered() {
            // New files are in the upper layer.
            let upper = self.options.split(',').find_map(|option| option.strip_prefix("upperdir="));
            let upper = upper.filter(|_| levels > 0).and_then(|path| find(tree, path).ok());
            let medium = upper.map(|mount| mount.medium(tree, levels - 1));
            return medium.filter(|medium| *medium == Medium::Memory).unwrap_or(Medium::Other);
        }
        match (self.nature(), place_of(tree, self)) {
            ("a block device", Ok((name, _))) => device_medium(tree, &name, levels),
            ("a block device", Err(_)) => Medium::Device,
            _ => Medium::Other,
        }
    }

    /// What its files are on, as it is said in facts.
    fn lies_on(&self, tree: &dyn Tree) -> String {
        match self.medium(tree, MOST_LEVELS) {
            Medium::Memory if self.is_layered() => format!("{}, in memory", self.nature()),
            Medium::Memory => MEMORY.to_owned(),
            Medium::CachedLoop => CACHED_LOOP.to_owned(),
            Medium::Device | Medium::Other => self.nature().to_owned(),
        }
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
        remote_protocol::protocol(&self.kind, &self.below)
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
            _ if self.is_in_memory() => MEMORY,
            _ if self.is_layered() => "layers of other file systems",
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
        let more =
            line.system_options.split(',').filter(|option| !own.split(',').any(|known| known == *option));
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

/// What holds the files of a directory, by its path without links.
pub fn medium_of(tree: &dyn Tree, path: &str) -> Medium {
    find(tree, path).map_or(Medium::Other, |mount| mount.medium(tree, MOST_LEVELS))
}

/// What holds the data of a whole device: of a loop device its file, of a mapped one the devices that it is made of.
fn device_medium(tree: &dyn Tree, name: &str, levels: usize) -> Medium {
    if MEMORY_DEVICES.iter().any(|kind| is_kind(name, kind)) {
        return Medium::Memory;
    }
    let folder = format!("/sys/block/{name}");
    let Some(below) = levels.checked_sub(1) else { return Medium::Device };
    if let Ok(file) = tree::line(tree, &format!("{folder}/loop/backing_file")) {
        let is_direct = tree::flag(tree, &format!("{folder}/loop/dio")) == Ok(true);
        let medium = find(tree, &file).map_or(Medium::Device, |mount| mount.medium(tree, below));
        return if is_direct || medium == Medium::Memory { medium } else { Medium::CachedLoop };
    }
    let parts = tree.list(&format!("{folder}/slaves")).unwrap_or_default();
    let media: Vec<Medium> =
        parts.iter().map(|part| device_medium(tree, &whole_device(tree, part), below)).collect();
    [Medium::Memory, Medium::CachedLoop]
        .into_iter()
        .find(|kind| media.contains(kind))
        .unwrap_or(Medium::Device)
}

/// The device that a partition is of; a whole device itself.
fn whole_device(tree: &dyn Tree, name: &str) -> String {
    let place = tree.link(&format!("/sys/class/block/{name}")).unwrap_or_default();
    whole_in(&place).unwrap_or(name).to_owned()
}

/// The whole device in a sysfs path: a partition is below its device, which is below `block`.
fn whole_in(place: &str) -> Option<&str> {
    place.split('/').skip_while(|part| *part != "block").nth(1)
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
type Field = fn(&Mount, &dyn Tree) -> String;

/// Facts about the mount of a directory, in a group of facts.
fn mounted(facts: &mut Facts<'_>, group: &str, path: &str, chosen: &str) -> Found<Mount> {
    let mount = find(facts.tree, path);
    facts.text(&format!("{group}.path"), chosen, Ok(path.to_owned()));
    let fields: [(&str, Field); 5] = [
        ("file_system", |mount, _| mount.kind.clone()),
        ("lies_on", |mount, tree| mount.lies_on(tree)),
        ("mount", |mount, _| mount.point.clone()),
        ("mount_options", |mount, _| mount.options.clone()),
        ("source", |mount, _| mount.source.clone()),
    ];
    for (key, of) in fields {
        let value = mount.as_ref().map(|mount| of(mount, facts.tree)).map_err(Clone::clone);
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
        facts.file("directory.loop_direct", &format!("/sys/block/{name}/loop/dio"), Form::Flag);
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
    let place = by_number.or_else(|_| {
        let name = mount.source.rsplit('/').next().unwrap_or_default();
        tree.link(&format!("/sys/class/block/{name}"))
    })?;
    let name = whole_in(&place).ok_or_else(|| Absent::silent(&place, "is not the path of a block device"))?;
    Ok((name.to_owned(), place.clone()))
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
        for (path, remoteness) in [
            ("/far/x", Remoteness::Network),
            ("/nfs", Remoteness::Network),
            ("/odd", Remoteness::Program),
            ("/host", Remoteness::Host),
            ("/run/user/0/gvfs/nfs:host=host,prefix=%2Fexport", Remoteness::Network),
            ("/run/user/0/gvfs/archive:host=file", Remoteness::Program),
            ("/", Remoteness::Local),
            ("/data", Remoteness::Local),
            ("/with space", Remoteness::Local),
            ("/ov", Remoteness::Local),
            ("/stick", Remoteness::Local),
        ] {
            assert_eq!(mount_of(&texts(FILES), path).unwrap().remoteness(), remoteness, "{path}");
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
        assert_eq!(medium_of(&texts(FILES), "/with space"), Medium::Memory);
        let machine = described("/ov");
        assert_eq!(machine.text("directory.lies_on"), Some("layers of other file systems"));
    }
    /// File systems on loop files, in memory by another way, and layers over memory; the rest is as above.
    const INDIRECT: &str = "\
27 1 254:0 / / rw - ext4 /dev/vda rw
40 27 7:0 / /buffered rw - ext4 /dev/loop0 rw
41 27 7:1 / /direct rw - ext4 /dev/loop1 rw
42 27 7:2 / /shm/loop rw - ext4 /dev/loop2 rw
43 27 0:50 / /shm rw - tmpfs tmpfs rw
44 27 253:0 / /mapped rw - xfs /dev/mapper/m rw
45 27 252:0 / /zram rw - ext4 /dev/zram0 rw
46 27 0:51 / /over rw - overlay overlay rw,lowerdir=/a,upperdir=/shm/up,workdir=/shm/w
47 27 0:52 / /over-disk rw - overlay overlay rw,lowerdir=/shm,upperdir=/up,workdir=/w
48 27 7:3 / /nested rw - ext4 /dev/loop3p1 rw
";

    const INDIRECT_FILES: &[(&str, &str)] = &[
        (MOUNTS, INDIRECT),
        ("/sys/dev/block/254:0", "../../devices/pci0000:00/virtio3/block/vda"),
        ("/sys/dev/block/7:0", "../../devices/virtual/block/loop0"),
        ("/sys/dev/block/7:1", "../../devices/virtual/block/loop1"),
        ("/sys/dev/block/7:2", "../../devices/virtual/block/loop2"),
        ("/sys/dev/block/7:3", "../../devices/virtual/block/loop3/loop3p1"),
        ("/sys/dev/block/252:0", "../../devices/virtual/block/zram0"),
        ("/sys/dev/block/253:0", "../../devices/virtual/block/dm-0"),
        ("/sys/block/loop0/loop/backing_file", "/images/a"),
        ("/sys/block/loop0/loop/dio", "0"),
        ("/sys/block/loop1/loop/backing_file", "/images/b"),
        ("/sys/block/loop1/loop/dio", "1"),
        ("/sys/block/loop2/loop/backing_file", "/shm/c"),
        ("/sys/block/loop2/loop/dio", "1"),
        ("/sys/block/loop3/loop/backing_file", "/buffered/d"),
        ("/sys/block/loop3/loop/dio", "1"),
        ("/sys/class/block/loop0p2", "../../devices/virtual/block/loop0/loop0p2"),
    ];

    /// The tree of these files, in which the device `dm-0` is made of a partition of a loop device.
    struct Mapped;

    impl Tree for Mapped {
        fn read(&self, path: &str) -> Found<String> {
            texts(INDIRECT_FILES).read(path)
        }

        fn list(&self, path: &str) -> Found<Vec<String>> {
            let is_mapped = path == "/sys/block/dm-0/slaves";
            is_mapped.then(|| vec!["loop0p2".to_owned()]).ok_or_else(|| Absent::missing(path))
        }

        fn link(&self, path: &str) -> Found<String> {
            texts(INDIRECT_FILES).link(path)
        }
    }

    #[test]
    fn what_holds_files_is_followed_to_the_end() {
        for (path, medium) in [
            ("/", Medium::Device),
            ("/buffered", Medium::CachedLoop),
            ("/direct", Medium::Device),
            // A loop file in memory takes memory, with direct I/O as well.
            ("/shm/loop", Medium::Memory),
            // Direct I/O to a file that lies on a cached loop device itself.
            ("/nested", Medium::CachedLoop),
            ("/mapped", Medium::CachedLoop),
            ("/zram", Medium::Memory),
            ("/over", Medium::Memory),
            ("/over-disk", Medium::Other),
        ] {
            assert_eq!(medium_of(&Mapped, path), medium, "{path}");
        }
    }

    #[test]
    fn cached_loop_is_not_called_a_device() {
        let described = |path: &str| Machine { facts: describe_directory(&Mapped, path, "--dir") };
        let [buffered, direct] = ["/buffered", "/direct"].map(described);
        assert_eq!(buffered.text("directory.lies_on"), Some(CACHED_LOOP));
        assert_eq!(buffered.text("directory.loop_file"), Some("/images/a"));
        assert_eq!(buffered.flag("directory.loop_direct"), Some(false));
        assert_eq!(direct.text("directory.lies_on"), Some("a block device"));
        assert_eq!(direct.flag("directory.loop_direct"), Some(true));
        assert_eq!(described("/mapped").text("directory.lies_on"), Some(CACHED_LOOP));
        assert_eq!(described("/zram").text("directory.lies_on"), Some(MEMORY));
        let over = described("/over");
        assert_eq!(over.text("directory.lies_on"), Some("layers of other file systems, in memory"));
        let over = described("/over-disk");
        assert_eq!(over.text("directory.lies_on"), Some("layers of other file systems"));
    }
}
