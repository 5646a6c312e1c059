//! One operation by an actor on each of several CPUs, on an object of its own or on one that all share.

mod directories;
mod files;
pub mod many;
mod memory;
mod messages;
pub(in crate::os) mod object;
pub(in crate::os) mod pool;
mod tasks;

use crate::periods::{MAPPINGS_AT_ONCE, NEW_PAGES_AT_ONCE};
use measure::value::Cpus;
use measure::{Bench, Point, Result, Work, choice, parameters};
use object::{Maker, Object, Tasks};
use pool::Plan;
use std::path::Path;

choice! {
    /// What an iteration calls.
    pub enum Call {
        /// getppid.
        Getppid = "getppid",
        /// sched_yield.
        Yield = "sched_yield",
        /// A signal to the own process, and its handler.
        Signal = "signal",
        /// fork, exit and wait.
        Fork = "fork",
        /// pthread_create and pthread_join.
        Thread = "thread",
        /// A read at the end of a file.
        Read = "read",
        /// A read at a place of a file.
        Pread = "pread",
        /// A write at a place of a file.
        Pwrite = "pwrite",
        /// A status by name.
        Stat = "stat",
        /// An open and a close.
        OpenClose = "open_close",
        /// A duplicate of a descriptor and its close.
        Dup = "dup",
        /// A poll of one descriptor.
        Poll = "poll",
        /// A lock of a byte of a file and its end.
        Lock = "lock",
        /// A new file made, closed and removed.
        CreateUnlink = "create_unlink",
        /// A write to an event counter and a read.
        Eventfd = "eventfd",
        /// A write to a pipe and a read.
        Pipe = "pipe",
        /// A write to a Unix socket and a read from its peer.
        Unix = "unix",
        /// A wake without a waiter and a wait for another value.
        Futex = "futex",
        /// A post and a wait of a POSIX semaphore.
        Semaphore = "semaphore",
        /// A mapping and its end.
        Mmap = "mmap",
        /// The end of the data segment, moved up and back.
        Brk = "brk",
        /// A page that is freed and touched.
        Fault = "fault",
        /// Memory of the C library, taken and given back.
        Malloc = "malloc",
        /// An atomic addition.
        Add = "add",
    }
}

choice! {
    /// Whose the object is.
    pub enum Sharing {
        /// Each actor's own.
        Own = "own",
        /// One of all.
        Shared = "shared",
    }
}

parameters! {
    /// An operation by several actors.
    pub struct Scaling {
        /// What it calls.
        call: Call,
        /// Whose the object is.
        object: Sharing,
        /// What the actors are.
        tasks: Tasks,
    }
}

/// How each actor makes its object. A file or a directory in which each has a part of its own is made here, once for all.
fn maker(call: Call, is_shared: bool, run: Result<&Path>) -> Result<Maker> {
    let make: fn() -> Result<Box<dyn Object>> = match call {
        Call::CreateUnlink => return directories::create_unlink(run?, is_shared),
        Call::Lock => return files::lock(is_shared),
        Call::Getppid => tasks::getppid,
        Call::Yield => tasks::sched_yield,
        Call::Signal => tasks::signal,
        Call::Fork => tasks::fork,
        Call::Thread => tasks::thread,
        Call::Read => files::read,
        Call::Pread => files::pread,
        Call::Pwrite => files::pwrite,
        Call::Stat => files::stat,
        Call::OpenClose => files::open_close,
        Call::Dup => files::dup,
        Call::Poll => files::poll,
        Call::Eventfd => messages::eventfd,
        Call::Pipe => messages::pipe,
        Call::Unix => messages::unix,
        Call::Futex => messages::futex,
        Call::Semaphore => messages::semaphore,
        Call::Mmap => memory::mmap,
        Call::Brk => memory::brk,
        Call::Fault => memory::fault,
        Call::Malloc => memory::malloc,
        Call::Add => memory::add,
    };
    Ok(Box::new(make))
}

/// Iterations for which the kernel does a part of the work once.
fn period(call: Call) -> u64 {
    match call {
        Call::Fault => NEW_PAGES_AT_ONCE,
        Call::Mmap => MAPPINGS_AT_ONCE,
        _ => 1,
    }
}

/// Whether each actor makes an object also where they share one, because it is a part of that: of their address space or process,
/// of a directory, or of a file.
fn is_a_part(call: Call) -> bool {
    matches!(call, Call::Thread | Call::Mmap | Call::Fault | Call::Malloc | Call::CreateUnlink | Call::Lock)
}

/// Whether actors of a point sleep by design: for a child, or for a lock that another one has. Their share of a CPU says nothing
/// then.
pub fn sleeps(point: &Point) -> bool {
    match point.required("call") {
        Ok(Call::Fork | Call::Thread) => true,
        Ok(Call::Read | Call::Pwrite | Call::Pipe | Call::Mmap | Call::CreateUnlink) => {
            matches!(point.required("object"), Ok(Sharing::Shared))
        }
        _ => false,
    }
}

/// The same call by one actor.
pub fn alone(point: &Point) -> Point {
    let parameter = |name: &str, value: &str| format!("{name}={value}");
    let text = point.text();
    let pairs = text.split(' ').map(|pair| match pair.split_once('=') {
        Some((name @ ("cpus" | "actors"), _)) => parameter(name, "1"),
        Some((name @ "tasks", _)) => parameter(name, Tasks::Processes.name()),
        // By one actor a shared object is its own; some calls have only shared ones.
        Some((name @ "object", _)) if !is_by_name(point) => parameter(name, Sharing::Own.name()),
        _ => pair.to_owned(),
    });
    Point::parse(&pairs.collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

/// Whether the object is a name that is the same for all.
fn is_by_name(point: &Point) -> bool {
    matches!(point.required("call"), Ok(Call::Stat | Call::OpenClose))
}

/// Times the operation of the point on all of its CPUs.
///
/// # Errors
/// When an actor cannot be made, or its operation fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let object = bench.parameters::<Scaling>()?.object;
    run_on(bench, object)
}

/// The same on objects of which the point says something else.
///
/// # Errors
/// When an actor cannot be made, or its operation fails.
pub fn run_on(bench: &mut Bench<'_>, object: Sharing) -> Result<()> {
    let scaling = bench.parameters::<Scaling>()?;
    let is_shared = object == Sharing::Shared;
    let run = bench.directory().map(|directory| directory.folder.as_path());
    let make = maker(scaling.call, is_shared, run)?;
    let cpus = cpus(bench)?;
    if bench.is_rehearsal() || cpus.len() < 2 {
        let object = make()?;
        let period = period(scaling.call);
        return bench.batches(Work { period, ..Work::new(&mut |n| Ok(object.operate(n)?)) });
    }
    let plan = Plan {
        tasks: scaling.tasks,
        is_shared: is_shared && !is_a_part(scaling.call),
        least_each: pool::LEAST_EACH.max(period(scaling.call)),
    };
    pool::run(bench, &cpus, plan, make.as_ref())
}

/// The CPUs of the actors, that of the caller first.
pub(in crate::os) fn cpus(bench: &Bench<'_>) -> Result<Vec<u32>> {
    let all = sys::cpu::allowed_before_pinning()?;
    let count = match bench.point().cpus() {
        Some(Cpus::Count(count)) => count as usize,
        Some(Cpus::All) | None => all.len(),
    };
    let own = bench.cpu();
    let others = all.into_iter().filter(|&cpu| Some(cpu) != own);
    let mut cpus = sys::cpu::spread_over_cores(&own.into_iter().chain(others).collect::<Vec<_>>());
    cpus.truncate(count);
    Ok(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_of_one_cpu_has_an_object_of_its_own() {
        for (point, expected) in [
            ("call=pipe object=shared tasks=threads cpus=8", "call=pipe object=own tasks=processes cpus=1"),
            ("call=pipe object=own tasks=processes cpus=all", "call=pipe object=own tasks=processes cpus=1"),
            (
                "call=stat object=shared tasks=threads cpus=2",
                "call=stat object=shared tasks=processes cpus=1",
            ),
            (
                "call=read object=shared tasks=threads cpus=8 actors=4",
                "call=read object=own tasks=processes cpus=1 actors=1",
            ),
        ] {
            assert_eq!(alone(&Point::parse(point).unwrap()).text(), expected);
        }
    }

    #[test]
    fn actors_that_share_a_lock_and_makers_of_children_may_sleep() {
        for (point, expected) in [
            ("call=pipe object=own tasks=threads cpus=2", false),
            ("call=pipe object=shared tasks=threads cpus=2", true),
            ("call=add object=shared tasks=threads cpus=2", false),
            ("call=fork object=own tasks=processes cpus=1", true),
            ("call=create_unlink object=shared tasks=processes cpus=2", true),
            ("call=lock object=shared tasks=processes cpus=2", false),
        ] {
            assert_eq!(sleeps(&Point::parse(point).unwrap()), expected, "{point}");
        }
    }

    #[test]
    fn every_call_gives_a_right_answer_every_time() {
        let run = std::env::temp_dir().join(format!("oscope-calls-{}", std::process::id()));
        std::fs::create_dir(&run).unwrap();
        for &call in Call::ALL {
            // A signal to this process may reach the thread of another test, which may allocate where the data segment grows.
            if matches!(call, Call::Signal | Call::Brk) {
                continue;
            }
            for is_shared in [false, true] {
                let make = maker(call, is_shared, Ok(&run)).unwrap();
                let object = make().unwrap_or_else(|failure| panic!("{}: {failure}", call.name()));
                assert_eq!(object.operate(5), Ok(5), "{}", call.name());
                assert_eq!(object.operate(3), Ok(3), "{}", call.name());
            }
        }
        std::fs::remove_dir(&run).unwrap();
    }

    #[test]
    fn files_in_a_directory_need_one() {
        let none = || Err(measure::Failure::skipped("no directory", "name one"));
        assert!(maker(Call::CreateUnlink, true, none()).is_err());
        assert!(maker(Call::Lock, true, none()).is_ok(), "its file is in memory");
    }
}
