//! A machine read from its files: the one this program runs on, or one below another directory.

use crate::pseudo_files;
use crate::tree::{Absent, Found, MOST_BYTES, MOST_ENTRIES, Reason, Tree};
use flate2::read::GzDecoder;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The files below a directory.
#[derive(Debug, Clone)]
pub struct Live {
    root: PathBuf,
}

impl Live {
    /// The machine that this program runs on.
    pub fn machine() -> Self {
        Self::below(Path::new("/"))
    }

    /// The machine whose `/proc` and `/sys` are below this directory. Pseudo-files are then read from
    /// `oscope/` below it.
    pub fn below(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The place of a path of the machine; `None` where it would leave the root.
    fn place(&self, path: &str) -> Option<PathBuf> {
        let relative = Path::new(path.trim_start_matches('/'));
        relative
            .components()
            .all(|component| matches!(component, Component::Normal(_)))
            .then(|| self.root.join(relative))
    }

    fn at<T>(&self, path: &str, reading: impl FnOnce(&Path) -> std::io::Result<T>) -> Found<T> {
        let place = self.place(path).ok_or_else(|| Absent::missing(path))?;
        reading(&place).map_err(|error| Absent::from_error(path, &error))
    }
}

impl Tree for Live {
    fn read(&self, path: &str) -> Found<String> {
        if let (true, Some(name)) = (self.root == Path::new("/"), path.strip_prefix("oscope/")) {
            // The reason names the file or instruction behind it.
            return pseudo_files::read(name).map_err(|absent| Absent::silent(path, &absent.to_string()));
        }
        let bytes = self.at(path, |place| {
            let bytes = pseudo_files::bytes(place, MOST_BYTES)?;
            if path.ends_with(".gz") { decompressed(&bytes) } else { Ok(bytes) }
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list(&self, path: &str) -> Found<Vec<String>> {
        let entries = self.at(path, |place| fs::read_dir(place))?;
        let mut names: Vec<String> = entries
            .take(MOST_ENTRIES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        Ok(names)
    }

    fn link(&self, path: &str) -> Found<String> {
        let target = self.at(path, |place| fs::read_link(place))?;
        target.into_os_string().into_string().map_err(|_| Absent {
            subject: path.to_owned(),
            reason: Reason::Failed { error: "the link is not UTF-8".to_owned() },
        })
    }
}

/// The first bytes of the text that a file of gzip holds.
fn decompressed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_directories_and_links_below_a_root() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("sys/b")).unwrap();
        fs::write(root.path().join("sys/a"), b"text\xff").unwrap();
        std::os::unix::fs::symlink("../elsewhere", root.path().join("sys/link")).unwrap();
        let live = Live::below(root.path());
        assert_eq!(live.read("/sys/a").unwrap(), "text\u{fffd}");
        assert_eq!(live.list("/sys").unwrap(), ["a", "b", "link"]);
        assert_eq!(live.link("/sys/link").unwrap(), "../elsewhere");
        assert_eq!(live.read("/sys/none").unwrap_err().reason, Reason::Missing);
        assert_eq!(live.read("/sys/a/deeper").unwrap_err().reason, Reason::Missing);
        assert!(matches!(live.read("/sys/b").unwrap_err().reason, Reason::Failed { .. }));
        assert!(matches!(live.link("/sys/a").unwrap_err().reason, Reason::Failed { .. }));
    }

    #[test]
    fn paths_stay_below_the_root() {
        let root = tempfile::tempdir().unwrap();
        let live = Live::below(root.path());
        assert_eq!(live.read("/../etc/hostname").unwrap_err().reason, Reason::Missing);
        assert_eq!(live.list("/sys/../../etc").unwrap_err().reason, Reason::Missing);
    }

    #[test]
    fn the_configuration_that_the_kernel_shows_is_decompressed() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("proc")).unwrap();
        let place = root.path().join("proc/config.gz");
        let mut compressed =
            flate2::write::GzEncoder::new(fs::File::create(&place).unwrap(), flate2::Compression::fast());
        compressed.write_all(b"CONFIG_HZ=300\n").unwrap();
        compressed.finish().unwrap();
        let live = Live::below(root.path());
        assert_eq!(live.read("/proc/config.gz").unwrap(), "CONFIG_HZ=300\n");
        fs::write(&place, b"no gzip").unwrap();
        assert!(matches!(live.read("/proc/config.gz").unwrap_err().reason, Reason::Failed { .. }));
    }

    #[test]
    fn long_files_are_truncated() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("long"), vec![b'a'; MOST_BYTES as usize + 100]).unwrap();
        let text = Live::below(root.path()).read("/long").unwrap();
        assert_eq!(text.len() as u64, MOST_BYTES);
    }

    #[test]
    fn pseudo_files_of_another_root_are_files() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("oscope")).unwrap();
        fs::write(root.path().join("oscope/architecture"), "aarch64\n").unwrap();
        let live = Live::below(root.path());
        assert_eq!(live.read("oscope/architecture").unwrap(), "aarch64\n");
        assert_eq!(live.read("oscope/cpuid").unwrap_err().reason, Reason::Missing);
    }
}
