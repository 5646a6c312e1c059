//! Programs of lmbench about system calls, signals, processes, messages, names and time.

use super::answer::{Answer, Program, exactly, megabytes, micro, nano, part_of_micro};
use super::line::{Words, count, size};
use crate::exit::usage;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "lat_syscall",
        options: "",
        answers: syscall,
        examples: &["null", "read", "write", "stat", "fstat", "open"],
        remark: "The file of stat is one of oscope's; fstat and open are of /dev/null.",
    },
    Program {
        name: "lat_select",
        options: "n:",
        answers: select,
        examples: &["-n 100 file", "-n 100 tcp"],
        remark: "lmbench tests 2 descriptors of -n 10, and oscope all. `file` is answered by pipes.",
    },
    Program {
        name: "lat_sig",
        options: "",
        answers: signal,
        examples: &["install", "catch", "prot lat_sig"],
        remark: "",
    },
    Program {
        name: "lat_proc",
        options: "",
        answers: process,
        examples: &["procedure", "fork", "exec", "shell"],
        remark: "The parent is small, as a worker of oscope is.",
    },
    Program {
        name: "lat_ctx",
        options: "s:",
        answers: context,
        examples: &["-s 0 2 8 16 96", "-s 16 2 16", "-s 64 16"],
        remark: "Divided by the switches that the kernel counted; nothing is subtracted, so that ovr is 0.",
    },
    Program {
        name: "lat_pipe",
        options: "",
        answers: |_| Ok(vec![micro("Pipe latency", "ipc.pipe.round_trip cpu=same")]),
        examples: &[""],
        remark: ONE_CPU,
    },
    Program {
        name: "lat_fifo",
        options: "",
        answers: |_| Ok(vec![micro("Fifo latency", "ipc.fifo.round_trip cpu=same")]),
        examples: &[""],
        remark: ONE_CPU,
    },
    Program { name: "lat_unix", options: "m:", answers: unix, examples: &["", "-m 4k"], remark: ONE_CPU },
    Program {
        name: "lat_sem",
        options: "",
        answers: |_| {
            Ok(vec![part_of_micro("Semaphore latency", "ipc.sysv_semaphore.round_trip cpu=same", 2.0)])
        },
        examples: &[""],
        remark: ONE_CPU,
    },
    Program {
        name: "lat_fcntl",
        options: "",
        answers: |_| {
            Ok(vec![part_of_micro("Fcntl lock latency", "ipc.record_lock.round_trip cpu=same", 2.0)])
        },
        examples: &[""],
        remark: ONE_CPU,
    },
    Program {
        name: "lat_fs",
        options: "s:n:",
        answers: names,
        examples: &["", "-s 4k"],
        remark: "The count is that of batches.",
    },
    Program {
        name: "lat_pagefault",
        options: "C",
        answers: |words| {
            let label = format!("Pagefaults on {}", words.word(0, "a file")?);
            Ok(vec![micro(label, "fault.file.minor stride=64KiB fill_write=4KiB")])
        },
        examples: &["FILE"],
        remark: "Per fault that the kernel counted, of a file of oscope's; lmbench divides by the pages.",
    },
    Program {
        name: "lat_mmap",
        options: "rC",
        answers: mmap,
        examples: &["1m FILE"],
        remark: "Of a file of oscope's.",
    },
    Program {
        name: "lat_usleep",
        options: "ru:",
        answers: sleep,
        examples: &["100", "-u nanosleep 1000", "-u select 1000", "-u pselect 1000", "-u itimer 100"],
        remark: "The time asked for and the lateness of the nearest time that a point has; usleep is nanosleep, and select is pselect6.",
    },
    Program {
        name: "lat_ops",
        options: "",
        answers: |_| Ok(arithmetic()),
        examples: &[""],
        remark: "Dependent chains. Addition and multiplication are of 64 bits; bit and bogomflops have no point.",
    },
    Program {
        name: "par_ops",
        options: "M:",
        answers: |_| Ok(parallelism()),
        examples: &[""],
        remark: "Time in a dependent chain over that in independent ones; lmbench tries up to 16 chains. Bit has no point.",
    },
];

/// Where lmbench leaves both tasks to the scheduler.
const ONE_CPU: &str =
    "Both tasks on one CPU; lmbench leaves them to the scheduler, whose choice its value is of.";

/// The answer to the word at the first place.
fn chosen(words: &Words, choices: &[(&str, &str, &str)]) -> anyhow::Result<Vec<Answer>> {
    let word = words.rest.first().map_or("", String::as_str);
    let found = choices.iter().find(|(name, ..)| *name == word);
    let Some((_, label, point)) = found else {
        let names: Vec<&str> = choices.iter().map(|(name, ..)| *name).collect();
        return Err(usage(format!("'{word}' is none of {}", names.join(", "))));
    };
    Ok(vec![micro(*label, *point)])
}

fn syscall(words: &Words) -> anyhow::Result<Vec<Answer>> {
    chosen(
        words,
        &[
            ("null", "Simple syscall", "syscall.getppid method=libc"),
            ("read", "Simple read", "syscall.read.dev_zero method=libc"),
            ("write", "Simple write", "syscall.write.dev_null method=libc"),
            ("stat", "Simple stat", "file.stat"),
            ("fstat", "Simple fstat", "syscall.fstat"),
            ("open", "Simple open/close", "syscall.open_close.read"),
        ],
    )
}

fn select(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let number = count(words.option('n').unwrap_or("200"))?;
    let (of, kind) = match words.word(0, "file or tcp")? {
        "file" => ("", "pipe"),
        "tcp" => ("tcp ", "tcp"),
        other => return Err(usage(format!("'{other}' is none of file, tcp"))),
    };
    let point = format!("syscall.select type={kind} descriptors={number} ready=none");
    Ok(vec![Answer::from_point(point, move |value| {
        let measured = value.measured("descriptors", number);
        format!("Select on {measured} {of}fd's: {:.4} microseconds\n", value.typical / 1e3)
    })])
}

fn signal(words: &Words) -> anyhow::Result<Vec<Answer>> {
    chosen(
        words,
        &[
            ("install", "Signal handler installation", "signal.install"),
            ("catch", "Signal handler overhead", "signal.deliver.self"),
            ("prot", "Protection fault", "signal.protection_fault"),
        ],
    )
}

fn process(words: &Words) -> anyhow::Result<Vec<Answer>> {
    chosen(
        words,
        &[
            ("procedure", "Procedure call", "call.procedure arguments=1"),
            ("fork", "Process fork+exit", "process.create.fork_wait resident=0B"),
            ("exec", "Process fork+execve", "process.create.fork_exec program=dynamic"),
            ("shell", "Process fork+/bin/sh -c", "process.create.shell"),
        ],
    )
}

fn context(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let kilobytes = count(words.option('s').unwrap_or("0"))?;
    words.word(0, "a number of processes")?;
    let mut answers = vec![Answer::title(format!("\n\"size={kilobytes}k ovr=0.00\n"))];
    for processes in &words.rest {
        let processes = count(processes)?;
        let bytes = if kilobytes == 0 { "0B".to_owned() } else { format!("{kilobytes}KiB") };
        let point = format!("switch.process.ring processes={processes} bytes={bytes}");
        answers.push(Answer::from_point(point, move |value| {
            format!("{} {:.2}\n", value.measured("processes", processes), value.typical / 1e3)
        }));
    }
    Ok(answers)
}

fn unix(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.option('m').map(size).transpose()?.filter(|bytes| *bytes > 64);
    let size = bytes.map(|bytes| format!(" bytes={bytes}B")).unwrap_or_default();
    Ok(vec![micro("AF_UNIX sock stream latency", format!("ipc.unix_stream.round_trip cpu=same{size}"))])
}

fn names(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let sizes = match words.option('s') {
        Some("0" | "0k" | "0K") => vec![0],
        Some(text) => vec![size(text)?],
        None => vec![0, 1 << 10, 4 << 10, 10 << 10],
    };
    let of_size = |bytes: u64| {
        let points = ["create", "delete"].map(|call| format!("file.{call} file_size={bytes}B"));
        Answer::from_points(&points, move |values| {
            let rates: Vec<String> =
                values.iter().map(|value| format!("{:.0}", 1e9 / value.typical)).collect();
            let batches = values.first().map_or(0, |value| value.batches);
            let measured = values.first().map_or(bytes, |value| value.measured("file_size", bytes));
            format!("{}k\t{batches}\t{}\n", measured >> 10, rates.join("\t"))
        })
    };
    Ok(sizes.into_iter().map(of_size).collect())
}

fn mmap(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let bytes = words.size(0)?;
    words.word(1, "a file")?;
    Ok(vec![Answer::from_point(format!("mapping.file bytes={bytes}B"), move |value| {
        let micros = value.typical / 1e3;
        let digits = if micros >= 10.0 { 0 } else { 3 };
        format!("{:.6} {micros:.digits$}\n", megabytes(exactly(value.measured("bytes", bytes))))
    })])
}

fn sleep(words: &Words) -> anyhow::Result<Vec<Answer>> {
    let micros = count(words.word(0, "a time in microseconds")?)?;
    let method = words.option('u').unwrap_or("usleep");
    let operation = match method {
        "usleep" | "nanosleep" => "sleep.nanosleep",
        "select" | "pselect" => "sleep.select",
        "itimer" => "sleep.itimer",
        other => {
            return Err(usage(format!(
                "'{other}' has no point; usleep, nanosleep, select, pselect and itimer have"
            )));
        }
    };
    let scheduler = if words.option('r').is_some() { "realtime " } else { "" };
    if !scheduler.is_empty() {
        return Err(usage(
            "-r: oscope run --sched fifo sleep measures under a real-time scheduler".to_owned(),
        ));
    }
    let label = format!("{method} {micros} microseconds");
    Ok(vec![Answer::from_point(format!("{operation} duration={micros}us"), move |value| {
        format!("{label}: {:.4} microseconds\n", exactly(micros) + value.typical / 1e3)
    })])
}

fn arithmetic() -> Vec<Answer> {
    INSTRUCTIONS.map(|(label, point)| nano(label, format!("{point} chain=dependent"))).into()
}

fn parallelism() -> Vec<Answer> {
    let line = |(label, point): (&'static str, &str)| {
        let points = ["dependent", "independent"].map(|chain| format!("{point} chain={chain}"));
        Answer::from_points(&points, move |values| match values {
            // lmbench keeps the most of several numbers of chains, one among them.
            [one, many] => format!("{label} parallelism: {:.2}\n", (one.typical / many.typical).max(1.0)),
            _ => String::new(),
        })
    };
    INSTRUCTIONS.map(line).into()
}

/// What lmbench calls instructions, and their points but for the chain.
const INSTRUCTIONS: [(&str, &str); 14] = [
    ("integer add", "arithmetic.integer instruction=add bits=64"),
    ("integer mul", "arithmetic.integer instruction=multiply bits=64"),
    ("integer div", "arithmetic.integer instruction=divide bits=32"),
    ("integer mod", "arithmetic.integer instruction=modulo bits=32"),
    ("int64 add", "arithmetic.integer instruction=add bits=64"),
    ("int64 mul", "arithmetic.integer instruction=multiply bits=64"),
    ("int64 div", "arithmetic.integer instruction=divide bits=64"),
    ("int64 mod", "arithmetic.integer instruction=modulo bits=64"),
    ("float add", "arithmetic.float instruction=add bits=64"),
    ("float mul", "arithmetic.float instruction=multiply bits=64"),
    ("float div", "arithmetic.float instruction=divide bits=32"),
    ("double add", "arithmetic.float instruction=add bits=64"),
    ("double mul", "arithmetic.float instruction=multiply bits=64"),
    ("double div", "arithmetic.float instruction=divide bits=64"),
];
