//! A kernel: its image, wherever it comes from, and its architecture.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An architecture that can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// x86-64.
    #[serde(rename = "x86_64")]
    X86,
    /// AArch64.
    #[serde(rename = "aarch64")]
    Arm,
}

impl Architecture {
    /// All, with the names that users type.
    pub const NAMES: [(&'static str, Self); 2] = [("x86_64", Self::X86), ("aarch64", Self::Arm)];

    /// As `std::env::consts::ARCH` names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Arm => "aarch64",
        }
    }

    /// The one that this program runs on.
    pub fn host() -> Option<Self> {
        Self::NAMES.into_iter().find(|(name, _)| *name == std::env::consts::ARCH).map(|(_, found)| found)
    }

    /// Where a build tree has the image.
    fn places_in_tree(self) -> &'static [&'static str] {
        match self {
            Self::X86 => &["arch/x86/boot/bzImage"],
            Self::Arm => &["arch/arm64/boot/Image", "arch/arm64/boot/Image.gz"],
        }
    }
}

/// The image of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// What the user named.
    pub name: String,
    /// The bytes that QEMU loads.
    pub bytes: Vec<u8>,
    /// Its architecture.
    pub architecture: Architecture,
}

impl Image {
    /// Reads an image, one of a build tree, or one of a Debian package.
    ///
    /// # Errors
    /// When there is no image there, or it is of no known architecture.
    pub fn read(path: &Path, architecture: Option<Architecture>) -> Result<Self> {
        let name = path.display().to_string();
        let unreadable = |error: std::io::Error| Error(format!("{name}: {error}"));
        fs::metadata(path).map_err(unreadable)?;
        let bytes = if path.is_dir() {
            read_file(&in_tree(path, architecture)?)?
        } else if path.extension().is_some_and(|extension| extension == "deb") {
            from_package(path)?
        } else {
            read_file(path)?
        };
        let found = architecture_of(&bytes).ok_or_else(|| {
            Error(format!("{name}: neither a bzImage nor an Image of AArch64; vmlinux alone does not boot: name the bzImage"))
        })?;
        if let Some(whole) = bzimage_length(&bytes).filter(|whole| *whole > bytes.len()) {
            return Err(Error(format!(
                "{name}: cut: its header says {whole} bytes, and it has {}",
                bytes.len()
            )));
        }
        match architecture {
            Some(wanted) if wanted != found => {
                Err(Error(format!("{name}: a kernel of {}, and --arch says {}", found.name(), wanted.name())))
            }
            _ => Ok(Self { name, bytes, architecture: found }),
        }
    }

    /// The image of the kernel that runs here.
    ///
    /// # Errors
    /// When no file has it, or it may not be read.
    pub fn running() -> Result<Self> {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let release = release.trim();
        let places = [format!("/boot/vmlinuz-{release}"), format!("/lib/modules/{release}/vmlinuz")];
        let mut denied = None;
        for place in &places {
            match Self::read(Path::new(place), None) {
                Ok(image) => return Ok(image),
                Err(error) if Path::new(place).exists() => denied = Some(error),
                Err(_) => {}
            }
        }
        Err(denied.unwrap_or_else(|| {
            Error(format!(
                "the image of the running kernel is not in {}; name a kernel instead",
                places.join(" or ")
            ))
        }))
    }
}

/// The image of a build tree.
fn in_tree(tree: &Path, architecture: Option<Architecture>) -> Result<PathBuf> {
    let wanted = Architecture::NAMES.into_iter().map(|(_, one)| one);
    let places: Vec<&str> = wanted
        .filter(|one| architecture.is_none_or(|wanted| wanted == *one))
        .flat_map(Architecture::places_in_tree)
        .copied()
        .collect();
    places.iter().map(|place| tree.join(place)).find(|path| path.exists()).ok_or_else(|| {
        Error(format!("{}: no {} in this tree; run make", tree.display(), places.join(" or ")))
    })
}

/// The architecture of an image by its header: Documentation/arch/x86/boot.rst, Documentation/arch/arm64/booting.rst. A
/// compressed image is one of AArch64: a bzImage is never compressed as a whole.
fn architecture_of(bytes: &[u8]) -> Option<Architecture> {
    let at = |place: usize, magic: &[u8]| bytes.get(place..place + magic.len()) == Some(magic);
    match () {
        () if at(0x202, b"HdrS") => Some(Architecture::X86),
        () if at(0x38, b"ARMd") || at(0, &[0x1f, 0x8b]) => Some(Architecture::Arm),
        () => None,
    }
}

/// Bytes that the header of a bzImage says it has (Documentation/arch/x86/boot.rst: sectors of the setup, 4 where it says 0, and
/// units of 16 bytes behind them).
fn bzimage_length(bytes: &[u8]) -> Option<usize> {
    let number = |at: usize, length| {
        let field = bytes.get(at..at + length)?;
        Some(field.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    };
    let is_bzimage = architecture_of(bytes) == Some(Architecture::X86);
    let (sectors, units) = (number(0x1f1, 1)?, number(0x1f4, 4)?);
    let sectors = if sectors == 0 { 4 } else { sectors };
    is_bzimage.then_some((sectors + 1) * 512 + units * 16)
}

/// Bytes of an image at most: larger ones are something else.
const MAX_IMAGE: u64 = 256 << 20;

/// Reads an image, or a program for the guest.
///
/// # Errors
/// When it cannot be read, or is larger than any of them.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let name = path.display();
    let unreadable = |error: std::io::Error| Error(format!("{name}: {error}"));
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_IMAGE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 {
        0..=MAX_IMAGE => Ok(bytes),
        _ => Err(Error(format!("{name}: larger than any kernel (more than {} MiB)", MAX_IMAGE >> 20))),
    }
}

/// The image in a Debian package, unpacked by dpkg-deb and not written to a disk.
fn from_package(path: &Path) -> Result<Vec<u8>> {
    let mut command = Command::new("dpkg-deb");
    command.arg("--fsys-tarfile").arg(path).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error(format!(
            "{}: dpkg-deb is not installed; unpack the package and name its boot/vmlinuz-*",
            path.display()
        )),
        _ => Error(format!("dpkg-deb: {error}")),
    })?;
    let mut archive = child.stdout.take();
    let found = archive.as_mut().and_then(kernel_in);
    match (&found, &mut archive) {
        // Only a program that could write all of it ends without an error.
        (None, Some(archive)) => drop(std::io::copy(archive, &mut std::io::sink())),
        // What follows the kernel is not needed.
        _ => drop(child.kill()),
    }
    let is_whole = child.wait().is_ok_and(|status| status.success());
    found.ok_or_else(|| {
        let why = match is_whole {
            true => "no boot/vmlinuz-* in this package; linux-image-VERSION has one, linux-image-amd64 only depends on it",
            false => "damaged or cut: dpkg-deb cannot unpack it",
        };
        Error(format!("{}: {why}", path.display()))
    })
}

/// The file `boot/vmlinuz-*` of a tar archive, if all of it is there.
fn kernel_in(archive: &mut impl Read) -> Option<Vec<u8>> {
    let mut header = [0; 512];
    loop {
        archive.read_exact(&mut header).ok()?;
        let text = |from: usize, length: usize| {
            let field = header.get(from..from + length).unwrap_or_default();
            let end = field.iter().position(|byte| *byte == 0).unwrap_or(length);
            String::from_utf8_lossy(field.get(..end).unwrap_or_default()).trim().to_owned()
        };
        let size = u64::from_str_radix(&text(124, 12), 8).ok()?;
        let mut content = archive.take(size.next_multiple_of(512));
        if text(0, 100).starts_with("./boot/vmlinuz-") && size <= MAX_IMAGE {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes).ok()?;
            let size = usize::try_from(size).ok()?;
            let is_whole = bytes.len() >= size;
            bytes.truncate(size);
            return is_whole.then_some(bytes);
        }
        std::io::copy(&mut content, &mut std::io::sink()).ok()?;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn bzimage() -> Vec<u8> {
        let mut bytes = vec![0; 2_560 + 16];
        bytes[0x1f4] = 1;
        bytes[0x202..0x206].copy_from_slice(b"HdrS");
        bytes
    }

    #[test]
    fn image_is_found_in_a_file_and_in_a_build_tree() {
        let folder = tempfile::tempdir().unwrap();
        let boot = folder.path().join("arch/x86/boot");
        fs::create_dir_all(&boot).unwrap();
        assert!(Image::read(folder.path(), None).unwrap_err().to_string().contains("make"));
        fs::write(boot.join("bzImage"), bzimage()).unwrap();
        for path in [folder.path(), &boot.join("bzImage")] {
            assert_eq!(Image::read(path, None).unwrap().architecture, Architecture::X86);
        }
        let wrong = Image::read(&boot.join("bzImage"), Some(Architecture::Arm)).unwrap_err();
        assert!(wrong.to_string().contains("--arch"), "{wrong}");
        fs::write(folder.path().join("x"), b"\x7fELF").unwrap();
        assert!(Image::read(&folder.path().join("x"), None).unwrap_err().to_string().contains("vmlinux"));
        for missing in ["none", "none.deb"] {
            let refused = Image::read(&folder.path().join(missing), None).unwrap_err().to_string();
            assert!(refused.contains(missing) && refused.contains("No such file"), "{refused}");
        }
        fs::write(folder.path().join("cut"), &bzimage()[..1_024]).unwrap();
        let refused = Image::read(&folder.path().join("cut"), None).unwrap_err().to_string();
        assert!(refused.contains("its header says 2576 bytes, and it has 1024"), "{refused}");
        let endless = Image::read(Path::new("/dev/zero"), None).unwrap_err().to_string();
        assert!(endless.contains("larger than any kernel"), "{endless}");
    }

    #[test]
    fn kernel_is_taken_from_an_archive() {
        let entry = |name: &str, content: &[u8]| {
            let mut bytes = vec![0; 512];
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            bytes[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
            bytes.extend_from_slice(content);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
            bytes
        };
        let archive =
            [entry("./boot/config-6.1", &[1; 700]), entry("./boot/vmlinuz-6.1", &[7; 600])].concat();
        assert_eq!(kernel_in(&mut archive.as_slice()), Some(vec![7; 600]));
        assert_eq!(kernel_in(&mut archive.get(..1024).unwrap()), None);
        // A package that was cut has the beginning of a kernel, which must not boot.
        assert_eq!(kernel_in(&mut archive.get(..archive.len() - 512).unwrap()), None);
    }
}
