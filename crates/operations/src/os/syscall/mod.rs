//! System calls by one task. A call has a card, and an implementation of [`Service`] does one iteration.

#[cfg(test)]
mod example;
pub mod files;
pub mod getcwd;
pub mod int80;
pub mod locks;
pub mod open;
pub mod process_ids;
pub mod readiness;
pub mod scheduling;
pub mod self_message;
pub mod signals;
pub mod uring;

use measure::{Area, Bench, Failure, Operation};

/// Common to the cards of system calls.
const CARD: Operation = Operation { area: Area::Os, ..Operation::NEW };

/// A system call, or a few, repeated by one task.
pub trait Service: Sized {
    /// Sets up everything that an iteration needs.
    ///
    /// # Errors
    /// When something is missing or denied.
    fn prepare() -> Result<Self, Failure>;

    /// One iteration; whether every answer was right.
    ///
    /// # Errors
    /// When a call fails.
    fn once(&mut self, turn: u64) -> sys::Result<bool>;

    /// Runs once before each batch.
    ///
    /// # Errors
    /// When a call fails.
    fn begin(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// Whether the state after a batch is right; runs once per batch.
    ///
    /// # Errors
    /// When a call fails.
    fn is_restored(&mut self) -> sys::Result<bool> {
        Ok(true)
    }
}

/// By the function of the C library, as programs do, or by the system-call instruction.
const METHODS: &str = "method=libc|raw";

fn is_raw(bench: &Bench<'_>) -> bool {
    bench.point().get("method") == Some("raw")
}

fn run<S: Service>(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut service = S::prepare()?;
    bench.slope(&mut |n| {
        let mut right = 0;
        service.begin()?;
        for turn in 0..n {
            right += u64::from(service.once(turn)?);
        }
        Ok(if service.is_restored()? { right } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::example::READ_NULL;
    use measure::Point;
    use record::PointId;

    #[test]
    fn contributing_shows_a_card_that_is_read_and_short() {
        let card = include_str!("example.rs");
        let shown = include_str!("../../../../../CONTRIBUTING.md").replace("\n   ", "\n");
        assert!(shown.contains(card), "CONTRIBUTING.md differs from {}", file!());
        let declared = card.split("\n};\n").next().unwrap();
        assert!(declared.split("pub static").last().unwrap().lines().count() <= 40);
        let known = |id: &PointId| crate::find(&id.operation).map(|operation| operation.quantity);
        READ_NULL.check(&Point::only(), &known).unwrap();
    }
}
