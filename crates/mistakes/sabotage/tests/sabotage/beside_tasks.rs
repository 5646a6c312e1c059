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

/// Where enough trials fell between those of the others, the value is that of the quiet machine; beside them it is fifty times that.
/// Of a disk whose flushes have two speeds that machine is looked at before and after.
#[test]
fn a_task_that_sleeps_beside_other_programs_is_not_called_undisturbed() {
    let bench = Bench::new();
    let point = ["file.write.fsync".to_owned()];
    let row_of = |name: &str, rounds: &str| {
        let record = bench.path(name);
        bench.finish(bench.run(&record, rounds, &point)).expect_code(&[0]);
        find(&bench.rows(&record), "file.write.fsync", "").clone()
    };
    let before = row_of("before.jsonl", "12").typical;
    let row = beside_tasks(|| row_of("beside.jsonl", "150"));
    let after = row_of("after.jsonl", "12").typical;
    let quiet = before.into_iter().chain(after).fold(0.0, f64::max);
    let is_of_the_quiet_machine = row.typical.is_some_and(|beside| beside < 3.0 * quiet);
    assert!(row.verdict == "noisy" || is_of_the_quiet_machine, "{before:?} {after:?} {row:?}");
}
