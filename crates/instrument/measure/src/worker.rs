//! The worker: reads one request, runs one operation, answers with one line.

use crate::batches::Timing;
use crate::counting::{Counted, Counting};
use crate::evidence::counted;
use crate::idle_control::IdleControl;
use crate::settle_time::SettleTime;
use crate::{Bench, Failure, How, Operation, Point, bench::Mode, rehearsal};
use record::{
    Attributes, CoreLooks, Looks, Need, PointId, Purpose, Reply, Request, Series, Skip, Trial, TriggerRequest,
};
use std::io::{BufRead, Read, Write};
use sys::remedies::Context;

/// Version of the exchange between supervisor and worker.
pub const PROTOCOL: u32 = 1;

/// Looks that are kept with each point of those that are measured together.
const FEW_LOOKS: usize = 64;

/// Most that a request may hold, in bytes.
const MAX_REQUEST: u64 = 64 << 10;

/// A request of a worker that is bound to no CPU, has no time, and is given nothing else.
pub fn request(purpose: Purpose, id: PointId) -> Request {
    Request {
        protocol: PROTOCOL,
        purpose,
        id,
        cpu: None,
        peer_cpu: None,
        seed: 0,
        spend_ns: 0,
        trigger: TriggerRequest::default(),
        with_attributes: false,
        tail: None,
        peer: None,
        directory: None,
        remote_directory: None,
    }
}

/// Reads the text of one request.
///
/// # Errors
/// When it cannot be read.
pub fn listen(input: &mut dyn BufRead) -> std::io::Result<String> {
    let mut text = String::new();
    input.take(MAX_REQUEST).read_line(&mut text)?;
    Ok(text)
}

/// Serves one request.
///
/// # Errors
/// When the answer cannot be written; the supervisor is gone then.
pub fn serve(operations: &[&Operation], request: &str, output: &mut dyn Write) -> std::io::Result<()> {
    let reply = match serde_json::from_str::<Request>(request) {
        Ok(request) => answer(operations, &request),
        Err(error) => {
            Reply::Failed { reason: format!("the worker does not understand its request: {error}") }
        }
    };
    let mut line = serde_json::to_vec(&reply)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

/// Counts one point. `point` is its index in the job, which labels its windows.
pub fn count(operations: &[&Operation], request: &Request, point: usize) -> Counted {
    let counting = Counting { point, ..Counting::default() };
    let unbatched = || {
        let reason = "the operation reads time by itself, or gives values that are not of batches";
        Failure::skipped(reason, "use 'oscope run'")
    };
    let result = find(operations, request).and_then(|(operation, at)| {
        if operation.how == How::Values {
            return Err(unbatched());
        }
        place(&at, request)?;
        let mut bench = Bench::new(&at, request, Mode::Counted(Box::new(counting)));
        (operation.run)(&mut bench)?;
        match bench.mode {
            Mode::Counted(counting) if counting.series.is_empty() => Err(unbatched()),
            Mode::Counted(counting) => Ok(counting),
            _ => Err(Failure::failed("the bench changed its mode")),
        }
    });
    match result.map_err(blamed) {
        Ok(counting) => Counted::Batches { series: counting.series, switches: counting.switches },
        Err(Failure::Skipped(skip)) => Counted::Skipped(skip),
        Err(Failure::Unwritable(error)) => {
            Counted::Failed { reason: format!("no file can be written: {error}") }
        }
        Err(Failure::Failed(reason)) => Counted::Failed { reason },
    }
}

fn answer(operations: &[&Operation], request: &Request) -> Reply {
    let result = match request.purpose {
        Purpose::Attributes => Ok(Reply::Attributes(sys::attributes::of_this_process())),
        Purpose::Trial => {
            find(operations, request).and_then(|(operation, point)| trial(operation, &point, request))
        }
        Purpose::Rehearsal => find(operations, request).and_then(|(operation, point)| {
            place(&point, request)?;
            rehearsal::rehearse(operation, &point, request).map(Reply::Rehearsal)
        }),
    };
    match result.map_err(blamed) {
        Ok(reply) => reply,
        Err(Failure::Skipped(skip)) => Reply::Skipped(skip),
        Err(Failure::Unwritable(error)) => Reply::Skipped(unwritable(operations, error, request)),
        Err(Failure::Failed(reason)) => Reply::Failed { reason },
    }
}

/// The directory that cannot be written to, and what helps: it may have been full from the beginning, or during the run.
fn unwritable(operations: &[&Operation], error: sys::Error, request: &Request) -> Skip {
    let needs = find(operations, request).map(|(operation, point)| operation.all_needs(&point));
    let (directory, option) = match needs.is_ok_and(|needs| needs.contains(&Need::RemoteDirectory)) {
        true => (&request.remote_directory, "--remote-dir"),
        false => (&request.directory, "--dir"),
    };
    let place = directory.as_ref().map_or_else(String::new, |found| format!(" in {}", found.path.display()));
    let other = format!("or name another directory with {option}");
    let remedy = match error.errno {
        // EFBIG: a limit of the process, not of the disk.
        27 => "raise the limit on the size of files (ulimit -f)".to_owned(),
        30 => format!("mount it writable, {other}"),
        122 => format!("raise the quota, {other}"),
        _ => format!("free space there, {other}"),
    };
    Skip { reason: format!("no file can be written{place}: {error}"), remedy }
}

/// Where another process of the operation reported its error, that is the reason: what failed here only
/// follows from it.
fn blamed(failure: Failure) -> Failure {
    let (Failure::Failed(reason), Some(error)) = (&failure, sys::process::child_error()) else {
        return failure;
    };
    match Failure::from(error) {
        Failure::Failed(why) => Failure::failed(format!("{reason} (the other process: {why})")),
        skipped => skipped,
    }
}

fn find<'o>(operations: &[&'o Operation], request: &Request) -> Result<(&'o Operation, Point), Failure> {
    if request.protocol != PROTOCOL {
        return Err(Failure::failed(format!(
            "supervisor and worker have different protocols ({} and {PROTOCOL}): use one version of oscope",
            request.protocol
        )));
    }
    let operation = operations.iter().find(|operation| operation.id == request.id.operation);
    let operation = operation
        .ok_or_else(|| Failure::failed(format!("no operation is called {}", request.id.operation)))?;
    let point = Point::parse(&request.id.point);
    let point = point.ok_or_else(|| Failure::failed(format!("{:?} is not a point", request.id.point)))?;
    (operation.parameters)(&point)?;
    Ok((operation, point))
}

/// Pins the main actor; gives whether it is pinned. Operations that need their placement do not run without.
fn place(point: &Point, request: &Request) -> Result<bool, Failure> {
    let Some(cpu) = request.cpu else { return Ok(false) };
    match sys::cpu::pin(cpu) {
        Ok(()) => Ok(true),
        Err(_) if point.placement().is_none() => Ok(false),
        Err(error) => {
            Err(Failure::of_call(error, Context::Any).because("the actors cannot be pinned to their CPUs"))
        }
    }
}

fn trial(operation: &Operation, point: &Point, request: &Request) -> Result<Reply, Failure> {
    let pinned = place(point, request)?;
    if request.tail.is_some() {
        // Without it a stop is not seen, and its cause stays unknown.
        let _ = sys::stopped::block_continue();
    }
    let idle = IdleControl::start(point, request)?;
    let settle_time = SettleTime::before(operation.settle_time_at(point), point, request);
    let other_cpu = request.peer_cpu.filter(|_| point.has_two_cpus() && pinned);
    let timing = Timing::new(request, other_cpu, settle_time);
    let mut bench = Bench::new(point, request, Mode::Timed(Box::new(timing)));
    (operation.run)(&mut bench)?;
    let Mode::Timed(mut timing) = bench.mode else {
        return Err(Failure::failed("the bench changed its mode"));
    };
    timing.evidence.extend(idle.iter().flat_map(IdleControl::evidence));
    let ns_per_tick = timing.nanos_per_tick();
    let core_hz = timing.core_hz(ns_per_tick);
    let round_trip = timing.trigger.round_trip();
    timing.evidence.extend(round_trip.map(|ticks| counted("placement.line_ns", ticks * ns_per_tick, 1.0)));
    let mut asked = Trial {
        round: 0,
        id: request.id.clone(),
        started_ns: 0,
        clock: timing.clock_name().to_owned(),
        ns_per_tick,
        core_hz,
        clock_cost_ticks: timing.clock_cost,
        cpu_cost_ns: timing.cpu_cost,
        cpu: sys::cpu::current(),
        pinned,
        series: timing.series,
        looks: Some(timing.trigger.looks().clone()),
        waited_ns: timing.trigger.waits().then(|| timing.trigger.waited_ns()),
        evidence: timing.evidence,
        attributes: match request.with_attributes {
            true => sys::attributes::of_this_process(),
            false => Attributes::new(),
        },
    };
    if timing.elsewhere.is_empty() && timing.absent.is_empty() {
        asked.series.extend(timing.curve.map(|curve| *curve));
        return Ok(Reply::Trial(Box::new(asked)));
    }
    // Each has the looks of all, of which a few are enough for values.
    asked.looks = asked.looks.as_ref().map(few_of);
    let last = asked.looks.as_ref().map_or(0, |looks| looks.at.len() as u32);
    asked.series.iter_mut().for_each(|series| series.look = vec![last]);
    let others = timing.elsewhere.into_iter().map(|(point, series)| Trial {
        id: operation.point_id(&point),
        series: vec![Series { look: vec![last], ..series }],
        ..asked.clone()
    });
    let mut trials: Vec<Trial> = others.collect();
    // An absent point has no samples.
    if !asked.series.is_empty() {
        trials.push(asked);
    }
    if let Some(first) = trials.first_mut() {
        first.series.extend(timing.curve.map(|curve| *curve));
    }
    let absent = timing.absent.into_iter().map(|(point, skip)| (operation.point_id(&point), skip));
    Ok(Reply::Together { trials, absent: absent.collect() })
}

/// Looks that stand for all of a trial, evenly over time.
fn few_of(looks: &Looks) -> Looks {
    let step = looks.at.len().div_ceil(FEW_LOOKS).max(1);
    let few = |column: &[i64]| column.iter().copied().step_by(step).collect();
    let cores = looks.cores.iter().map(|core| CoreLooks {
        cpu: core.cpu,
        chain: few(&core.chain),
        width: few(&core.width),
    });
    Looks { at: few(&looks.at), additions: looks.additions, cores: cores.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_with_what_helps() {
        let [directory, remote_directory] = ["/data", "/far"].map(|path| {
            Some(record::Directory {
                path: path.into(),
                folder: path.into(),
                test_file: path.into(),
                over_network: false,
                in_memory: false,
            })
        });
        let request =
            Request { directory, remote_directory, ..request(Purpose::Trial, PointId::new("test.here", "")) };
        static HERE: Operation = Operation { id: "test.here", ..Operation::NEW };
        static FAR: Operation =
            Operation { id: "test.far", needs: |_| vec![Need::RemoteDirectory], ..Operation::NEW };
        for (id, errno, reason, remedy) in [
            ("test.here", 28, "in /data: pwrite64: no space left on device", "another directory with --dir"),
            ("test.far", 28, "in /far:", "--remote-dir"),
            ("test.far", 122, "", "--remote-dir"),
            ("test.here", 27, "", "ulimit -f"),
            ("test.here", 30, "", "mount it writable"),
        ] {
            let request = Request { id: PointId::new(id, ""), ..request.clone() };
            let skip = unwritable(&[&HERE, &FAR], sys::Error { call: "pwrite64", errno }, &request);
            assert!(skip.reason.contains(reason) && skip.remedy.contains(remedy), "{skip:?}");
        }
    }

    fn counted(operation: &Operation, id: &str) -> Counted {
        count(&[operation], &request(Purpose::Trial, PointId::new(id, "")), 3)
    }

    static PASSES: Operation = Operation {
        id: "test.passes",
        run: |bench| {
            bench.slope(&mut |n| {
                (0..n * 300).for_each(|turn| {
                    std::hint::black_box(turn);
                });
                Ok(n)
            })
        },
        ..Operation::NEW
    };
    static WRONG: Operation =
        Operation { id: "test.wrong", run: |bench| bench.slope(&mut |n| Ok(n - 1)), ..Operation::NEW };
    static VALUES: Operation = Operation {
        id: "test.values",
        run: |bench| {
            bench.values(vec![1.0]);
            Ok(())
        },
        ..Operation::NEW
    };

    #[test]
    fn point_is_counted_in_pairs_of_n_and_4n() {
        let Counted::Batches { series, .. } = counted(&PASSES, "test.passes") else { panic!() };
        let [main] = series.as_slice() else { panic!("{series:?}") };
        assert!(main.n.is_power_of_two() && !main.pairs.is_empty(), "{main:?}");
    }

    #[test]
    fn wrong_answers_and_values_are_no_counts() {
        let wrong = counted(&WRONG, "test.wrong");
        assert!(matches!(&wrong, Counted::Failed { reason } if reason.contains("right answer")), "{wrong:?}");
        assert!(matches!(counted(&VALUES, "test.values"), Counted::Skipped(_)));
        assert!(matches!(counted(&VALUES, "test.none"), Counted::Failed { .. }));
    }

    #[test]
    fn looks_are_thinned_to_columns_of_equal_length() {
        let core = CoreLooks { cpu: Some(1), chain: vec![2; 1_000], width: vec![3; 1_000] };
        let few = few_of(&Looks { at: (0..1_000).collect(), additions: 4_000, cores: vec![core] });
        assert!(few.at.len() <= FEW_LOOKS && few.at.is_sorted());
        assert!(
            few.cores.iter().all(|core| core.chain.len() == few.at.len() && core.width.len() == few.at.len())
        );
        assert_eq!(few_of(&Looks::default()), Looks::default());
    }
}
