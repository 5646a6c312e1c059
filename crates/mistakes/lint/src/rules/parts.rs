//! The rule for operations that cost less than what they consist of.

use super::kernel::{is_library, kernel_entry, least_call, stays_in_user_space};
use crate::claims::Claim;
use crate::columns::has_word;
use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::table::{Row, Table};
use quantity::Quantity;

/// System calls in a switch: one actor sleeps and the other is woken, each by a call.
const CALLS: f64 = 2.0;
/// An operation may be this much below its part without being wrong: the two were measured at different times.
const NOISE: f64 = 0.1;
/// The same, for the rate of one path and the other.
const RATE_NOISE: f64 = 0.05;
/// Round trips include two wake-ups, which depend this much on the placement of the actors.
const WAKING: f64 = 0.15;
/// A connection needs one round trip of the kernels; the reported round trip may wake a process at either end.
const OF_ROUND_TRIP: f64 = 0.5;
/// Among calls with next to no work, some take a lock and some do not: they differ by this much.
const AMONG_CALLS: f64 = 0.2;

/// Calls that only enter the kernel, read a field and return.
const EMPTY_CALLS: &str = "floor getpid getppid gettid getuid geteuid getgid getegid umask getpgrp";
/// Calls that do some work every time.
const WORKING_CALLS: &str = "open openat open_close read write read_write pread pwrite stat fstat access nanosleep mmap \
    munmap mprotect kill pipe dup lseek select poll getcwd chdir fcntl sigaction close";
/// Operations and a part of each. A process consists of more than a thread.
const PARTS: [(&str, &str); 10] = [
    ("process.create.fork_exec", "process.create.fork_wait"),
    ("process.create.fork_exec", "process.create.fork.parent"),
    ("process.create.fork_exec", "process.create.fork"),
    ("process.create.fork_wait", "process.create.fork.parent"),
    ("process.create.fork_wait", "thread.create.join"),
    ("process.create.fork.parent", "thread.create.pthread.parent"),
    ("process.create.fork.run", "thread.create.pthread.run"),
    ("process.create.fork", "thread.create"),
    ("thread.create.join", "thread.create.pthread.parent"),
    ("fault.file.major", "fault.file.minor"),
];

pub(crate) const RULES: &[Rule] = &[Rule {
    id: "cheaper_than_parts",
    code: "E03",
    what: "A switch or a round trip below two system calls of the same report, or below two kernel entries where no call \
           is given; a network operation below the same one over loopback; a system call with work below an empty one; \
           creating and ending a process below creating it; `fork` and `exec` below `fork`, or `fork` below a thread; a \
           connection below half of the round trip to that peer; storage faster than the cache above it.",
    example: "operation,measured,unit\nsyscall.getppid,88,ns\nswitch.process.pipe,3.1,ns\n",
    why: "An operation costs at least its parts: it did not happen, or two rows are swapped.",
    wrong_when: "The part cost more where it was measured than in the whole: on another CPU, after idling; the threads are \
                 switched in user space; or the two ends have different disks.",
    checks: &[
        Check::WholeClaims(below_two_calls),
        Check::Table(remote_paths),
        Check::Table(remote_files),
        Check::Table(below_parts),
    ],
}];

/// One row of each claim that gives a time or a rate above zero.
fn results<'t>(context: &Context<'t>) -> Vec<&'t Row> {
    context.first_of_claims(|row| {
        let measured = row.is_time_of_one() || row.is(Quantity::Bandwidth);
        measured && row.params.is_plain() && row.result().is_some_and(|result| result > 0.0)
    })
}

fn below_parts(context: &Context<'_>) -> Vec<Finding> {
    let rows = results(context);
    let calls = rows.iter().filter_map(|row| below_empty_call(context.table, row));
    rows.iter().filter_map(|whole| below_part(whole, &rows)).chain(calls).collect()
}

/// Whether one actor must sleep in the kernel and be woken by another.
fn has_switch(row: &Row) -> bool {
    let ipc = row.belongs("ipc") && row.has_word("round_trip") && !row.has_word("cache_line");
    (ipc || row.belongs_to_any(&["switch", "network.round_trip"])) && !row.is_difference()
}

fn below_two_calls(context: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    let row = claim.rows.iter().find(|row| has_switch(row) && row.is_time_of_one())?;
    let time = row.time().filter(|_| row.params.is_plain())?;
    let part = least_call(context.table, &row.report, |call| !is_library(call));
    let (call, of) = match part {
        Some((time, call)) => (time, format!("system calls of {}", call.shown())),
        None => {
            let entry = kernel_entry(context.table, row);
            (entry, format!("kernel entries of {:.0} ns", entry * 1e9))
        }
    };
    let rows: Vec<&Row> = claim.rows.iter().copied().chain(part.map(|(_, call)| call)).collect();
    (time < CALLS * call).then(|| Finding::new(&rows, format!("{} is less than two {of}", row.shown())))
}

/// The same operation with `path=remote` and `path=loopback`: a packet to another machine passes this one's kernel, too.
fn remote_paths(context: &Context<'_>) -> Vec<Finding> {
    let rows: Vec<&Row> = context.claimed().filter(|row| row.result().is_some()).collect();
    let remote = rows.iter().filter(|row| row.params.get("path") == Some("remote"));
    let found = remote.filter_map(|remote| {
        let point = remote.params.essence().without(&["path"]);
        let local = rows.iter().find(|local| {
            let same = remote.same_quantity(local) && remote.section == local.section;
            same && local.params.get("path") == Some("loopback")
                && local.params.essence().without(&["path"]) == point
        })?;
        let (far, near) = (remote.result()?, local.result()?);
        let wrong = match remote.quantity {
            Some(Quantity::Latency) => far < near * (1.0 - WAKING),
            Some(Quantity::Bandwidth) => far > near * (1.0 + RATE_NOISE),
            _ => false,
        };
        let text = format!("{} to another machine, {} over loopback", remote.shown(), local.shown());
        wrong.then(|| Finding::new(&[remote, local], text))
    });
    found.collect()
}

/// `file.remote.…` below `file.read.…` of the same kind at the same point, even by the last digits only: the network
/// would have cost nothing.
fn remote_files(context: &Context<'_>) -> Vec<Finding> {
    let firsts: Vec<&Row> = context.claims.iter().filter_map(|claim| claim.rows.first().copied()).collect();
    let found = firsts.iter().filter(|row| row.belongs("file.remote")).filter_map(|remote| {
        let kind = remote.operation.rsplit('.').next();
        let local = firsts.iter().find(|local| {
            let same = local.report == remote.report && local.operation.rsplit('.').next() == kind;
            same && local.belongs("file.read") && local.params.essence() == remote.params.essence()
        })?;
        let below = remote.time()? < local.time()?;
        let text = format!("{} from another machine, {} from this one", remote.shown(), local.shown());
        below.then(|| Finding::new(&[remote, local], text))
    });
    found.collect()
}

/// Which share of the part the whole costs at least; `None` where the one is not a part of the other.
fn share(whole: &Row, part: &Row) -> Option<f64> {
    if whole.belongs_to_any(&["network.connection.connect", "network.connection.setup"]) {
        let same_path = ["path", "link"].iter().all(|name| whole.params.get(name) == part.params.get(name));
        let same_peer = whole.params.has("path") && same_path;
        let is_part = part.belongs("network.round_trip") && same_peer && whole.is(Quantity::Latency);
        return is_part.then_some(OF_ROUND_TRIP);
    }
    let same = whole.quantity == part.quantity && whole.params.essence() == part.params.essence();
    (same && is_part(&whole.operation, &part.operation)).then_some(1.0 - NOISE)
}

/// Whether the first id includes the second: what a disk answers includes what the cache does.
fn is_part(whole: &str, part: &str) -> bool {
    let words: Vec<&str> =
        whole.split('.').map(|word| if word == "uncached" { "cached" } else { word }).collect();
    PARTS.contains(&(whole, part)) || (whole != part && words.join(".") == part)
}

fn below_part(whole: &Row, rows: &[&Row]) -> Option<Finding> {
    let parts = rows.iter().filter(|part| part.report == whole.report);
    let mut parts: Vec<(&Row, f64)> = parts.filter_map(|part| Some((*part, share(whole, part)?))).collect();
    // A connection includes one of several round trips: the least.
    if whole.belongs("network.connection") {
        parts.sort_by(|(a, _), (b, _)| {
            a.result().partial_cmp(&b.result()).unwrap_or(std::cmp::Ordering::Equal)
        });
        parts.truncate(1);
    }
    let is_rate = whole.is(Quantity::Bandwidth);
    let (part, share) = parts.into_iter().find(|(part, share)| {
        let results = whole.result().zip(part.result());
        results.is_some_and(|(one, other)| if is_rate { one * share > other } else { one < other * share })
    })?;
    let beyond = match share < 1.0 - NOISE {
        _ if is_rate => "more than",
        true => "less than half of",
        false => "less than",
    };
    let (one, other, name) = (whole.shown(), part.shown(), &part.operation);
    Some(Finding::new(&[whole, part], format!("{one} is {beyond} its part {name}, {other}")))
}

/// A system call with work that costs less than one without.
fn below_empty_call(table: &Table, row: &Row) -> Option<Finding> {
    // A read of cached data is a call; other reads may do without one. Of many in one entry, each may cost less.
    let is_call =
        (is_one_of(row, WORKING_CALLS) || row.belongs("file.read.cached")) && !row.params.has("batch");
    let per_part = row.unit.is_none_or(|unit| unit.per_part);
    if !is_call || is_one_of(row, EMPTY_CALLS) || stays_in_user_space(row) || per_part {
        return None;
    }
    let time = row.time().filter(|time| *time >= kernel_entry(table, row))?;
    let (floor, empty) = least_call(table, &row.report, |row| is_one_of(row, EMPTY_CALLS))?;
    let text =
        format!("{} is less than {}, {}, a call without work", row.shown(), empty.operation, empty.shown());
    (time < floor * (1.0 - AMONG_CALLS)).then(|| Finding::new(&[row, empty], text))
}

/// Whether a row is of one of these system calls.
fn is_one_of(row: &Row, calls: &str) -> bool {
    let call = row.operation.strip_prefix("syscall.").and_then(|rest| rest.split('.').next());
    call.is_some_and(|call| has_word(calls, call))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{HEADING, expect};

    #[test]
    fn operations_below_their_parts_are_found_and_others_are_not() {
        let found = [
            "syscall.write,,196,ns\nswitch.thread.semaphore,,262,ns\n",
            "switch.process.pipe,,3.1,ns\n",
            "ipc.pipe.round_trip,cpu=same,12,ns\n",
            "round_trip.tcp,peer=remote,20,us\nround_trip.tcp,peer=loopback,30,us\n",
            "bandwidth.tcp,peer=remote,2.7,GB/s\nbandwidth.tcp,peer=loopback,112,MB/s\n",
            "network.round_trip.udp,path=remote,20,us\nnetwork.round_trip.udp,path=loopback,30,us\n",
            "syscall.getppid,,190,ns\nnetwork.round_trip.unix,,300,ns\n",
            "file.read.lines,file=6KB,43.552,ms\nfile.remote.lines,file=6KB,43.547,ms\n",
            "process.create.fork.parent,,182,us\nprocess.create.fork.wait,,94,us\n",
            "process.create.fork.wait,,251,us\nprocess.create.fork.exec.wait,,212,us\n",
            "process.create.fork.parent,,118,us\nthread.create.pthread.join,,28,us\nprocess.create.fork.wait,,80,us\n",
            "fork proc,,912,us\nexec proc,,310,us\n",
            "thread.create.pthread.join,,9.4,us\nprocess.create.fork.wait,,7.9,us\n",
            "file.read.uncached,order=random,78,MB/s\nfile.read.cached,order=random,61,MB/s\n",
            "fault.file.major,,0.91,us\nfault.minor,,1.62,us\n",
            "round_trip.tcp,peer=remote,0.44,ms\nconnection.setup,peer=remote,0.11,ms\n",
            "network.round_trip.tcp,path=remote,0.44,ms\nnetwork.connection.connect,path=remote,0.11,ms\n",
            "process.create.fork_wait,,251,us\nprocess.create.fork_exec,,212,us\n",
            "syscall.getppid.raw,,412,ns\nsyscall.open.read,,301,ns\n",
            "null syscall,,58,ns\ncached read,,20,ns\n",
        ];
        let right = [
            "syscall.write,,196,ns\nswitch.thread.pipe,,1100,ns\nround_trip.tcp,peer=remote,200,us\n\
             round_trip.tcp,peer=loopback,30,us\nfile.read.lines,file=6KB,43,ms\nfile.remote.lines,file=6KB,80,ms\n\
             bandwidth.tcp,peer=remote,110,MB/s\nbandwidth.tcp,peer=loopback,2.7,GB/s\n",
            "switch.process.refill,,3.1,ns\nipc.cache_line.round_trip,cpu=other,28,ns\n",
            "process.create.fork.parent,,88,us\nprocess.create.fork.wait,,161,us\n",
            "process.create.vfork.exec.wait,,412,us\nprocess.create.fork.wait,,498,us\n",
            "thread.create.pthread.join,cpu=other,60,us\nprocess.create.fork.wait,cpu=same,50,us\n",
            "file.read.direct,,7,GB/s\nfile.read.cached,,5,GB/s\n",
            "round_trip.tcp,peer=remote,0.44,ms\nconnection.setup,peer=loopback,0.03,ms\n",
            "syscall.getppid.raw,,412,ns\nsyscall.clock_gettime.vdso,,31,ns\nsyscall.close,,351,ns\nsyscall.gettid,,300,ns\n",
            "syscall.getpid.libc,,3,ns\nsyscall.close,,90,ns\n",
        ];
        expect("cheaper_than_parts", HEADING, &found, &right);
    }
}
