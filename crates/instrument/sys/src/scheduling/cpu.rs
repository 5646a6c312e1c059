//! Which CPUs this thread may use, and which it is on.

use crate::{Error, Result, arch};
use rustix::thread::Pid;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The CPUs that were allowed before a thread of this process was first pinned.
static BEFORE_PINNING: OnceLock<Vec<u32>> = OnceLock::new();

/// CPUs in a word of a set.
const WORD: usize = usize::BITS as usize;

/// Words of the first set that the kernel is asked to fill: those of 1 024 CPUs.
const FIRST_WORDS: usize = 1024 / WORD;

/// Words of the largest set: more CPUs than any kernel can be built for.
const MOST_WORDS: usize = 65_536 / WORD;

fn use_only(cpus: &[u32]) -> Result<()> {
    use_set(0, &set_of(cpus))
}

fn set_of(cpus: &[u32]) -> Vec<usize> {
    let known = cpus.iter().map(|&cpu| cpu as usize).filter(|cpu| cpu / WORD < MOST_WORDS);
    let mut set = vec![0; known.clone().max().unwrap_or(0) / WORD + 1];
    for cpu in known {
        if let Some(word) = set.get_mut(cpu / WORD) {
            *word |= 1 << (cpu % WORD);
        }
    }
    set
}

/// Lets a task, the calling one if it is 0, run on these CPUs only.
fn use_set(task: usize, set: &[usize]) -> Result<()> {
    let arguments = [task, size_of_val(set), set.as_ptr() as usize];
    // SAFETY: the kernel reads the set, which is of the length given.
    unsafe { arch::try_syscall::<{ libc::SYS_sched_setaffinity }, _>(arguments) }.map(|_| ())
}

/// A set that the kernel fills. It refuses sets that are smaller than those of its own (EINVAL), and does not say how large
/// these are: a kernel for more CPUs is asked with a set twice as large.
fn filled(fill: impl Fn(&mut [usize]) -> Result<usize>) -> Result<Vec<usize>> {
    let mut words = FIRST_WORDS;
    loop {
        let mut set = vec![0; words];
        match fill(&mut set) {
            Err(Error { errno: libc::EINVAL, .. }) if words < MOST_WORDS => words *= 2,
            Err(error) => return Err(error),
            Ok(bytes) => {
                set.truncate(bytes / size_of::<usize>());
                return Ok(set);
            }
        }
    }
}

/// Lets the calling thread run on this CPU only.
///
/// # Errors
/// When the CPU is not allowed or the call is denied.
pub fn pin(cpu: u32) -> Result<()> {
    pin_to(&[cpu])
}

/// Lets the calling thread run on these CPUs only; which one it is the scheduler chooses.
///
/// # Errors
/// When none of them is allowed or the call is denied.
pub fn pin_to(cpus: &[u32]) -> Result<()> {
    if let Ok(before) = allowed() {
        BEFORE_PINNING.get_or_init(|| before);
    }
    use_only(cpus)
}

/// Lets another task run on this CPU only.
///
/// # Errors
/// When there is no such task, the CPU is not allowed or the call is denied.
pub fn pin_task(task: i32, cpu: u32) -> Result<()> {
    use_set(task.unsigned_abs() as usize, &set_of(&[cpu]))
}

/// Lets the calling thread run wherever its cgroup allows, also if it was pinned before.
///
/// # Errors
/// When the call is denied.
pub fn unpin() -> Result<()> {
    // The kernel leaves out what is not there or not allowed.
    use_set(0, &[usize::MAX; MOST_WORDS])
}

/// The CPUs on which the calling thread may run, in rising order.
///
/// # Errors
/// When the call is denied.
pub fn allowed() -> Result<Vec<u32>> {
    allowed_of(None)
}

/// The CPUs on which a task may run, in rising order.
///
/// # Errors
/// When there is no such task or the call is denied.
pub(crate) fn allowed_of(task: Option<Pid>) -> Result<Vec<u32>> {
    let task = Pid::as_raw(task) as usize;
    let set = filled(|set| {
        let arguments = [task, size_of_val(set), set.as_mut_ptr() as usize];
        // SAFETY: the kernel writes into the set, which is of the length given.
        unsafe { arch::try_syscall::<{ libc::SYS_sched_getaffinity }, _>(arguments) }
    })?;
    let cpus = set.iter().zip(0_u32..).flat_map(|(&word, number)| {
        (0..usize::BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| number * usize::BITS + bit)
    });
    Ok(cpus.collect())
}

/// The CPUs that this process may use, also when its thread has been pinned to one of them.
///
/// # Errors
/// When the call is denied.
pub fn allowed_before_pinning() -> Result<Vec<u32>> {
    BEFORE_PINNING.get().cloned().map_or_else(allowed, Ok)
}

/// These CPUs in the order in which actors get them: the first one, then one of each core that has none yet, so that cores are
/// shared by as few actors as possible.
pub fn spread_over_cores(cpus: &[u32]) -> Vec<u32> {
    spread(cpus, |cpu| {
        let list = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        std::fs::read_to_string(list).unwrap_or_else(|_| cpu.to_string())
    })
}

fn spread(cpus: &[u32], core_of: impl Fn(u32) -> String) -> Vec<u32> {
    let mut actors_of_core: BTreeMap<String, u32> = BTreeMap::new();
    let mut ranked: Vec<(u32, u32)> = cpus
        .iter()
        .map(|&cpu| {
            let actors = actors_of_core.entry(core_of(cpu)).or_default();
            *actors += 1;
            (*actors, cpu)
        })
        .collect();
    ranked.sort_by_key(|(actors, _)| *actors);
    ranked.into_iter().map(|(_, cpu)| cpu).collect()
}

/// The CPU on which the calling thread is now.
pub fn current() -> Option<u32> {
    // SAFETY: the call has no arguments.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel for this number of CPUs, of which the last two may be used.
    fn kernel_for(cpus: usize) -> impl Fn(&mut [usize]) -> Result<usize> {
        move |set| {
            if set.len() * WORD < cpus {
                return Err(Error { call: "sched_getaffinity", errno: libc::EINVAL });
            }
            let words = cpus / WORD;
            set[words - 1] = 3 << (WORD - 2);
            Ok(words * size_of::<usize>())
        }
    }

    #[test]
    fn a_set_is_as_large_as_the_kernel_needs() {
        for cpus in [64, 256, 1024, 1088, 4096, 65_536] {
            let set = filled(kernel_for(cpus)).unwrap();
            assert_eq!((set.len() * WORD, set.last()), (cpus, Some(&(3 << (WORD - 2)))), "{cpus}");
        }
        // Bounded, also where every size is refused.
        assert_eq!(filled(kernel_for(1 << 20)).unwrap_err().errno, libc::EINVAL);
        let denied = Error { call: "sched_getaffinity", errno: libc::EPERM };
        assert_eq!(filled(|_| Err(denied)), Err(denied));
    }

    #[test]
    fn a_thread_that_was_bound_is_bound_no_more() {
        let (before, bound, after) = std::thread::spawn(|| {
            let before = allowed().unwrap();
            pin(before[0]).unwrap();
            let bound = allowed().unwrap();
            unpin().unwrap();
            (before, bound, allowed().unwrap())
        })
        .join()
        .unwrap();
        assert_eq!(bound, before[..1]);
        assert!(before.iter().all(|cpu| after.contains(cpu)));
    }

    #[test]
    fn cores_are_shared_by_as_few_actors_as_possible() {
        // CPUs 0 and 1 are threads of a core, and so on.
        let pairs = |cpu: u32| (cpu / 2).to_string();
        assert_eq!(spread(&[3, 0, 1, 2], pairs), [3, 0, 1, 2]);
        assert_eq!(spread(&[0, 1, 2, 3, 4, 5], pairs), [0, 2, 4, 1, 3, 5]);
        // Threads of a core are n and n + 2, as most kernels number them.
        assert_eq!(spread(&[3, 0, 1, 2], |cpu| (cpu % 2).to_string()), [3, 0, 1, 2]);
        let many: Vec<u32> = (0..1024).collect();
        let half = spread(&many, pairs);
        assert!(half[..512].iter().all(|cpu| cpu % 2 == 0) && half.len() == 1024);
    }

    #[test]
    fn a_cpu_that_no_machine_has_is_an_error() {
        for cpu in [65_535, u32::MAX] {
            assert_eq!(use_only(&[cpu]).map_err(|error| error.errno), Err(libc::EINVAL));
        }
    }
}
