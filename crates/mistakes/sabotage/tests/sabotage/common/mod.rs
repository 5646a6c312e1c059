//! What the tests of the whole program share: programs started, waited for within bounds, and looked
//! after; records read as a script would read them.

pub use programs::can;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// oscope with the sabotaged operations.
pub const SABOTEUR: &str = env!("CARGO_BIN_EXE_saboteur");
/// Runs a command to which some system calls are refused.
pub const DENY: &str = env!("CARGO_BIN_EXE_deny");

/// Longest that a run of these tests may take: twenty times what it mostly does on an idle machine.
pub const LIMIT: Duration = Duration::from_secs(180);

/// Longest wait for what is ending: a cleanup process waits a minute for others.
pub const SOON: Duration = Duration::from_secs(75);

/// What an ordinary user has as number; of another test's processes there may be some.
pub const NOBODY: &str = "65534";

/// Variable by which everything that a test has started is found again.
const MARK: &str = "SABOTEUR_MARK";

/// What measures and is disturbed has the machine alone; what a neighbour does not matter to shares it.
static MACHINE: RwLock<()> = RwLock::new(());

/// Held as long as a test has the machine. One that failed has left nothing that matters to the next one.
pub enum Turn {
    Exclusive { _guard: RwLockWriteGuard<'static, ()> },
    Shared { _guard: RwLockReadGuard<'static, ()> },
}

impl Turn {
    pub fn exclusive() -> Self {
        Self::Exclusive { _guard: MACHINE.write().unwrap_or_else(PoisonError::into_inner) }
    }

    fn shared() -> Self {
        Self::Shared { _guard: MACHINE.read().unwrap_or_else(PoisonError::into_inner) }
    }
}

/// A folder for one test, and what is started in it.
pub struct Bench {
    folder: TempDir,
    mark: String,
    /// Control groups that were there before, of whomever.
    groups: Vec<PathBuf>,
    _turn: Option<Turn>,
}

/// How a program ended and what it said.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Asserts the exit code, and that nobody panicked.
    #[track_caller]
    pub fn expect_code(self, expected: &[i32]) -> Self {
        assert!(
            self.code.is_some_and(|code| expected.contains(&code)),
            "expected exit code {expected:?}: {self:#?}"
        );
        for text in [&self.stdout, &self.stderr] {
            assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "a panic: {self:#?}");
        }
        self
    }
}

/// A program that runs; killed with its group when dropped.
pub struct Started {
    child: Child,
    out: PathBuf,
    err: PathBuf,
    mark: String,
    /// Whether it was waited for: what it left then ends by itself, as the cleanup process does, or a test says that it does not.
    has_ended: bool,
}

impl Bench {
    /// One that measures alone.
    pub fn new() -> Self {
        Self::with(Some(Turn::exclusive()))
    }

    /// One that shares the machine with its like, as many as there are CPUs: for tests that believe what is timed of no row.
    pub fn shared() -> Self {
        Self::with(Some(Turn::shared()))
    }

    /// One beside all others: for what measures nothing, and for what says itself what disturbs it.
    pub fn beside_others() -> Self {
        Self::with(None)
    }

    fn with(turn: Option<Turn>) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::tempdir().unwrap();
        let mark = format!("{}-{number}-{}", std::process::id(), folder.path().display());
        Self { folder, mark, groups: control_groups(), _turn: turn }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command whose records, home and standard streams stay in this folder.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = programs::command(program);
        command
            .env(MARK, &self.mark)
            .env("HOME", self.folder.path())
            .env_remove("XDG_STATE_HOME")
            .env_remove("COLUMNS")
            .env_remove("CI")
            .stdin(Stdio::null())
            .process_group(0);
        command
    }

    /// `saboteur` with these words.
    pub fn saboteur(&self, words: &[&str]) -> Command {
        let mut command = self.command(SABOTEUR);
        command.args(words);
        command
    }

    /// `saboteur run` of some points for n rounds, into a record.
    pub fn run(&self, record: &Path, rounds: &str, points: &[impl AsRef<OsStr>]) -> Command {
        let mut command = self.saboteur(&["run", "--quiet", "--rounds", rounds, "--output"]);
        command.arg(record).args(points);
        command
    }

    /// A copy of the program that anybody may run, in this folder, which anybody may use.
    pub fn open_to_anybody(&self) -> String {
        fs::set_permissions(self.folder(), Permissions::from_mode(0o777)).unwrap();
        let program = self.path("saboteur");
        fs::copy(SABOTEUR, &program).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        program.to_string_lossy().into_owned()
    }

    /// `deny CALLS … -- saboteur` with these words.
    pub fn denied(&self, calls: &str, errno: &str, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = self.command(DENY);
        command
            .args([calls, "--errno", errno, "--", SABOTEUR])
            .args(words)
            // What a run may not remove goes with the folder of the test.
            .env("TMPDIR", self.folder());
        command
    }

    pub fn start(&self, mut command: Command) -> Started {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (out, err) = (self.path(&format!("{number}.out")), self.path(&format!("{number}.err")));
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Started { child, out, err, mark: self.mark.clone(), has_ended: false }
    }

    /// Runs a command to its end, and sees to it that it leaves no process and no control group behind.
    #[track_caller]
    pub fn finish(&self, command: Command) -> Ended {
        let ended = self.start(command).wait(LIMIT);
        self.no_process_is_left();
        self.no_control_group_is_left();
        ended
    }

    /// The rows of a record.
    #[track_caller]
    pub fn rows(&self, record: &Path) -> Vec<Row> {
        let ended = self.finish(self.saboteur(&["report", &record.to_string_lossy(), "--format", "json"]));
        rows_of(&ended.expect_code(&[0]).stdout)
    }

    /// Asserts that soon no process is left of all that was started here.
    #[track_caller]
    pub fn no_process_is_left(&self) {
        let soon = Instant::now() + SOON;
        let mut left = self.processes();
        while !left.is_empty() && Instant::now() < soon {
            std::thread::sleep(Duration::from_millis(10));
            left = self.processes();
        }
        assert!(left.is_empty(), "processes were left behind: {left:?}");
    }

    /// Asserts that soon no control group is left of those that workers have made here.
    #[track_caller]
    pub fn no_control_group_is_left(&self) {
        let made: Vec<PathBuf> =
            control_groups().into_iter().filter(|group| !self.groups.contains(group)).collect();
        let soon = Instant::now() + SOON;
        let is_there = |group: &PathBuf| group.exists();
        while made.iter().any(is_there) && Instant::now() < soon {
            std::thread::sleep(Duration::from_millis(10));
        }
        let left: Vec<&PathBuf> = made.iter().filter(|group| is_there(group)).collect();
        assert!(left.is_empty(), "control groups were left behind: {left:?}");
    }

    /// Processes that carry the mark and have not ended, with their command lines.
    pub fn processes(&self) -> Vec<String> {
        processes_of(&self.mark)
    }
}

/// Control groups that have names as those of workers.
fn control_groups() -> Vec<PathBuf> {
    let mut open = vec![PathBuf::from("/sys/fs/cgroup")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let is_of_a_worker = entry.file_name().to_string_lossy().starts_with("oscope-");
            if is_of_a_worker { &mut found } else { &mut open }.push(entry.path());
        }
    }
    found
}

fn processes_of(mark: &str) -> Vec<String> {
    let mark = format!("{MARK}={mark}");
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let marked = entries.filter(|entry| {
        // A process that is a zombie has no environment any more.
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes())
    });
    let shown = marked.map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        format!(
            "{} {}",
            entry.file_name().to_string_lossy(),
            String::from_utf8_lossy(&line).replace('\0', " ")
        )
    });
    shown.collect()
}

impl Started {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to this process alone.
    pub fn signal(&self, name: &str) {
        assert!(
            programs::command("kill").args(["-s", name, &self.pid().to_string()]).status().unwrap().success()
        );
    }

    /// Waits until it ends; kills its group and fails the test when it takes too long.
    #[track_caller]
    pub fn wait(mut self, limit: Duration) -> Ended {
        let deadline = Instant::now() + limit;
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => {
                    self.has_ended = true;
                    break status;
                }
                None if Instant::now() > deadline => {
                    let (said, complained) = self.said();
                    panic!("it did not end within {limit:?}; it said:\n{said}\n{complained}");
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let (stdout, stderr) = self.said();
        Ended { code: status.code(), signal: status.signal(), stdout, stderr }
    }

    /// Waits until a condition holds; fails the test when it takes too long.
    #[track_caller]
    pub fn until(&mut self, what: &str, mut condition: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !condition() {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "it ended before {what}: {ended:?} {:?}", self.said());
            assert!(Instant::now() < deadline, "{what} did not come: {:?}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn said(&self) -> (String, String) {
        let read = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        (read(&self.out), read(&self.err))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ =
                programs::command("kill").args(["-s", "KILL", "--", &format!("-{}", self.pid())]).status();
            let _ = self.child.wait();
        }
        // Workers have groups of their own.
        kill_marked(&self.mark);
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Nothing is left but where a test has failed.
        kill_marked(&self.mark);
    }
}

fn kill_marked(mark: &str) {
    for process in processes_of(mark) {
        let pid = process.split(' ').next().unwrap_or_default().to_owned();
        let _ = programs::command("kill").args(["-s", "KILL", &pid]).stderr(Stdio::null()).status();
    }
}

/// Every operation at its first point, as they are typed; those with two actors at that of one CPU. Without those on
/// remote file systems, which have a test of their own.
pub fn every_operation() -> Vec<String> {
    let operations =
        operations::ALL.iter().filter(|operation| !operation.ever_needs(&record::Need::RemoteDirectory));
    let first = operations.filter_map(|operation| {
        let points = operation.points_of(record::Profile::Quick);
        Some(operation.point_id(points.first()?).to_string())
    });
    first.collect()
}

/// Operations that take seconds for a value where caches are large, and are made of the calls of faster ones.
const SLOW: [&str; 9] = [
    "file.cache_size",
    "file.contention.fairness",
    "ipc.cache_line.round_trip",
    "memory.bandwidth.read.beyond_caches",
    "memory.latency.beyond_caches",
    "memory.levels",
    "memory.load_curve",
    "memory.loaded_latency",
    "memory.tlb.huge",
];

/// One of each kind: the first of those whose ids have these first words in common, with its actors and its sampling, that is not
/// slow. What the instrument does for one of them it does for its like.
pub fn one_of_each_kind(words: usize) -> Vec<String> {
    let mut seen = Vec::new();
    let kind = |operation: &&&measure::Operation| {
        let family: Vec<&str> = operation.id.split('.').take(words).collect();
        let sampling = std::mem::discriminant(&operation.how);
        let kind = (family.join("."), operation.actors, sampling);
        let is_new = !seen.contains(&kind);
        seen.push(kind);
        is_new
    };
    let fast = operations::ALL.iter().filter(|operation| !SLOW.contains(&operation.id));
    let kinds: Vec<&str> = fast.filter(kind).map(|operation| operation.id).collect();
    let is_of_these = |name: &String| kinds.contains(&name.split(' ').next().unwrap_or_default());
    every_operation().into_iter().filter(is_of_these).collect()
}

/// One row of the JSON report.
#[derive(Debug, Clone)]
pub struct Row {
    pub operation: String,
    pub point: String,
    pub verdict: String,
    pub typical: Option<f64>,
    pub reason: String,
    pub remedy: String,
    /// Counters of the witnesses that were broken in some trial or rehearsal.
    pub broken: Vec<String>,
    /// How many positive witnesses were read, and how many there are.
    pub proofs: (usize, usize),
}

impl Row {
    pub fn name(&self) -> String {
        format!("{} {}", self.operation, self.point).trim().to_owned()
    }

    fn of(row: &Value) -> Self {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let witnesses: Vec<&Value> = row["witnesses"].as_array().unwrap().iter().collect();
        let broken = witnesses.iter().filter(|witness| witness["broken"].as_u64() > Some(0));
        let positive = || witnesses.iter().filter(|witness| witness["positive"] == true);
        Self {
            operation: text("operation"),
            point: text("point"),
            verdict: text("verdict"),
            typical: row["estimate"]["typical"].as_f64(),
            reason: text("reason"),
            remedy: text("remedy"),
            broken: broken.map(|witness| witness["counter"].as_str().unwrap().to_owned()).collect(),
            proofs: (
                positive().filter(|witness| witness["read"].as_u64() > Some(0)).count(),
                positive().count(),
            ),
        }
    }
}

#[track_caller]
fn rows_of(text: &str) -> Vec<Row> {
    let document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    document["rows"].as_array().unwrap().iter().map(Row::of).collect()
}

/// The row of a point.
#[track_caller]
pub fn find<'r>(rows: &'r [Row], operation: &str, point: &str) -> &'r Row {
    let found = rows.iter().find(|row| row.operation == operation && row.point == point);
    found.unwrap_or_else(|| panic!("there is no row {operation} {point}"))
}

/// Notes every right operation of these that was contradicted, where the test repeats or forgives it.
pub fn note_contradictions(rows: &[Row]) {
    let contradicted = rows.iter().filter(|row| row.verdict == "contradicted");
    contradicted.for_each(|row| programs::note_contradiction(&row.name()));
}

/// Whether this process is root.
pub fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
}

/// Whether this process may take the identity of this user.
#[track_caller]
pub fn may_become(user: &str) -> bool {
    // By its path: the user may not be allowed to reach the directory of links.
    let program = programs::path("true");
    is_root() && works("setpriv", &["--reuid", user, "--regid", user, "--clear-groups", &program])
}

/// CPUs that this process may use.
pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether a command of a declared program is installed and succeeds; if not, says why.
#[track_caller]
pub fn works(program: &str, words: &[&str]) -> bool {
    if !programs::installed(&[program]) {
        return false;
    }
    let why = programs::denial(program, words);
    if let Some(why) = &why {
        eprintln!("{program} {}: {why}", words.join(" "));
    }
    why.is_none()
}
