//! The loop of a watch: read the conditions each second, and a channel whenever the budget has room for it.

use crate::channel::{NoReading, Reading};
use crate::condition::Conditions;
use crate::cost::Used;
use crate::moment::Moment;
use crate::state::{Change, Watch};

/// Seconds between two readings of the machine's counters.
const BETWEEN_CONDITIONS_S: f64 = 1.0;

/// Longest wait at once, in seconds.
const LONGEST_WAIT_S: f64 = 1.0;

/// Shortest wait, in seconds. A look at the budget costs some tens of microseconds of it: looks as soon as there is room again
/// would leave nothing for readings.
const SHORTEST_WAIT_S: f64 = 0.1;

/// What the user does, or the program around the watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// End.
    Stop,
    /// Read nothing until this comes again.
    Pause,
    /// Show it anew.
    Redraw,
    /// Take the next larger threshold.
    ThresholdUp,
    /// Take the next smaller threshold.
    ThresholdDown,
}

/// The machine that is watched, and its clocks.
pub trait Scene {
    /// The moment.
    fn now(&mut self) -> Moment;
    /// What the watch and its workers have used so far.
    fn used(&mut self) -> Used;
    /// A trial of a channel: what was read, or why nothing was; `None` where the user wants to stop.
    fn sample(&mut self, channel: usize) -> Option<Result<Reading, NoReading>>;
    /// What the kernel counted since the last call.
    fn conditions(&mut self) -> Conditions;
    /// Waits, at most for these seconds.
    fn wait(&mut self, seconds: f64) -> Option<Action>;
}

/// Who is shown what is new.
pub trait Output {
    /// Something changed.
    fn changed(&mut self, watch: &Watch, change: Change);
    /// A trial of a channel is over.
    fn read(&mut self, watch: &Watch, channel: usize);
    /// Time has passed, or the user asks for it.
    fn tick(&mut self, watch: &Watch, is_paused: bool);
}

/// Watches until the scene says to stop, or for as many seconds.
pub fn drive(watch: &mut Watch, scene: &mut dyn Scene, output: &mut dyn Output, lasting_s: f64) {
    let (mut next_conditions_s, mut is_paused) = (0.0, false);
    // The first reading of the counters is what later ones are compared with.
    scene.conditions();
    while watch.elapsed_s() < lasting_s {
        let elapsed_s = watch.elapsed_s();
        watch.account(scene.used());
        if elapsed_s >= next_conditions_s && elapsed_s > 0.0 {
            next_conditions_s = elapsed_s + BETWEEN_CONDITIONS_S;
            let conditions = scene.conditions();
            show(watch.surround(conditions), watch, output);
        }
        let next = watch.budget.next().filter(|_| !is_paused);
        let wait_s = match next {
            Some((channel, wait_s)) if wait_s <= 0.0 => {
                if !sample(watch, scene, output, channel) {
                    return;
                }
                0.0
            }
            Some((_, wait_s)) => wait_s,
            None => LONGEST_WAIT_S,
        };
        let until_conditions_s = (next_conditions_s - watch.elapsed_s()).max(0.0);
        let wait_s = if wait_s > 0.0 { wait_s.clamp(SHORTEST_WAIT_S, LONGEST_WAIT_S) } else { 0.0 };
        let wait_s = wait_s.min(until_conditions_s);
        output.tick(watch, is_paused);
        match scene.wait(wait_s) {
            Some(Action::Stop) => return,
            Some(Action::Pause) => is_paused = !is_paused,
            Some(Action::ThresholdUp) => watch.step_threshold(true),
            Some(Action::ThresholdDown) => watch.step_threshold(false),
            Some(Action::Redraw) | None => {}
        }
        let now = scene.now();
        show(watch.pass(now, wait_s), watch, output);
    }
}

/// One trial; whether the watch goes on.
fn sample(watch: &mut Watch, scene: &mut dyn Scene, output: &mut dyn Output, channel: usize) -> bool {
    let (began, before) = (scene.now(), scene.used());
    let Some(mut reading) = scene.sample(channel) else { return false };
    let (now, used) = (scene.now(), scene.used());
    // A trial may take as long as it wants: it has a limit of its own.
    let trial_s = now.since_s(began) - now.asleep_s(began);
    if let Ok(reading) = &mut reading {
        reading.lasted_s = trial_s;
    }
    show(watch.pass(now, trial_s), watch, output);
    watch.account(used);
    let (changes, is_urgent) = watch.read(channel, reading);
    let written_bytes = used.written_bytes - before.written_bytes;
    watch.budget.took(channel, used.cpu_ns - before.cpu_ns, written_bytes, is_urgent);
    show(changes, watch, output);
    output.read(watch, channel);
    true
}

fn show(changes: Vec<Change>, watch: &Watch, output: &mut dyn Output) {
    changes.into_iter().for_each(|change| output.changed(watch, change));
}
