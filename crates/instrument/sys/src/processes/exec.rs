//! Programs to execute: the smallest one, which this module writes itself, and those of the system.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use std::ffi::CString;
use std::path::{Path, PathBuf};

/// A program that can be executed.
#[derive(Debug)]
pub struct Program {
    /// The file in memory that holds it, where it is ours.
    file: Option<Descriptor>,
    /// That of a file in memory is meant for this process and for children that have a copy of its descriptors.
    path: CString,
}

/// What [`Program::smallest`] adds to the number of its arguments: no other way of ending gives this status.
pub const STATUS_OF_SMALLEST: i32 = 64;

/// The exit status by which a child says that the program was not executed.
pub const NOT_EXECUTED: i32 = 94;

/// Sizes of the ELF header and of the one program header behind it, in bytes (elf.h, 64 bits).
const HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;

/// Where the program is loaded: below everything else, and aligned to pages of any size.
const ADDRESS: u64 = 0x40_0000;

/// The alignment that pages of 64 KiB ask for.
const ALIGNMENT: u64 = 0x1_0000;

/// The bytes of a static executable that holds nothing but this code.
fn executable(code: &[u8]) -> Vec<u8> {
    let start = HEADER + PROGRAM_HEADER;
    let length = start + code.len() as u64;
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // Executable, machine, version.
    bytes.extend([2_u16, arch::ELF_MACHINE].iter().flat_map(|half| half.to_le_bytes()));
    bytes.extend(1_u32.to_le_bytes());
    // Entry, program headers, section headers, flags.
    for word in [ADDRESS + start, HEADER, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(0_u32.to_le_bytes());
    // Sizes and numbers of headers.
    for half in [HEADER as u16, PROGRAM_HEADER as u16, 1, 0, 0, 0] {
        bytes.extend(half.to_le_bytes());
    }
    // One segment to load, readable and executable: offset, addresses, sizes, alignment.
    bytes.extend([1_u32, 5].iter().flat_map(|word| word.to_le_bytes()));
    for word in [0, ADDRESS, ADDRESS, length, length, ALIGNMENT] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(code);
    bytes
}

/// A new file in memory that may be executed.
fn executable_file() -> Result<Descriptor> {
    let plain = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let create = |flags| memfd_create(c"oscope-program", flags);
    let made = create(plain | MemfdFlags::EXEC).or_else(|error| match error {
        // A kernel before 6.3 does not know the flag, and lets every such file be executed.
        Errno::INVAL => create(plain),
        other => Err(other),
    });
    made.map(Descriptor::from).map_err(Error::in_call("memfd_create"))
}

impl Program {
    /// A static program of some 130 bytes that exits with [`STATUS_OF_SMALLEST`] and the number of its
    /// arguments added, and does nothing else. It lies in a sealed file in memory that nobody else sees.
    ///
    /// # Errors
    /// When the kernel gives no such file, or none that may be executed.
    pub fn smallest() -> Result<Self> {
        let file = executable_file()?;
        file.write_all(&executable(arch::COUNT_ARGUMENTS))?;
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        fcntl_add_seals(&file, seals).map_err(Error::in_call("fcntl"))?;
        let path = CString::new(format!("/proc/self/fd/{}", file.number())).unwrap_or_default();
        Ok(Self { file: Some(file), path })
    }

    /// The program of this name in the directories of PATH, or where systems keep the usual ones.
    pub fn on_path(name: &str) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let usual = ["/usr/bin", "/bin"].map(PathBuf::from);
        let found = std::env::split_paths(&path).chain(usual).map(|folder| folder.join(name));
        let found = found.filter(|path| path.is_absolute()).find(|path| may_execute(path))?;
        Some(Self { file: None, path: CString::new(found.into_os_string().into_encoded_bytes()).ok()? })
    }

    /// The system call that executes it.
    pub fn call(&self) -> &'static str {
        if self.file.is_some() { "execveat" } else { "execve" }
    }

    /// Whether another program, the dynamic linker, has to load it first; `None` when it cannot be read.
    pub fn is_dynamic(&self) -> Option<bool> {
        // The header and the program headers: more than any linker writes in front.
        let mut start = vec![0; 4096];
        let mut file = std::fs::File::open(self.path.to_str().ok()?).ok()?;
        let length = std::io::Read::read(&mut file, &mut start).ok()?;
        asks_for_linker(start.get(..length)?)
    }

    /// Executes it in the place of this process, without environment. Comes back only with the error.
    ///
    /// For children of [`crate::process::create`]: makes one system call, allocates nothing.
    #[inline(always)]
    pub fn execute(&self, arguments: &Arguments) -> Error {
        let environment = arguments.environment();
        let arguments = arguments.pointers.as_ptr() as usize;
        let executed = match &self.file {
            Some(file) => {
                let number = file.number() as usize;
                let empty = c"".as_ptr() as usize;
                let words = [number, empty, arguments, environment, libc::AT_EMPTY_PATH as usize];
                // SAFETY: all are valid, ended by null, and live on; the call replaces the process or fails.
                unsafe { arch::try_syscall::<{ libc::SYS_execveat }, _>(words) }
            }
            None => {
                let words = [self.path.as_ptr() as usize, arguments, environment];
                // SAFETY: as above.
                unsafe { arch::try_syscall::<{ libc::SYS_execve }, _>(words) }
            }
        };
        executed.err().unwrap_or(Error { call: "execve", errno: 0 })
    }

    /// Starts it by posix_spawn of the C library, without environment; gives the child's number.
    ///
    /// # Errors
    /// When the C library could not make the process or execute the program.
    #[inline(always)]
    pub fn spawn(&self, arguments: &Arguments) -> Result<i32> {
        let mut child = 0;
        let pointers = arguments.pointers.as_ptr().cast::<*mut libc::c_char>();
        // SAFETY: path, arguments and environment are valid, ended by null, and only read.
        let errno = unsafe {
            libc::posix_spawn(
                &raw mut child,
                self.path.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                pointers,
                arguments.environment() as *const *mut libc::c_char,
            )
        };
        if errno == 0 { Ok(child) } else { Err(Error { call: "posix_spawn", errno }) }
    }
}

fn may_execute(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Whether a program header of this start of an executable names an interpreter (PT_INTERP is 3).
fn asks_for_linker(start: &[u8]) -> Option<bool> {
    if !start.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let [offset, size, count] =
        [32, 54, 56].map(|at| Some(usize::from(u16::from_le_bytes(*start.get(at..)?.first_chunk()?))));
    let (offset, size, count) = (offset?, size?, count?);
    let kinds = (0..count).map(|index| start.get(offset + index * size..)?.first_chunk::<4>());
    kinds.map(|kind| Some(u32::from_le_bytes(*kind?) == 3)).try_fold(false, |any, one| Some(any | one?))
}

/// Arguments of a program, as the kernel takes them.
#[derive(Debug)]
pub struct Arguments {
    /// Ended by null; what they point to is `_words`.
    pointers: Vec<*const libc::c_char>,
    _words: Vec<CString>,
}

impl Arguments {
    /// These words, of which the first is the program's name. A word with a zero byte counts as empty.
    pub fn new(words: &[&str]) -> Self {
        let words: Vec<CString> = words.iter().map(|word| CString::new(*word).unwrap_or_default()).collect();
        let pointers = words.iter().map(|word| word.as_ptr()).chain([std::ptr::null()]).collect();
        Self { pointers, _words: words }
    }

    /// The address of an empty environment: the null that ends the arguments.
    fn environment(&self) -> usize {
        self.pointers.last().map_or(0, |end| &raw const *end as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::create::{Fork, Stack, fork_then, vfork_then};
    use crate::process::{Ended, wait_for};

    #[test]
    fn the_smallest_program_runs_in_every_way_and_counts_its_arguments() {
        let program = Program::smallest().unwrap();
        assert_eq!(program.is_dynamic(), Some(false));
        let mut stack = Stack::new().unwrap();
        for words in [&["a"][..], &["a", "b"], &["a", "b", "c", "d", "e", "f", "g"]] {
            let arguments = Arguments::new(words);
            let expected = Ended::Exited(STATUS_OF_SMALLEST + words.len() as i32);
            let forked = fork_then(Fork::Clone, || {
                program.execute(&arguments);
                NOT_EXECUTED
            });
            assert_eq!(wait_for(forked.unwrap()).unwrap().1, expected);
            let shared = vfork_then(&mut stack, || {
                program.execute(&arguments);
                NOT_EXECUTED
            });
            assert_eq!(wait_for(shared.unwrap()).unwrap().1, expected);
            if Path::new("/proc/self/fd").exists() {
                let spawned = program.spawn(&arguments).unwrap();
                assert_eq!(wait_for(spawned).unwrap().1, expected);
            }
        }
    }

    #[test]
    fn the_smallest_program_cannot_be_changed() {
        let program = Program::smallest().unwrap();
        let file = program.file.as_ref().unwrap();
        assert_eq!(file.write(b"x"), -(libc::EPERM as isize));
    }

    #[test]
    fn a_program_that_cannot_be_executed_says_why() {
        let program = Program { file: None, path: c"/nonexistent/program".to_owned() };
        let arguments = Arguments::new(&["program"]);
        assert_eq!(program.execute(&arguments).errno, libc::ENOENT);
        assert_eq!(program.spawn(&arguments).unwrap_err().errno, libc::ENOENT);
        assert!(Program::on_path("no program has this name").is_none());
    }

    #[test]
    fn a_shell_is_found_and_has_a_linker_or_has_none() {
        if let Some(shell) = Program::on_path("sh") {
            assert!(shell.is_dynamic().is_some());
            let arguments = Arguments::new(&["sh", "-c", "exit 7"]);
            let child = shell.spawn(&arguments).unwrap();
            assert_eq!(wait_for(child).unwrap().1, Ended::Exited(7));
        }
    }

    #[test]
    fn what_is_no_executable_asks_for_nothing() {
        assert_eq!(asks_for_linker(b"#!/bin/sh\n"), None);
        assert_eq!(asks_for_linker(&executable(b"")), Some(false));
        assert_eq!(asks_for_linker(&executable(b"")[..100]), Some(false));
        assert_eq!(asks_for_linker(&executable(b"")[..60]), None);
    }
}
