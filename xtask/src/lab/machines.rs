//! The machines, as a table.

use super::debian::Kernel;

/// A machine that is emulated, and what must be true of it.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    /// What it is called.
    pub name: &'static str,
    /// What is special about it, for the page.
    pub about: &'static str,
    /// The kernel that boots.
    pub kernel: Kernel,
    /// The emulator's model of the processor.
    pub processor: &'static str,
    /// The emulator's `-smp`.
    pub smp: &'static str,
    /// The emulator's `-m`.
    pub memory: &'static str,
    /// More words for the emulator.
    pub emulator: &'static str,
    /// More words for the kernel's command line.
    pub kernel_line: &'static str,
    /// Whether its time is that of the host, not of the instructions that it has executed.
    pub has_time_of_host: bool,
    /// Whether it has a disk, and the servers and clients of remote file systems.
    pub serves_files: bool,
    /// Lines of shell before oscope starts.
    pub setup: &'static str,
    /// More words after `oscope run`.
    pub run: &'static str,
    /// Facts that the description must have, as `oscope describe --json` writes their values: `KEY=VALUE; KEY=VALUE`.
    pub facts: &'static str,
    /// Skipped rows that must be there: beginnings of points, and words of the reason.
    pub skipped: &'static [(&'static str, &'static str)],
    /// Whether `--ci` boots it.
    pub ci: bool,
}

/// Points that another CPU would need.
const ONE_CPU: &[(&str, &str)] =
    &[("switch.process.pipe cpu=other", "CPU"), ("network.round_trip.tcp path=loopback cpu=other", "CPU")];

/// What most machines are: one CPU, Debian's current kernel.
const ONE: Machine = Machine {
    name: "one",
    about: "1 CPU",
    kernel: Kernel::CURRENT,
    processor: "EPYC-Milan",
    smp: "1",
    memory: "1G",
    emulator: "",
    kernel_line: "",
    has_time_of_host: false,
    serves_files: false,
    setup: "",
    run: "headline",
    facts: "processor.architecture=x86_64; cpus.online=1; memory.nodes=1; \
            environment.hypervisor=QEMU without acceleration",
    skipped: ONE_CPU,
    ci: false,
};

/// A machine whose iterations are timed while its emulator is stopped again and again.
pub const STOPPED: Machine = Machine {
    name: "stopped",
    kernel: Kernel::CLOUD,
    has_time_of_host: true,
    run: "--tail signal.deliver.self --duration 16s",
    ..ONE
};

/// AArch64 with one CPU.
const ARM: Machine = Machine {
    name: "arm-one",
    about: "AArch64, 1 CPU, pages of 4 KiB",
    kernel: Kernel::ARM,
    processor: "neoverse-n1",
    facts: "processor.architecture=aarch64; cpus.online=1; memory.page_size=4096",
    ..ONE
};

/// A machine that serves files to itself.
const NFS: Machine = Machine {
    name: "nfs-4",
    about: "NFS 4.2 by the kernel's server and client",
    serves_files: true,
    setup: "disk; nfs vers=4.2,clientaddr=127.0.0.1 /",
    run: "file.remote --remote-dir /remote --dir /disk/local --peer 127.0.0.1:4000",
    facts: "remote.protocol=NFS; remote.file_system=nfs4; remote.mount_options=vers=4.2; \
            remote.lies_on=another machine; directory.device=vda",
    skipped: &[("file.remote.open", "delegated the file")],
    ..ONE
};

/// All machines.
pub const MACHINES: &[Machine] = &[
    Machine { ci: true, ..ONE },
    Machine {
        name: "threads",
        about: "4 CPUs: 2 cores of 2 threads",
        processor: "Skylake-Server",
        smp: "4,cores=2,threads=2",
        facts: "cpus.online=4; cpus.cores=2; cpus.threads_per_core=2",
        run: "headline 'switch.process.pipe cpu=sibling'",
        skipped: &[],
        ..ONE
    },
    Machine {
        name: "nodes",
        about: "4 CPUs, 2 memory nodes",
        smp: "4,sockets=2,cores=2",
        emulator: "-object memory-backend-ram,size=512M,id=m0 -object memory-backend-ram,size=512M,id=m1 \
                   -numa node,memdev=m0,cpus=0-1 -numa node,memdev=m1,cpus=2-3",
        facts: "memory.nodes=2; memory.node1.cpus=2-3; cpus.packages=2",
        run: "headline 'switch.process.pipe cpu=node'",
        skipped: &[],
        ..ONE
    },
    Machine {
        name: "sixteen",
        about: "16 CPUs",
        smp: "16",
        facts: "cpus.online=16; cpus.cores=16",
        run: "syscall.getppid switch.process.pipe memory.bandwidth.read",
        skipped: &[],
        ..ONE
    },
    Machine {
        name: "limits",
        about: "2 CPUs; a group with 1 of them, half of its time, 256 MiB",
        smp: "2",
        setup: "mount -t cgroup2 group /sys/fs/cgroup; cd /sys/fs/cgroup\n\
                echo '+cpu +memory +cpuset' > cgroup.subtree_control; mkdir small; cd small\n\
                echo 0 > cpuset.cpus; echo '50000 100000' > cpu.max; echo 268435456 > memory.max; echo $$ > cgroup.procs; cd /",
        facts: "cpus.online=2; cpus.allowed=1; limit.cpus=0.5; limit.memory_group=268435456",
        ..ONE
    },
    Machine {
        name: "isolation",
        about: "page-table isolation and retpolines",
        processor: "Skylake-Server",
        kernel_line: "pti=on spectre_v2=on",
        facts: "mitigation.meltdown=Mitigation: PTI; mitigation.spectre_v2=Mitigation",
        ..ONE
    },
    Machine {
        name: "vulnerable",
        about: "mitigations=off",
        processor: "Skylake-Server",
        kernel_line: "mitigations=off",
        facts: "mitigation.meltdown=Vulnerable; mitigation.spectre_v1=Vulnerable",
        ..ONE
    },
    Machine {
        name: "preempt-none",
        about: "preempt=none",
        kernel_line: "preempt=none",
        facts: "kernel.preemption=none",
        ..ONE
    },
    Machine {
        name: "preempt-full",
        about: "preempt=full",
        kernel_line: "preempt=full",
        facts: "kernel.preemption=full",
        ..ONE
    },
    Machine {
        name: "realtime",
        about: "Debian's PREEMPT_RT kernel",
        kernel: Kernel::REALTIME,
        facts: "kernel.preemption=real time",
        ..ONE
    },
    Machine {
        name: "tickless",
        about: "4 CPUs, nohz_full=2-3",
        smp: "4",
        kernel_line: "nohz_full=2-3",
        facts: "cpus.without_tick=2-3",
        skipped: &[],
        ..ONE
    },
    Machine {
        name: "isolated",
        about: "4 CPUs, isolcpus=2-3, measured on 3",
        smp: "4",
        kernel_line: "isolcpus=2-3",
        facts: "cpus.isolated=2-3; cpus.online=4",
        run: "headline --cpu 3 --peer-cpu 2",
        skipped: &[],
        ..ONE
    },
    Machine {
        name: "previous",
        about: "the kernel of Debian 12",
        kernel: Kernel::PREVIOUS,
        facts: "kernel.release=6.1.",
        ..ONE
    },
    Machine {
        name: "oldest",
        about: "the kernel of Debian 11",
        kernel: Kernel::OLDEST,
        facts: "kernel.release=5.10.",
        ..ONE
    },
    Machine {
        name: "no-sys",
        about: "without /sys",
        setup: "umount /sys",
        facts: "cpus.allowed=1; cpus.online=unknown",
        ..ONE
    },
    Machine {
        name: "no-proc",
        about: "without /proc",
        setup: "umount /proc",
        facts: "cpus.online=1; kernel.release=unknown",
        skipped: &[],
        ..ONE
    },
    Machine {
        name: "read-only",
        about: "read-only root, nothing writable but the record's directory",
        setup: "mount -o remount,ro /; umount /dev/shm",
        ..ONE
    },
    Machine {
        name: "small",
        about: "256 MiB of memory",
        memory: "256M",
        skipped: &[("memory.bandwidth.read", "memory")],
        ..ONE
    },
    NFS,
    Machine {
        name: "nfs-3",
        about: "NFS 3 by the kernel's server and client",
        setup: "disk; nfs vers=3,nolock,mountaddr=127.0.0.1,mountproto=tcp /disk/export",
        facts: "remote.protocol=NFS; remote.file_system=nfs; remote.mount_options=vers=3",
        skipped: &[],
        ..NFS
    },
    Machine {
        name: "smb",
        about: "SMB 3.1.1 by the kernel's server (ksmbd) and client",
        setup: "disk; smb",
        facts: "remote.protocol=SMB; remote.file_system=cifs; remote.mount_options=vers=3.1.1",
        skipped: &[],
        ..NFS
    },
    Machine {
        name: "9p",
        about: "9P by the emulator's server",
        // Else the clock leaps to the next timer while the emulator's server works.
        emulator: "-icount sleep=on",
        setup: "disk; host",
        run: "file.remote --remote-dir /remote --dir /disk/local",
        facts: "remote.file_system=9p; remote.lies_on=the host of this machine",
        skipped: &[
            ("file.remote.read.direct access=random file_size=16MiB server_cache=cold", "no peer"),
            ("file.remote.read.cached", "does not cache"),
        ],
        ..NFS
    },
    ARM,
    Machine {
        name: "arm-four",
        about: "AArch64, 4 CPUs",
        smp: "4",
        processor: "cortex-a72",
        facts: "processor.architecture=aarch64; cpus.online=4",
        skipped: &[],
        ..ARM
    },
    Machine {
        name: "arm-pages",
        about: "AArch64, pages of 16 KiB",
        kernel: Kernel::ARM_16K,
        processor: "max",
        facts: "memory.page_size=16384",
        ..ARM
    },
    Machine {
        name: "arm-coarse",
        about: "AArch64, a clock that steps by 40 ns",
        processor: "cortex-a76,cntfrq=25000000",
        facts: "processor.architecture=aarch64",
        ..ARM
    },
];
