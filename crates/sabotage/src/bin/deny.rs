//! Runs a command to which the kernel refuses some system calls, for the tests.
//!
//! `deny CALL[,CALL…] [--errno EPERM|ENOSYS] -- COMMAND [ARGUMENT…]`. Needs no rights: the command cannot
//! gain any either.
#![forbid(unsafe_code)]

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// No system call has a number of this size or a larger one, on the architectures that oscope knows.
const NUMBERS: u64 = 1024;

/// Exit code when the command could not be run like this.
const CANNOT: u8 = 125;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Err(reason) = run(&words);
    eprintln!("deny: {reason}");
    ExitCode::from(CANNOT)
}

/// Comes back only with a reason why the command does not run.
fn run(words: &[String]) -> Result<std::convert::Infallible, String> {
    let usage = || "usage: deny CALL[,CALL…] [--errno EPERM|ENOSYS] -- COMMAND [ARGUMENT…]".to_owned();
    let end = words.iter().position(|word| word == "--").ok_or_else(usage)?;
    let (before, after) = words.split_at(end);
    let (calls, errno) = match before {
        [calls] => (calls, EPERM),
        [calls, flag, name] if flag == "--errno" => (calls, errno(name).ok_or_else(usage)?),
        _ => return Err(usage()),
    };
    let [_, program, arguments @ ..] = after else {
        return Err(usage());
    };
    seccompiler::apply_filter(&filter(calls, errno)?).map_err(|error| error.to_string())?;
    Err(format!("{program}: {}", Command::new(program).args(arguments).exec()))
}

/// Error numbers of include/uapi/asm-generic/errno-base.h and errno.h.
const EPERM: u32 = 1;
const ENOSYS: u32 = 38;

fn errno(name: &str) -> Option<u32> {
    match name {
        "EPERM" => Some(EPERM),
        "ENOSYS" => Some(ENOSYS),
        _ => None,
    }
}

/// Allows everything but these calls.
fn filter(calls: &str, errno: u32) -> Result<BpfProgram, String> {
    let mut rules = BTreeMap::new();
    for name in calls.split(',') {
        let number = (0..NUMBERS).find(|&number| sys::calls::name(number) == name);
        let number = number.ok_or_else(|| format!("no system call is called {name} here"))?;
        rules.insert(number.cast_signed(), Vec::new());
    }
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), architecture);
    filter.and_then(BpfProgram::try_from).map_err(|error| error.to_string())
}
