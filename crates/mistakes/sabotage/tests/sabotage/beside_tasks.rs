//! Other tasks on the CPUs: what they do to a value is said with it.

use crate::common::{Bench, cpus, find};
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the tasks, also when a test fails.
struct Quit<'a>(&'a AtomicBool);

impl Drop for Quit<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does something while two tasks for each CPU spin.
fn beside_tasks<T>(act: impl FnOnce() -> T) -> T {
    let quit = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 * cpus() {
            scope.spawn(|| {
                while !quit.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let _quit = Quit(&quit);
        act()
    })
}

#[test]
fn a_task_that_sleeps_beside_other_programs_is_not_called_undisturbed() {
    let bench = Bench::new();
    let record = bench.path("beside.jsonl");
    let point = ["file.write.fsync".to_owned()];
    let ended = beside_tasks(|| bench.finish(bench.run(&record, "150", &point)));
    ended.expect_code(&[0]);
    let rows = bench.rows(&record);
    let row = find(&rows, "file.write.fsync", "");
    assert!(row.verdict == "noisy" && row.reason.contains("other programs used a CPU"), "{row:?}");
}
