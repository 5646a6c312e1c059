//! What a kernel or a sandbox may deny to tests, found out by trying it.

use crate::start::{command, installed, leave_out};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// What the preset `namespaces` does. What else makes user namespaces does less.
const USER_NAMESPACES: &[&str] = &["unshare", "-Urfpmnui", "--mount-proc", "--kill-child", "--", "true"];

/// What makes a container as root: another root directory, in namespaces of mounts and processes.
const CONTAINERS: &[&str] = &[
    "unshare",
    "-fpm",
    "--kill-child",
    "--",
    "sh",
    "-c",
    "mount --bind /usr /usr && cd /usr && exec \"$0\" . .",
];

/// Settings of the kernel that deny user namespaces, each with the value that does.
const SETTINGS: [(&str, &str); 3] = [
    ("user/max_user_namespaces", "0"),
    ("kernel/unprivileged_userns_clone", "0"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1"),
];

/// Whether this process may make user namespaces, with a /proc of their own. If not, says that the test is left out, and what is
/// denied; where no test may be left out, fails.
///
/// # Panics
/// As [`allowed`].
#[track_caller]
pub fn may_make_user_namespaces() -> bool {
    allowed("user namespaces", USER_NAMESPACES)
}

/// Whether this process may start containers, as root without user namespaces. If not, as [`may_make_user_namespaces`].
///
/// # Panics
/// As [`allowed`].
#[track_caller]
pub fn may_make_containers() -> bool {
    if !is_root() {
        return may_make_user_namespaces();
    }
    installed(&["mount", "pivot_root", "sh"])
        && allowed(
            "namespaces of mounts with another root",
            &[CONTAINERS, &[&crate::path("pivot_root")]].concat(),
        )
}

/// Whether this command succeeds, which does what the kernel or a sandbox may deny. If it does not, says that the test is left
/// out, and what is denied; where no test may be left out, fails.
///
/// # Panics
/// When no declared package holds the command's program; or, on a CI machine, when it does not succeed.
#[track_caller]
pub fn allowed(what: &str, words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first().filter(|(program, _)| installed(&[program])) else {
        return false;
    };
    let why = denial(program, arguments);
    if let Some(why) = &why {
        leave_out(&format!("it needs {what}, which the kernel or a sandbox denies here ({why})"));
    }
    why.is_none()
}

/// Whether a test that needs this right can run. If not, says that the test is left out; where no test may be left out, fails if
/// root runs it, because a CI machine gives root every right.
///
/// # Panics
/// On a CI machine, when root lacks it.
#[track_caller]
pub fn can(what: &str, possible: bool) -> bool {
    if !possible && is_root() {
        leave_out(&format!("it needs {what}, which is missing or denied here"));
    } else if !possible {
        eprintln!("left out: it needs {what}, which only root may have here");
    }
    possible
}

/// Whether this machine has what a test needs: a second CPU, a kind of page. If not, says that the test is left out; that is no
/// failure anywhere, because no setting would bring it.
pub fn has(what: &str, present: bool) -> bool {
    if !present {
        eprintln!("left out: this machine has no {what}");
    }
    present
}

/// Why a command of a declared program does not succeed, with what is known to deny namespaces here; `None` where it does.
///
/// # Panics
/// As [`command`].
#[track_caller]
pub fn denial(program: &str, arguments: &[&str]) -> Option<String> {
    let why = match command(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).output() {
        Ok(ended) if ended.status.success() => return None,
        Ok(ended) => String::from_utf8_lossy(&ended.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Some(std::iter::once(why).chain(causes(Path::new("/proc"))).collect::<Vec<_>>().join("; "))
}

/// Whether root runs this.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// What is known to deny namespaces, and is so for this process.
fn causes(proc: &Path) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(proc.join(name)).unwrap_or_default();
    let settings = SETTINGS.iter().filter(|(name, denies)| read(&format!("sys/{name}")).trim() == *denies);
    let mut causes: Vec<String> =
        settings.map(|(name, denies)| format!("{} = {denies}", name.replace('/', "."))).collect();
    let mut status = read("self/status");
    status.retain(|character| character != '\t');
    if status.lines().any(|line| line == "Seccomp:2") {
        causes.push("a filter of system calls".to_owned());
    }
    // Below chroot the root directory need not be a mount; where it is one, nothing tells.
    let mounts = read("self/mountinfo");
    if !mounts.is_empty() && !mounts.lines().any(|line| line.split(' ').nth(4) == Some("/")) {
        causes.push("the root directory was entered by chroot".to_owned());
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_and_by_what_is_named() {
        let ask = || allowed("a file", &["sh", "-c", "echo it is denied >&2; exit 1"]);
        match std::env::var_os("OSCOPE_CI") {
            None => assert!(!ask()),
            Some(_) => {
                let refused = std::panic::catch_unwind(ask).unwrap_err();
                let said = refused.downcast_ref::<String>().unwrap();
                assert!(said.contains("it needs a file") && said.contains("(it is denied"), "{said}");
            }
        }
        assert!(allowed("nothing", &["sh", "-c", "exit 0"]));
    }

    #[test]
    fn a_missing_right_fails_for_root_where_no_test_may_be_left_out() {
        let ask = || can("the right to make a device", false);
        if std::env::var_os("OSCOPE_CI").is_some() && is_root() {
            assert!(std::panic::catch_unwind(ask).is_err());
        } else {
            assert!(!ask());
        }
        assert!(can("nothing", true) && has("clock", true) && !has("second moon", false));
    }

    #[test]
    fn causes_are_settings_filters_and_chroot() {
        let proc = std::env::temp_dir().join(format!("oscope-proc-{}", std::process::id()));
        for (name, text) in [
            ("sys/user/max_user_namespaces", "0\n"),
            ("sys/kernel/apparmor_restrict_unprivileged_userns", "0\n"),
            ("self/status", "Uid:\t0\nSeccomp:\t2\n"),
            ("self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n"),
        ] {
            let path = proc.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = causes(&proc);
        fs::remove_dir_all(&proc).unwrap();
        let expected = ["user.max_user_namespaces = 0", "a filter of system calls"];
        assert_eq!(found[..2], expected);
        assert!(found.len() == 3 && found[2].contains("chroot"), "{found:?}");
    }
}
