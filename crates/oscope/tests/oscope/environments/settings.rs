//! Who starts an environment, and by which settings.

use super::{GETPPID, is_possible, leftovers, oscope, outcome};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// An ordinary user, whose PATH has no directories of the system's programs, gets containers by a namespace of users.
#[test]
fn a_container_of_an_ordinary_user_gives_numbers() {
    const NOBODY: &str = "65534";
    let identity = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"];
    let as_user = |words: &[&'static str]| [&["setpriv"], &identity[..], words].concat();
    if !programs::installed(&["setpriv", "unshare", "runc"])
        || !programs::allowed("another identity", &as_user(&["/bin/true"]))
        || !programs::allowed("user namespaces of an ordinary user", &as_user(&["unshare", "-Urm", "true"]))
    {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let program = folder.path().join("program");
    fs::copy(assert_cmd::cargo::cargo_bin("oscope"), &program).unwrap();
    let ran = programs::command("setpriv")
        .args(identity)
        .arg(&program)
        .args(["run", GETPPID, "--rounds", "6", "--versus", "runc", "-o"])
        .arg(folder.path().join("record"))
        .env("XDG_STATE_HOME", folder.path())
        .env("TMPDIR", folder.path())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(said.contains("runc: a container") && said.contains("process.namespace.user"), "{said}");
    assert!(!said.contains("not measured") && !said.contains("not comparable"), "{said}");
    assert_eq!(leftovers(folder.path()), "");
}

/// A setting of all workers is made before they enter an environment.
#[test]
fn settings_of_the_run_hold_in_environments_too() {
    let ran = |environment: &str| {
        let folder = tempfile::tempdir().unwrap();
        let run = ["run", GETPPID, "--nice", "5", "--rounds", "4", "--versus", environment];
        outcome(oscope(&folder).args(run))
    };
    let (code, said) = ran("nice=9");
    assert!(code == 0 && said.contains("process.nice: 5 → 9"), "{said}");
    if is_possible("bwrap") {
        let (code, said) = ran("bwrap");
        let differs = said.contains("process.namespace.mnt") && !said.contains("process.nice:");
        assert!(code == 0 && differs, "{said}");
    }
    let (code, said) = ran("ssh=host");
    assert!(code == 2 && said.contains("another machine"), "{said}");
}
