//! Remarks on rows and on whole runs, in words.

use crate::failures::{self, failure};
use crate::groups::grouped;
use crate::wording::{count, joined, many};
use crate::{deviations, disturbances};
use analysis::{
    Analysis, Bottleneck, Cause, EpochChange, IdleShare, IdleState, LikelyReason, Limit, Mode, Note,
    PlacementShare, Row, RunNote,
};
use quantity::{Quantity, show, show_percent};

/// What is said of reads of a loop device without direct I/O.
pub(crate) const CACHED_LOOP: &str = "the files are in a loop file, cached by the host of the loop: its memory may serve reads and writes, and no disk";

/// All of a remark on a row of this quantity.
pub(crate) fn text(note: &Note, quantity: Quantity) -> String {
    let brief = brief(note, quantity);
    match note {
        Note::SameAs(part) => format!("T1 equals {part}: not an independent prediction"),
        Note::Deviation(deviation) => deviations::text(deviation, quantity),
        Note::States(_) => format!(
            "fresh processes fall into several groups, and the value is that of the most frequent: {brief}"
        ),
        Note::Idle(_) => format!("the woken CPU {brief}"),
        Note::Placements(_) => {
            format!("the host moved the two CPUs: the round trip of a cache line takes {brief}")
        }
        Note::BesidePrograms(_) => {
            format!("left out, because other programs used a CPU: {brief}")
        }
        Note::Change(_) => {
            format!("the value changed while the point was not tried: {brief}; the interval covers both")
        }
        Note::Switches { counted, expected } => {
            let why = if counted < expected {
                "at some hand-offs the other actor was still awake"
            } else {
                "an actor slept more than once per hand-off"
            };
            format!("{brief} switches per iteration, not {expected}: {why}")
        }
        Note::Drift(_) => format!("drifts by {brief} over the run"),
        Note::Clock(_) => format!("coarse clock: one step is {brief} of a batch"),
        Note::Skew(share) => format!(
            "the mean is {} {} the median: a few samples pull the mean",
            show_percent(share.abs()),
            if *share > 0.0 { "above" } else { "below" }
        ),
        Note::Between { within, .. } => {
            format!("processes differ by {brief}, samples within a process by {}", show_percent(*within))
        }
        Note::Bottleneck(_) => format!("limited by: {brief}"),
        Note::CachedLoop => CACHED_LOOP.to_owned(),
        Note::Unpinned(some, all) => format!("{} ran without being bound to a CPU", trials(*some, *all)),
        Note::Failed(some, all, why) => format!("{} failed: {}", trials(*some, *all), failure(why)),
        Note::Skipped(some, all, why) => format!("{} were skipped: {why}", trials(*some, *all)),
        Note::Starved(some, all) => format!("{} kept too few undisturbed batches", trials(*some, *all)),
    }
}

fn trials(some: usize, all: usize) -> String {
    format!("{some} of {}", many(all, "trial"))
}

/// What is particular to this row, where the heading of its group says the rest.
pub(crate) fn brief(note: &Note, quantity: Quantity) -> String {
    match note {
        Note::SameAs(part) => format!("same as {part}"),
        Note::Deviation(deviation) => deviations::brief(deviation, quantity),
        Note::States(states) => modes(states, quantity),
        Note::Idle(states) => idle(states, quantity),
        Note::Placements(placements) => placed(placements, quantity),
        Note::BesidePrograms(beside) => {
            format!("{} of the trials ({})", show_percent(beside.share), show(beside.at, None, quantity))
        }
        Note::Change(change) => changed(*change, quantity),
        Note::Switches { counted, .. } => count(*counted),
        Note::Drift(share) | Note::Skew(share) => {
            let sign = if *share > 0.0 { "+" } else { "" };
            format!("{sign}{}", show_percent(*share))
        }
        Note::Clock(share) | Note::Between { between: share, .. } => show_percent(*share),
        Note::Bottleneck(bottleneck) => limited_by(bottleneck),
        Note::CachedLoop => String::new(),
        Note::Unpinned(some, all) | Note::Starved(some, all) => format!("{some} of {all}"),
        Note::Failed(some, all, why) => format!("{some} of {all}: {}", failure(why)),
        Note::Skipped(some, all, why) => format!("{some} of {all}: {why}"),
    }
}

/// What is said of all rows with a remark of this kind, and its place among the others: what may change how a number is
/// read comes first.
pub(crate) fn heading(note: &Note) -> (u8, &'static str) {
    match note {
        Note::States(_) => {
            (0, "states: fresh processes fall into groups, and the value is that of the most frequent group")
        }
        Note::Idle(_) => (1, "hand-offs between CPUs: how the woken CPU idles"),
        Note::Placements(_) => {
            (1, "hand-offs between CPUs that the host moved: round trip of a cache line, and value")
        }
        Note::BesidePrograms(_) => (
            1,
            "trials left out of tasks that sleep, because other programs used a CPU: their share and value",
        ),
        Note::Change(_) => (6, "late trials differ from early ones, and the interval covers both"),
        Note::Switches { .. } => (
            2,
            "switches per iteration: at some hand-offs the other actor was still awake, or slept more than once",
        ),
        Note::Deviation(deviation) if deviation.reason != LikelyReason::Unexplained => {
            (3, "off the prediction; likely reasons")
        }
        Note::Deviation(_) => (4, "off the prediction by more than both uncertainties; unexplained"),
        Note::SameAs(_) => (5, "T1 is an exact multiple of one part: the ratio is that of T0"),
        Note::Drift(_) => (6, "drift from the first round to the last"),
        Note::Clock(_) => (7, "the clock advances in coarse steps, as a share of a batch"),
        Note::Skew(_) => (8, "mean and median differ: a few samples pull the mean"),
        Note::Between { .. } => {
            (9, "values differ more between processes than within one; no cause was measured")
        }
        Note::Bottleneck(_) => (10, "bottleneck of a stream"),
        Note::CachedLoop => (11, CACHED_LOOP),
        Note::Unpinned(..) => (12, "trials that ran without being bound to a CPU"),
        Note::Failed(..) => (13, "trials that failed"),
        Note::Skipped(..) => (14, "trials that were skipped"),
        Note::Starved(..) => (15, "trials left out: too few undisturbed batches"),
    }
}

/// Modes or states with their shares.
pub(crate) fn modes(modes: &[Mode], quantity: Quantity) -> String {
    let modes = modes.iter();
    let modes = modes.map(|mode| format!("{} ({})", show(mode.at, None, quantity), show_percent(mode.share)));
    joined(modes, ", ")
}

/// How idle CPUs waited; the value is that of the first state.
fn idle(states: &[IdleShare], quantity: Quantity) -> String {
    let [first, others @ ..] = states else {
        return String::new();
    };
    let others = others.iter().map(|one| {
        let (at, share) = (show(one.at, None, quantity), show_percent(one.share));
        format!("; left out: {} ({at}, {share} of the trials)", state_words(one.state))
    });
    state_words(first.state).to_owned() + &others.collect::<String>()
}

/// Where two CPUs were; the value is that of the first placement.
fn placed(placements: &[PlacementShare], quantity: Quantity) -> String {
    let placements = placements.iter().map(|one| {
        let (line, at) = (show(one.line_ns, None, Quantity::Latency), show(one.at, None, quantity));
        format!("{line} in {} of the trials ({at})", show_percent(one.share))
    });
    joined(placements, ", ")
}

/// The values early and late in the run, with their times.
fn changed(change: EpochChange, quantity: Quantity) -> String {
    let [early, late] = [change.early, change.late].map(|epoch| {
        let [from, until] = [epoch.from_ns, epoch.until_ns].map(|ns| ns / 1_000_000_000);
        let when = if from == until { format!("at {from} s") } else { format!("from {from} to {until} s") };
        format!("{} {when}", show(epoch.typical, None, quantity))
    });
    format!("{early}, {late}")
}

fn state_words(state: IdleState) -> &'static str {
    match state {
        IdleState::Polls => "does not sleep",
        IdleState::Sleeps => "sleeps with its tick on",
        IdleState::StopsTick => "sleeps with its tick stopped",
    }
}

/// What limits a stream, with the shares that show it.
fn limited_by(bottleneck: &Bottleneck) -> String {
    let shares = bottleneck.shares;
    let [receiver, sender, window, buffer] = [shares.receiver, shares.sender, shares.window, shares.buffer]
        .map(|share| share.map_or_else(String::new, show_percent));
    let cpus = format!("receiver {receiver}, sender {sender}");
    let (name, counted) = match bottleneck.limit {
        Limit::BothCpus => ("the CPUs of both ends", cpus),
        Limit::ReceiverCpu => ("the receiver's CPU", cpus),
        Limit::SenderCpu => ("the sender's CPU", cpus),
        Limit::SharedCpu => ("the CPU that both ends share", cpus),
        Limit::Window => ("the receiver's window", format!("{window} of the time")),
        Limit::Buffer => ("the sender's buffer", format!("{buffer} of the time")),
        Limit::Path => ("the link, or congestion control", format!("{cpus}, window {window}")),
        Limit::WakeUps => ("wake-ups: the ends wait for each other", format!("{cpus}, window {window}")),
    };
    let or =
        if bottleneck.may_share_cpu { "one CPU, if both ends are on one machine, otherwise " } else { "" };
    format!("{or}{name} ({counted})")
}

/// Remarks on a whole run, and what was set aside in it.
pub(crate) fn of_run(analysis: &Analysis) -> Vec<String> {
    let notes = analysis.notes.iter().map(run_note).chain(disturbances::all(analysis));
    notes.chain(set_aside(&analysis.rows)).collect()
}

/// What share of the batches does not count, and why, over all points; `None` when all do.
fn set_aside(rows: &[Row]) -> Option<String> {
    let entries = rows.iter().flat_map(|row| &row.set_aside).map(|entry| (&entry.cause, entry.batches));
    let mut causes: Vec<(&Cause, usize)> =
        grouped(entries).into_iter().map(|(cause, batches)| (cause, batches.into_iter().sum())).collect();
    causes.sort_by_key(|(_, batches)| std::cmp::Reverse(*batches));
    let words = causes.iter();
    let words =
        words.map(|(cause, batches)| format!("{} ({})", failures::cause(cause), count(*batches as f64)));
    let words = joined(words, ", ");
    let aside: usize = causes.iter().map(|(_, batches)| batches).sum();
    let kept: usize = rows.iter().filter_map(|row| Some(row.estimate.as_ref()?.batches)).sum();
    let share = show_percent(aside as f64 / (aside + kept).max(1) as f64);
    let all = many(aside + kept, "batch");
    (aside > 0).then(|| format!("set aside {share} of {all}: {words}"))
}

/// A remark on a whole run.
pub(crate) fn run_note(note: &RunNote) -> String {
    match note {
        RunNote::LeftOut(text) => text.clone(),
        RunNote::Unplanned(entries) => {
            format!("{entries} entries of unplanned points were left out")
        }
        RunNote::NoPlan => "this record holds no plan: the run ended before it was made".to_owned(),
        RunNote::ClockDrift(share) => {
            format!("the rate of the time counter changed by {} during the run", show_percent(*share))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::StreamShares;

    fn limit_words(limit: Limit, may_share_cpu: bool) -> String {
        let shares =
            StreamShares { receiver: Some(0.97), sender: Some(0.4), window: Some(0.8), buffer: Some(0.7) };
        limited_by(&Bottleneck { limit, may_share_cpu, shares })
    }

    #[test]
    fn bottlenecks_show_the_shares_that_decide() {
        assert_eq!(limit_words(Limit::ReceiverCpu, false), "the receiver's CPU (receiver 97 %, sender 40 %)");
        assert_eq!(limit_words(Limit::Window, false), "the receiver's window (80 % of the time)");
        assert_eq!(limit_words(Limit::Buffer, false), "the sender's buffer (70 % of the time)");
        assert_eq!(
            limit_words(Limit::Path, true),
            "one CPU, if both ends are on one machine, otherwise the link, or congestion control (receiver 97 %, sender \
             40 %, window 80 %)"
        );
    }

    fn text_and_brief(note: &Note) -> (String, String) {
        (text(note, Quantity::Latency), brief(note, Quantity::Latency))
    }

    #[test]
    fn remarks_stand_alone_and_below_a_heading() {
        let switches = Note::Switches { counted: 1.5, expected: 2.0 };
        assert_eq!(
            text_and_brief(&switches),
            (
                "1.50 switches per iteration, not 2: at some hand-offs the other actor was still awake"
                    .to_owned(),
                "1.50".to_owned()
            )
        );
        assert_eq!(text_and_brief(&Note::Drift(0.031)).1, "+3.1 %");
        let epoch =
            |typical, from_ns, until_ns, trials| analysis::Epoch { typical, from_ns, until_ns, trials };
        let (early, late) =
            (epoch(21.2, 1_000_000_000, 16_000_000_000, 9), epoch(22.5, 49_000_000_000, 49_900_000_000, 2));
        let change = Note::Change(EpochChange { early, late });
        assert_eq!(text_and_brief(&change).1, "21.2 ns from 1 to 16 s, 22.5 ns at 49 s");
        assert!(text_and_brief(&Note::Skew(-0.12)).0.starts_with("the mean is 12 % below the median"));
        assert_eq!(
            text_and_brief(&Note::Unpinned(1, 12)).0,
            "1 of 12 trials ran without being bound to a CPU"
        );
    }
}
