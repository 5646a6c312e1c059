//! An unnamed file of random data whose extents on the disk and pages in the cache are known.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, direct, random};
use rustix::fs::{Advice, AtFlags, CWD, Mode, OFlags};
use rustix::process::Resource;
use std::path::Path;

/// A file that vanishes with its last descriptor and mapping, also when the process is killed.
#[derive(Debug)]
pub struct TemporaryFile {
    pub(crate) file: Descriptor,
    pub(crate) length: usize,
    pub(crate) seed: u64,
}

/// What holds a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSystem {
    /// The magic number of its type (linux/magic.h).
    pub magic: u64,
    /// Bytes that an ordinary user may still fill.
    pub free: u64,
    /// Whether it reports its size at all; some FUSE clients of remote file systems do not (smbnetfs).
    pub reports_size: bool,
}

/// Kinds of file systems by their numbers (linux/magic.h, and the sources of those that are not in it).
const KINDS: [(u64, &str); 12] = [
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0xf2f5_2010, "f2fs"),
    (0xca45_1a4e, "bcachefs"),
    (0x2fc1_2fc1, "zfs"),
    (0x0102_1994, "tmpfs"),
    (0x8584_58f6, "ramfs"),
    (0x794c_7630, "overlay"),
    (0x6969, "nfs"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "fuse"),
];

/// Names of the file systems that keep files in memory.
const IN_MEMORY: [&str; 2] = ["tmpfs", "ramfs"];

impl FileSystem {
    /// What holds the files of a directory.
    ///
    /// # Errors
    /// When the call is denied, or the directory missing.
    pub fn containing(path: &Path) -> Result<Self> {
        rustix::fs::statfs(path).map(Self::from).map_err(Error::in_call("statfs"))
    }

    /// Whether it keeps files in memory; one over others or on a device in memory does not say.
    pub fn is_in_memory(&self) -> bool {
        IN_MEMORY.contains(&self.name().as_str())
    }

    /// The name of its kind.
    pub fn name(&self) -> String {
        let known = KINDS.iter().find(|(magic, _)| *magic == self.magic);
        known.map_or_else(|| format!("kind {:#x}", self.magic), |(_, name)| (*name).to_owned())
    }
}

impl From<rustix::fs::StatFs> for FileSystem {
    fn from(status: rustix::fs::StatFs) -> Self {
        Self {
            magic: u64::try_from(status.f_type).unwrap_or(0),
            free: status.f_bavail.saturating_mul(u64::try_from(status.f_bsize).unwrap_or(0)),
            reports_size: status.f_blocks > 0,
        }
    }
}

/// Extents of a file on its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extents {
    /// How many there are.
    pub count: usize,
    /// Written bytes whose position on a device is reported.
    pub mapped: u64,
}

/// `struct fiemap_extent` of linux/fiemap.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// `struct fiemap` of linux/fiemap.h with room for extents.
#[repr(C)]
struct ExtentMap {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
    extents: [Extent; ExtentMap::ROOM],
}

impl ExtentMap {
    const ROOM: usize = 256;
    /// `_IOWR('f', 11, struct fiemap)`, whose size is 32.
    const ASK: usize = 0xc020_660b;
    /// Unknown place, not allocated yet, inline in other data, allocated and not written (linux/fiemap.h).
    const NOT_ON_DISK: u32 = 0x2 | 0x4 | 0x200 | 0x800;
}

impl TemporaryFile {
    /// A new file of no length in this directory. Where the file system cannot make one without a name, it
    /// loses its name at once.
    ///
    /// # Errors
    /// When the directory cannot be written to.
    pub fn new(directory: &Path) -> Result<Self> {
        let file = match open(directory, OFlags::TMPFILE) {
            Err(Error { errno: libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL, .. }) => {
                let name = directory.join(format!(".oscope-{}", std::process::id()));
                let file = open(&name, OFlags::CREATE | OFlags::EXCL)?;
                std::fs::remove_file(&name).map_err(Error::in_call("unlink"))?;
                file
            }
            other => other?,
        };
        Ok(Self { file, length: 0, seed: 0 })
    }

    /// The open file.
    pub fn descriptor(&self) -> &Descriptor {
        &self.file
    }

    /// Gives the file a name, by which processes without its descriptor open it.
    ///
    /// # Errors
    /// When the file system made it with a name and took that away, or the name exists.
    pub fn link(&self, path: &Path) -> Result<()> {
        let own = format!("/proc/self/fd/{}", self.file.number());
        rustix::fs::linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW).map_err(Error::in_call("linkat"))
    }

    /// Length in bytes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// What holds it.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn file_system(&self) -> Result<FileSystem> {
        rustix::fs::fstatfs(&self.file).map(FileSystem::from).map_err(Error::in_call("fstatfs"))
    }

    /// Makes it `length` bytes of random data, written by calls of `piece` bytes.
    ///
    /// # Errors
    /// When the disk is full, or a limit on the size of files (RLIMIT_FSIZE) is less: writing beyond would kill the
    /// process, so that nothing is written (EFBIG).
    pub fn fill(&mut self, length: usize, piece: usize, seed: u64) -> Result<()> {
        if (length as u64) > crate::limits::soft(Resource::Fsize).unwrap_or(u64::MAX) {
            return Err(Error { call: "write", errno: libc::EFBIG });
        }
        self.seed = seed;
        let mut bytes = vec![0_u8; piece.max(8)];
        while self.length < length {
            self.compose(&mut bytes, self.length as u64);
            let written = direct::write_at(&self.file, &bytes, self.length as u64);
            if Error::check("pwrite64", written)? != bytes.len() {
                return Err(Error { call: "pwrite64", errno: libc::ENOSPC });
            }
            self.length += bytes.len();
        }
        Ok(())
    }

    /// Makes it `length` bytes long without writing any: a hole.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn stretch(&mut self, length: usize) -> Result<()> {
        rustix::fs::ftruncate(&self.file, length as u64).map_err(Error::in_call("ftruncate"))?;
        self.length = length;
        Ok(())
    }

    /// The word of 8 bytes that stands at this place, counted in words.
    #[inline(always)]
    pub fn word(&self, index: u64) -> u64 {
        random::word(self.seed, index)
    }

    /// Waits until all of it is on the device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn flush(&self) -> Result<()> {
        direct::sync_all(&self.file)
    }

    /// Asks the kernel to drop the cache of this file alone (POSIX_FADV_DONTNEED): pages that are clean and that
    /// nobody has mapped.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn drop_cache(&self) -> Result<()> {
        rustix::fs::fadvise(&self.file, 0, None, Advice::DontNeed).map_err(Error::in_call("fadvise64"))
    }

    /// Where it lies on its device.
    ///
    /// # Errors
    /// When the file system does not report it (EOPNOTSUPP), as one in memory or on a network does not.
    pub fn extents(&self) -> Result<Extents> {
        let mut found = Extents::default();
        let mut start = 0;
        // Each call reports at least one extent; a file in more pieces than this is not measured.
        for _ in 0..64 {
            let mut map = Box::new(ExtentMap {
                start,
                length: u64::MAX - start,
                flags: 0,
                mapped: 0,
                room: ExtentMap::ROOM as u32,
                reserved: 0,
                extents: [Extent::default(); ExtentMap::ROOM],
            });
            let arguments = [self.file.number() as usize, ExtentMap::ASK, &raw mut *map as usize];
            // SAFETY: the structure is valid for writing and has room for as many extents as it says.
            unsafe { arch::try_syscall::<{ libc::SYS_ioctl }, _>(arguments) }?;
            let mut extents = map.extents.iter().take(map.mapped as usize);
            for extent in extents.clone() {
                found.count += 1;
                if extent.flags & ExtentMap::NOT_ON_DISK == 0 && extent.physical != 0 {
                    found.mapped += extent.length;
                }
            }
            let Some(last) = extents.next_back() else { break };
            start = last.logical + last.length;
            if last.flags & 1 != 0 {
                break;
            }
        }
        Ok(found)
    }
}

/// Opens a file to read and to write.
pub(crate) fn open(name: &Path, how: OFlags) -> Result<Descriptor> {
    let (flags, mode) = (how | OFlags::RDWR | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR);
    rustix::fs::open(name, flags, mode).map(Descriptor::from).map_err(Error::in_call("openat"))
}

/// Bytes that this process has had read from devices (/proc/self/io); `None` where the kernel does not count.
pub fn bytes_from_devices() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("read_bytes:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::page_size;
    use crate::pages::{Pages, Sharing};

    fn file(length: usize) -> TemporaryFile {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(length, page_size(), 3).unwrap();
        file
    }

    #[test]
    fn a_mapping_shows_what_was_written_and_no_name_stays() {
        let file = file(4 * page_size());
        let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared).unwrap();
        for offset in (0..file.length()).step_by(512) {
            assert_eq!(pages.read(offset), Some(file.word(offset as u64 / 8)));
        }
        let left = format!(".oscope-{}", std::process::id());
        assert!(!std::env::temp_dir().join(left).exists());
    }

    #[test]
    fn a_file_on_a_disk_can_be_dropped_and_has_extents() {
        let file = file(8 * page_size());
        file.flush().unwrap();
        // A directory in memory reports no extents and keeps its pages.
        let is_in_memory = FileSystem::containing(&std::env::temp_dir()).unwrap().is_in_memory();
        if !programs::has("directory of temporary files on a disk", !is_in_memory) {
            return;
        }
        let extents = file.extents().unwrap();
        assert!(extents.count > 0 && extents.mapped >= file.length() as u64);
        let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared).unwrap();
        file.drop_cache().unwrap();
        assert_eq!(pages.resident(0..file.length()), Ok(0));
    }

    #[test]
    fn a_hole_has_no_extents() {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.stretch(1 << 20).unwrap();
        assert!(file.extents().is_err() || file.extents() == Ok(Extents::default()));
    }

    #[test]
    fn types_have_names() {
        for (magic, name, is_in_memory) in [
            (0xef53, "ext4", false),
            (7, "kind 0x7", false),
            (0x0102_1994, "tmpfs", true),
            (0x8584_58f6, "ramfs", true),
        ] {
            let system = FileSystem { magic, free: 0, reports_size: true };
            assert_eq!((system.name().as_str(), system.is_in_memory()), (name, is_in_memory));
        }
        let here = FileSystem::containing(&std::env::temp_dir()).unwrap();
        assert_eq!(here.magic, file(8).file_system().unwrap().magic);
    }
}
