//! System calls that are denied, one at a time: rows are left out or say what is not proven, and no number
//! is wrong because of it.

use crate::common::{Bench, Row, every_operation, note_contradictions, one_of_each_kind};
use measure::Operation;
use record::Profile;
use std::path::Path;
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls, separated by commas, and the error that they give.
type Denial = (&'static str, &'static str);

/// Calls that a sandbox may deny, with the error that it gives: those of the instrument.
const INSTRUMENT: &[Denial] = &[
    ("ptrace", "EPERM"),
    ("perf_event_open", "EPERM"),
    ("perf_event_open", "ENOSYS"),
    ("sched_setaffinity", "EPERM"),
    ("sched_getaffinity", "EPERM"),
    ("sched_setaffinity,sched_getaffinity", "ENOSYS"),
    ("clone3", "ENOSYS"),
    ("clone3", "EPERM"),
    ("prctl", "EPERM"),
    ("getrusage", "EPERM"),
    ("clock_gettime", "EPERM"),
    ("futex", "EPERM"),
    ("membarrier", "EPERM"),
    ("pipe2", "EPERM"),
    ("wait4", "EPERM"),
    ("mincore", "EPERM"),
    ("getcpu,fcntl", "EPERM"),
    ("madvise", "EPERM"),
    ("prlimit64", "EPERM"),
    ("statx", "ENOSYS"),
    ("getdents64", "EPERM"),
];

/// The calls that single operations are made of, denied by EPERM: at once where no operation makes two of them,
/// so that each is still denied alone to the operations that make it.
const OPERATIONS: &[&str] = &[
    "getppid,nanosleep,timerfd_settime,socketpair,semget,io_uring_setup,mremap,msgrcv,mq_open,process_vm_readv",
    "getpid,clock_nanosleep,epoll_create1,socket,semop,io_uring_enter,chdir,msgget,mq_unlink,io_uring_register",
    "gettid,kill,timerfd_create,ppoll,bind,semctl,fstat,msgsnd,mq_timedsend",
    "getuid,sched_yield,epoll_ctl,listen,waitid,gettimeofday,msgctl,mq_timedreceive",
    "getcwd,pselect6,accept4,unshare,vfork,setitimer,dup,mlock",
    "epoll_pwait,connect,execveat,munlock,brk",
    "getsockname,memfd_create,recvfrom,writev,getrandom",
    "setsockopt,mknodat,eventfd2,msync,rt_sigprocmask",
    "sendto,timer_create",
    "shutdown,pwrite64,userfaultfd,timer_delete",
    "sendfile,unlinkat,copy_file_range",
    "getsockopt,renameat2,splice,timer_settime",
    "recvmsg,fsync,setns,sendmmsg",
    "sendmsg,fdatasync,rt_sigtimedwait,recvmmsg,bpf,seccomp,landlock_create_ruleset",
];

/// How far from what is measured without denials a number may lie: where pinning is denied, a child wakes on another
/// CPU.
const FACTOR: f64 = 8.0;

/// Most denials that are tried at a time, each on a CPU of its own.
const MAX_CONCURRENT: usize = 4;

/// Runs after which a disturbance of the machine is taken for an effect of the denial.
const LOOKS: usize = 4;

/// Rounds of a look: one trial is enough for what is right. Of several, most must break the evidence for a row to be
/// contradicted, and a neighbour does not disturb most.
fn rounds(look: usize) -> &'static str {
    if look == 0 { "1" } else { "5" }
}

/// The words of a run. Nothing here waits for a quiet core: the cores are busy with each other's runs.
fn words<'w>(record: &'w Path, rounds: &'w str, points: &'w [impl AsRef<str>]) -> Vec<&'w str> {
    let record = record.to_str().unwrap();
    let options = ["run", "--quiet", "--trigger", "off", "--rounds", rounds, "--output", record];
    options.into_iter().chain(points.iter().map(AsRef::as_ref)).collect()
}

/// The rows of one round with a call denied, which ends with one of these codes.
#[track_caller]
fn rows_without(bench: &Bench, call: &str, points: &[&str], codes: &[i32]) -> Vec<Row> {
    let record = bench.path("record.jsonl");
    let _ = std::fs::remove_file(&record);
    bench.finish(bench.denied(call, "EPERM", &words(&record, "1", points))).expect_code(codes);
    bench.rows(&record)
}

/// What is wrong with a row, if anything is; `free` is what was measured without denials, once or more.
fn finding(row: &Row, free: &[Row]) -> Option<String> {
    let free: Vec<&Row> = free.iter().filter(|free| free.name() == row.name()).collect();
    free.first()?;
    let with = |what: &str| Some(format!("{what}: {row:?}; without denials: {free:?}"));
    match (row.verdict.as_str(), row.typical) {
        ("skipped" | "failed", None) if row.reason.is_empty() => with("it does not say why"),
        ("skipped", None) if row.remedy.is_empty() => with("it does not say what would help"),
        ("failed", None) if row.reason.contains("did not answer") => {
            with("its worker waited for what never came")
        }
        ("skipped" | "failed", None) => None,
        ("measured" | "noisy", Some(_)) if row.proofs.0 == 0 => with("a number without proof"),
        ("measured" | "noisy", Some(typical)) => {
            let mut ratios = free.iter().filter_map(|free| Some(typical / free.typical?)).peekable();
            ratios.peek()?;
            // What is a difference or a share near zero may have any ratio, and another sign.
            // What a disk takes may have any ratio, too.
            let is_small = ["noise", "switch.process.refill", "file.write", "file.sync"]
                .iter()
                .any(|begin| row.operation.starts_with(begin));
            let is_far = ratios.all(|ratio| !(1.0 / FACTOR..FACTOR).contains(&ratio));
            if is_far && !is_small { with("another number") } else { None }
        }
        ("noisy", None) => None,
        // The machine is busy with something else, and breaks the like without any denial.
        ("contradicted", _) if free.iter().any(|free| is_disturbed_alike(row, free)) => None,
        _ => with("contradicted"),
    }
}

/// Whether a row is broken as another is, or both by what a busy neighbour breaks: a task that it drives from its CPU
/// where nothing may pin it has migrations as well as switches.
fn is_disturbed_alike(row: &Row, free: &Row) -> bool {
    let is_by_neighbours = |counter: &String| {
        ["linearity", "migrations"].contains(&counter.as_str()) || counter.starts_with("switches")
    };
    let neighbours = free.broken.iter().any(is_by_neighbours);
    let mut broken = row.broken.iter();
    (free.broken.is_empty() == row.broken.is_empty())
        && broken.all(|counter| free.broken.contains(counter) || neighbours && is_by_neighbours(counter))
}

#[test]
fn denied_instrument_calls_give_no_wrong_number() {
    are_honest(&one_of_each_kind(1), INSTRUMENT);
}

#[test]
fn denied_operation_calls_give_no_wrong_number() {
    let denials: Vec<Denial> = OPERATIONS.iter().map(|calls| (*calls, "EPERM")).collect();
    are_honest(&one_of_each_kind(1), &denials);
}

/// Whether an operation declares one of these calls at some point.
fn declares_one_of(operation: &Operation, calls: &str) -> bool {
    let points = operation.points_of(Profile::Quick);
    let mut witnesses = points.iter().flat_map(|point| operation.witnesses_at(point));
    witnesses.any(|witness| {
        let call = witness.counter.strip_prefix("calls.");
        call.is_some_and(|call| calls.split(',').any(|denied| denied == call))
    })
}

/// What is measured under a denial, of every operation: those of these kinds, and all that declare a denied call. What is called
/// before the loop is not declared; for its like, the one of the kind finds out what becomes of that.
fn under_denial(every: &[String], kinds: &[String], calls: &str) -> Vec<String> {
    let is_measured = |name: &&String| {
        let id = name.split(' ').next().unwrap_or_default();
        kinds.contains(name)
            || operations::find(id).is_some_and(|operation| declares_one_of(operation, calls))
    };
    every.iter().filter(is_measured).cloned().collect()
}

/// Measures operations of these kinds once under each denial, and compares with what is measured without. As many denials at a time
/// as there are CPUs: what one of them disturbs for another is looked at again alone.
#[track_caller]
fn are_honest(kinds: &[String], denials: &[Denial]) {
    let every = every_operation();
    let asked: Vec<Vec<String>> =
        denials.iter().map(|(calls, _)| under_denial(&every, kinds, calls)).collect();
    let bench = Bench::new();
    let all: Vec<String> =
        every.into_iter().filter(|name| asked.iter().flatten().any(|one| one == name)).collect();
    let free = measured_freely(&bench, "free", rounds(0), &all);
    let both: Vec<(&Denial, &Vec<String>)> = denials.iter().zip(&asked).collect();
    let next = AtomicUsize::new(0);
    let deny_each = |cpu: u32| {
        let bench = Bench::beside_others();
        let mut found = Vec::new();
        while let Some((denial, operations)) = both.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.extend(findings(&bench, cpu, **denial, operations, &free));
        }
        found
    };
    let cpus = sys::cpu::allowed().unwrap();
    let findings: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = cpus
            .iter()
            .take(MAX_CONCURRENT)
            .map(|&cpu| {
                scope.spawn({
                    let deny_each = &deny_each;
                    move || deny_each(cpu)
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

fn measured_freely(bench: &Bench, name: &str, rounds: &str, points: &[String]) -> Vec<Row> {
    let record = bench.path(&format!("{name}.jsonl"));
    bench.finish(bench.saboteur(&words(&record, rounds, points))).expect_code(&[0, 4]);
    bench.rows(&record)
}

#[test]
fn every_call_that_an_operation_declares_is_denied_once() {
    let denied = |call: &str| {
        let instrument = INSTRUMENT.iter().map(|(calls, _)| *calls);
        let groups = instrument.chain(OPERATIONS.iter().copied());
        groups.flat_map(|calls| calls.split(',')).any(|one| one == call)
    };
    for operation in flawed::all_operations() {
        for point in operation.points_of(Profile::Thorough) {
            for witness in operation.witnesses_at(&point) {
                let Some(call) = witness.counter.strip_prefix("calls.") else {
                    continue;
                };
                // Without these a worker cannot be started, asked, answer or end.
                let basic = "mprotect newfstatat pread64 read write close openat mmap munmap exit exit_group clone \
                             execve rt_sigaction rt_sigreturn lseek";
                let is_basic = basic.split(' ').any(|one| one == call);
                let is_absent = call == "unknown" || call.ends_with("_32");
                assert!(denied(call) || is_basic || is_absent, "{}: {call}", operation.id);
            }
        }
    }
}

/// Held by all in the first look, and by one alone in the others: what is left is not for want of a CPU.
static MACHINE: RwLock<()> = RwLock::new(());

/// What is wrong with the rows under a denial. Only what is seen in every look is the denial's doing.
fn findings(
    bench: &Bench,
    cpu: u32,
    (calls, errno): Denial,
    operations: &[String],
    free: &[Row],
) -> Vec<String> {
    let mut open = operations.to_vec();
    let mut found = Vec::new();
    let mut free = free.to_vec();
    let cpu = cpu.to_string();
    for look in 0..LOOKS {
        let shared = (look == 0).then(|| MACHINE.read());
        let alone = (look > 0).then(|| MACHINE.write());
        let record = bench.path(&format!("{calls}-{errno}-{look}.jsonl"));
        if look > 0 {
            // The machine may have changed since: two CPUs of a guest are threads of one core at times.
            let name = format!("{calls}-{errno}-{look}-free");
            free.extend(measured_freely(bench, &name, rounds(look), &open));
        }
        let mut words = words(&record, rounds(look), &open);
        // Where sched_getaffinity is denied, --cpu cannot be used.
        if look == 0 && !calls.contains("sched_getaffinity") {
            words.extend(["--cpu", &cpu]);
        }
        let command = bench.denied(calls, errno, &words);
        bench.finish(command).expect_code(&[0, 4]);
        let rows = bench.rows(&record);
        let wrong = rows.iter().filter_map(|row| Some((row.name(), finding(row, &free)?)));
        (open, found) = wrong.unzip();
        if alone.is_some() {
            note_contradictions(&rows);
        }
        drop((shared, alone));
        if open.is_empty() {
            break;
        }
        eprintln!("look {look} at {calls} denied by {errno}: {open:?}");
    }
    found.iter().map(|found| format!("{calls} denied by {errno}: {found}")).collect()
}

#[test]
fn other_witnesses_count_without_a_tracer() {
    let bench = Bench::new();
    let points = [
        "sabotage.answers.error_path method=raw",
        "sabotage.switches.alone cpu=same",
        "sabotage.children.none resident=0B",
        "syscall.floor",
    ];
    for row in rows_without(&bench, "ptrace", &points, &[0]) {
        let verdict = if row.operation == "syscall.floor" { "noisy" } else { "contradicted" };
        assert_eq!(row.verdict, verdict, "{row:?}");
    }
}

#[test]
fn a_denied_own_call_gives_no_number() {
    let bench = Bench::new();
    for (call, point) in [
        ("clock_gettime", "clock.read.monotonic.syscall"),
        ("getppid", "syscall.getppid method=raw"),
        ("getpid", "syscall.getpid"),
        ("clone", "process.create.fork_wait resident=0B"),
        ("futex", "switch.thread.futex cpu=same"),
    ] {
        let rows = rows_without(&bench, call, &[point], &[0, 4]);
        assert!(rows.iter().all(|row| row.typical.is_none()), "{call} denied: {rows:?}");
        assert!(rows.iter().all(|row| row.verdict != "noisy"), "{call} denied: {rows:?}");
    }
}

#[test]
fn denied_calls_are_named_with_a_remedy() {
    let bench = Bench::shared();
    let cases = [
        ("prctl", "ipc.pipe.round_trip cpu=same"),
        ("sched_setaffinity", "ipc.pipe.round_trip cpu=same"),
        ("wait4", "process.create.fork_wait resident=0B"),
        ("clone", "process.create.fork_wait resident=0B"),
        // These are denied to the other process alone, for it alone makes them.
        ("accept4", "network.round_trip.tcp path=loopback cpu=same bytes=64B"),
        ("accept4", "network.connection.connect path=loopback cpu=same"),
        ("sendfile", "network.bandwidth.tcp path=loopback cpu=same method=sendfile"),
    ];
    for (call, point) in cases {
        let rows = rows_without(&bench, call, &[point], &[4]);
        assert_eq!(rows[0].verdict, "skipped", "{call}: {rows:?}");
        assert!(rows[0].reason.contains(call) && !rows[0].remedy.is_empty(), "{call}: {rows:?}");
    }
}

/// Calls that fail with an error, a point that makes them, and a part of what is shown to help; failures have no remedy
/// apart, and show it with the reason.
const INJECTED: &[(&str, &str, &str, &str)] = &[
    ("clone", "EAGAIN", "process.create.fork_wait resident=0B", "pids.max"),
    ("clone", "ENOMEM", "process.create.fork_wait resident=0B", "memory.max"),
    ("clone", "EPERM", "process.create.fork_wait resident=0B", "where clone is allowed"),
    ("bind", "EADDRNOTAVAIL", "network.round_trip.tcp path=loopback cpu=same bytes=64B", "ip address"),
    ("bind", "EADDRINUSE", "network.round_trip.tcp path=loopback cpu=same bytes=64B", "ip_local_port_range"),
    (
        "connect",
        "EADDRNOTAVAIL",
        "network.round_trip.tcp path=loopback cpu=same bytes=64B",
        "ip_local_port_range",
    ),
    ("accept4", "EMFILE", "network.round_trip.tcp path=loopback cpu=same bytes=64B", "ulimit -n"),
    ("accept4", "ENFILE", "network.round_trip.tcp path=loopback cpu=same bytes=64B", "fs.file-max"),
    ("connect", "ETIMEDOUT", "network.connection.connect path=loopback cpu=same", "did not answer in time"),
    ("connect", "EINPROGRESS", "network.connection.connect path=loopback cpu=same", "did not answer in time"),
    ("connect", "EINVAL", "network.connection.connect path=loopback cpu=same", "refuses an argument"),
    ("io_uring_setup", "ENOMEM", "syscall.io_uring.nop batch=1", "ulimit -l"),
    ("io_uring_setup", "ENOSYS", "syscall.io_uring.nop batch=1", "Linux 5.4"),
    ("eventfd2", "EMFILE", "ipc.eventfd.round_trip cpu=same", "ulimit -n"),
    ("sched_setaffinity", "EINVAL", "ipc.pipe.round_trip cpu=same", "--cpu"),
];

#[test]
fn every_error_is_shown_with_the_remedy_of_its_cause() {
    let bench = Bench::shared();
    for (call, errno, point, remedy) in INJECTED {
        let record = bench.path(&format!("{call}-{errno}.jsonl"));
        bench.finish(bench.denied(call, errno, &words(&record, "1", &[point]))).expect_code(&[0, 4]);
        let rows = bench.rows(&record);
        let is_shown = rows.iter().all(|row| row.remedy.contains(remedy) || row.reason.contains(remedy));
        assert!(is_shown && rows.iter().all(|row| row.typical.is_none()), "{call} {errno}: {rows:#?}");
    }
}

#[test]
fn a_kernel_for_more_than_1024_cpus_is_no_obstacle() {
    let bench = Bench::new();
    let record = bench.path("many-cpus.jsonl");
    let points = ["ipc.pipe.round_trip cpu=same"];
    // Sets of less than 2 048 CPUs are refused.
    let command = bench.denied("sched_getaffinity<256", "EINVAL", &words(&record, "1", &points));
    bench.finish(command).expect_code(&[0]);
    assert!(bench.rows(&record).iter().all(|row| row.typical.is_some()), "{:?}", bench.rows(&record));
}

#[test]
fn the_instrument_denies_the_requested_calls() {
    let bench = Bench::shared();
    let mut command = bench.command(crate::common::DENY);
    command.args(["getdents64", "--errno", "ENOSYS", "--", "ls", "/"]);
    let ended = bench.finish(command);
    assert!(ended.code != Some(0) && ended.stderr.to_lowercase().contains("not implemented"), "{ended:?}");
    for wrong in
        [&["no_such_call", "--", "true"][..], &["ptrace"][..], &["ptrace", "--", "/no/such/program"][..]]
    {
        let mut command = bench.command(crate::common::DENY);
        command.args(wrong);
        assert_eq!(bench.finish(command).code, Some(125), "{wrong:?}");
    }
}
