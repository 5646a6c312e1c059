//! What stands between the processes of a run and the kernel, by the facts of its record, and which rows it may slow: a filter of
//! system calls, a tracer, a preloaded library.

use crate::deviations::ratio::{decides, within_factor};
use crate::rows::deviation::{CallsBeyond, Interposer, LikelyReason};
use crate::rows::row::{Row, Tier};
use crate::thresholds::EXPLAINED_SHARE;
use quantity::Quantity;
use record::{FactValue, Machine};

/// Variables by which the dynamic linker loads a library before all others (ld.so(8)).
const PRELOADING: [&str; 2] = ["LD_PRELOAD", "LD_AUDIT"];

/// The file that does the same for every program.
const PRELOAD_FILE: &str = "/etc/ld.so.preload";

/// What the processes of a run were under.
pub(crate) struct Interposition {
    /// What each system call passes.
    of_calls: Vec<Interposer>,
    /// What is loaded into each process.
    libraries: Vec<Interposer>,
    /// What the cheapest call costs beyond its prediction, where that is a clear excess.
    cheapest: Option<CallsBeyond>,
}

impl Interposition {
    pub(crate) fn new(machine: &Machine, rows: &[Row]) -> Self {
        Self { of_calls: of_calls(machine), libraries: libraries(machine), cheapest: cheapest_call(rows) }
    }

    /// The filter or tracer, where the excess of the cheapest call, once per call of the row, is most of the deviation.
    pub(crate) fn slows_calls(&self, row: &Row) -> Option<LikelyReason> {
        let deviation = slower_by(row)?;
        let (calls, cheapest) = (row.system_calls()?, self.cheapest.as_ref()?);
        let is_most = calls * cheapest.ns >= EXPLAINED_SHARE * deviation;
        (is_most && !self.of_calls.is_empty()).then(|| LikelyReason::RunsUnder {
            interposers: self.of_calls.clone(),
            point: row.point.id.clone(),
            calls: Some(CallsBeyond { count: calls, ..cheapest.clone() }),
        })
    }

    /// The libraries, where the cost is that of software for the most part.
    pub(crate) fn slows_software(&self, row: &Row) -> Option<LikelyReason> {
        slower_by(row)?;
        let predicted = row.predicted()?;
        let is_software = predicted.software.value >= EXPLAINED_SHARE * predicted.total.value;
        (is_software && !self.libraries.is_empty()).then(|| LikelyReason::RunsUnder {
            interposers: self.libraries.clone(),
            point: row.point.id.clone(),
            calls: None,
        })
    }
}

/// By how much a time exceeds its prediction from facts. One from parts has what slows the parts in it.
fn slower_by(row: &Row) -> Option<f64> {
    row.predicted()
        .filter(|predicted| predicted.tier == Tier::Facts && row.quantity() == Quantity::Latency)?;
    row.residual().filter(|residual| *residual > 0.0)
}

/// The cheapest point of one system call, and what it costs beyond its prediction from facts.
fn cheapest_call(rows: &[Row]) -> Option<CallsBeyond> {
    let single = rows.iter().filter(|row| row.quantity() == Quantity::Latency && decides(row).is_some());
    let single = single.filter(|row| row.system_calls() == Some(1.0) && row.from_facts.is_some());
    let typical = |row: &Row| row.typical().unwrap_or(f64::INFINITY);
    let row = single.min_by(|one, other| typical(one).total_cmp(&typical(other)))?;
    let predicted = row.from_facts.as_ref()?.total.value;
    let ns = row.typical()? - predicted;
    let is_clear = ns > 0.0 && !within_factor(row.typical()?, predicted);
    is_clear.then(|| CallsBeyond { count: 1.0, like: row.point.id.clone(), ns })
}

/// All that a run was under, by the facts of its record.
pub fn interposers(machine: &Machine) -> Vec<Interposer> {
    of_calls(machine).into_iter().chain(libraries(machine)).collect()
}

fn of_calls(machine: &Machine) -> Vec<Interposer> {
    let is_filtered = machine.text("environment.seccomp").is_some_and(|mode| mode != "off");
    let is_traced = machine.flag("environment.traced") == Some(true);
    let filter = is_filtered.then_some(Interposer::SeccompFilter);
    filter.into_iter().chain(is_traced.then_some(Interposer::Tracer)).collect()
}

fn libraries(machine: &Machine) -> Vec<Interposer> {
    let set = match machine.get("libc.variables").map(|fact| &fact.value) {
        Some(FactValue::List { items }) => items.as_slice(),
        _ => &[],
    };
    let set = set.iter().filter_map(|line| line.split_once('='));
    let set = set.filter(|(variable, files)| PRELOADING.contains(variable) && !files.is_empty());
    let by_file = machine.text("libc.preload").filter(|files| *files != "none");
    let all = set.chain(by_file.map(|files| (PRELOAD_FILE, files)));
    all.map(|(by, files)| Interposer::Library { files: files.to_owned(), by: by.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::fixtures::machine;
    use crate::deviations::fixtures::measured;
    use crate::rows::row::Judged;
    use record::{Fact, Range, Witness};

    /// A row of this value that makes these calls, predicted as 100.
    fn row(point: &str, typical: f64, calls: f64) -> Row {
        let witness = Witness { counter: "calls".to_owned(), ..Witness::default() };
        let calls = Judged { witness, counted: Some(calls), ..Judged::default() };
        let row = measured("call", point, (typical * 0.99, typical, typical * 1.01));
        Row { witnesses: vec![calls], ..row }
    }

    fn filtered() -> Machine {
        machine(&[("environment.seccomp", "filter")], &[])
    }

    /// Whether the filter is a reason of the last row.
    fn is_named(machine: &Machine, rows: &[Row]) -> bool {
        let found = Interposition::new(machine, rows);
        rows.last().is_some_and(|last| found.slows_calls(last).is_some())
    }

    #[test]
    fn filter_is_named_where_the_excess_of_the_cheapest_call_is_most_of_the_deviation() {
        let cheapest = row("one", 190.0, 1.0);
        for (of, expected) in [
            (row("two", 280.0, 2.0), true),
            // What a call costs more is less than half of it.
            (row("two", 600.0, 2.0), false),
            (row("none", 190.0, 0.0), false),
            (row("cheaper", 95.0, 3.0), false),
        ] {
            let rows = [cheapest.clone(), of];
            assert_eq!(is_named(&filtered(), &rows), expected, "{:?}", rows[1].point.id);
            for without in [machine(&[("environment.seccomp", "off")], &[]), Machine::default()] {
                assert!(!is_named(&without, &rows));
            }
        }
        assert!(is_named(&filtered(), &[cheapest]), "a run of one point");
        let as_predicted = [row("one", 104.0, 1.0), row("two", 280.0, 1.0)];
        assert!(!is_named(&filtered(), &as_predicted), "the cheapest call passes the filter, too");
    }

    #[test]
    fn filter_is_no_reason_of_what_was_predicted_from_parts_under_it() {
        let mut two = row("two", 280.0, 2.0);
        two.from_parts = two
            .from_facts
            .take()
            .map(|predicted| crate::rows::row::Predicted { tier: Tier::Parts, ..predicted });
        assert!(!is_named(&filtered(), &[row("one", 190.0, 1.0), two]));
    }

    #[test]
    fn tracer_and_filter_are_named_together() {
        let mut machine = filtered();
        machine.facts.push(Fact {
            key: "environment.traced".to_owned(),
            value: FactValue::Flag { set: true },
            source: String::new(),
            within: None,
            assumed: false,
        });
        let rows = [row("one", 190.0, 1.0)];
        let expected = LikelyReason::RunsUnder {
            interposers: vec![Interposer::SeccompFilter, Interposer::Tracer],
            point: rows[0].point.id.clone(),
            calls: Some(CallsBeyond { count: 1.0, like: rows[0].point.id.clone(), ns: 90.0 }),
        };
        assert_eq!(Interposition::new(&machine, &rows).slows_calls(&rows[0]), Some(expected));
    }

    #[test]
    fn preloaded_libraries_are_named_where_software_costs_more() {
        let mut machine = machine(&[("libc.preload", "/lib/a.so")], &[]);
        let items = ["LD_LIBRARY_PATH=/x", "LD_PRELOAD=/lib/b.so", "LD_AUDIT="].map(str::to_owned);
        machine.facts.push(Fact {
            key: "libc.variables".to_owned(),
            value: FactValue::List { items: items.to_vec() },
            source: String::new(),
            within: None,
            assumed: false,
        });
        let slow = row("one", 190.0, 0.0);
        let found = Interposition::new(&machine, std::slice::from_ref(&slow)).slows_software(&slow);
        let Some(LikelyReason::RunsUnder { interposers, calls: None, .. }) = found else {
            unreachable!("{found:?}")
        };
        let library =
            |files: &str, by: &str| Interposer::Library { files: files.to_owned(), by: by.to_owned() };
        assert_eq!(
            interposers,
            [library("/lib/b.so", "LD_PRELOAD"), library("/lib/a.so", "/etc/ld.so.preload")]
        );
        let mut hardware = slow.clone();
        hardware.from_facts.iter_mut().for_each(|one| one.software = Range::exactly(1.0));
        for other in [hardware, row("one", 60.0, 0.0)] {
            let rows = [slow.clone(), other];
            assert_eq!(Interposition::new(&machine, &rows).slows_software(&rows[1]), None);
        }
        let none = crate::answers::fixtures::machine(&[("libc.preload", "none")], &[]);
        assert_eq!(Interposition::new(&none, std::slice::from_ref(&slow)).slows_software(&slow), None);
    }
}
