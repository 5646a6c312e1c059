//! Runs a command to which the kernel refuses some system calls, for the tests.
//!
//! `deny CALL[,CALL…] [--errno NAME] -- COMMAND [ARGUMENT…]`, where `CALL<N` is the call with a second argument less than N:
//! `sched_getaffinity<256` is a kernel for more than 1 024 CPUs. Needs no rights: the command cannot
//! gain any either.
#![forbid(unsafe_code)]

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
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

const USAGE: &str = "usage: deny CALL[,CALL…] [--errno NAME] -- COMMAND [ARGUMENT…]";

/// Comes back only with a reason why the command does not run.
fn run(words: &[String]) -> Result<std::convert::Infallible, String> {
    let end = words.iter().position(|word| word == "--").ok_or(USAGE)?;
    let (before, after) = words.split_at(end);
    let (calls, errno) = match before {
        [calls, flag, name] if flag == "--errno" => (calls, errno(name).ok_or(USAGE)?),
        _ => return Err(USAGE.to_owned()),
    };
    let [_, program, arguments @ ..] = after else {
        return Err(USAGE.to_owned());
    };
    seccompiler::apply_filter(&filter(calls, errno)?).map_err(|error| error.to_string())?;
    Err(format!("{program}: {}", Command::new(program).args(arguments).exec()))
}

/// EPERM of include/uapi/asm-generic/errno-base.h.
const EPERM: u32 = 1;

/// Error numbers of include/uapi/asm-generic/errno-base.h and errno.h, the same on the architectures that oscope knows.
const ERRNOS: [(&str, u32); 21] = [
    ("EPERM", EPERM),
    ("EIO", 5),
    ("EAGAIN", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EINVAL", 22),
    ("ENFILE", 23),
    ("EMFILE", 24),
    ("EFBIG", 27),
    ("ENOSPC", 28),
    ("EROFS", 30),
    ("ENOSYS", 38),
    ("EOPNOTSUPP", 95),
    ("EADDRINUSE", 98),
    ("EADDRNOTAVAIL", 99),
    ("ENETUNREACH", 101),
    ("ENOBUFS", 105),
    ("ETIMEDOUT", 110),
    ("ECONNREFUSED", 111),
    ("EINPROGRESS", 115),
    ("EDQUOT", 122),
];

fn errno(name: &str) -> Option<u32> {
    ERRNOS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// The calls of a rule: all of them, or those with a small second argument.
fn conditions(least: Option<&str>) -> Result<Vec<SeccompRule>, String> {
    let Some(least) = least else { return Ok(Vec::new()) };
    let least = least.parse().map_err(|_| format!("not a number: {least}"))?;
    let condition = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Lt, least);
    let rule = condition.and_then(|condition| SeccompRule::new(vec![condition]));
    rule.map(|rule| vec![rule]).map_err(|error| error.to_string())
}

/// Allows everything but these calls.
fn filter(calls: &str, errno: u32) -> Result<BpfProgram, String> {
    let mut rules = BTreeMap::new();
    for call in calls.split(',') {
        let (name, least) = call.split_once('<').map_or((call, None), |(name, least)| (name, Some(least)));
        let number = (0..NUMBERS).find(|&number| sys::calls::name(number) == name);
        let number = number.ok_or_else(|| format!("no system call is called {name} here"))?;
        rules.insert(number.cast_signed(), conditions(least)?);
    }
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), architecture);
    filter.and_then(BpfProgram::try_from).map_err(|error| error.to_string())
}
