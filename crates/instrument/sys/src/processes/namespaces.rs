//! Namespaces of the calling thread.

use crate::descriptor::Descriptor;
use crate::path::{self, Access};
use crate::{Result, arch};
use std::ffi::CStr;

/// A kind of namespace: its flag, and the file that names the one of this process.
#[derive(Debug, Clone, Copy)]
pub struct NamespaceKind {
    flag: i32,
    file: &'static CStr,
}

impl NamespaceKind {
    /// Host and domain name.
    pub const UTS: Self = Self { flag: libc::CLONE_NEWUTS, file: c"/proc/self/ns/uts" };
    /// Semaphores, queues and shared memory of System V, queues of POSIX.
    pub const IPC: Self = Self { flag: libc::CLONE_NEWIPC, file: c"/proc/self/ns/ipc" };
    /// Mounts.
    pub const MOUNT: Self = Self { flag: libc::CLONE_NEWNS, file: c"/proc/self/ns/mnt" };
    /// Interfaces, addresses, sockets.
    pub const NET: Self = Self { flag: libc::CLONE_NEWNET, file: c"/proc/self/ns/net" };
    /// The root of control groups.
    pub const CGROUP: Self = Self { flag: libc::CLONE_NEWCGROUP, file: c"/proc/self/ns/cgroup" };
    /// Process numbers, of children to come.
    pub const PID: Self = Self { flag: libc::CLONE_NEWPID, file: c"/proc/self/ns/pid_for_children" };
    /// Offsets of clocks, of children to come.
    pub const TIME: Self = Self { flag: libc::CLONE_NEWTIME, file: c"/proc/self/ns/time_for_children" };

    /// Leaves the namespace of this kind for a new one.
    ///
    /// # Errors
    /// When that is denied, or a limit is reached.
    #[inline(always)]
    pub fn unshare(self) -> Result<()> {
        // SAFETY: the call takes an integer. With these flags, memory and descriptors stay as they are.
        unsafe { arch::try_syscall::<{ libc::SYS_unshare }, _>([self.flag as usize]) }.map(|_| ())
    }

    /// The number of the current one; `None` for a namespace of process numbers that has no process yet.
    ///
    /// # Errors
    /// When there are no namespaces of this kind.
    pub fn number(self) -> Result<Option<u64>> {
        match path::stat(self.file) {
            Ok(status) => Ok(Some(status.identity().1)),
            Err(error) if error.is_missing() && self.flag == libc::CLONE_NEWPID => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The current one, kept while this lives.
    ///
    /// # Errors
    /// When there are no namespaces of this kind.
    pub fn current(self) -> Result<Namespace> {
        let file = path::open(self.file, Access::Read)?;
        let number = path::fstat(&file)?.identity().1;
        Ok(Namespace { file, flag: self.flag, number })
    }
}

/// A namespace that is kept.
#[derive(Debug)]
pub struct Namespace {
    file: Descriptor,
    flag: i32,
    number: u64,
}

impl Namespace {
    /// Its number, which no other one has while this lives.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Makes it that of this process.
    ///
    /// # Errors
    /// When that is denied.
    #[inline(always)]
    pub fn enter(&self) -> Result<()> {
        let arguments = [self.file.number() as usize, self.flag as usize];
        // SAFETY: the call takes integers. Memory and descriptors stay as they are.
        unsafe { arch::try_syscall::<{ libc::SYS_setns }, _>(arguments) }.map(|_| ())
    }
}

/// The number of the first namespace of processes (PROC_PID_INIT_INO of <linux/proc_ns.h>).
const FIRST_OF_PROCESSES: &str = "pid:[4026531836]";

/// Whether the numbers of its processes are those that the kernel itself uses; also where the kernel has no such namespaces.
pub fn has_first_process_numbers() -> bool {
    let own = std::fs::read_link("/proc/thread-self/ns/pid");
    own.is_ok_and(|own| own.as_os_str() == FIRST_OF_PROCESSES)
        || !std::path::Path::new("/proc/self/ns/pid").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_new_namespace_has_another_number_and_the_old_one_can_be_entered_again() {
        if !programs::allowed("namespaces of host names", &["unshare", "--uts", "true"]) {
            return;
        }
        let kind = NamespaceKind::UTS;
        let own = kind.current().unwrap();
        assert_eq!(kind.number(), Ok(Some(own.number())));
        // Both are of this thread; the file of the process is that of its first one.
        let kind = NamespaceKind { file: c"/proc/thread-self/ns/uts", ..kind };
        let thread = std::thread::spawn(move || {
            kind.unshare().unwrap();
            let new = kind.number().unwrap();
            own.enter().unwrap();
            (own.number(), new, kind.number().unwrap())
        });
        let (own, new, now) = thread.join().unwrap();
        assert!(new != Some(own) && now == Some(own), "{own} {new:?} {now:?}");
    }

    #[test]
    fn another_namespace_of_processes_is_seen() {
        let words = ["unshare", "--fork", "--pid", "--mount-proc", "true"];
        if !programs::allowed("namespaces of processes", &words) {
            return;
        }
        // The first process of the machine, where this one sees it, is in the first namespace.
        let first = std::fs::read_link("/proc/1/ns/pid").ok();
        let own = std::fs::read_link(Path::new("/proc/self/ns/pid")).ok();
        if first == own && first.is_some_and(|first| first.as_os_str() == FIRST_OF_PROCESSES) {
            assert!(has_first_process_numbers());
        }
        let print = programs::command("unshare")
            .args(["--fork", "--pid", "--mount-proc", "readlink", "/proc/self/ns/pid"])
            .output();
        assert_ne!(String::from_utf8(print.unwrap().stdout).unwrap().trim(), FIRST_OF_PROCESSES);
    }
}
