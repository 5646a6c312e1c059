//! The programs that new processes execute, and the report of an exec that failed.

use super::children::resident;
use crate::shared_words::SharedWords;
use measure::{Bench, CpuTime, Failure, Result, choice, parameters};
use quantity::Bytes;
use std::sync::atomic::Ordering;
use sys::exec::{Arguments, NOT_EXECUTED, Program, STATUS_OF_SMALLEST};
use sys::process::{Ended, wait_for};

/// A program, its arguments, and the word for the error of exec.
pub type Case<'c> = (&'c Program, &'c Arguments, &'c SharedWords);

/// Executes the program in the child, or reports the error.
#[inline(always)]
pub fn exec_or_report(program: &Program, arguments: &Arguments, failed: &SharedWords) -> i32 {
    let error = program.execute(arguments);
    failed.word(0).store(u64::from(error.errno.unsigned_abs()), Ordering::SeqCst);
    NOT_EXECUTED
}

choice! {
    /// How an executed program is linked.
    pub enum Linking {
        /// Statically.
        Static = "static",
        /// Dynamically.
        Dynamic = "dynamic",
    }
}

parameters! {
    /// Processes that execute a program.
    pub struct Execution {
        /// How it is linked; a shell without.
        program: Option<Linking> = None,
        /// Touched memory of the parent.
        resident: Bytes = Bytes::from_bytes(0),
    }
}

/// The programs of a point; for each turn the program, its arguments, and the expected exit status.
struct Programs {
    programs: Vec<Program>,
    cases: Vec<(usize, Arguments, i32)>,
}

/// Variants of the arguments, so that consecutive exit statuses differ.
const TURNS: i32 = 8;

impl Programs {
    fn new(linking: Option<Linking>) -> Result<Self> {
        match linking {
            Some(Linking::Static) => Self::smallest(),
            Some(Linking::Dynamic) => Self::dynamic(),
            None => Self::shell(),
        }
    }

    fn smallest() -> Result<Self> {
        let words = ["smallest"; TURNS as usize];
        let cases = (1..=TURNS).map(|count| {
            let words = words.get(..count as usize).unwrap_or(&words);
            (0, Arguments::new(words), STATUS_OF_SMALLEST + count)
        });
        Ok(Self { cases: cases.collect(), programs: vec![Program::smallest()?] })
    }

    fn dynamic() -> Result<Self> {
        let [yes, no] = ["true", "false"]
            .map(|name| Program::on_path(name).filter(|program| program.is_dynamic() == Some(true)));
        match (yes, no) {
            (Some(yes), Some(no)) => Ok(Self {
                programs: vec![yes, no],
                cases: vec![(0, Arguments::new(&["true"]), 0), (1, Arguments::new(&["false"]), 1)],
            }),
            _ => Err(Failure::skipped(
                "there are no dynamically linked programs true and false on PATH",
                "install them (package coreutils), or put them on PATH",
            )),
        }
    }

    fn shell() -> Result<Self> {
        let shell = Program::on_path("sh").ok_or_else(|| {
            Failure::skipped("there is no sh on PATH", "install a shell, or put it on PATH")
        })?;
        Ok(Self {
            programs: vec![shell],
            cases: (1..=TURNS)
                .map(|status| (0, Arguments::new(&["sh", "-c", &format!("exit {status}")]), status))
                .collect(),
        })
    }
}

/// Times children that `start` creates for the point's programs, and checks their exit status.
pub fn run(bench: &mut Bench<'_>, start: &mut dyn FnMut(Case<'_>) -> Result<i32>) -> Result<()> {
    let programs = Programs::new(bench.parameters::<Execution>()?.program)?;
    let _memory = resident(bench.point(), bench.seed())?;
    let failed = SharedWords::new(1)?;
    let mut cases = programs.cases.iter().cycle();
    bench.each(CpuTime::WithChildren, &mut || {
        let case = cases
            .next()
            .and_then(|(at, arguments, status)| Some((programs.programs.get(*at)?, arguments, *status)));
        let (program, arguments, status) =
            case.ok_or_else(|| Failure::failed("there is no program to execute"))?;
        let child = start((program, arguments, &failed))?;
        let (reaped, ended) = wait_for(child)?;
        if ended == Ended::Exited(NOT_EXECUTED) {
            return Err(not_executed(program, &failed));
        }
        Ok(u64::from(reaped == child && ended == Ended::Exited(status)))
    })
}

/// The error that a child reported.
fn not_executed(program: &Program, failed: &SharedWords) -> Failure {
    let errno = i32::try_from(failed.word(0).load(Ordering::SeqCst)).unwrap_or(0);
    sys::Error { call: program.call(), errno }.into()
}
