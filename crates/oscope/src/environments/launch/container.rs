//! A container on the files of this machine, with what Docker gives a container: namespaces, few capabilities, no new
//! privileges, and a filter that allows by name all system calls but those which Docker denies.

use super::attended;
use crate::environments::programs::located;
use anyhow::Context;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// What Docker's filter denies (moby, profiles/seccomp/default.json), but for those that it allows by their arguments.
const DENIED: &str = "\
    _sysctl acct add_key bpf clock_adjtime clock_settime create_module delete_module finit_module \
    fsconfig fsmount fsopen fspick get_kernel_syms get_mempolicy init_module io_uring_enter \
    io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl lookup_dcookie \
    mbind mount mount_setattr move_mount move_pages nfsservctl open_by_handle_at open_tree \
    perf_event_open pivot_root query_module quotactl reboot request_key set_mempolicy setns userfaultfd \
    vhangup";

/// What Docker leaves a container's root.
const CAPABILITIES: &str = "\
    CAP_AUDIT_WRITE CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_KILL CAP_MKNOD \
    CAP_NET_BIND_SERVICE CAP_NET_RAW CAP_SETFCAP CAP_SETGID CAP_SETPCAP CAP_SETUID CAP_SYS_CHROOT";

/// Directories of the root that the container makes for itself.
const OWN: [&str; 2] = ["proc", "sys"];

/// Numbers of system calls that are named.
const NUMBERS: std::ops::Range<u64> = 0..470;

/// A program that runs containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// runc, which Docker uses.
    Runc,
    /// crun, which Podman uses.
    Crun,
    /// gVisor's runsc, whose kernel is a program, entered by signals.
    Gvisor,
    /// The same, entered by ptrace.
    GvisorPtrace,
}

impl Runtime {
    /// The program, and its options before the verb.
    fn words(self) -> &'static str {
        match self {
            Self::Runc => "runc",
            Self::Crun => "crun",
            Self::Gvisor => "runsc --platform=systrap --network=none --ignore-cgroups --overlay2=none",
            Self::GvisorPtrace => "runsc --platform=ptrace --network=none --ignore-cgroups --overlay2=none",
        }
    }

    /// Whether it is a kernel of its own, which filters nothing and knows no file system of the machine.
    fn is_kernel(self) -> bool {
        matches!(self, Self::Gvisor | Self::GvisorPtrace)
    }
}

/// Where version 2 of control groups is mounted beside version 1; crun refuses both at once.
const BESIDE: &str = "/sys/fs/cgroup/unified";

/// What the runtime is given, and what it keeps of the container; removed when dropped.
struct Bundle(PathBuf);

impl Drop for Bundle {
    fn drop(&mut self) {
        self.unmount_all();
        // What could not be removed lies in the temporary directory; nobody is left to read a message.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Bundle {
    /// Unmounts what the runtime mounted in the bundle for this process to see; gVisor keeps a network namespace so.
    fn unmount_all(&self) {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let places = mounts.lines().filter_map(|line| line.split(' ').nth(4));
        let inside: Vec<&Path> = places.map(Path::new).filter(|place| place.starts_with(&self.0)).collect();
        // The innermost was mounted last. What stays mounted ends with this process, in whose mounts alone it is.
        for place in inside.into_iter().rev() {
            let _ = sys::settings::unmount(place);
        }
    }

    /// The runtime with its options, and with its state in the bundle.
    fn command(&self, runtime: Runtime) -> Command {
        let mut words = runtime.words().split(' ');
        let program = words.next().unwrap_or_default();
        let mut command = Command::new(located(program).unwrap_or_else(|| program.into()));
        command.args(words).arg("--root").arg(self.0.join("state"));
        command
    }
}

/// Runs the command in a container, and waits for it.
pub(super) fn run(runtime: Runtime, command: &[OsString]) -> anyhow::Result<ExitStatus> {
    let owner = sys::process::effective_user_and_group();
    if owner.0 == 0 {
        // What a runtime mounts and does not unmount ends with this process.
        sys::settings::keep_mounts_private()?;
        if runtime == Runtime::Crun {
            // Where it is not mounted there is nothing to unmount.
            let _ = sys::settings::unmount(Path::new(BESIDE));
        }
    }
    let name = format!("oscope-{}", std::process::id());
    let bundle = Bundle(std::env::temp_dir().join(format!("{name}.container")));
    let root = bundle.0.join("root");
    fs::create_dir_all(&root).with_context(|| bundle.0.display().to_string())?;
    let config = serde_json::to_vec(&config(runtime, owner, command, &root)?)?;
    fs::write(bundle.0.join("config.json"), config)?;
    let status = attended::run(bundle.command(runtime).args(["run", "--bundle"]).arg(&bundle.0).arg(&name));
    // Nothing is left of one that ended by itself, and then this is refused.
    let _ = bundle.command(runtime).args(["delete", "--force", &name]).output();
    status.with_context(|| runtime.words())
}

/// The configuration of a container that this user and group start: root, or a user, who is its root in a namespace of users.
fn config(
    runtime: Runtime,
    (user, group): (u32, u32),
    command: &[OsString],
    root: &Path,
) -> anyhow::Result<Value> {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let variables: Vec<String> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
    let names: Vec<String> = NUMBERS
        .map(sys::calls::name)
        .filter(|name| name != "unknown" && !DENIED.split(' ').any(|denied| denied == name))
        .collect();
    let capabilities: Vec<&str> = CAPABILITIES.split(' ').collect();
    let mut namespaces = vec!["pid", "ipc", "uts", "mount"];
    if !runtime.is_kernel() {
        namespaces.push("cgroup");
    }
    let (mut users, mut groups) = (json!([]), json!([]));
    if user != 0 {
        namespaces.push("user");
        [users, groups] = [user, group].map(|id| json!([{ "containerID": 0, "hostID": id, "size": 1 }]));
    }
    let namespaces: Vec<Value> = namespaces.into_iter().map(|kind| json!({ "type": kind })).collect();
    Ok(json!({
        "ociVersion": "1.0.2",
        "process": {
            "terminal": false,
            "user": { "uid": 0, "gid": 0 },
            "args": words,
            "env": variables,
            "cwd": std::env::current_dir()?,
            "noNewPrivileges": true,
            "capabilities": {
                "bounding": capabilities, "effective": capabilities, "permitted": capabilities,
            },
        },
        "root": { "path": root },
        "mounts": mounts(runtime, root)?,
        "linux": {
            "namespaces": namespaces,
            "uidMappings": users,
            "gidMappings": groups,
            "seccomp": {
                "defaultAction": "SCMP_ACT_ERRNO",
                "syscalls": [{ "names": names, "action": "SCMP_ACT_ALLOW" }],
            },
        },
    }))
}

/// The directories of this machine at their places, links to them in the root, and pseudo file systems of the container's own.
fn mounts(runtime: Runtime, root: &Path) -> anyhow::Result<Vec<Value>> {
    let (own_sys, bound) = match runtime.is_kernel() {
        true => (json!({ "destination": "/sys", "type": "sysfs", "source": "sysfs" }), "bind"),
        false => (
            json!({ "destination": "/sys", "type": "none", "source": "/sys", "options": ["rbind", "ro"] }),
            "none",
        ),
    };
    let mut all = vec![json!({ "destination": "/proc", "type": "proc", "source": "proc" }), own_sys];
    for entry in fs::read_dir("/")? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Ok(target) = fs::read_link(&path) {
            std::os::unix::fs::symlink(target, root.join(&name))?;
        } else if path.is_dir() && !OWN.contains(&name.as_str()) {
            all.push(json!({ "destination": path, "type": bound, "source": path, "options": ["rbind"] }));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_allows_most_calls_and_none_of_those_denied() {
        let root = tempfile::tempdir().unwrap();
        let config = config(Runtime::Runc, (0, 0), &["true".into()], root.path()).unwrap();
        let names = &config["linux"]["seccomp"]["syscalls"][0]["names"];
        let names: Vec<&str> = names.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(names.len() > 250 && names.contains(&"getppid"));
        assert!(DENIED.split(' ').all(|denied| !names.contains(&denied)));
        assert_eq!(config["process"]["args"][0], "true");
    }
}
