//! A worker that lies: what it answers is impossible, endless, or no answer at all.
//!
//! The supervisor and the analysis must make a failed row of it and go on.

use measure::{Failure, Operation};
use record::{
    CoreLooks, Counted, Evidence, Looks, PointId, Purpose, Rehearsal, Reply, Request, Role, Sampling, Series,
    Trial,
};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The id of the operation whose worker lies.
pub const ID: &str = "sabotage.liar";

/// How a worker lies.
type Lie = fn(&mut Trial);

/// Trials that cannot be true, by mode: an honest trial, changed.
const FALSE_TRIALS: &[(&str, Lie)] = &[
    ("negative_times", |trial| {
        each(trial, |series| series.ticks.iter_mut().for_each(|ticks| *ticks = -*ticks))
    }),
    ("huge_times", |trial| each(trial, |series| series.ticks.iter_mut().for_each(|ticks| *ticks = i64::MAX))),
    ("no_iteration", |trial| each(trial, |series| series.n = 0)),
    ("huge_count", |trial| each(trial, |series| series.n = u64::MAX)),
    ("unequal_columns", |trial| each(trial, |series| series.cpu_ns.truncate(2))),
    ("not_in_threes", |trial| each(trial, |series| series.ticks.truncate(47))),
    ("no_batches", |trial| each(trial, |series| series.ticks.clear())),
    ("few_batches", |trial| each(trial, |series| series.ticks.truncate(3))),
    ("other_sampling", |trial| each(trial, |series| series.sampling = Sampling::Values)),
    ("no_series", |trial| trial.series.clear()),
    ("two_series", |trial| trial.series.extend(trial.series.clone())),
    ("still_clock", |trial| trial.ns_per_tick = 0.0),
    ("backward_clock", |trial| trial.ns_per_tick = -1.0),
    ("longer_than_it_took", |trial| {
        each(trial, |series| {
            let columns = series.ticks.iter_mut().chain(&mut series.cpu_ns);
            columns.for_each(|time| *time *= 1_000_000);
        })
    }),
    ("looks_that_are_not_there", |trial| {
        look(trial);
        each(trial, |series| series.look = vec![u32::MAX; 16]);
    }),
    ("unequal_looks", |trial| {
        look(trial);
        let looks = trial.looks.iter_mut();
        looks.flat_map(|looks| &mut looks.cores).for_each(|core| core.width.truncate(2));
    }),
    ("looks_back_in_time", |trial| {
        look(trial);
        trial.looks.iter_mut().for_each(|looks| looks.at.reverse());
    }),
    ("other_point", |trial| trial.id = PointId::new("syscall.floor", "")),
];

/// How a worker answers with what is no trial: from an honest one and its text.
type Answer = fn(&Trial, &str, &mut dyn Write) -> std::io::Result<()>;

/// Answers that are no trial, by mode.
const NO_TRIALS: &[(&str, Answer)] = &[
    ("not_a_number", |_, text, output| {
        writeln!(output, "{}", text.replacen("\"ns_per_tick\":1.0", "\"ns_per_tick\":1e400", 1))
    }),
    ("nonsense", |_, _, output| output.write_all(b"\xff\xfe\x00 what?\n")),
    ("deep", |_, _, output| writeln!(output, "{}", "[".repeat(1 << 20))),
    ("other_protocol", |_, _, output| writeln!(output, "{{\"reply\":\"later\",\"version\":7}}")),
    ("rehearsal", |trial, _, output| say(&rehearsal(&trial.id), output)),
    ("torn", |_, text, output| write!(output, "{}", half(text))),
    ("long_line", |_, text, output| writeln!(output, "{}{text}", " ".repeat(9 << 20))),
    ("endless", |_, _, output| {
        // More than any supervisor may take in; the write fails when it cuts the worker off.
        let piece = vec![b'x'; 1 << 16];
        (0..1 << 16).try_for_each(|_| output.write_all(&piece))
    }),
    ("closed_output", |_, _, _| become_shell("exec sleep 60", Stdio::null())),
    ("silence", |_, _, _| Ok(())),
    ("stderr", |_, _, _| become_shell("echo it hurts >&2; exit 7", Stdio::inherit())),
    ("abort", |_, _, _| std::process::abort()),
    ("segmentation_fault", |_, _, _| become_shell("kill -SEGV $$", Stdio::inherit())),
    ("bus_error_in_the_answer", |_, text, output| {
        write!(output, "{}", half(text))?;
        output.flush()?;
        become_shell("kill -BUS $$", Stdio::inherit())
    }),
];

/// Answers that take the supervisor's whole timeout, by mode.
const SLOW: &[(&str, Answer)] = &[
    ("hang", |_, _, _| become_shell("exec sleep 60", Stdio::inherit())),
    ("trickle", |_, _, _| {
        become_shell("for i in 1 2 3 4 5 6 7 8 9; do printf '{'; sleep 5; done", Stdio::inherit())
    }),
];

/// A worker that tells the truth, to show that the lies are what is refused.
pub const HONEST: &str = "honest";

/// Every mode in which the worker lies and is found out at once.
pub fn modes() -> impl Iterator<Item = &'static str> {
    FALSE_TRIALS.iter().map(|(mode, _)| *mode).chain(NO_TRIALS.iter().map(|(mode, _)| *mode))
}

/// Modes that take the supervisor's whole timeout.
pub fn slow_modes() -> impl Iterator<Item = &'static str> {
    SLOW.iter().map(|(mode, _)| *mode)
}

/// The operation whose worker lies.
pub fn operation() -> Option<Operation> {
    let modes: Vec<&str> = modes().chain([HONEST]).chain(slow_modes()).collect();
    let points: &str = format!("mode={}", modes.join("|")).leak();
    Some(Operation {
        id: ID,
        title: "a worker that lies",
        parameters: |_| Ok(()),
        points: vec![points].leak(),
        evidence: &["answers = 1: the worker says so"],
        bounds: &["> 0.01 ns: no core does a hundred things in a nanosecond"],
        spend_ns: 1_000_000,
        run: |_| Err(Failure::failed("a liar needs the worker of the saboteur")),
        headline: &[],
        ..*operations::find("syscall.getppid")?
    })
}

/// The mode of a request to lie; `None` for requests to be served as usual.
pub fn mode(request: &str) -> Option<(Request, String)> {
    let request: Request = serde_json::from_str(request).ok()?;
    let mode = request.id.parameter("mode")?.to_owned();
    (request.id.operation == ID).then_some((request, mode))
}

/// Answers a request with a lie.
///
/// # Errors
/// When the answer cannot be written: the supervisor has cut it off.
pub fn lie(request: &Request, mode: &str, output: &mut dyn Write) -> std::io::Result<()> {
    if request.purpose == Purpose::Rehearsal {
        return say(&rehearsal(&request.id), output);
    }
    let mut trial = honest(request);
    if let Some((_, lie)) = FALSE_TRIALS.iter().find(|(name, _)| *name == mode) {
        lie(&mut trial);
    }
    let reply = Reply::Trial(Box::new(trial.clone()));
    match NO_TRIALS.iter().chain(SLOW).find(|(name, _)| *name == mode) {
        Some((_, answer)) => answer(&trial, &serde_json::to_string(&reply)?, output),
        None => say(&reply, output),
    }
}

fn rehearsal(id: &PointId) -> Reply {
    Reply::Rehearsal(Rehearsal { id: id.clone(), evidence: Vec::new() })
}

fn say(reply: &Reply, output: &mut dyn Write) -> std::io::Result<()> {
    writeln!(output, "{}", serde_json::to_string(reply)?)
}

fn half(text: &str) -> &str {
    text.get(..text.len() / 2).unwrap_or_default()
}

/// Goes on as a shell with this script and this standard output; comes back only with an error.
fn become_shell(script: &str, output: Stdio) -> std::io::Result<()> {
    Err(Command::new("sh").args(["-c", script]).stdout(output).exec())
}

/// Gives an honest trial a look before each of its 16 triples and one after the last.
fn look(trial: &mut Trial) {
    let core = CoreLooks { cpu: trial.cpu, chain: vec![4_000; 17], width: vec![1_000; 17] };
    trial.looks =
        Some(Looks { at: (0..17).map(|look| look * 70_000).collect(), additions: 0, cores: vec![core] });
    each(trial, |series| series.look = (0..16).collect());
}

fn each(trial: &mut Trial, change: impl FnMut(&mut Series)) {
    trial.series.iter_mut().for_each(change);
}

/// Iterations in the shortest batch of an honest trial, and ticks (of a nanosecond) of each.
const HONEST_BATCH: (u64, i64) = (100, 100);

/// A trial that could be true: 100 ns per iteration in 16 triples, all of which takes 1.1 ms.
fn honest(request: &Request) -> Trial {
    let (n, ticks) = HONEST_BATCH;
    let lengths = [1, 2, 4].map(|times: i64| times * ticks * n.cast_signed());
    let series = Series {
        n,
        ticks: lengths.repeat(16),
        cpu_ns: lengths.repeat(16),
        involuntary: vec![0; 48],
        voluntary: vec![0; 48],
        ..Series::new(Role::Main, Sampling::Triples, 1)
    };
    let counted = Counted::Count { count: 1.0, iterations: 1.0 };
    Trial {
        round: 0,
        id: request.id.clone(),
        started_ns: 0,
        clock: "monotonic_raw".to_owned(),
        ns_per_tick: 1.0,
        core_hz: None,
        clock_cost_ticks: 20.0,
        cpu_cost_ns: 0.0,
        cpu: request.cpu,
        pinned: true,
        looks: None,
        waited_ns: None,
        attributes: record::Attributes::new(),
        series: vec![series],
        evidence: vec![Evidence { counter: "answers".to_owned(), counted }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            seed: 1,
            spend_ns: 1,
            ..measure::worker::request(Purpose::Trial, PointId::new(ID, "mode=honest"))
        }
    }

    #[test]
    fn every_false_trial_differs_from_an_honest_one() {
        for (mode, lie) in FALSE_TRIALS {
            let mut trial = honest(&request());
            lie(&mut trial);
            assert_ne!(trial, honest(&request()), "{mode}");
        }
    }

    #[test]
    fn only_requests_for_the_liar_are_lied_to() {
        let mut request = request();
        assert!(mode(&serde_json::to_string(&request).unwrap()).is_some_and(|(_, mode)| mode == HONEST));
        request.id = PointId::new("syscall.floor", "");
        assert!(mode(&serde_json::to_string(&request).unwrap()).is_none());
    }

    #[test]
    fn the_number_that_is_none_is_in_the_text() {
        let mut text = Vec::new();
        lie(&request(), "not_a_number", &mut text).unwrap();
        assert!(String::from_utf8(text).unwrap().contains("1e400"));
    }
}
