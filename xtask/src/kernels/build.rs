//! A small kernel, built from Debian's source, and built again with a patch.

use crate::command::{output, run};
use crate::lab::debian::Packages;
use crate::packages::install_missing;
use anyhow::{Context, Result, ensure};
use programs::package;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A header of the library that the kernel's objtool needs.
const LIBELF: &str = "/usr/include/gelf.h";

/// Debian's source of its kernel: the folder in it has the same name.
const SOURCE: &str = "linux-source-6.1";

/// What the smallest configuration gets: a console, an initial file system, files in memory, sockets, and names of functions.
const ENABLED: &str = "64BIT PRINTK TTY SERIAL_8250 SERIAL_8250_CONSOLE BLK_DEV_INITRD BINFMT_ELF PROC_FS PROC_SYSCTL SYSFS DEVTMPFS \
    SHMEM TMPFS KALLSYMS KALLSYMS_ALL FUTEX EPOLL SIGNALFD TIMERFD EVENTFD POSIX_TIMERS FILE_LOCKING MULTIUSER SYSVIPC \
    POSIX_MQUEUE NET UNIX INET HIGH_RES_TIMERS NO_HZ_IDLE MEMBARRIER ADVISE_SYSCALLS ACPI PCI CC_OPTIMIZE_FOR_PERFORMANCE \
    KERNEL_GZIP SLUB UNWINDER_GUESS";

/// What comes with these, and is not needed.
const DISABLED: &str = "KERNEL_XZ SLOB CC_OPTIMIZE_FOR_SIZE IPV6 SPECULATION_MITIGATIONS MODULES WIRELESS ETHERNET HID USB_SUPPORT \
    INPUT SERIO VT UNWINDER_ORC";

/// A source tree, configured.
pub struct Tree {
    folder: PathBuf,
}

impl Tree {
    /// Fetches the source where it is not yet there, unpacks and configures it.
    ///
    /// # Errors
    /// When it cannot be fetched, or a program that builds it is missing.
    pub fn new(lab: &Path) -> Result<Self> {
        let needed = ["gcc", "make", "flex", "bison", "bc", "xz-utils"]
            .map(|name| package(name, program(name), "planted patches"));
        install_missing(&needed)?;
        ensure!(Path::new(LIBELF).is_file(), "no {LIBELF}, with which a kernel is built: install libelf-dev");
        let folder = lab.join("planted").join(SOURCE);
        if !folder.join("Makefile").is_file() {
            let fetched = lab.join("planted/package");
            Packages::fetch(lab, "bookworm-security", "amd64")?.unpack(SOURCE, &["./usr/src"], &fetched)?;
            let archive = fetched.join(format!("usr/src/{SOURCE}.tar.xz"));
            run(Command::new("tar")
                .arg("--extract")
                .arg("--file")
                .arg(&archive)
                .arg("--directory")
                .arg(lab.join("planted")))?;
            std::fs::remove_dir_all(fetched)?;
        }
        let tree = Self { folder };
        tree.make(&["tinyconfig"])?;
        // Others ask for the second time what the first has made possible.
        for _ in 0..2 {
            let mut configure = Command::new("scripts/config");
            for (word, options) in [("--enable", ENABLED), ("--disable", DISABLED)] {
                configure.args(options.split_whitespace().flat_map(|option| [word, option]));
            }
            run(configure.current_dir(&tree.folder))?;
            tree.make(&["olddefconfig"])?;
        }
        Ok(tree)
    }

    /// Builds the kernel as its files are; gives a copy of the image under this name.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn build(&self, name: &str) -> Result<PathBuf> {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.make(&[&format!("-j{cpus}"), "bzImage"])?;
        let image = self.folder.with_file_name(format!("{name}.bzImage"));
        std::fs::copy(self.folder.join("arch/x86/boot/bzImage"), &image)?;
        Ok(image)
    }

    /// A file of the source.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, file: &str) -> Result<String> {
        std::fs::read_to_string(self.folder.join(file)).with_context(|| file.to_owned())
    }

    /// Writes a file of the source.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, file: &str, text: &str) -> Result<()> {
        std::fs::write(self.folder.join(file), text).with_context(|| file.to_owned())
    }

    fn make(&self, words: &[&str]) -> Result<()> {
        // Neither the host's name nor the time is in the image, so that a patch is all that differs.
        let mut make = Command::new("make");
        make.current_dir(&self.folder).env("KBUILD_BUILD_TIMESTAMP", "0").env("KBUILD_BUILD_VERSION", "1");
        output(make.arg("--silent").args(words).stderr(Stdio::piped())).map(drop)
    }
}

/// The program of a package, by which one sees that it is there.
fn program(package: &str) -> &str {
    if package == "xz-utils" { "xz" } else { package }
}
