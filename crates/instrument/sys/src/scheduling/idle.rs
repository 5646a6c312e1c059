//! What CPUs do when they have nothing to do: how often they stopped their tick.

use crate::{Error, Result};

/// How often CPUs had nothing to do, by the kernel's own count since they came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Idle {
    /// Times that they looked whether to sleep.
    pub entered: u64,
    /// Of these, times that they stopped the tick: nothing was due within one.
    pub stopped: u64,
}

impl Idle {
    /// What was counted since an earlier reading.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            entered: self.entered.saturating_sub(before.entered),
            stopped: self.stopped.saturating_sub(before.stopped),
        }
    }
}

/// Where the kernel keeps the counts; only root may read it.
const TIMER_LIST: &str = "/proc/timer_list";

/// The counts of some CPUs together.
///
/// # Errors
/// When the file may not be read, or does not tell of these CPUs.
pub fn read(cpus: &[u32]) -> Result<Idle> {
    let text = std::fs::read_to_string(TIMER_LIST).map_err(Error::in_call("read /proc/timer_list"))?;
    counted(&text, cpus).ok_or(Error { call: "look for idle CPUs in /proc/timer_list", errno: libc::ENODATA })
}

/// The counts in the text of the list; `None` when it does not tell of as many CPUs as were asked for.
fn counted(text: &str, cpus: &[u32]) -> Option<Idle> {
    let (mut all, mut is_asked_for, mut found) = (Idle::default(), false, 0);
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("cpu: ") {
            is_asked_for = number.trim().parse().is_ok_and(|cpu: u32| cpus.contains(&cpu));
        }
        let Some((name, value)) = line.split_once(':').filter(|_| is_asked_for) else {
            continue;
        };
        let value: Option<u64> = value.trim().parse().ok();
        match name.trim() {
            ".idle_calls" => {
                all.entered += value?;
                found += 1;
            }
            ".idle_sleeps" => all.stopped += value?,
            _ => {}
        }
    }
    (found > 0 && found == cpus.len()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Linux 6.18 prints it, shortened.
    const LIST: &str = "Timer List Version: v0.10\n\ncpu: 0\n clock 0:\n  .resolution: 1 nsecs\n  .nohz           : 1\n  \
                        .idle_calls     : 14206175\n  .idle_sleeps    : 7536708\n  .idle_exittime  : 5 nsecs\ncpu: 1\n  \
                        .idle_calls     : 15495722\n  .idle_sleeps    : 6190814\njiffies: 4306502\n\nTick Device: mode:     \
                        1\nPer CPU device: 0\n";

    #[test]
    fn the_counts_of_the_cpus_asked_for_are_added() {
        let one = counted(LIST, &[1]).unwrap();
        assert_eq!((one.entered, one.stopped), (15_495_722, 6_190_814));
        let both = counted(LIST, &[0, 1]).unwrap();
        assert_eq!(both.since(&one).entered, 14_206_175);
        assert_eq!(both.since(&one).stopped, 7_536_708);
    }

    #[test]
    fn a_list_without_the_cpu_or_the_counts_tells_nothing() {
        assert_eq!(counted(LIST, &[0, 7]), None);
        assert_eq!(counted(LIST, &[]), None);
        assert_eq!(counted("cpu: 0\n  .nohz : 1\n", &[0]), None);
        assert_eq!(counted("cpu: 0\n  .idle_calls : many\n", &[0]), None);
    }
}
