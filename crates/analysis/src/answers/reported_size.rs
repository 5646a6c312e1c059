//! What was found without asking the machine, beside what the machine says of itself: whether they agree, and what a
//! difference means.

use crate::answers::finding::{Finding, Outcome, cautious, typical, usable};
use crate::answers::questions::question::Told;
use crate::rows::row::{Row, Verdict};
use quantity::{Quantity, show, show_interval, show_percent};
use record::{Machine, Range};

/// The comparison in a sentence.
///
/// # Errors
/// Why there is none.
pub(crate) fn outcome(of: &Told, rows: &[Row], machine: &Machine) -> Outcome {
    let row = usable(&of.found, rows)?;
    let key = format!("cache.{}.size", of.cache);
    let told = machine.number(&key).filter(|told| *told > 0.0);
    let told = told.ok_or_else(|| format!("the machine does not say it ({key})"))?;
    let found = cautious(row);
    let value = row.estimate.as_ref().map_or(told, |estimate| estimate.typical);
    let own = row.estimate.as_ref().and_then(|estimate| estimate.interval);
    let interval = found.estimate.as_ref().and_then(|estimate| estimate.interval);
    let (low, high) = own.and(interval).ok_or_else(|| {
        let id = &row.point.id;
        format!("{id} has too few trials for an interval")
    })?;
    let ratio = Range {
        low: low / told,
        value: value / told,
        high: high / told,
    };
    let between = match row.verdict {
        Verdict::Noisy => format!(", over the rounds {}", show_interval(low, high, Quantity::Size)),
        _ => String::new(),
    };
    let numbers = format!(
        "{} {} found{between}, {} told",
        of.found.words,
        typical(row),
        show(told, None, Quantity::Size)
    );
    let off = (ratio.value - 1.0).abs();
    let agrees = off <= of.close || (ratio.low <= 1.0 && ratio.high >= 1.0);
    if agrees {
        let sentence = format!("{numbers}: they agree within {}", show_percent(off.max(0.005)));
        return Ok((Finding::Undecided(ratio), sentence));
    }
    Ok((
        Finding::Decided(ratio),
        format!("{numbers}: {}", meaning(of, ratio.value, machine)),
    ))
}

/// What it means that found and told differ.
fn meaning(of: &Told, ratio: f64, machine: &Machine) -> String {
    let sharing = machine.number(&format!("cache.{}.sharing", of.cache));
    let shared = sharing.filter(|cpus| *cpus > 1.0);
    let hypervisor = machine
        .text("environment.hypervisor")
        .filter(|name| *name != "none");
    if ratio > 1.0 {
        return match hypervisor {
            Some(name) => {
                format!(
                    "more than told, which is what {name} tells its guests and need not be true, or a level behind was taken for \
                 one with it"
                )
            }
            None => {
                "more than told, and nothing explains it: a level behind may have been taken for one with it"
                    .to_owned()
            }
        };
    }
    let others = match (shared, hypervisor) {
        (_, Some(name)) => format!(
            "other machines on the same host use it, too, or {name} was given a part of it: this is its effective size"
        ),
        (Some(cpus), None) => format!(
            "{} CPUs share it, and this is what they left: its effective size at the time",
            show(cpus, None, Quantity::Count)
        ),
        (None, None) => {
            return "less than told, and nothing explains it: look whether ways are taken away (resctrl), or whether \
                    memory is on small pages"
                .to_owned();
        }
    };
    format!("less than told; {others}")
}
