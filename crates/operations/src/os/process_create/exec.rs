//! A process that executes a program: the smallest one, one that is linked dynamically, and a shell.

use super::programs::{refuse, run};
use super::vfork_wait::{made, three_calls};
use super::{GATE, entries, floors, memory_needs, part, reasoned, told};
use measure::{Actors, Area, Failure, How, Operation, Point, calls, core_cycles, counted, term};
use measure::{undisturbed, work_done};
use record::{Formula, Origin, Prediction, Side, Term, Witness};
use sys::process::create::{Fork, Stack, fork_then, vfork_then};

const EXEC: Operation = Operation {
    area: Area::Os,
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    needs: memory_needs,
    computed_bounds: |_| three_calls(),
    spend_ns: 16_000_000,
    ..Operation::NEW
};

const PROGRAMS: &str = "static is a program of 133 bytes that oscope writes into a sealed file in memory: it exits with a \
                        number made of how many arguments it got, which the parent cannot give in its place. dynamic \
                        is true and false in turns, found on PATH, loaded by the system's dynamic linker with the \
                        system's C library (the machine's description names it). No environment is passed.";

/// fork and exec.
pub static FORK_EXEC: Operation = Operation {
    id: "process.create.fork_exec",
    title: "fork, exec of a program, wait",
    one_iteration: "one child made by fork that executes a program, which ended with the status that only it gives, and \
                    was waited for",
    method: "fork by the raw system call with a small parent, execve (execveat for a file in memory), wait. Parent and \
             child share one CPU.",
    confounds: PROGRAMS,
    sources: &[
        ("lmbench", "lat_proc exec: fork + execve of a static hello + wait"),
        ("stress-ng", "--exec"),
    ],
    points: |_| of_programs(),
    computed_prediction: |point| Prediction {
        from_facts: from_facts(point, 180_000.0),
        from_parts: vec![
            part("the same by vfork", "process.create.vfork_exec", &point.text()),
            term(Side::Software, "fork beyond vfork", fork_beyond_vfork()),
        ],
    },
    computed_witnesses: |point| witnesses(point, "fork", "clone"),
    run: |bench| {
        run(bench, &mut |case| {
            let (program, arguments, failed) = case;
            Ok(fork_then(Fork::Clone, || refuse(program, arguments, failed))?)
        })
    },
    ..EXEC
};

/// vfork and exec.
pub static VFORK_EXEC: Operation = Operation {
    id: "process.create.vfork_exec",
    title: "vfork, exec of a program, wait",
    one_iteration: "one child made by vfork that executes a program, which ended with the status that only it gives, \
                    and was waited for",
    method: "clone3 with CLONE_VM and CLONE_VFORK and a stack of its own, execve (execveat for a file in memory), wait. \
             Parent and child share one CPU.",
    confounds: PROGRAMS,
    sources: &[("stress-ng", "--vforkmany, --exec --exec-fork-method vfork")],
    points: |_| of_programs(),
    computed_prediction: |point| Prediction {
        from_facts: from_facts(point, 50_000.0),
        from_parts: vfork_exec_from_parts(point),
    },
    computed_witnesses: |point| witnesses(point, "vfork", "clone3"),
    run: |bench| {
        let mut stack = Stack::new()?;
        run(bench, &mut |case| {
            let (program, arguments, failed) = case;
            Ok(vfork_then(&mut stack, || refuse(program, arguments, failed))?)
        })
    },
    ..EXEC
};

/// posix_spawn.
pub static SPAWN: Operation = Operation {
    id: "process.create.posix_spawn",
    title: "posix_spawn of a program, wait",
    one_iteration: "one child made by posix_spawn of the C library, which ended with the status that only the program \
                    gives, and was waited for",
    method: "posix_spawn without attributes and file actions, wait. The C library makes the child share the parent's \
             memory; a library that forks instead is contradicted by the rehearsal (E59).",
    confounds: PROGRAMS,
    sources: &[
        ("osbench", "launch_programs: fork + exec, 100 in turns"),
        ("stress-ng", "--exec --exec-fork-method spawn"),
    ],
    points: |_| {
        [("static", 0), ("static", 64), ("dynamic", 0)]
            .iter()
            .map(|(program, size)| Point::only().with("program", program).with("resident_mib", size))
            .collect()
    },
    computed_prediction: |point| Prediction {
        from_facts: from_facts(point, 60_000.0),
        from_parts: match point.get("resident_mib") {
            Some("0") => {
                let program = format!("program={}", point.get("program").unwrap_or_default());
                vec![
                    part("vfork, exec, wait", "process.create.vfork_exec", &program),
                    floors(128.0),
                    reasoned(
                        "a stack mapped, touched and unmapped; 61 signal actions read and set",
                        8_000.0 + 122.0 * 60.0,
                        1.6,
                        "mmap, two first touches, munmap; 122 rt_sigaction, counted for glibc 2.36, of 60 cycles each",
                    ),
                ]
            }
            _ => vec![part(
                "the same with a small parent",
                "process.create.posix_spawn",
                "program=static resident_mib=0",
            )],
        },
    },
    computed_witnesses: |_| {
        let mut all = ended_as_it_should();
        all.extend([
            made(
                "vfork",
                1.0,
                "the child shared its parent's memory until the program began",
            ),
            made("program", 1.0, "one program was executed"),
            executed("execve"),
        ]);
        all.extend(undisturbed());
        all
    },
    run: |bench| {
        run(bench, &mut |(program, arguments, _)| {
            program.spawn(arguments).map_err(nameless)
        })
    },
    ..EXEC
};

/// What oscope writes itself has a name below /proc only.
fn nameless(error: sys::Error) -> Failure {
    if error.is_missing() && !std::path::Path::new("/proc/self/fd").exists() {
        return Failure::skipped(
            "without /proc there is no name for the program that oscope wrote",
            "mount /proc",
        );
    }
    error.into()
}

/// A shell that runs one built-in command.
pub static SHELL: Operation = Operation {
    id: "process.create.shell",
    title: "sh -c, wait",
    one_iteration: "one shell, made by vfork and exec, that was told to exit with a number, did, and was waited for",
    method: "As process.create.vfork_exec, with sh -c 'exit N', N in turns; sh as found on PATH.",
    confounds: "Which shell sh is makes a difference (dash, bash, busybox).",
    sources: &[
        ("lmbench", "lat_proc shell: fork + sh -c a program"),
        ("UnixBench", "shell scripts: whole pipelines"),
    ],
    computed_prediction: |point| Prediction {
        from_facts: from_facts(point, 50_000.0),
        from_parts: vec![
            part(
                "a dynamic program",
                "process.create.vfork_exec",
                "program=dynamic",
            ),
            floors(19.0),
            reasoned(
                "what a shell sets up",
                90_000.0,
                2.0,
                "88 220 instructions of dash beyond those of true, counted by single steps; one a cycle on cold code",
            ),
            reasoned(
                "its faults",
                15.0 * 2_500.0,
                2.0,
                "15 faults beyond those of true, copies on write",
            ),
        ],
    },
    computed_witnesses: |point| witnesses(point, "vfork", "clone3"),
    run: VFORK_EXEC.run,
    ..EXEC
};

fn of_programs() -> Vec<Point> {
    ["static", "dynamic"]
        .iter()
        .map(|name| Point::only().with("program", name))
        .collect()
}

fn is_static(point: &Point) -> bool {
    point.get("program") == Some("static")
}

fn from_facts(point: &Point, process: f64) -> Vec<Term> {
    let source = "vfork to fork with a small parent, 15 to 100 µs (lmbench, osbench, stress-ng)";
    let (cycles, program) = if is_static(point) {
        (90_000.0, "new memory, stack, one segment and its faults, release")
    } else {
        (
            900_000.0,
            "0.3 to 0.6 ms for a dynamic program: the linker, the C library, 30 calls, 100 faults",
        )
    };
    let mut terms = vec![
        entries(4.0),
        told("make, run, end and reap a process", process, 2.0, source),
        told("execute the program", cycles, 2.0, program),
    ];
    if !is_static(point) && HAS_CPUID {
        terms.extend(crate::cpu::trap_cpuid::from_facts(CPUID_OF_LINKER));
    }
    terms
}

/// Whether programs of this architecture ask for the processor by CPUID.
const HAS_CPUID: bool = matches!(std::env::consts::ARCH.as_bytes(), b"x86_64");

/// How often glibc's dynamic linker executes CPUID at the start of a program: counted by single steps of
/// `true` (glibc 2.36 on an Intel processor, where the caches are described leaf by leaf).
const CPUID_OF_LINKER: f64 = 68.0;

fn fork_beyond_vfork() -> Formula {
    let of = |how: &str| Formula::part(&format!("process.create.{how}"), "resident_mib=0");
    of("fork_wait").minus(of("vfork_wait"))
}

fn vfork_exec_from_parts(point: &Point) -> Vec<Term> {
    if is_static(point) {
        let image =
            "begin_new_exec, load_elf_binary, arguments copied, four areas made and released, six faults";
        vec![
            part("vfork, exit, wait", "process.create.vfork_wait", "resident_mib=0"),
            term(
                Side::Software,
                "new memory, the image, its faults and its release",
                core_cycles(Formula::cited(80_000.0, 2.0, image)),
            ),
        ]
    } else {
        let mut terms = vec![part(
            "vfork and exec of the smallest program",
            "process.create.vfork_exec",
            "program=static",
        )];
        terms.extend(linker());
        terms
    }
}

/// What a dynamic program does beyond the smallest one, counted on one of glibc 2.36.
fn linker() -> Vec<Term> {
    let mut terms = vec![
        floors(27.0),
        reasoned(
            "the linker's instructions",
            112_675.0,
            2.0,
            "112 675 instructions of true, counted by single steps; one a cycle on cold code",
        ),
        reasoned(
            "46 faults and 15 calls for maps and files",
            46.0 * 2_500.0 + 15.0 * 3_000.0,
            2.0,
            "copies on write and pages of files around the fault; mmap, openat, mprotect: some 1500 instructions each",
        ),
    ];
    if HAS_CPUID {
        let once = Formula::part("trap.cpuid", "");
        let times = Formula::cited(
            CPUID_OF_LINKER,
            1.3,
            "counted by single steps of true, glibc 2.36, Intel",
        );
        terms.push(term(Side::Hardware, "CPUID by the linker", once.by(times)));
    }
    terms
}

fn ended_as_it_should() -> Vec<Witness> {
    let mut all = work_done("the program ended with the status that only it gives");
    all.extend(counted(
        "children.faults",
        1.0,
        1e5,
        "the program touched pages of its own",
    ));
    all
}

fn executed(call: &str) -> Witness {
    Witness {
        counter: format!("calls.{call}"),
        origin: Origin::Rehearsal,
        low: 0.99,
        high: 1.01,
        positive: true,
        proves: "the kernel was asked once to execute a program".to_owned(),
        breach: record::Breach::OtherWork,
    }
}

fn witnesses(point: &Point, kind: &str, call: &str) -> Vec<Witness> {
    let mut all = ended_as_it_should();
    all.push(made(
        kind,
        1.0,
        "one process was made, in the way that is claimed",
    ));
    all.push(made("program", 1.0, "one program was executed"));
    if is_static(point) {
        let expected = [
            (call, 1.0),
            ("execveat", 1.0),
            ("exit_group", 1.0),
            ("wait4", 1.0),
        ];
        all.extend(calls(&expected));
    } else {
        all.push(executed("execve"));
    }
    all.extend(undisturbed());
    all
}
