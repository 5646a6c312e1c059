//! What a pattern of costs is a sign of, in words.

use crate::cores::hertz;
use crate::wording::joined;
use fleet::{Cause, Sign};

/// The pattern and what may cause it.
pub(super) fn sentence(sign: &Sign) -> String {
    let says = sign.says;
    match &sign.cause {
        Cause::LowerClock { here, siblings } => format!(
            "{says}: a lower clock, {} (siblings {}): a power cap, the governor, or thermal throttling",
            hertz(*here),
            hertz(*siblings)
        ),
        Cause::NotTheClock { here, siblings } => format!(
            "{says} and its clock is not the cause, {} (siblings {}): other tasks, a hypervisor that gives the CPU to \
             others, or a busy sibling thread",
            hertz(*here),
            hertz(*siblings)
        ),
        Cause::UnknownClock => {
            format!("{says}: a lower clock or other tasks; no clock is recorded to tell them apart")
        }
        Cause::OneOf(causes) if causes.is_empty() => {
            format!("{says}; the facts that would explain it are the siblings'")
        }
        Cause::OneOf(causes) => {
            format!("{says}: {}", joined(causes, " or "))
        }
    }
}
