//! Process 1 of the kernel that is counted. It needs Linux's system calls and nothing else: what is denied is left out, and no wait
//! is without limit.

use crate::console::{self, Greeting, Row};
use crate::job::{self, Job};
use crate::symbols::symbol;
use measure::Operation;
use measure::counting::Counted;
use measure::worker::count;
use record::Request;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use sys::first_process::{self, mount_kernel_file_system};
use sys::marks;
use sys::supervision::{self, Waited};

/// Where the program lies in the guest: by this name it knows that it is one.
pub const PROGRAM: &str = "/oscope-guest";

/// Time before the first point, so that the work that a boot leaves (certificates, RCU, deferred initialisation) is done. The
/// clock of an idle machine costs an emulator little.
const SETTLE: Duration = Duration::from_secs(20);

/// Time of a point at most, on the virtual clock: 50 times what one needs.
const MAX_POINT: Duration = Duration::from_secs(5);

/// Where the kernel takes the next process's number from, and what is written there before each point: numbers, and names of files made
/// of them, then are equally long wherever a point stands in the order.
const LAST_NUMBER: (&str, &str) = ("/proc/sys/kernel/ns_last_pid", "1000");

/// File systems of the kernel's own that operations read or write.
const MOUNTS: [(&str, &str); 6] = [
    ("devtmpfs", "/dev"),
    ("proc", "/proc"),
    ("sysfs", "/sys"),
    ("cgroup2", "/sys/fs/cgroup"),
    ("tmpfs", "/dev/shm"),
    ("tmpfs", job::DIRECTORY),
];

/// Whether this process was started by a kernel that is counted, or by its process 1.
pub fn is_guest() -> bool {
    std::env::args_os().next().is_some_and(|name| name == PROGRAM)
}

/// Runs as the first process, or as its worker.
pub fn run(operations: &[&Operation]) {
    if first_process::is_first() {
        first(operations);
        first_process::power_off();
        // Where power is nothing that this process may switch off, the kernel panics, which ends the emulator.
    } else {
        worker(operations);
    }
}

/// Counts one point for process 1: reads its index and its request, and writes what was counted.
fn worker(operations: &[&Operation]) {
    let mut text = String::new();
    if io::stdin().lock().read_to_string(&mut text).is_err() {
        return;
    }
    let counted = match serde_json::from_str::<(usize, Request)>(&text) {
        Ok((index, request)) => count(operations, &request, index),
        Err(error) => Counted::Failed { reason: format!("the request cannot be read: {error}") },
    };
    // Nobody is left to hear of it.
    let _ = serde_json::to_writer(io::stdout().lock(), &counted);
}

fn first(operations: &[&Operation]) {
    for (kind, at) in MOUNTS {
        // What is missing is missed by the points that need it.
        let _ = fs::create_dir_all(at);
        let _ = mount_kernel_file_system(kind, Path::new(at));
    }
    let _ = sys::interface::bring_up("lo");
    let job = fs::read(job::PATH).ok().and_then(|text| serde_json::from_slice::<Job>(&text).ok());
    let Some(job) = job else {
        say("oscope: the job cannot be read\n");
        return;
    };
    say(&console::greeting(&greeting(job.has_plugin), job.requests.len()));
    std::thread::sleep(SETTLE);
    let in_order = job.order.iter().map(|index| *index as usize);
    let in_order = in_order.filter_map(|index| Some((index, job.requests.get(index)?)));
    for (number, (index, request)) in (1..).zip(in_order) {
        let folder = Path::new(job::DIRECTORY).join("run");
        let _ = fs::create_dir_all(&folder);
        // A kernel without checkpoints (CONFIG_CHECKPOINT_RESTORE) has no such file.
        let _ = fs::write(LAST_NUMBER.0, LAST_NUMBER.1);
        // The first operation that needs data in it writes them.
        if let Some(directory) = &request.directory {
            let _ = File::create(&directory.test_file);
        }
        let row = Row { id: request.id.clone(), counted: counted(operations, index, request) };
        say(&console::row(number, &row));
        let _ = fs::remove_dir_all(&folder);
        first_process::reap_children();
    }
    // The console is slower than this process.
    std::thread::sleep(Duration::from_secs(1));
}

/// Writes to the console, as far as it can be written to.
fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn greeting(has_plugin: bool) -> Greeting {
    let line = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let cpuinfo = line("/proc/cpuinfo");
    let features = cpuinfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        matches!(name.trim(), "flags" | "Features").then(|| value.trim().to_owned())
    });
    Greeting {
        release: line("/proc/sys/kernel/osrelease"),
        version: line("/proc/sys/kernel/version"),
        features: features.unwrap_or_default(),
        symbols: if has_plugin { pass_symbols() } else { Err("without a plugin none are needed".to_owned()) },
    }
}

/// Passes the symbols of the kernel to the plugin, which then begins to count.
fn pass_symbols() -> Result<usize, String> {
    let passed = File::open("/proc/kallsyms").map(|file| {
        let lines = BufReader::with_capacity(1 << 16, file).lines().map_while(Result::ok);
        lines.fold(0, |passed, line| match symbol(&line) {
            Some(symbol) => {
                marks::pass_line(&format!("S {} {}", symbol.address, symbol.name));
                passed + 1
            }
            None => passed,
        })
    });
    marks::pass_line("R");
    match passed {
        Ok(0) => Err("/proc/kallsyms names no function (CONFIG_KALLSYMS)".to_owned()),
        Ok(passed) => Ok(passed),
        Err(error) => Err(format!("/proc/kallsyms: {error}")),
    }
}

/// Counts a point in a process of its own.
fn counted(operations: &[&Operation], index: usize, request: &Request) -> Counted {
    let text = serde_json::to_string(&(index, request)).unwrap_or_default();
    let started = Command::new(PROGRAM)
        .arg0(PROGRAM)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let Ok(mut child) = started else {
        // Where no process can be made, one can still be counted.
        return count(operations, request, index);
    };
    let answer = answer(&mut child, &text);
    supervision::kill_group(child.id());
    let status = child.wait();
    match (answer.as_deref().map(serde_json::from_str), status) {
        (Ok(Ok(counted)), _) => counted,
        (Ok(Err(_)), Ok(status)) => Counted::Failed { reason: format!("the worker ended early: {status}") },
        (Err(why), _) => Counted::Failed { reason: why.to_string() },
        (Ok(Err(error)), Err(_)) => Counted::Failed { reason: error.to_string() },
    }
}

/// What the worker answers in time.
fn answer(child: &mut Child, request: &str) -> io::Result<String> {
    if let Some(mut input) = child.stdin.take() {
        input.write_all(request.as_bytes())?;
    }
    let Some(mut output) = child.stdout.take() else { return Ok(String::new()) };
    let began = Instant::now();
    let (mut answer, mut bytes) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        let left = MAX_POINT.saturating_sub(began.elapsed()).as_millis() as i32;
        match supervision::wait_readable([output.as_raw_fd()], left) {
            Waited::Ready(_) => {}
            Waited::Interrupted if left > 0 => continue,
            _ => {
                return Err(io::Error::other(format!(
                    "no answer within {} virtual seconds",
                    MAX_POINT.as_secs()
                )));
            }
        }
        match output.read(&mut bytes)? {
            0 => return Ok(String::from_utf8_lossy(&answer).into_owned()),
            length => answer.extend_from_slice(bytes.get(..length).unwrap_or_default()),
        }
    }
}
