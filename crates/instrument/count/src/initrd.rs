//! The initial file system: this program, the libraries that it has loaded, and the job. It is the same to the byte for one job,
//! because the kernel reads its headers and a digit more costs instructions.

use crate::error::{Error, Result};
use crate::guest::PROGRAM;
use crate::image::{self, Architecture};
use crate::job;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where libraries lie in the guest; the kernel passes it to process 1.
pub const LIBRARIES: &str = "/libraries";

/// A program for the guest, and what it loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    files: Vec<(String, Vec<u8>)>,
}

impl Program {
    /// This program, as it runs here.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn this() -> Result<Self> {
        let unreadable = |path: &Path, error: std::io::Error| Error(format!("{}: {error}", path.display()));
        let own = Path::new("/proc/self/exe");
        let program = fs::read(own).map_err(|error| unreadable(own, error))?;
        let mut files = Vec::new();
        if let Some(loader) = elf_loader(&program) {
            let maps = fs::read_to_string("/proc/self/maps")
                .map_err(|error| unreadable(Path::new("/proc/self/maps"), error))?;
            for library in libraries(&maps, &fs::read_link(own).unwrap_or_default()) {
                let bytes = fs::read(&library).map_err(|error| unreadable(&library, error))?;
                let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if Path::new(&loader).file_name() == library.file_name() {
                    files.push((loader.clone(), bytes.clone()));
                }
                files.push((format!("{LIBRARIES}/{name}"), bytes));
            }
        }
        files.push((PROGRAM.to_owned(), loaded_part(program)));
        Ok(Self { files })
    }

    /// A static program of another architecture.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(path: &Path, architecture: Architecture) -> Result<Self> {
        let bytes = image::read_file(path)?;
        let machine = match architecture {
            Architecture::X86 => 62,
            Architecture::Arm => 183,
        };
        if !bytes.starts_with(b"\x7fELF\x02\x01")
            || number(&bytes, 18, 2) != Some(machine)
            || elf_loader(&bytes).is_some()
        {
            return Err(Error(format!(
                "{}: not a static program of {}",
                path.display(),
                architecture.name()
            )));
        }
        Ok(Self { files: vec![(PROGRAM.to_owned(), loaded_part(bytes))] })
    }
}

/// The shared libraries that are mapped, apart from the program itself.
fn libraries(maps: &str, program: &Path) -> BTreeSet<PathBuf> {
    let mapped = maps.lines().filter_map(|line| {
        let (rest, path) = line.split_once(" /")?;
        rest.split_whitespace().nth(1)?.contains('x').then(|| PathBuf::from(format!("/{path}")))
    });
    mapped.filter(|path| path != program && path.to_string_lossy().contains(".so")).collect()
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    Some(bytes.get(at..at + length)?.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

/// Segments of a program: kind, offset and length in the file; see elf(5).
fn segments(program: &[u8]) -> Vec<(usize, usize, usize)> {
    let read = |at, length| number(program, at, length).unwrap_or(0);
    let (table, entry, count) = (read(32, 8), read(54, 2), read(56, 2));
    let entries = (0..count).map(|index| table + index * entry);
    entries.map(|at| (read(at, 4), read(at + 8, 8), read(at + 32, 8))).collect()
}

/// The loader that a program asks for (PT_INTERP).
fn elf_loader(program: &[u8]) -> Option<String> {
    let (_, at, length) = segments(program).into_iter().find(|(kind, ..)| *kind == 3)?;
    let text = program.get(at..at + length)?;
    Some(String::from_utf8_lossy(text).trim_end_matches('\0').to_owned())
}

/// A program without what no loader reads: debug information and the table of sections.
fn loaded_part(mut program: Vec<u8>) -> Vec<u8> {
    let end = segments(&program).into_iter().map(|(_, at, length)| at + length).max().unwrap_or(0);
    if end > 64 {
        program.truncate(end);
        for field in [40..48, 60..64] {
            program.get_mut(field).into_iter().flatten().for_each(|byte| *byte = 0);
        }
    }
    program
}

/// The initial file system of a program and a job, as `cpio -H newc` writes it (Documentation/driver-api/early-userspace).
pub fn initrd(program: &Program, job: &[u8]) -> Vec<u8> {
    let job = [(job::PATH.to_owned(), job.to_vec())];
    let files: Vec<&(String, Vec<u8>)> = program.files.iter().chain(&job).collect();
    let mut folders: BTreeSet<String> = ["/dev", "/proc", "/sys", "/tmp"].map(str::to_owned).into();
    for (path, _) in &files {
        let parents = Path::new(path).ancestors().skip(1).map(|path| path.display().to_string());
        folders.extend(parents.filter(|path| path != "/"));
    }
    let mut archive = Vec::new();
    let mut inode = 0;
    let mut add = |path: &str, mode: u32, content: &[u8]| {
        inode += 1;
        entry(&mut archive, inode, path.trim_start_matches('/'), mode, content);
    };
    folders.iter().for_each(|folder| add(folder, 0o040_755, &[]));
    // Where the kernel finds the first process's standard output before anything is mounted it makes itself.
    files.iter().for_each(|(path, content)| add(path, 0o100_755, content));
    add("TRAILER!!!", 0, &[]);
    archive
}

fn entry(archive: &mut Vec<u8>, inode: u32, name: &str, mode: u32, content: &[u8]) {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let name_length = u32::try_from(name.len() + 1).unwrap_or(u32::MAX);
    // Inode, mode, user, group, links, time, length, four numbers of devices, length of the name, checksum.
    let fields = [inode, mode, 0, 0, 1, 0, length, 0, 0, 0, 0, name_length, 0];
    archive.extend_from_slice(b"070701");
    fields.iter().for_each(|field| archive.extend_from_slice(format!("{field:08x}").as_bytes()));
    archive.extend_from_slice(name.as_bytes());
    archive.push(0);
    archive.resize(archive.len().next_multiple_of(4), 0);
    archive.extend_from_slice(content);
    archive.resize(archive.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn archive_holds_the_program_its_libraries_and_the_job() {
        let program = Program::this().unwrap();
        let archive = initrd(&program, b"{}");
        assert_eq!(archive, initrd(&program, b"{}"), "it is the same to the byte");
        let text = String::from_utf8_lossy(&archive);
        for name in ["oscope-guest\0", "job\0", "TRAILER!!!\0", "libraries/libc.so.6\0"] {
            assert!(text.contains(name), "{name}");
        }
    }

    #[test]
    fn program_without_its_sections_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("true");
        let whole = fs::read("/bin/true").unwrap();
        fs::copy("/bin/true", &path).unwrap();
        let part = loaded_part(whole.clone());
        assert!(part.len() < whole.len() && elf_loader(&part).is_some());
        fs::write(&path, part).unwrap();
        assert!(programs::command(&path).status().unwrap().success());
    }

    #[test]
    fn only_a_static_program_of_the_architecture_is_taken() {
        let refused = Program::read(Path::new("/bin/true"), Architecture::Arm).unwrap_err().to_string();
        assert!(refused.contains("not a static program of aarch64"), "{refused}");
    }
}
