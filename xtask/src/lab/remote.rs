//! What a machine needs that serves files to itself: a disk, kernel modules, and the servers with their libraries.

use super::debian::{Kernel, Packages};
use crate::command::{output, run};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// Shell functions for the setup of such a machine.
pub const FUNCTIONS: &str = include_str!("remote.sh");

/// Packages with the servers.
const PACKAGES: &[&str] = &["rpcbind", "nfs-kernel-server", "ksmbd-tools"];

/// The programs that `remote.sh` starts.
const PROGRAMS: &[&str] = &["rpcbind", "exportfs", "rpc.mountd", "rpc.nfsd", "ksmbd.mountd"];

/// Files of /etc by which the C library knows protocols.
const NAMES: &[&str] = &["netconfig", "protocols", "rpc", "services"];

/// Kernel modules: servers, clients, the disk, and what they load when they are used.
const MODULES: &str = "fs/nfs fs/lockd fs/smb fs/nls fs/9p fs/netfs fs/ext4 fs/jbd2 fs/mbcache net/sunrpc net/9p \
                       net/dns_resolver crypto/ arch/x86/crypto lib/ drivers/block/virtio_blk";

/// Where libraries are in Debian's packages.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// The loader of programs, among the libraries, and the folder where programs look for it.
const LOADER: &str = "ld-linux-x86-64.so.2";
const LOADER_FOLDER: &str = "lib64";

/// Bytes of the disk.
const DISK: u64 = 1 << 30;

/// Adds modules and programs to the tree of a machine; fetched where they are not yet in the folder.
///
/// # Errors
/// When a package cannot be fetched or is not as expected.
pub fn add(kernel: &Kernel, folder: &Path, tree: &Path) -> Result<()> {
    let served = folder.join(format!("served-{}-{}", kernel.release, kernel.package));
    if !served.exists() {
        let partial = folder.join("served-partial");
        if partial.exists() {
            std::fs::remove_dir_all(&partial)?;
        }
        let packages = Packages::fetch(folder, kernel.release, kernel.architecture)?;
        modules(&packages, kernel, &partial).context("kernel modules")?;
        programs(&packages, &partial).context("file servers")?;
        std::fs::rename(&partial, &served)?;
    }
    shell("cp -a \"$1/.\" \"$2\"", &[&served, tree])
}

/// The emulator's words for the disk, which is empty, and for a directory of the host.
///
/// # Errors
/// When these cannot be made.
pub fn words(folder: &Path) -> Result<Vec<String>> {
    let (disk, shared) = (folder.join("disk"), folder.join("shared"));
    std::fs::File::create(&disk)?.set_len(DISK)?;
    if shared.exists() {
        std::fs::remove_dir_all(&shared)?;
    }
    std::fs::create_dir(&shared)?;
    Ok(vec![
        "-drive".to_owned(),
        format!("file={},if=virtio,format=raw,cache=unsafe", disk.display()),
        "-virtfs".to_owned(),
        format!("local,path={},mount_tag=host,security_model=none", shared.display()),
    ])
}

/// The modules, unpacked twice: a kernel may not know their compression.
fn modules(packages: &Packages, kernel: &Kernel, into: &Path) -> Result<()> {
    let below = MODULES.split(' ').map(|beginning| format!("./usr/lib/modules/*/kernel/{beginning}*.ko.xz"));
    let below: Vec<String> = below.collect();
    let below: Vec<&str> = below.iter().map(String::as_str).collect();
    packages.unpack(&packages.newest(kernel.package)?, &below, into)?;
    shell("mv \"$1/usr/lib\" \"$1/lib\" && find \"$1/lib\" -name '*.xz' -exec busybox unxz {} +", &[into])
}

/// The programs, with the libraries that the loader finds for them.
fn programs(packages: &Packages, into: &Path) -> Result<()> {
    let all = into.join("packages");
    packages.unpack_with_dependencies(PACKAGES, &all)?;
    let libraries = all.join(LIBRARIES);
    let loader = libraries.join(LOADER);
    for name in ["usr/sbin", LIBRARIES, LOADER_FOLDER, "etc"] {
        std::fs::create_dir_all(into.join(name))?;
    }
    for program in PROGRAMS {
        let path = all.join("usr/sbin").join(program);
        let mut list = Command::new(&loader);
        let listed = output(list.arg("--library-path").arg(&libraries).arg("--list").arg(&path))?;
        for name in found(&listed) {
            std::fs::copy(libraries.join(name), into.join(LIBRARIES).join(name)).context(name.to_owned())?;
        }
        std::fs::copy(&path, into.join("usr/sbin").join(program)).context(*program)?;
    }
    std::fs::copy(&loader, into.join(LOADER_FOLDER).join(LOADER))?;
    for name in NAMES {
        std::fs::copy(all.join("etc").join(name), into.join("etc").join(name)).context(*name)?;
    }
    Ok(std::fs::remove_dir_all(&all)?)
}

/// The names of the libraries that the loader lists.
fn found(listed: &str) -> impl Iterator<Item = &str> {
    let lines = listed.lines().filter(|line| line.contains(" => /"));
    lines.filter_map(|line| line.split_whitespace().next()).filter(|name| !name.starts_with('/'))
}

fn shell(line: &str, paths: &[&Path]) -> Result<()> {
    run(Command::new("sh").args(["-c", line, "sh"]).args(paths))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn libraries_are_those_that_the_loader_found() {
        let listed = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibc.so.6 => /a/libc.so.6 (0x00007f)\n\
                      \t/lib64/ld-linux-x86-64.so.2 => /a/ld-linux-x86-64.so.2 (0x00007f)\n";
        assert_eq!(found(listed).collect::<Vec<_>>(), ["libc.so.6"]);
    }

    #[test]
    fn programs_are_those_that_the_functions_start() {
        for program in PROGRAMS {
            assert!(FUNCTIONS.contains(program), "{program}");
        }
    }

    #[test]
    fn disk_and_directory_are_empty_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = words(folder.path()).unwrap();
        std::fs::write(folder.path().join("disk"), "text").unwrap();
        std::fs::write(folder.path().join("shared/file"), "text").unwrap();
        assert_eq!(words(folder.path()).unwrap(), first);
        assert_eq!(folder.path().join("disk").metadata().unwrap().len(), DISK);
        assert!(!folder.path().join("shared/file").exists());
    }
}
