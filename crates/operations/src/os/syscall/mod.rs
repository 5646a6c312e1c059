//! Services of the kernel that one task asks for, by system calls: entering and leaving it, and what each does.
//!
//! A call has a card, and an implementation of [`Service`] does one iteration.

#[cfg(test)]
mod example;
pub mod files;
pub mod interrupt;
pub mod locks;
pub mod numbers;
pub mod objects;
pub mod own;
pub mod readiness;
pub mod signals;
pub mod sleep;
pub mod uring;

use measure::{Area, Bench, Failure, Operation};

/// What the cards of system calls have in common.
const CARD: Operation = Operation {
    area: Area::Os,
    ..Operation::NEW
};

/// What one task asks of the kernel, time and again.
pub trait Service: Sized {
    /// Everything that an iteration needs.
    ///
    /// # Errors
    /// When something cannot be had.
    fn prepare() -> Result<Self, Failure>;

    /// One iteration; whether every answer was right.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn once(&mut self, turn: u64) -> sys::Result<bool>;

    /// Looks how things are before a batch; once in a batch.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn begin(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// Whether everything is as it should be when a batch is over; asked once in a batch.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn settled(&mut self) -> sys::Result<bool> {
        Ok(true)
    }
}

/// By which function a call is made: that of the C library, which is what programs pay, or the system-call instruction.
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
        Ok(if service.settled()? { right } else { 0 })
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
