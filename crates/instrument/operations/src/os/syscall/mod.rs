//! System calls by one task: each card has its one call, which `repeat` does in batches.

pub mod answered;
#[cfg(test)]
mod example;
pub mod files;
pub mod getcwd;
pub mod int80;
pub mod landlock;
pub mod locks;
pub mod namespaces;
pub mod open;
pub mod process_ids;
pub mod random;
pub mod readiness;
pub mod scheduling;
pub mod self_message;
pub mod short_calls;
pub mod signals;
pub mod timers;
pub mod traced;
pub mod uring;

use measure::{Operation, choice, parameters};

/// Common to the cards of system calls.
pub const CARD: Operation = Operation { bounds: &["floor"], ..super::COMMON };

/// By the function of the C library, as programs do, or by the system-call instruction.
const METHODS: &[&str] = &["method=libc|raw"];

choice! {
    /// Who makes a system call.
    pub enum Method {
        /// The function of the C library.
        Libc = "libc",
        /// The system-call instruction.
        Raw = "raw",
    }
}

parameters! {
    /// A system call.
    pub struct Call {
        /// Who makes it.
        method: Method,
    }
}

#[cfg(test)]
mod tests {
    use super::example::READ_NULL;
    use measure::Point;
    use record::PointId;

    #[test]
    fn contributing_shows_a_card_that_is_read_and_short() {
        let card = include_str!("example.rs");
        let shown = include_str!("../../../../../../CONTRIBUTING.md").replace("\n   ", "\n");
        assert!(shown.contains(card), "CONTRIBUTING.md differs from {}", file!());
        let declared = card.split("\n};\n").next().unwrap();
        assert!(declared.split("pub static").last().unwrap().lines().count() <= 40);
        let known = |id: &PointId| crate::find(&id.operation).map(|operation| operation.quantity);
        READ_NULL.check(&Point::only(), &known).unwrap();
    }
}
