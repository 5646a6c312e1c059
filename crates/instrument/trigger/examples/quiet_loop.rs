//! A loop of a benchmark that counts batches only during which its core was quiet: what criterion's `iter_custom` is given.

use oscope_trigger::CoreTrigger;
use std::hint::black_box;
use std::time::{Duration, Instant};

// begin
fn quiet_time(trigger: &mut CoreTrigger, iterations: u64, work: impl Fn() -> u32) -> Duration {
    let (mut left, mut total, mut attempts) = (iterations, Duration::ZERO, 0);
    while left > 0 {
        let batch = left.min(1_000); // some 100 µs: shorter than a quiet stretch
        trigger.wait_quiet(Duration::from_millis(50));
        let begin = trigger.look();
        let start = Instant::now();
        for _ in 0..batch {
            black_box(work());
        }
        let elapsed = start.elapsed();
        let end = trigger.look();
        attempts += 1;
        if trigger.was_quiet(begin.at_ns, end.at_ns) == Some(true) || attempts > 10_000 {
            (left, total) = (left - batch, total + elapsed);
        }
    }
    total
}
// end

fn main() {
    let mut trigger = CoreTrigger::new(); // pin the thread first, for example with taskset
    let iterations = 100_000;
    // With criterion: bencher.iter_custom(|iterations| quiet_time(&mut trigger, iterations, work))
    let total = quiet_time(&mut trigger, iterations, std::os::unix::process::parent_id);
    println!("{:.1} ns per getppid", total.as_nanos() as f64 / iterations as f64);
}
