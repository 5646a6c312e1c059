//! What makes a Debian package of the files: control file, copyright, changelog, sums.

use super::built::Built;
use super::tree::{DOCUMENTS, compress, put};
use crate::command::output;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAINTAINER: &str = "The oscope authors <oscope@users.noreply.github.com>";

/// Writes what is Debian's own beside the staged files.
pub fn control(built: &Built, staging: &Path) -> Result<()> {
    let documents = staging.join(DOCUMENTS);
    put(&documents.join("copyright"), copyright().as_bytes(), 0o644)?;
    let changes = format!(
        "oscope ({}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {MAINTAINER}  {}\n",
        built.version, built.date
    );
    put(&documents.join("changelog"), changes.as_bytes(), 0o644)?;
    compress(&documents.join("changelog"))?;
    let mut files = Vec::new();
    collect(staging, Path::new("usr"), &mut files)?;
    let kibibytes: u64 = files.iter().map(|(_, bytes)| bytes.div_ceil(1024)).sum();
    let text = format!(
        "Package: oscope\nVersion: {}\nArchitecture: {}\nMaintainer: {MAINTAINER}\nInstalled-Size: {kibibytes}\n\
         Depends: {}\nSection: utils\nPriority: optional\nHomepage: {}\n\
         Description: oscilloscope for the operating system\n \
         Describes a Linux machine, predicts what the basic services of its hardware\n \
         and its kernel should cost, measures what they do cost, checks by counters and\n \
         tracing that the measured operation really happened, and shows the difference.\n",
        built.version,
        built.architecture,
        depends(&built.program),
        env!("CARGO_PKG_REPOSITORY"),
    );
    put(&staging.join("DEBIAN/control"), text.as_bytes(), 0o644)?;
    let mut sums = Command::new("md5sum");
    let sums = output(sums.args(files.iter().map(|(path, _)| path)).current_dir(staging))?;
    put(&staging.join("DEBIAN/md5sums"), sums.as_bytes(), 0o644)
}

/// The files below a folder by their paths from the root, in their order, with their lengths.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, u64)>) -> Result<()> {
    let entries = std::fs::read_dir(root.join(folder))?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<PathBuf> = entries.iter().map(|entry| folder.join(entry.file_name())).collect();
    names.sort();
    for name in names {
        let about = root.join(&name).metadata()?;
        if about.is_dir() {
            collect(root, &name, files)?;
        } else {
            files.push((name, about.len()));
        }
    }
    Ok(())
}

/// The libraries that a program needs, by the names of symbol versions and files that are in it.
fn depends(program: &[u8]) -> String {
    let named = |prefix: &'static [u8]| {
        let windows = program.windows(prefix.len()).enumerate();
        let places = windows.filter(move |(_, window)| *window == prefix);
        places.map(move |(at, _)| program.get(at + prefix.len()..).unwrap_or_default())
    };
    let minors = named(b"\0GLIBC_2.").filter_map(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).copied().collect();
        String::from_utf8(digits).ok()?.parse::<u32>().ok()
    });
    let newest = minors.max();
    let needed = [
        newest.map(|minor| format!("libc6 (>= 2.{minor})")),
        named(b"libgcc_s.so.1").next().map(|_| "libgcc-s1".to_owned()),
    ];
    needed.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The licences: the text of the one, and where Debian keeps the other.
fn copyright() -> String {
    let mit = include_str!("../../../LICENSE-MIT").lines();
    let mit = mit.skip_while(|line| !line.starts_with("Permission"));
    let mit = mit.map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") });
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nSource: {}\n\n\
         Files: *\nCopyright: 2026 The oscope authors\nLicense: Expat or Apache-2.0\n\n\
         License: Expat\n{}\nLicense: Apache-2.0\n On Debian systems the text is in \
         /usr/share/common-licenses/Apache-2.0.\n",
        env!("CARGO_PKG_REPOSITORY"),
        mit.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_those_whose_names_are_in_the_program() {
        let program = b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_PRIVATE\0libgcc_s.so.1\0";
        assert_eq!(depends(program), "libc6 (>= 2.34), libgcc-s1");
        assert_eq!(depends(b"a static program"), "");
    }
}
