//! Workers behind `ssh`: an sshd of the test's own on loopback, in namespaces of its own, with keys and a configuration in
//! a temporary directory.

use super::{
    GETPPID, leftovers, nothing_is_left_when_killed, oscope, processes, script, versus_by, wait_until,
};
use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use tempfile::TempDir;

/// Programs that the server needs, and where it runs: namespaces, so that the directory that it demands in /run is its own,
/// and so that all of its processes end with the first.
const PROGRAMS: [&str; 4] = ["ssh", "ssh-keygen", "sshd", "unshare"];
const NAMESPACES: [&str; 5] = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
const SERVE: &str = "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec \"$0\" -D -e -f \"$1\"";

/// The name of the server in the configuration of the client.
const HOST: &str = "machine-of-this-test";

/// A server; ended with everything that it started when dropped.
struct Server {
    child: Child,
    folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is `unshare`, whose end kills the first process of the namespace.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// A server that answers; `None` where none can run.
    fn start() -> Option<Self> {
        let own = [&["unshare"], &NAMESPACES[..], &["true"]].concat();
        if !programs::installed(&PROGRAMS) || !programs::allowed("mounts and processes of its own", &own) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = configure(folder.path());
        let child = programs::command("unshare")
            .args(NAMESPACES)
            .args(["sh", "-c", SERVE, &programs::path("sshd")])
            .arg(folder.path().join("sshd_config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        let server = Self { child, folder };
        let answers = wait_until(|| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
        assert!(answers, "sshd does not answer: {}", server.log());
        Some(server)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// A path on which `ssh` is the client with the configuration of this test.
    fn path(&self) -> OsString {
        let own = self.folder.path().join("bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(own).chain(std::env::split_paths(&path));
        std::env::join_paths(all).unwrap()
    }

    /// What sessions have in their environment variables, and nothing else of this test.
    fn mark(&self) -> String {
        mark(self.folder.path())
    }
}

fn mark(folder: &Path) -> String {
    format!("OSCOPE_TEST_SESSION={}", folder.display())
}

/// Writes keys and configurations of the server and of the client; gives the port.
fn configure(folder: &Path) -> u16 {
    for name in ["host", "user"] {
        let made = programs::command("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(folder.join(name))
            .status();
        assert!(made.unwrap().success());
    }
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    let here = folder.display();
    let server = format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {here}/host\nAuthorizedKeysFile {here}/user.pub\n\
         PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitUserRC no\nSetEnv {}\n",
        mark(folder)
    );
    let client = format!(
        "Host {HOST}\nHostName 127.0.0.1\nPort {port}\nUser root\nIdentityFile {here}/user\nIdentitiesOnly yes\n\
         UserKnownHostsFile {here}/known\nGlobalKnownHostsFile none\nStrictHostKeyChecking yes\n"
    );
    let host = fs::read_to_string(folder.join("host.pub")).unwrap();
    for (name, text) in
        [("sshd_config", server), ("ssh_config", client), ("known", format!("[127.0.0.1]:{port} {host}"))]
    {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::create_dir(folder.join("bin")).unwrap();
    let lines = format!("exec {} -F {here}/ssh_config \"$@\"", programs::path("ssh"));
    script(&folder.join("bin/ssh"), &lines);
    port
}

#[test]
fn workers_on_another_machine_are_seen_and_give_numbers() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut command = oscope(&folder);
    command.env("PATH", server.path());
    let (code, rows, said) = versus_by(command, &format!("ssh={HOST}"), GETPPID, &folder);
    assert_eq!(code, 0, "{said} {}", server.log());
    // Seen by workers that sshd started, and by no others.
    for namespace in ["process.namespace.mnt: ", "process.namespace.pid: "] {
        assert!(said.contains(namespace), "{said} {}", server.log());
    }
    let is_compared = rows.len() == 1 && !rows[0].contains("not comparable");
    assert!(is_compared, "{rows:?} {said}");
    assert!(
        wait_until(|| processes(&server.mark()).is_empty()),
        "sessions are left: {:?}",
        processes(&server.mark())
    );
    assert_eq!(leftovers(folder.path()), "");
}

#[test]
fn nothing_is_left_on_the_other_machine_when_the_supervisor_is_killed() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    // As `versus_by` has it: the client of this test before all others.
    let mut command = programs::command("env");
    command
        .arg(OsString::from_iter([OsString::from("PATH="), server.path()]))
        .arg(assert_cmd::cargo::cargo_bin("oscope"));
    nothing_is_left_when_killed(command, &format!("ssh={HOST}"), &folder);
    assert!(
        wait_until(|| processes(&server.mark()).is_empty()),
        "sessions are left: {:?}",
        processes(&server.mark())
    );
}

#[test]
fn a_host_that_does_not_answer_is_a_skipped_column_with_a_reason() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut command = oscope(&folder);
    command.env("PATH", server.path());
    let (code, _, said) = versus_by(command, "ssh=no-such-host.invalid", GETPPID, &folder);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("no-such-host.invalid") && said.contains("try it by hand"), "{said}");
}
