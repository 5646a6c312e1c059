//! Why rows have their verdicts, in words: for each row, and once for all rows of which the same is said.

mod remedies;

use crate::failures::{cause, failure, unread};
use crate::groups::grouped;
use crate::remark::NoteGroup;
use crate::wording::{count, expected, joined, many, some_joined};
use analysis::{Broken, LINEARITY, Note, Reason, Row, Verdict};
use quantity::{Quantity, show, show_half_width, show_percent, show_ratio};
use record::{Origin, Witness};
use remedies::{is_beyond, of_row};

pub(crate) use remedies::remedy;

/// Why a row has its verdict; `None` where nothing is to be said.
pub fn reason(row: &Row) -> Option<String> {
    let states = undecided_states(row);
    some_joined(row.reasons.iter().map(text).chain(states), "; ")
}

/// The states of a row of which none is its value, where no reason says so.
fn undecided_states(row: &Row) -> Option<String> {
    let states = row.undecided_states();
    let is_said = row.reasons.contains(&Reason::States);
    let shown = states.iter().map(|at| show(*at, None, row.quantity()));
    (!is_said && !states.is_empty())
        .then(|| format!("the value is between states of {}", joined(shown, " and ")))
}

/// Several reasons in one line; `None` where there are none.
pub(crate) fn line(reasons: &[Reason]) -> Option<String> {
    some_joined(reasons.iter().map(text), "; ")
}

/// All of a reason, in words that stand alone.
pub(crate) fn text(reason: &Reason) -> String {
    match reason {
        Reason::Witness(broken) => {
            let proves = &broken.witness.proves;
            format!("{}, which contradicts: {proves}", outside(broken))
        }
        Reason::EveryTrial(causes) => {
            format!("every trial failed a witness ({})", joined(causes.iter().map(cause), ", "))
        }
        Reason::Bound { is_lower, limit, quantity, because } => {
            let than = match (is_lower, quantity) {
                (true, Quantity::Latency) => "cheaper than",
                (true, _) => "less than",
                (false, Quantity::Bandwidth | Quantity::Frequency) => "faster than",
                (false, _) => "more than",
            };
            format!("{than} {}: {because}", show(*limit, None, *quantity))
        }
        Reason::Failed(why, trials, all) => {
            format!("{} (in {trials} of {})", failure(why), many(*all, "trial"))
        }
        Reason::Unmet(need, _) => need.clone(),
        Reason::NotTried => "the run ended before its first trial".to_owned(),
        Reason::Unproven(counters) => {
            let why = counters.iter().map(|(counter, why)| format!("{counter}: {}", unread(why)));
            let why = some_joined(why, "; ")
                .unwrap_or_else(|| "the operation declares no witness of it".to_owned());
            format!("no evidence that the work was done: {why}")
        }
        Reason::TooFew(trials, needed) => {
            format!("≥ {needed} trials needed for an interval, {trials} available")
        }
        Reason::Lost { need, trials, all, .. } => {
            format!("{trials} of {} were skipped: {need}", many(*all, "trial"))
        }
        Reason::TooWide { precision, .. } => {
            format!("the interval of this run is wider than ± {}", show_percent(*precision))
        }
        Reason::Unsteady { by, trials, all } => {
            let (all, direction) = (many(*all, "trial"), if *by > 0.0 { "up" } else { "down" });
            let by = drift(by.abs());
            format!("no steady state: {trials} of {all} drift {direction}, by {by} in the median")
        }
        Reason::States => "several states, and the median may be that of any: see its modes".to_owned(),
        Reason::Noise(broken) => format!(
            "{}: other programs, other guests or the network can cause this; not proven: {}",
            outside(broken),
            broken.witness.proves
        ),
        Reason::SetAside(share, _)
        | Reason::Starved(share, _)
        | Reason::OtherTasks(share)
        | Reason::BesidePrograms(share)
        | Reason::Throttled { share, .. } => shared(reason, &show_percent(*share)),
    }
}

/// A reason in a few words, behind the number of its rows: `12 disturbed by other tasks`.
pub(crate) fn brief(reason: &Reason) -> String {
    let words = match reason {
        Reason::TooWide { precision, .. } => return format!("wider than ± {}", show_percent(*precision)),
        Reason::TooFew(..) => "with too few trials",
        Reason::Lost { .. } => "with trials skipped",
        Reason::Unsteady { .. } => "drifting",
        Reason::SetAside(..) | Reason::Starved(..) => "with most batches excluded",
        Reason::OtherTasks(_) | Reason::BesidePrograms(_) => "disturbed by other tasks",
        Reason::Throttled { .. } => "throttled by a CPU quota",
        Reason::States => "in several states",
        Reason::Noise(_) | Reason::Witness(_) | Reason::EveryTrial(_) => "with a disturbed witness",
        Reason::Bound { .. } => "beyond a bound",
        Reason::Failed(..) => "with failures",
        Reason::Unmet(..) => "with an unmet need",
        Reason::NotTried => "not tried",
        Reason::Unproven(_) => "without evidence",
    };
    words.to_owned()
}

/// The reason that stands for a row where there is room for one: its sign, and every count of rows by their reasons. Rows that
/// are wide for another reason count as that.
pub(crate) fn main_reason(row: &Row) -> Option<&Reason> {
    let named = row.reasons.iter().find(|reason| word_of(reason, row).is_some());
    named.or(row.reasons.first())
}

/// The word for a reason other than the width of an interval.
fn word_of(reason: &Reason, row: &Row) -> Option<&'static str> {
    match reason {
        Reason::Unsteady { .. } => Some("drift"),
        Reason::OtherTasks(_) | Reason::BesidePrograms(_) => Some("tasks"),
        Reason::States => Some("states"),
        Reason::Throttled { .. } => Some("quota"),
        Reason::SetAside(..) | Reason::Starved(..) => Some("excluded"),
        Reason::TooFew(..) => Some("trials"),
        Reason::Lost { .. } if row.verdict.has_number() => Some("trials"),
        Reason::Noise(_) => Some("noise"),
        _ => None,
    }
}

/// What makes a value not simply that of the next run, in a word that fits into a narrow column.
pub(crate) fn word(row: &Row) -> &'static str {
    let by_reason = main_reason(row).and_then(|reason| word_of(reason, row));
    let by_note = || {
        row.notes.iter().find_map(|note| match note {
            Note::States(_) => Some("states"),
            Note::Change(_) => Some("changed"),
            Note::Placements(_) => Some("moved"),
            _ => None,
        })
    };
    // A second state that is too rare to move the median is one all the same.
    let by_modes = || (!row.modes.is_empty()).then_some("states");
    let is_wide = row.reasons.iter().any(|reason| matches!(reason, Reason::TooWide { .. }));
    let by_width = || is_wide.then_some("wide");
    by_reason.or_else(by_note).or_else(by_modes).or_else(by_width).unwrap_or_default()
}

/// What is said with a share alone, of one row and of many.
fn shared(reason: &Reason, share: &str) -> String {
    let mostly = match reason {
        Reason::SetAside(_, Some(most)) | Reason::Starved(_, Some(most)) => {
            format!(", mostly: {}", cause(most))
        }
        _ => String::new(),
    };
    match reason {
        Reason::Throttled { throttled, periods, .. } => format!(
            "a CPU quota was used up in {throttled} of {periods} periods: no CPU for {share} of the time"
        ),
        Reason::Starved(..) => format!("no trial kept enough batches: {share} set aside{mostly}"),
        Reason::BesidePrograms(_) => format!(
            "other programs used a CPU during {share} of the trials: a task that wakes up then waits for a CPU"
        ),
        Reason::OtherTasks(_) => {
            format!("other tasks used this CPU for {share} of the time; switch costs under contention differ")
        }
        _ => format!("{share} of the batches were set aside{mostly}"),
    }
}

/// A count outside of limits, in as many digits as tell it from the nearer of them.
fn beyond(counted: f64, low: f64, high: f64) -> String {
    let limit = if counted < low { low } else { high };
    match count(counted) == count(limit) {
        true => show(counted, Some((counted - limit).abs()), Quantity::Count),
        false => count(counted),
    }
}

/// What was expected of a witness and what was counted where it was broken: the sentence that every form says of it.
pub(crate) fn outside(broken: &Broken) -> String {
    let witness = &broken.witness;
    let counted = beyond(broken.counted, witness.low, witness.high);
    let times = match witness.origin {
        Origin::Rehearsal => "in rehearsal".to_owned(),
        Origin::Trial => format!("in {} of {}", broken.broken, many(broken.read, "trial")),
    };
    let expected = expected(witness);
    if witness.counter == LINEARITY {
        return format!(
            "{LINEARITY}: cost per iteration is not constant ({counted}× from n to 4n, expected {expected}) {times}"
        );
    }
    format!("{}: expected {expected} per iteration, counted {counted} {times}", witness.counter)
}

/// Whether the reasons of a row say how a witness is broken.
pub(crate) fn names(row: &Row, witness: &Witness) -> bool {
    row.reasons.iter().any(|reason| match reason {
        Reason::Witness(broken) | Reason::Noise(broken) => {
            (&broken.witness.counter, broken.witness.origin) == (&witness.counter, witness.origin)
        }
        _ => false,
    })
}

/// What differs between rows of which the same is said, for reasons that are said once for many rows.
#[derive(Debug, Clone, PartialEq, Default)]
struct Figure {
    /// By which figures of one kind are ordered.
    size: f64,
    /// What it says of its row.
    text: String,
    /// A number of trials, out of this number of them.
    trials: Option<(usize, usize)>,
}

impl Figure {
    fn new(size: f64, text: String) -> Self {
        Self { size, text, trials: None }
    }

    fn share(share: f64) -> Self {
        Self::new(share, show_percent(share))
    }

    fn trials(some: usize, all: usize) -> Self {
        let text = format!("{} of {}", count(some as f64), count(all as f64));
        Self { size: some as f64 / all.max(1) as f64, text, trials: Some((some, all)) }
    }
}

/// The order of a kind of reasons among the others, what tells it from those of the same order, and the figure; `None` for
/// reasons that are said of each row.
fn kind(reason: &Reason) -> Option<((u8, String), Figure)> {
    let (order, which, figure) = match reason {
        Reason::TooFew(trials, _) => (0, String::new(), Figure::new(*trials as f64, count(*trials as f64))),
        Reason::TooWide { half, .. } => {
            let text = match half.is_finite() {
                true => format!("± {}", show_half_width(*half)),
                false => "around zero".to_owned(),
            };
            (1, String::new(), Figure::new(*half, text))
        }
        Reason::Unsteady { by, .. } => {
            let sign = if *by > 0.0 { "+" } else { "" };
            (2, String::new(), Figure::new(*by, format!("{sign}{}", drift(*by))))
        }
        Reason::SetAside(share, why) => (3, main_cause(why.as_ref()), Figure::share(*share)),
        Reason::Starved(share, why) => (4, main_cause(why.as_ref()), Figure::share(*share)),
        Reason::OtherTasks(share) => (5, String::new(), Figure::share(*share)),
        Reason::BesidePrograms(share) => (5, "programs".to_owned(), Figure::share(*share)),
        Reason::Throttled { share, .. } => (5, "quota".to_owned(), Figure::share(*share)),
        Reason::States => (6, String::new(), Figure::default()),
        Reason::Noise(broken) => {
            (7, broken.witness.counter.clone(), Figure::trials(broken.broken, broken.read))
        }
        Reason::Lost { need, trials, all, .. } => (8, need.clone(), Figure::trials(*trials, *all)),
        _ => return None,
    };
    Some(((order, which), figure))
}

fn main_cause(why: Option<&analysis::Cause>) -> String {
    why.map_or_else(String::new, cause)
}

/// Whether all reasons of a row are said once for many rows.
pub(crate) fn is_grouped(row: &Row) -> bool {
    !row.reasons.is_empty() && row.reasons.iter().all(|reason| kind(reason).is_some())
}

/// The reasons of the rows with this verdict, a group for each kind.
pub(crate) fn reasons(rows: &[Row], verdict: Verdict) -> Vec<NoteGroup> {
    let here = rows.iter().filter(|row| row.verdict == verdict);
    let all = here.flat_map(|row| row.reasons.iter().map(move |reason| (row, reason)));
    let mut kinds = grouped(all.filter_map(|(row, reason)| {
        let (kind, figure) = kind(reason)?;
        Some(((kind, is_beyond(row, reason)), (row, reason, figure)))
    }));
    kinds.sort_by(|(one, _), (other, _)| one.cmp(other));
    kinds.iter().map(|(_, found)| group(found)).collect()
}

fn group(found: &[(&Row, &Reason, Figure)]) -> NoteGroup {
    let first = found.first().map(|(_, reason, _)| *reason);
    let figures: Vec<&Figure> = found.iter().map(|(.., figure)| figure).collect();
    let range = range(&figures);
    let several = figures.iter().any(|figure| figure.text != range);
    let points = found.iter().map(|(row, _, figure)| {
        let own = if several { figure.text.clone() } else { String::new() };
        (row.point.id.clone(), own)
    });
    NoteGroup {
        heading: first.map_or_else(String::new, |reason| heading(reason, &range)),
        points: points.collect(),
        lines: false,
        remedy: found.first().and_then(|(row, reason, _)| of_row(row, reason)).map(str::to_owned),
    }
}

/// A drift within a trial as a share of the value, beyond twice the value as a multiple.
fn drift(by: f64) -> String {
    if by.abs() > 2.0 { show_ratio(by) } else { show_percent(by) }
}

/// What is said of all points with a reason of this kind, with the range of their figures.
fn heading(reason: &Reason, range: &str) -> String {
    match reason {
        Reason::TooFew(_, needed) => {
            format!("≥ {} trials needed for an interval: {range} available", count(*needed as f64))
        }
        Reason::TooWide { .. } => format!("the interval of this run is wider than requested: {range}"),
        Reason::Lost { need, .. } => format!("{range} trials were skipped: {need}"),
        Reason::Unsteady { .. } => {
            format!("no steady state: most trials drift up (+) or down (−), by {range}")
        }
        Reason::States => "several states, and the median may be that of any: see the modes".to_owned(),
        Reason::Noise(broken) => {
            let counter = &broken.witness.counter;
            format!("witness {counter} failed in {range} trials; load on the machine can cause this")
        }
        _ => shared(reason, range),
    }
}

/// The least and the largest figure in words; one where they read the same.
fn range(figures: &[&Figure]) -> String {
    let mut by_size = figures.to_vec();
    by_size.sort_by(|one, other| one.size.total_cmp(&other.size));
    let [least, ..] = by_size.as_slice() else {
        return String::new();
    };
    let most = by_size.last().unwrap_or(least);
    match (least.trials, most.trials) {
        _ if least.text == most.text => least.text.clone(),
        (Some((low, _)), Some((high, all)))
            if figures.iter().all(|figure| figure.trials.is_some_and(|(_, own)| own == all)) =>
        {
            format!("{} to {} of {}", count(low as f64), count(high as f64), count(all as f64))
        }
        (Some(_), Some(_)) => {
            format!("{} to {} of their", show_percent(least.size), show_percent(most.size))
        }
        _ => format!("{} to {}", least.text, most.text),
    }
}

#[cfg(test)]
mod tests {
    use super::remedies::remedy_of;
    use super::*;

    fn range_of(reasons: &[Reason]) -> String {
        let figures: Vec<Figure> = reasons.iter().filter_map(|reason| Some(kind(reason)?.1)).collect();
        range(&figures.iter().collect::<Vec<_>>())
    }

    fn failed(trials: &[(usize, usize)]) -> String {
        let reasons = trials.iter().map(|(some, all)| {
            Reason::Noise(Broken { broken: *some, read: *all, ..broken("switches", Origin::Trial) })
        });
        range_of(&reasons.collect::<Vec<_>>())
    }

    fn wide(figures: &[f64]) -> String {
        let reasons = figures.iter().map(|half| Reason::TooWide { half: *half, precision: 0.03 });
        range_of(&reasons.collect::<Vec<_>>())
    }

    #[test]
    fn ranges_name_both_ends_and_repeat_nothing() {
        assert_eq!(failed(&[(5, 8), (3, 8), (8, 8)]), "3 to 8 of 8");
        assert_eq!(failed(&[(5, 8), (5, 8)]), "5 of 8");
        assert_eq!(failed(&[(5, 8), (1, 6)]), "17 % to 62 % of their");
        assert_eq!(range_of(&[Reason::TooFew(3, 6), Reason::TooFew(5, 6)]), "3 to 5");
        assert_eq!(wide(&[0.5, 0.04]), "± 4 % to ± 50 %");
        assert_eq!(wide(&[0.5, f64::INFINITY]), "± 50 % to around zero");
        assert_eq!(wide(&[]), "");
    }

    #[test]
    fn a_count_never_reads_as_the_limit_that_it_is_beyond() {
        assert_eq!(beyond(1.3337, 0.75, 1.33), "1.334");
        assert_eq!(beyond(0.7499, 0.75, 1.33), "0.7499");
        assert_eq!(beyond(2.0, 0.75, 1.33), "2");
    }

    fn broken(counter: &str, origin: Origin) -> Broken {
        Broken {
            witness: Witness {
                counter: counter.to_owned(),
                origin,
                low: 1.0,
                high: 1.0,
                positive: true,
                proves: "there were answers".to_owned(),
                breach: record::Breach::OtherWork,
            },
            counted: 0.5,
            broken: 3,
            read: 12,
        }
    }

    #[test]
    fn reasons_stand_alone() {
        let half = 0.1;
        let precision = 0.03;
        let unread = vec![("calls".to_owned(), analysis::Unread::RehearsalFailed("EPERM".to_owned()))];
        for (reason, words) in [
            (
                Reason::Witness(broken("answers", Origin::Trial)),
                "answers: expected 1 per iteration, counted 0.500 in 3 of 12 trials, which contradicts: there were answers",
            ),
            (
                Reason::Witness(broken(LINEARITY, Origin::Rehearsal)),
                "linearity: cost per iteration is not constant (0.500× from n to 4n, expected 1) in rehearsal, which \
                 contradicts: there were answers",
            ),
            (
                Reason::EveryTrial(vec![analysis::Cause::Witness("answers".to_owned())]),
                "every trial failed a witness (evidence: answers)",
            ),
            (
                Reason::Bound {
                    is_lower: true,
                    limit: 150.0,
                    quantity: Quantity::Latency,
                    because: "it contains the part".to_owned(),
                },
                "cheaper than 150 ns: it contains the part",
            ),
            (
                Reason::Failed(analysis::Impossible::ClockBackwards.into(), 2, 3),
                "clock went backwards (in 2 of 3 trials)",
            ),
            (
                Reason::Unproven(unread),
                "no evidence that the work was done: calls: the rehearsal failed: EPERM",
            ),
            (
                Reason::Unproven(Vec::new()),
                "no evidence that the work was done: the operation declares no witness of it",
            ),
            (
                Reason::Lost { need: "no space in /d".to_owned(), remedy: None, trials: 4, all: 6 },
                "4 of 6 trials were skipped: no space in /d",
            ),
            (Reason::TooFew(1, 6), "≥ 6 trials needed for an interval, 1 available"),
            (Reason::TooWide { half, precision }, "the interval of this run is wider than ± 3 %"),
            (
                Reason::Unsteady { by: -0.07, trials: 9, all: 12 },
                "no steady state: 9 of 12 trials drift down, by 7 % in the median",
            ),
            (
                Reason::Unsteady { by: -32.01, trials: 9, all: 12 },
                "no steady state: 9 of 12 trials drift down, by 32.0× in the median",
            ),
            (
                Reason::Starved(0.95, Some(analysis::Cause::CpuShare(0.97))),
                "no trial kept enough batches: 95 % set aside, mostly: actors had less than 97 % of the CPU",
            ),
        ] {
            assert_eq!(text(&reason), words);
        }
        let noise = text(&Reason::Noise(broken("switches", Origin::Trial)));
        assert!(noise.ends_with("can cause this; not proven: there were answers"), "{noise}");
    }

    #[test]
    fn what_was_counted_differs_from_the_limit_that_it_is_beyond() {
        let mut one = broken("switches", Origin::Trial);
        (one.witness.low, one.witness.high, one.counted) = (0.75, 1.333, 1.3344);
        let said = outside(&one);
        let (limits, counted) = said.split_once(", counted ").unwrap_or_default();
        let counted = counted.split(' ').next().unwrap_or_default();
        assert!(!limits.contains(counted) && counted.starts_with("1.33"), "{said}");
    }

    fn names_interception(counter: &str, origin: Origin) -> Option<bool> {
        let reason = Reason::Witness(broken(counter, origin));
        remedy_of(&reason).map(|remedy| remedy.contains("LD_PRELOAD"))
    }

    #[test]
    fn remedy_is_of_the_kind_of_witness() {
        assert_eq!(names_interception("calls.getppid", Origin::Trial), Some(true));
        assert_eq!(names_interception("instructions", Origin::Rehearsal), Some(true));
        assert_eq!(names_interception("switches", Origin::Trial), Some(false));
        assert_eq!(names_interception(LINEARITY, Origin::Trial), Some(false));
        for (counter, says) in [
            ("faults.major", "memory was reclaimed"),
            ("migrations", "moves tasks"),
            ("retransmissions", "packets were lost"),
            ("switches", "stop other programs"),
        ] {
            let reason = Reason::Noise(broken(counter, Origin::Trial));
            let remedy = remedy_of(&reason).unwrap_or_default();
            assert!(remedy.contains(says), "{counter}: {remedy}");
        }
    }

    /// The first screen counts the points that more time would not make narrow.
    #[test]
    fn longer_run_is_advised_only_where_it_makes_a_point_narrow() {
        let row = |is_beyond_more_time| Row {
            verdict: Verdict::Noisy,
            reasons: vec![Reason::TooWide { half: 0.5, precision: 0.03 }],
            is_beyond_more_time,
            ..Row::default()
        };
        let remedies: Vec<Option<String>> =
            reasons(&[row(false), row(true)], Verdict::Noisy).into_iter().map(|group| group.remedy).collect();
        assert_eq!(remedies, [remedy(&row(false)), remedy(&row(true))]);
        assert!(remedies[0].as_deref().is_some_and(|text| text.starts_with("a longer run may help")));
        assert!(remedies[1].as_deref().is_some_and(|text| text.starts_with("a longer run would not")));
    }

    #[test]
    fn every_reason_but_a_failure_has_a_remedy() {
        assert_eq!(
            remedy_of(&Reason::NotTried),
            Some("a longer run may help: oscope run --resume RECORD --budget TIME")
        );
        assert_eq!(remedy_of(&Reason::Unmet(String::new(), Some("a disk".to_owned()))), Some("a disk"));
        let remedy = Some("free space".to_owned());
        let lost = Reason::Lost { need: String::new(), remedy, trials: 1, all: 2 };
        assert_eq!(remedy_of(&lost), Some("free space"));
        assert!(remedy_of(&Reason::Unproven(Vec::new())).is_some_and(|remedy| remedy.contains("ptrace")));
        let failed = Reason::Failed(analysis::Impossible::CpuCost.into(), 1, 1);
        assert_eq!(remedy_of(&failed), None);
    }
}
