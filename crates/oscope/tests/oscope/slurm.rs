//! Slurm for real: a controller and three nodes on this machine, with directories, ports and a key of their own.

use crate::oscope;
use record::{Line, Record};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAMS: [&str; 10] =
    ["munged", "slurmctld", "slurmd", "sbatch", "sbcast", "scancel", "scontrol", "sinfo", "squeue", "srun"];

/// Each step of a test ends after this.
const LIMIT: Duration = Duration::from_secs(40);

/// A cluster of the nodes n1 to n3, until it is dropped.
struct Cluster {
    folder: tempfile::TempDir,
}

/// Whether Slurm can run here: it is installed, and this is root, whom its own key must belong to.
fn is_possible() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let is_root =
        status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"));
    if !is_root {
        eprintln!("left out: it needs root");
    }
    is_root && programs::installed(&PROGRAMS)
}

fn free_ports() -> Vec<u16> {
    let listeners: Vec<_> = (0..4).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

fn configuration(folder: &Path, ports: &[u16]) -> String {
    let folder = folder.display();
    let nodes: String = ports
        .iter()
        .skip(1)
        .enumerate()
        .map(|(at, port)| {
            format!("NodeName=n{} NodeAddr=127.0.0.1 NodeHostname=localhost Port={port} CPUs=1\n", at + 1)
        })
        .collect();
    format!(
        "ClusterName=oscope\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={}\nAuthType=auth/munge\n\
         AuthInfo=socket={folder}/munge/socket,cred_expire=5\nSlurmUser=root\nSlurmdUser=root\n\
         StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/%n\nSlurmctldPidFile={folder}/controller.pid\n\
         SlurmdPidFile={folder}/%n.pid\nSlurmctldLogFile={folder}/controller.log\nSlurmdLogFile={folder}/%n.log\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\n\
         SelectTypeParameters=CR_Core\nSwitchType=switch/none\nMpiDefault=none\nReturnToService=2\nKillWait=2\n\
         SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0\nSlurmdParameters=config_overrides\n\
         MailProg=/bin/true\n{nodes}PartitionName=all Nodes=n[1-3] Default=YES MaxTime=10\n",
        ports[0]
    )
}

impl Cluster {
    fn start() -> Self {
        let cluster = Self { folder: tempfile::tempdir().unwrap() };
        let folder = cluster.folder.path();
        for name in ["munge", "state", "shared", "n1", "n2", "n3"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        let key = folder.join("munge/key");
        let bytes: Vec<u8> = (0..1024).map(|_| fastrand::u8(..)).collect();
        fs::write(&key, bytes).unwrap();
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(cluster.configuration(), configuration(folder, &free_ports())).unwrap();
        let at = |name: &str| format!("{}/munge/{name}", folder.display());
        cluster.succeed(
            "munged",
            &[
                "--force",
                &format!("--socket={}", at("socket")),
                &format!("--key-file={}", at("key")),
                &format!("--pid-file={}", at("pid")),
                &format!("--log-file={}", at("log")),
                &format!("--seed-file={}", at("seed")),
            ],
        );
        cluster.succeed("slurmctld", &["-c"]);
        for node in ["n1", "n2", "n3"] {
            cluster.succeed("slurmd", &["-N", node]);
        }
        cluster.wait("three nodes to be idle", || {
            let states = cluster.ask("sinfo", &["--noheader", "--Node", "--format=%t"]);
            (states.lines().filter(|state| *state == "idle").count() == 3).then_some(())
        });
        cluster
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn shared(&self) -> PathBuf {
        self.folder.path().join("shared")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = programs::command(program);
        command.env("SLURM_CONF", self.configuration()).stdin(Stdio::null());
        command
    }

    /// What a command says.
    fn ask(&self, program: &str, words: &[&str]) -> String {
        let output = self.command(program).args(words).output().unwrap();
        let said = crate::text(&output.stdout);
        assert!(output.status.success(), "{program} {words:?}: {said}{}", crate::text(&output.stderr));
        said
    }

    /// Runs a command that may leave a server behind, which must not hold a pipe of this test.
    fn succeed(&self, program: &str, words: &[&str]) {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.path().join("commands.log"))
            .unwrap();
        let mut command = self.command(program);
        let command = command.args(words).stdout(log.try_clone().unwrap()).stderr(log);
        assert!(command.status().unwrap().success(), "{program} {words:?}: {}", self.logs());
    }

    /// Prints a script of `oscope fleet slurm` and has a shell run it.
    fn submit(&self, words: &[&str]) -> String {
        let mut printed = oscope(&self.folder.path().join("xdg"));
        let printed = printed.args(["fleet", "slurm", "--shared"]).arg(self.shared()).args(words);
        let printed = printed.output().unwrap();
        assert!(printed.status.success(), "{}", crate::text(&printed.stderr));
        let script = self.folder.path().join("submit.sh");
        fs::write(&script, printed.stdout).unwrap();
        let mut shell = self.command("sh");
        let shell = shell.arg(script).env("XDG_STATE_HOME", self.folder.path().join("xdg"));
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}", crate::text(&output.stderr));
        crate::text(&output.stdout)
    }

    fn records(&self) -> Vec<String> {
        let entries = fs::read_dir(self.shared()).unwrap().map(Result::unwrap);
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".oscope.jsonl"))
            .collect();
        names.sort();
        names
    }

    #[track_caller]
    fn wait_for_records(&self, names: &[&str]) {
        self.wait(&format!("{names:?}"), || (self.records() == names).then_some(()));
    }

    /// Waits until something is there.
    #[track_caller]
    fn wait<T>(&self, what: &str, found: impl Fn() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = found() {
                return found;
            }
            assert!(begun.elapsed() < LIMIT, "no {what}: {}", self.logs());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What servers and jobs wrote, for the message of a test that fails.
    fn logs(&self) -> String {
        let jobs = fs::read_dir(self.shared().join("logs")).into_iter().flatten();
        let own = fs::read_dir(self.folder.path()).into_iter().flatten();
        let paths = own.chain(jobs).map(|entry| entry.unwrap().path());
        let logs = paths.filter(|path| path.extension().is_some_and(|end| end == "log"));
        logs.map(|path| format!("\n{}:\n{}", path.display(), fs::read_to_string(&path).unwrap_or_default()))
            .collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let run = |program: &str, words: &[&str]| drop(self.command(program).args(words).output());
        run("scancel", &["--quiet", "--user=root"]);
        let is_busy = || {
            let jobs = self.command("squeue").arg("--noheader").output();
            jobs.is_ok_and(|jobs| !jobs.stdout.is_empty())
        };
        let begun = Instant::now();
        while is_busy() && begun.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(100));
        }
        let pids: Vec<String> = ["n1.pid", "n2.pid", "n3.pid", "controller.pid", "munge/pid"]
            .into_iter()
            .filter_map(|name| fs::read_to_string(self.folder.path().join(name)).ok())
            .map(|pid| pid.trim().to_owned())
            .collect();
        pids.iter().for_each(|pid| run("kill", &[pid]));
        let lives = |pid: &String| Path::new("/proc").join(pid).exists();
        while pids.iter().any(lives) && begun.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

const SHORT: [&str; 4] = ["syscall.getppid method=raw", "--", "--rounds", "2"];

#[test]
fn slurm_job_array_gives_one_record_a_node_and_a_drained_node_follows() {
    if !is_possible() {
        return;
    }
    let cluster = Cluster::start();
    cluster.ask("scontrol", &["update", "nodename=n3", "state=drain", "reason=test"]);
    let said = cluster.submit(&[&["--nodelist", "n[1-3]", "--repeats", "2"], &SHORT[..]].concat());
    assert_eq!(said.lines().count(), 3, "{said}");
    let early = ["n1.2.oscope.jsonl", "n1.oscope.jsonl", "n2.2.oscope.jsonl", "n2.oscope.jsonl"];
    cluster.wait_for_records(&early);
    let pending = cluster.ask("squeue", &["--noheader", "--states=PD", "--format=%F"]);
    assert!(!pending.is_empty(), "the job of n3 waits for it");
    cluster.ask("scontrol", &["update", "nodename=n3", "state=resume"]);
    cluster.wait_for_records(&[&early[..], &["n3.2.oscope.jsonl", "n3.oscope.jsonl"]].concat());
    for name in cluster.records() {
        let record = Record::read(&cluster.shared().join(&name)).unwrap();
        let fact = |key: &str| record.machine.text(&format!("scheduler.{key}")).map(str::to_owned);
        let (node, rest) = name.split_at(2);
        let task = if rest.starts_with(".2") { "2" } else { "1" };
        assert!(record.end.is_some(), "{name}");
        assert_eq!(fact("node").as_deref(), Some(node), "{name}");
        assert_eq!(fact("task").as_deref(), Some(task), "{name}");
        assert_eq!(fact("partition").as_deref(), Some("all"), "{name}");
        assert_eq!(fact("name").as_deref(), Some("Slurm"), "{name}");
    }
    // Nothing is left but records, the logs of jobs and the program.
    let hidden = fs::read_dir(cluster.shared()).unwrap().map(Result::unwrap);
    let hidden = hidden.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 1);
}

#[test]
fn slurm_job_that_is_requeued_goes_on_with_its_partial_record() {
    if !is_possible() {
        return;
    }
    let cluster = Cluster::start();
    let words = ["--nodelist", "n1", "syscall.getppid method=raw", "--", "--rounds"];
    let said = cluster.submit(&[&words[..], &["300"]].concat());
    let job = said.trim().rsplit(' ').next().unwrap().to_owned();
    let partial = cluster.shared().join(".n1.oscope.jsonl.partial");
    let trials = |path: &Path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let is_trial = |line: &&str| matches!(serde_json::from_str(line), Ok(Line::Trial(_)));
        text.lines().filter(is_trial).count()
    };
    cluster.wait("five trials", || (trials(&partial) >= 5).then_some(()));
    cluster.ask("scontrol", &["requeue", &format!("{job}_1")]);
    cluster.wait_for_records(&["n1.oscope.jsonl"]);
    let record = cluster.shared().join("n1.oscope.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    let resumed = text.lines().filter(|line| matches!(serde_json::from_str(line), Ok(Line::Resumed { .. })));
    assert_eq!(resumed.count(), 1, "{}", cluster.logs());
    assert_eq!(trials(&record), 300);
}

#[test]
fn slurm_job_measures_every_pair_of_nodes_once() {
    if !is_possible() {
        return;
    }
    let cluster = Cluster::start();
    let point = "network.round_trip.udp path=remote";
    let point = format!("{point} bytes=1B");
    let said = cluster.submit(&["--pairs", "--nodelist", "n[1-3]", &point, "--", "--rounds", "2"]);
    assert!(said.starts_with("3 nodes: job "), "{said}");
    let pairs = cluster.shared().join("pairs");
    let records = || {
        let entries = fs::read_dir(&pairs).into_iter().flatten().map(Result::unwrap);
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".oscope.jsonl")).collect();
        names.sort();
        names
    };
    let names = cluster.wait("three pairs", || Some(records()).filter(|names| names.len() == 3));
    let mut met: Vec<[&str; 2]> = Vec::new();
    for name in &names {
        let record = Record::read(&pairs.join(name)).unwrap();
        assert!(record.peer.is_some() && record.end.is_some(), "{name}");
        assert_eq!(record.trials.len(), 2, "{name}: {:?}", record.failures);
        let (client, server) = name.trim_end_matches(".oscope.jsonl").split_once("--").unwrap();
        met.push([client.min(server), client.max(server)]);
    }
    met.sort_unstable();
    assert_eq!(met, [["n1", "n2"], ["n1", "n3"], ["n2", "n3"]]);
    // No key is left, and no server.
    cluster.wait("the end of the job", || cluster.ask("squeue", &["--noheader"]).is_empty().then_some(()));
    let logs = fs::read_dir(pairs.join("logs")).unwrap().map(Result::unwrap);
    assert!(logs.into_iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".server")));
    // They are no machine of the fleet, and a report of their own.
    let report = |folder: &Path| {
        let mut command = oscope(&cluster.folder.path().join("xdg"));
        crate::outcome(command.args(["fleet", "report"]).arg(folder))
    };
    assert_eq!(report(&cluster.shared()).0, 2);
    let (code, said, _) = report(&pairs);
    assert!(code == 0 && said.starts_with("3 machines of 1 type, 3 runs"), "{said}");
}
