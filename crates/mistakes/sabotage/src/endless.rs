//! An operation that never ends: the supervisor must time out, and nothing may be left behind when
//! it is killed.

use measure::{Bench, Failure, Operation, Result, choice, parameters, takes};
use std::time::{Duration, Instant};
use sys::process::Actor;

/// Its id.
pub const ID: &str = "sabotage.endless";

/// Longer than any supervisor waits; a test that fails must not spin for ever.
const FOR_EVER: Duration = Duration::from_secs(600);

choice! {
    /// Who spins.
    enum Spinning {
        /// The worker.
        Worker = "worker",
        /// A process that it made.
        Process = "process",
        /// A thread that it made.
        Thread = "thread",
    }
}

parameters! {
    /// A spinning actor.
    struct Endless {
        /// Who.
        actor: Spinning,
    }
}

/// The operation, with one point for each actor that may spin.
pub fn operation() -> Option<Operation> {
    Some(Operation {
        id: ID,
        title: "an actor spins for ever",
        parameters: takes::<Endless>,
        points: &["actor=worker|process|thread"],
        spend_ns: 1_000_000,
        run,
        headline: &[],
        ..*operations::find("syscall.getppid")?
    })
}

fn spin() {
    let began = Instant::now();
    while began.elapsed() < FOR_EVER {
        std::hint::spin_loop();
    }
}

fn run(bench: &mut Bench<'_>) -> Result<()> {
    match bench.parameters::<Endless>()?.actor {
        Spinning::Process => {
            let actor = Actor::spawn(None, || {
                spin();
                0
            })?;
            actor.join()?;
        }
        Spinning::Thread => sys::thread::beside(None, spin, || ())?,
        Spinning::Worker => spin(),
    }
    Err(Failure::failed("it ended"))
}
