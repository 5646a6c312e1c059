//! Worker processes: started, asked, listened to within bounds, and always gone in the end.

use super::affinity::seen_from_outside;
use super::executor::{Executor, Outcome};
use super::interrupt::Interrupt;
use super::worker_process::{Answer, MOST_ANSWER, WorkerProcess};
use crate::{own_operation, unanswered};
use record::{Environment, FreshProcess, PointId, Purpose, Reply, Request, Skip, Trial};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use sys::out_of_memory::Killed;
use sys::process::Ended;
use sys::remedies::{self, Context};
use sys::supervision;

/// Time for a trial, besides the time that it is asked to spend: set-up, calibration, a loaded machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How long after the signal that ended a worker that of the supervisor may come.
const SIGNAL_LAG: Duration = Duration::from_millis(200);

/// Starts this program again for every request.
pub struct Workers {
    /// The program that is started.
    pub program: PathBuf,
    environments: BTreeMap<String, Start>,
    /// What serves all points of a round in its environment, from the first one on.
    kept: BTreeMap<String, WorkerProcess>,
    /// The words by which every worker makes its settings, before those of an environment.
    settings: Vec<String>,
    /// The program of the user that they measure, as [`own_operation`] reads it.
    pub own_operation: Option<String>,
    interrupt: Interrupt,
    timeout: Duration,
    halted: Duration,
}

/// How workers are started in an environment.
struct Start {
    /// The words before a worker.
    prefix: Vec<String>,
    by_round: Option<FreshProcess>,
}

impl Workers {
    /// Workers of this program. Where its path is unknown (no /proc), the name it was called by serves.
    pub fn new(interrupt: Interrupt) -> Self {
        let program = std::env::current_exe().unwrap_or_else(|_| {
            std::env::args_os().next().map_or_else(|| PathBuf::from("oscope"), PathBuf::from)
        });
        Self::of(program, interrupt, TIMEOUT)
    }

    /// What ends them.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    fn of(program: PathBuf, interrupt: Interrupt, timeout: Duration) -> Self {
        let (environments, kept, settings) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let (own_operation, halted) = (None, Duration::ZERO);
        Self { program, environments, kept, settings, own_operation, interrupt, timeout, halted }
    }

    /// Starts workers in this environment as it says from now on.
    pub fn add(&mut self, environment: &Environment) {
        self.end_round();
        let start = Start { prefix: environment.prefix.clone(), by_round: environment.started_by_round };
        self.environments.insert(environment.name.clone(), start);
    }

    /// Has every worker make these settings from now on: natively for itself, and before it enters an environment; or why
    /// they cannot be made here.
    pub fn set(&mut self, settings: &[String]) -> Result<(), String> {
        if settings.is_empty() {
            return Ok(());
        }
        let program = self.program.display().to_string();
        self.settings = settings
            .iter()
            .flat_map(|setting| [program.clone(), "launch".to_owned(), setting.clone()])
            .collect();
        let Ok(tried) = self.command(None).arg("--version").output() else {
            return Err("no worker could be started".to_owned());
        };
        let said = String::from_utf8_lossy(&tried.stderr);
        let why = said.lines().next().unwrap_or_default().trim_start_matches("oscope: ");
        if tried.status.success() { Ok(()) } else { Err(why.to_owned()) }
    }

    /// The command of a worker, behind the words of its environment.
    fn command(&self, environment: Option<&str>) -> Command {
        let start = environment.and_then(|name| self.environments.get(name));
        let prefix = start.map(|start| start.prefix.as_slice()).unwrap_or_default();
        let mut words = self.settings.iter().chain(prefix);
        let Some(first) = words.next() else {
            return Command::new(&self.program);
        };
        let mut command = Command::new(first);
        command.args(words).arg(&self.program);
        command
    }

    /// Whether an environment is started once for all points of a round, and how it makes the processes of their trials.
    fn by_round(&self, environment: Option<&str>) -> Option<FreshProcess> {
        self.environments.get(environment?)?.by_round
    }

    fn start(&self, environment: Option<&str>) -> std::io::Result<WorkerProcess> {
        let mut command = self.command(environment);
        command.arg("worker");
        command.envs(self.own_operation.as_ref().map(|text| (own_operation::VARIABLE, text)));
        match (environment, self.by_round(environment)) {
            (_, Some(fresh)) => drop(command.arg("--several").arg(fresh.to_string())),
            // What is looked at from outside must be there until then.
            (Some(_), None) => drop(command.arg("--stay")),
            (None, None) => {}
        }
        WorkerProcess::start(&mut command)
    }

    /// Whether the signal that ended a worker asked the whole run to stop: a batch system sends it to every process of a
    /// job, and the supervisor's may come later.
    fn was_for_the_run(&self, status: Option<ExitStatus>) -> bool {
        let signal = status.and_then(|status| status.signal());
        let is_request = signal.is_some_and(|signal| [SIGINT, SIGTERM].contains(&signal));
        if is_request && !self.interrupt.is_set() {
            let lag = i32::try_from(SIGNAL_LAG.as_millis()).unwrap_or(i32::MAX);
            supervision::wait_readable([self.interrupt.descriptor(), -1], lag);
        }
        is_request && self.interrupt.is_set()
    }

    fn limit(&self, request: &Request) -> Duration {
        let spend = Duration::from_nanos(request.spend_ns);
        match request.purpose {
            Purpose::Trial => self.timeout + 20 * spend,
            Purpose::Rehearsal | Purpose::Attributes => self.timeout,
        }
    }
}

impl Executor for Workers {
    fn perform(&mut self, environment: Option<&str>, request: &Request) -> Outcome {
        let kept = environment.and_then(|name| self.kept.remove(name));
        let was_kept = kept.is_some();
        let mut worker = match kept.map_or_else(|| self.start(environment), Ok) {
            Ok(started) => started,
            Err(error) => return not_started(&error),
        };
        let asked = Instant::now();
        let answer = worker.ask(request).and_then(|()| worker.listen(self.limit(request), &self.interrupt));
        self.halted += std::mem::take(&mut worker.halted);
        let is_bound = environment.and_then(|_| worker.is_bound(request, asked.elapsed()));
        if let (Ok(Answer::Line(text)), Some(name), Some(_)) =
            (&answer, environment, self.by_round(environment))
        {
            self.kept.insert(name.to_owned(), worker);
            return seen_from_outside(understand(text, request), request, is_bound);
        }
        let before = worker.killed_before();
        let (status, stderr) = worker.end(environment.is_some());
        match answer {
            // It ended after what it answered before, which is no fault of this point.
            Ok(Answer::Silence) if was_kept => self.perform(environment, request),
            Ok(Answer::Line(text)) => seen_from_outside(understand(&text, request), request, is_bound),
            Ok(Answer::Silence) if self.was_for_the_run(status) => Outcome::Abandoned,
            Ok(Answer::Silence) => unanswered(status, &stderr, before),
            Ok(Answer::TooMuch) => {
                Outcome::Broken(format!("the worker's answer is longer than {MOST_ANSWER} bytes"))
            }
            Ok(Answer::TooLate) if self.interrupted() => Outcome::Abandoned,
            Ok(Answer::TooLate) => {
                let limit = quantity::duration_words(self.limit(request));
                Outcome::Broken(format!("the worker did not answer within {limit} and was killed"))
            }
            Err(_) if self.was_for_the_run(status) => Outcome::Abandoned,
            Err(error) => Outcome::Broken(format!("communication with the worker failed: {error}")),
        }
    }

    fn end_round(&mut self) {
        for (_, worker) in std::mem::take(&mut self.kept) {
            worker.end(true);
        }
    }

    fn take_halted(&mut self) -> Duration {
        std::mem::take(&mut self.halted)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_set()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.end_round();
    }
}

/// Why no worker could be started, and what helps.
fn not_started(error: &std::io::Error) -> Outcome {
    let known = remedies::explain(sys::Error::of_io("start a worker", error), Context::Any);
    match known {
        Some(known) if known.is_fault => Outcome::Broken(known.sentence()),
        Some(known) => Outcome::Reply(Reply::Skipped(Skip { reason: known.reason, remedy: known.remedy })),
        None => Outcome::Broken(format!("no worker could be started: {error}")),
    }
}

/// What became of a worker that ended without an answer.
fn unanswered(status: Option<ExitStatus>, stderr: &str, before: Killed) -> Outcome {
    let ended = status.and_then(|status| {
        let killed = status.signal().map(Ended::Killed);
        killed.or(status.code().map(Ended::Exited))
    });
    match unanswered::reply(ended, stderr, before) {
        Reply::Failed { reason } => Outcome::Broken(reason),
        skipped => Outcome::Reply(skipped),
    }
}

fn understand(text: &[u8], request: &Request) -> Outcome {
    let reply = match serde_json::from_slice::<Reply>(text) {
        Err(error) => return Outcome::Broken(format!("the worker's answer cannot be parsed: {error}")),
        Ok(reply) => reply,
    };
    let mistake = match (&reply, request.purpose) {
        (Reply::Trial(trial), _) if trial.id != request.id => {
            return Outcome::Broken(format!("the worker answered for {} instead", trial.id));
        }
        (Reply::Together { trials, absent }, _) if !answers(trials, absent, request) => {
            "measured several points, but not the one that was asked for"
        }
        (Reply::Trial(_) | Reply::Together { .. }, Purpose::Rehearsal) => "timed a rehearsal",
        (Reply::Rehearsal(_), Purpose::Trial) => "rehearsed a trial",
        (Reply::Attributes(_), Purpose::Trial | Purpose::Rehearsal) => {
            "described itself and measured nothing"
        }
        _ => return Outcome::Reply(reply),
    };
    Outcome::Broken(format!("the worker {mistake}"))
}

/// Whether the point that was asked for is among those that were measured together, and all are of its operation.
fn answers(trials: &[Trial], absent: &[(PointId, Skip)], request: &Request) -> bool {
    let mut ids = trials.iter().map(|trial| &trial.id).chain(absent.iter().map(|(id, _)| id));
    ids.clone().any(|id| *id == request.id) && ids.all(|id| id.operation == request.id.operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn request() -> Request {
        Request { seed: 1, ..measure::worker::request(Purpose::Trial, PointId::new("syscall.floor", "")) }
    }

    /// No signal, and no self-pipe.
    fn silent() -> Interrupt {
        Interrupt::default()
    }

    /// What becomes of a request to a worker that is this shell script.
    fn with_script(script: &str, timeout: Duration) -> String {
        match outcome(script, silent(), timeout) {
            Outcome::Broken(reason) => reason,
            other => format!("{other:?}"),
        }
    }

    fn outcome(script: &str, interrupt: Interrupt, timeout: Duration) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("worker");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        Workers::of(program, interrupt, timeout).perform(None, &request())
    }

    /// The same when a signal to the run comes meanwhile.
    fn outcome_with_signal(script: &str, timeout: Duration) -> Outcome {
        let (reader, mut writer) = UnixStream::pair().unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        let interrupt =
            Interrupt { flag: Arc::clone(&flag), self_pipe: Some(reader), ..Interrupt::default() };
        let signalling = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            flag.store(true, Ordering::Relaxed);
            writer.write_all(b"x").unwrap();
        });
        let outcome = outcome(script, interrupt, timeout);
        signalling.join().unwrap();
        outcome
    }

    #[test]
    fn a_hanging_worker_is_abandoned_after_the_interrupt() {
        let long = Duration::from_secs(600);
        assert_eq!(outcome_with_signal("read x; sleep 600", long), Outcome::Abandoned);
    }

    #[test]
    fn worker_that_ends_by_the_signal_of_the_run_is_no_failure() {
        assert_eq!(outcome_with_signal("read x; kill $$", TIMEOUT), Outcome::Abandoned);
        // Without a signal to the run it is one.
        let reason = with_script("read x; kill $$", TIMEOUT);
        assert!(reason.contains("signal 15"), "{reason}");
    }

    #[test]
    fn misbehaving_workers_are_described() {
        for (script, said) in [
            ("read x; echo nonsense", "cannot be parsed"),
            ("read x; echo '{\"reply\":\"trial\"}'", "cannot be parsed"),
            ("exit 7", "status 7"),
            ("read x; echo bad news >&2; exit 3", "bad news"),
            ("read x; kill -SEGV $$", "signal 11"),
            ("read x; exec >&-; sleep 5", "before it answered"),
            ("read x; exec yes | tr -d '\\n'", "is longer than"),
            // More than a pipe holds.
            ("read x; yes finding | head -c 300000 >&2; exit 5", "status 5 and no answer: finding"),
        ] {
            let reason = with_script(script, TIMEOUT);
            assert!(reason.contains(said), "{script}: {reason}");
        }
        let reason = with_script("read x; sleep 30", Duration::from_millis(300));
        assert!(reason.contains("did not answer within"), "{reason}");
    }

    #[test]
    fn a_missing_program_is_described() {
        let mut workers = Workers::of(PathBuf::from("/nonexistent"), silent(), TIMEOUT);
        let outcome = workers.perform(None, &request());
        assert!(matches!(outcome, Outcome::Broken(reason) if reason.contains("could be started")));
    }
}
