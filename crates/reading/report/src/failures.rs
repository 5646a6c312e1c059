//! Why trials failed, batches do not count, counters were not read, and terms have no value, in words.

use crate::wording::{count, many};
use analysis::{Cause, Failure, Impossible, Judged, NoValue, Unpredicted, Unread};
use quantity::show_percent;
use record::Role;

/// Why a trial gave nothing.
pub fn failure(failure: &Failure) -> String {
    match failure {
        Failure::Reported(reason) => reason.clone(),
        Failure::Impossible(impossible) => self::impossible(impossible),
        Failure::Escaped => "the worker ran natively: it saw nothing of its environment".to_owned(),
        Failure::Unbound => "it was not bound to its CPU, which went offline or left the cpuset".to_owned(),
        Failure::Uncounted(counter) => format!("{counter} not counted, so the cost per event is unknown"),
        Failure::TooFewSamples(had, needs) => {
            format!("{} available, ≥ {needs} needed", many(*had, "sample"))
        }
    }
}

/// Why a trial cannot be true.
fn impossible(impossible: &Impossible) -> String {
    let text = match impossible {
        Impossible::Tick(Some(ns)) => return format!("its clock tick is {ns} ns"),
        Impossible::Iterations(n) => {
            return format!("its batches report {n} iterations, more than a processor can execute");
        }
        Impossible::NoSeries(role) => return format!("the worker sent no {} series", word(*role)),
        Impossible::SeriesTwice(role) => {
            return format!("the worker sent more than one {} series", word(*role));
        }
        Impossible::Sampling(role) => return format!("the {} series is not sampled as planned", word(*role)),
        Impossible::Cores(cores) => return format!("it sampled the state of {cores} cores"),
        Impossible::Sample(Some(sample)) => return format!("a sample of {sample:e} is impossible"),
        Impossible::Tick(None) => "its clock tick is not a number",
        Impossible::Sample(None) => "a sample is not a number",
        Impossible::CpuCost => "its cost of reading the CPU time is not a number",
        Impossible::NoIterations => "its batches have no iterations",
        Impossible::ClockBackwards => "clock went backwards",
        Impossible::Columns => "its columns differ in length",
        Impossible::Triples => "the number of its batches is not a multiple of three",
        Impossible::Duration => "its batches last longer than 30 years",
        Impossible::LongerThanTrial => "its batches last longer than the trial did",
        Impossible::CoreColumns => "its core states differ in length",
        Impossible::CoreOrder => "its core states are not in order of time",
        Impossible::CoreReferences => "its samples refer to core states that it does not have",
    };
    text.to_owned()
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Main => "main",
        Role::Control => "control",
    }
}

/// Why batches do not count.
pub(crate) fn cause(cause: &Cause) -> String {
    match cause {
        Cause::CpuShare(least) => format!("actors had less than {} of the CPU", show_percent(*least)),
        Cause::InvoluntarySwitch => "involuntary switch".to_owned(),
        Cause::Adjacent => "adjacent to a discarded batch".to_owned(),
        Cause::Witness(counter) => format!("evidence: {counter}"),
        Cause::MachineChanged => "a fact of the machine changed during the trial".to_owned(),
    }
}

/// Why a counter was not read.
pub(crate) fn unread(unread: &Unread) -> String {
    let text = match unread {
        Unread::Reported(reason) => reason,
        Unread::RehearsalFailed(reason) => return format!("the rehearsal failed: {reason}"),
        Unread::NotReported => "the worker did not report it",
        Unread::NotANumber => "it was counted over zero iterations, or is not a number",
        Unread::NoTriples => "no complete triple of batches",
        Unread::NoTrial => "no trial counted it",
        Unread::NoRehearsal => "there was no rehearsal",
    };
    text.to_owned()
}

/// What a witness counted, or why not.
pub(crate) fn counted(judged: &Judged) -> String {
    match (judged.counted, &judged.unavailable) {
        (Some(counted), _) => count(counted),
        (None, Some(why)) => format!("unavailable: {}", unread(why)),
        (None, None) => "not counted".to_owned(),
    }
}

/// A term without a value, and why it has none.
pub(crate) fn unpredicted(unpredicted: &Unpredicted) -> String {
    format!("{}: {}", unpredicted.term, no_value(&unpredicted.why))
}

/// Why a term has no value.
pub(crate) fn no_value(why: &NoValue) -> String {
    match why {
        NoValue::FromItself => "its formula refers to itself".to_owned(),
        NoValue::MeasuredPart(part) => {
            format!("a prediction from facts must not use a measured part, such as {part}")
        }
        NoValue::Unevaluated(why) => why.to_string(),
    }
}
