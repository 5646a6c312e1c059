//! The table: Debian packages, the programs in them that tests start, and the tests that need them.

/// A package, and what cannot be tested without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// Its name in Debian.
    pub name: &'static str,
    /// The programs in it that may be started, also by shell lines and by scripts, with spaces between.
    pub programs: &'static str,
    /// The tests that need it.
    pub tests: &'static str,
    /// Whether it would start a server when it is installed: then it is installed only where it is asked for, and its
    /// server is not started.
    pub is_server: bool,
}

impl Package {
    /// The programs in it that may be started.
    pub fn programs(&self) -> impl Iterator<Item = &'static str> {
        self.programs.split(' ')
    }
}

/// A package without servers.
pub const fn package(name: &'static str, programs: &'static str, tests: &'static str) -> Package {
    Package { name, programs, tests, is_server: false }
}

const fn server(name: &'static str, programs: &'static str, tests: &'static str) -> Package {
    Package { is_server: true, ..package(name, programs, tests) }
}

const NFS_OF_USERS: &str = "tests of remote file systems (NFS without a client in the kernel)";

/// All of them, those of Debian's essential set too. A test that needs a further program adds it here.
pub const PACKAGES: &[Package] = &[
    package("gcc", "cc", "all tests (gcc links them)"),
    package(
        "binutils",
        "as ld strip",
        "the tests of a library that answers for the kernel and of the Debian package",
    ),
    package("bubblewrap", "bwrap", "the test of environments"),
    package("runc", "runc", "the test of environments"),
    package("crun", "crun", "the test of environments"),
    package("proot", "proot", "the test of environments"),
    package("python3", "python3", "the test of exported tables"),
    package("python3-pip", "pip3", "the test of exported tables"),
    package("strace", "strace", "the test of environments"),
    package(
        "binutils-x86-64-linux-gnu",
        "x86_64-linux-gnu-objdump",
        "the test that disassembles the timed loops for x86-64",
    ),
    package(
        "binutils-aarch64-linux-gnu",
        "aarch64-linux-gnu-objdump",
        "the test that disassembles the timed loops for AArch64",
    ),
    package(
        "coreutils",
        "basename cat chmod cp date dd dirname env id ln ls md5sum mkdir mkfifo mv readlink rm rmdir sha256sum sleep sort stat stty timeout true truncate uname",
        "tests with shell lines",
    ),
    package("dash", "sh", "tests with shell lines"),
    package("grep", "grep", "tests with shell lines"),
    package(
        "util-linux",
        "nsenter pivot_root prlimit setpriv taskset unshare",
        "tests that run workers under a prefix",
    ),
    package("mount", "mount umount", "tests on file systems of their own"),
    package("bsdutils", "script", "the test of the live table on a terminal"),
    package("qemu-system-x86", "qemu-system-x86_64", "the test of counted kernels"),
    package("procps", "kill sysctl", "tests that send signals, and those between network namespaces"),
    package("e2fsprogs", "mkfs.ext4", "the test of files on ext4"),
    package("xfsprogs", "mkfs.xfs", "the test of files on XFS"),
    package("btrfs-progs", "mkfs.btrfs", "the test of files on Btrfs"),
    package("chromium", "chromium", "tests that open the HTML report in a browser"),
    package("tidy", "tidy", "tests that validate the HTML report"),
    package(
        "iproute2",
        "ip tc",
        "tests between network namespaces: measurements to a peer, remote file systems",
    ),
    package("sshfs", "sshfs", "tests of remote file systems"),
    // The program alone: no daemon comes with it.
    package("openssh-sftp-server", "sftp-server", "tests of remote file systems (what sshfs connects to)"),
    // With nfs-ganesha, which it depends on, and which alone exports nothing.
    server("nfs-ganesha-vfs", "ganesha.nfsd", "tests of remote file systems (NFS)"),
    server("rpcbind", "rpcbind", "tests of remote file systems (NFS)"),
    server("gvfs-fuse", "gvfsd-fuse", NFS_OF_USERS),
    server("gvfs-backends", "gvfsd-nfs", NFS_OF_USERS),
    package("libglib2.0-bin", "gio", NFS_OF_USERS),
    package("dbus-daemon", "dbus-daemon", NFS_OF_USERS),
    server("samba", "smbd", "tests of remote file systems (SMB)"),
    package("smbnetfs", "smbnetfs", "tests of remote file systems (SMB without a client in the kernel)"),
    package("openssh-client", "ssh ssh-keygen", "tests of workers on another machine"),
    server("openssh-server", "sshd", "tests of workers on another machine"),
    package("dpkg", "dpkg dpkg-deb", "the test of the Debian package"),
    package("gzip", "gzip", "the test of the Debian package"),
    package("lintian", "lintian", "the test of the Debian package"),
    package("tar", "tar", "the test of the Debian package"),
    package("mawk", "awk", "scripts of TeX that make fonts"),
    package("sed", "sed", "scripts of TeX that make fonts"),
    package("texlive-base", "mktexpk", "the test that compiles the LaTeX report (a script that makes fonts)"),
    package(
        "texlive-binaries",
        "gftopk kpsestat kpsewhich mf-nowin",
        "the test that compiles the LaTeX report (what makes fonts)",
    ),
    // Its server is not needed; no smaller package has promtool.
    server("prometheus", "prometheus promtool", "tests of metrics"),
    package("libbenchmark-tools", "compare.py", "the test of google-benchmark's comparison"),
    package("python3-scipy", "_distributor_init.py", "the test of google-benchmark's comparison"),
    package("python3-tap", "parser.py", "the test of readers of test results"),
    package("python3-junitparser", "junitparser.py", "the test of readers of test results"),
    package("systemd", "systemd-analyze", "the test of the unit of a watch"),
    package("python3-jsonschema", "jsonschema", "the test of the schemas of JSON documents"),
    server("munge", "munged", "tests under Slurm"),
    server("slurmctld", "slurmctld", "tests under Slurm"),
    server("slurmd", "slurmd", "tests under Slurm"),
    package("slurm-client", "sbatch sbcast scancel scontrol sinfo squeue srun", "tests under Slurm"),
    package("texlive-latex-base", "pdflatex", "the test that compiles the LaTeX report"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_package_and_every_program_is_declared_once() {
        let (mut packages, mut programs) = (BTreeSet::new(), BTreeSet::new());
        for package in PACKAGES {
            assert!(packages.insert(package.name), "{} twice", package.name);
            assert!(!package.tests.is_empty() && !package.programs.is_empty());
            for program in package.programs() {
                assert!(programs.insert(program), "{program} twice");
                assert!(!program.contains('/'), "{program} is a path");
            }
        }
    }
}
