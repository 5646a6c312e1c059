//! Groups of tasks in which every sender writes messages to every receiver, as in hackbench.

pub(in crate::os) mod board;
mod task;

use crate::os::scaling::object::Tasks;
use board::{Board, Counts};
use measure::value::Cpus;
use measure::{Bench, Failure, Result, Work, choice, parameters};
use std::sync::{Mutex, PoisonError};
use sys::clock::Clock;
use sys::pipe::Carrier;
use sys::process::{Actor, Ended, child_error, cpus_of_actors, processes_of_actors, report_child_error};
use sys::usage::{CpuClock, UsageScope};
use task::Role;

choice! {
    /// What a receiver reads from.
    pub enum Channel {
        /// A pipe.
        Pipe = "pipe",
        /// A Unix stream socket.
        Unix = "unix",
    }
}

parameters! {
    /// Groups of senders and receivers.
    pub struct Messaging {
        /// What a receiver reads from.
        channel: Channel,
        /// What senders and receivers are.
        tasks: Tasks,
        /// Groups.
        groups: u64,
        /// Senders of a group, and receivers of it.
        descriptors: u64,
    }
}

/// Messages of each sender to each receiver in a round: those of hackbench without options.
const LOOPS: u64 = 100;

/// Timed rounds of a trial: each of a group of 20 takes 30 to 150 ms on one CPU.
const ROUNDS: u32 = 3;

/// Loops of the first round, which is not timed: every task runs and has its memory.
const WARM_UP: u64 = 5;

/// Choice: the most tasks of a point, ten times those of hackbench without options.
const MAX_TASKS: u64 = 4_000;

/// Choice: bytes of memory for a task, several times what a process takes that was forked from a worker: its page tables, its
/// kernel stack and some 40 pages that it writes.
const TASK_BYTES: u64 = 1 << 20;

impl Messaging {
    fn tasks(&self) -> u64 {
        self.groups.saturating_mul(self.descriptors).saturating_mul(2)
    }

    /// Messages of a loop: one of every sender to every receiver.
    fn messages(&self) -> u64 {
        self.groups * self.descriptors * self.descriptors
    }

    /// Messages of a round.
    fn of_round(&self) -> u64 {
        self.messages() * LOOPS
    }

    /// Refuses what the machine may not have room for.
    fn check(&self, available: Option<usize>) -> Result<()> {
        let tasks = self.tasks();
        if tasks == 0 || tasks > MAX_TASKS {
            return Err(Failure::failed(format!("{tasks} tasks: from 2 to {MAX_TASKS} are possible")));
        }
        match available.map(|bytes| bytes as u64 / 4) {
            Some(room) if self.tasks == Tasks::Processes && tasks * TASK_BYTES > room => {
                Err(Failure::skipped(
                    format!(
                        "{tasks} processes need {tasks} MiB; a quarter of the memory available is {} MiB",
                        room >> 20
                    ),
                    "free memory, raise the cgroup's limit, or choose fewer groups or descriptors",
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Times messages among the groups of the point.
///
/// # Errors
/// When a task cannot be made, or its call fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    exchange(bench, 1)
}

/// The same where every `one_in`th sender sends for the others, too, which send nothing.
///
/// # Errors
/// When a task cannot be made, or its call fails.
pub fn exchange(bench: &mut Bench<'_>, one_in: u64) -> Result<()> {
    let mut messaging = bench.parameters::<Messaging>()?;
    if bench.is_rehearsal() {
        // A tracer stops every call: one group shows which they are.
        messaging.groups = messaging.groups.min(1);
    }
    messaging.check(sys::memory::available())?;
    let receivers = u32::try_from(messaging.tasks() / 2).unwrap_or(u32::MAX);
    let board = Board::new(2 * receivers as usize, receivers)?;
    let cpus = match bench.point().cpus() {
        Some(Cpus::All) => sys::cpu::allowed_before_pinning()?,
        // Pinned here, too, so that a point whose tasks cannot be is left out.
        _ => bench.cpu().into_iter().collect(),
    };
    let groups = Groups { messaging, one_in, board: &board, cpus: &cpus };
    match groups.messaging.tasks {
        Tasks::Processes => groups.of_processes(bench),
        Tasks::Threads => groups.of_threads(bench),
    }?;
    groups.count(bench);
    Ok(())
}

/// All groups of a point.
struct Groups<'g> {
    messaging: Messaging,
    one_in: u64,
    board: &'g Board,
    /// The CPUs on which the tasks may run; none where nothing is pinned.
    cpus: &'g [u32],
}

impl Groups<'_> {
    fn roles(&self) -> sys::Result<Vec<Role>> {
        let carrier = match self.messaging.channel {
            Channel::Pipe => Carrier::Pipe,
            Channel::Unix => Carrier::UnixStream,
        };
        Role::of_group(carrier, self.messaging.descriptors, self.one_in)
    }

    /// Whether one CPU has all tasks: what they do not use of it others do.
    fn is_on_one_cpu(&self) -> bool {
        self.cpus.len() <= 1
    }

    /// What a task does, on the CPUs of the tasks.
    fn act(&self, role: Role, task: usize, scope: UsageScope) -> sys::Result<()> {
        if !self.cpus.is_empty() {
            sys::cpu::pin_to(self.cpus)?;
        }
        role.act(self.board, task, scope)
    }

    fn of_processes(&self, bench: &mut Bench<'_>) -> Result<()> {
        let mut actors = Vec::new();
        for _ in 0..self.messaging.groups {
            // A process closes the ends that are not its own, so that a stream ends with its senders.
            let mut roles = self.roles()?;
            for index in 0..roles.len() {
                let task = actors.len();
                actors.push(Actor::serve(None, || {
                    let own = roles.drain(..).nth(index);
                    own.map_or(Ok(()), |role| self.act(role, task, UsageScope::Process))
                })?);
            }
        }
        let clocks = actors.iter().map(|actor| CpuClock::of_process(actor.pid()));
        self.lead(bench, &std::iter::once(CpuClock::THREAD).chain(clocks).collect::<Vec<_>>())?;
        for actor in actors {
            if actor.join()? != Ended::Exited(0) {
                let error = child_error().map(Failure::from);
                return Err(error.unwrap_or_else(|| Failure::failed("a sender or a receiver ended early")));
            }
        }
        Ok(())
    }

    fn of_threads(&self, bench: &mut Bench<'_>) -> Result<()> {
        let mut roles = Vec::new();
        for _ in 0..self.messaging.groups {
            roles.extend(self.roles()?.into_iter().map(|role| Mutex::new(Some(role))));
        }
        let take = |role: &Mutex<Option<Role>>| role.lock().unwrap_or_else(PoisonError::into_inner).take();
        sys::thread::beside_many(
            roles.len(),
            |task| {
                let own = roles.get(task).and_then(take);
                let ended = own.map_or(Ok(()), |role| self.act(role, task, UsageScope::Thread));
                ended.unwrap_or_else(report_child_error);
            },
            || {
                self.board.quit();
                // Streams end with the last descriptor of their senders.
                roles.iter().for_each(|role| drop(take(role)));
            },
            || self.lead(bench, &[CpuClock::PROCESS]),
        )?
    }

    /// The rounds of the main actor, which begins them and waits for their ends; then it ends the tasks.
    fn lead(&self, bench: &mut Bench<'_>, clocks: &[CpuClock]) -> Result<()> {
        let messages = self.messaging.messages();
        let result = if bench.is_rehearsal() {
            let main = &mut |n| self.board.round(n / messages);
            bench.batches(Work { multiple_of: messages, ..Work::new(main) })
        } else {
            self.time_rounds(bench, clocks)
        };
        self.board.quit();
        result
    }

    /// Times rounds: a value is the time of one, divided by its messages.
    fn time_rounds(&self, bench: &mut Bench<'_>, clocks: &[CpuClock]) -> Result<()> {
        let messages = self.messaging.of_round();
        let all = f64::from(ROUNDS) * messages as f64;
        self.board.round(WARM_UP)?;
        let clock = Clock::select();
        let (mut values, mut right) = (Vec::new(), 0);
        let used = || clocks.iter().map(|clock| clock.nanos()).sum::<Option<i64>>();
        bench.sample_core_state();
        let (began, before) = (clock.moment(), used());
        bench.watched_for(all, || {
            for _ in 0..ROUNDS {
                let start = clock.moment();
                right += self.board.round(LOOPS)?;
                values.push(clock.moment().nanos_since(start) as f64 / messages as f64);
            }
            Ok(())
        })?;
        let wall_ns = clock.moment().nanos_since(began);
        if self.is_on_one_cpu() {
            let lost = used().zip(before).map(|(after, before)| (wall_ns - (after - before)).max(0) as f64);
            bench.try_count("cpu.lost", lost.ok_or("the CPU time of a task cannot be read"), wall_ns as f64);
        }
        bench.sample_core_state();
        bench.count("answers", right as f64, all);
        let no_proc = "/proc does not report the tasks of a process";
        let cpus = cpus_of_actors().map(|cpus| cpus.len() as f64).ok_or(no_proc);
        bench.try_count("actors.cpus", cpus, 1.0);
        let processes = processes_of_actors().map(|processes| processes as f64).ok_or(no_proc);
        bench.try_count("actors.processes", processes, 1.0);
        bench.values(values);
        Ok(())
    }

    /// Counts what the tasks reported.
    fn count(&self, bench: &mut Bench<'_>) {
        let tasks = self.messaging.tasks() as usize;
        let descriptors = self.messaging.descriptors as usize;
        let reported: Vec<Counts> = (0..tasks).map(|task| self.board.reported(task)).collect();
        let working = reported.iter().filter(|counts| counts.messages > 0).count();
        let [mut received, mut sent] = [Counts::default(); 2];
        for (index, counts) in reported.into_iter().enumerate() {
            // Each group has its receivers first.
            let side = if (index / descriptors).is_multiple_of(2) { &mut received } else { &mut sent };
            *side = side.plus(counts);
        }
        bench.count("tasks.working", working as f64, tasks as f64);
        bench.count("bytes.received_per_sent", received.bytes as f64, sent.bytes as f64);
        bench.count("switches.tasks", (received.switches + sent.switches) as f64, received.messages as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messaging(groups: u64, descriptors: u64) -> Messaging {
        Messaging { channel: Channel::Pipe, tasks: Tasks::Processes, groups, descriptors }
    }

    #[test]
    fn a_loop_has_a_message_of_every_sender_to_every_receiver_of_its_group() {
        let messaging = messaging(10, 20);
        assert_eq!((messaging.tasks(), messaging.messages(), messaging.of_round()), (400, 4_000, 400_000));
    }

    #[test]
    fn points_for_which_there_is_no_room_are_refused() {
        assert!(messaging(1, 20).check(None).is_ok());
        assert!(messaging(1, 20).check(Some(160 << 20)).is_ok());
        assert!(matches!(messaging(1, 20).check(Some(100 << 20)), Err(Failure::Skipped(_))));
        for (groups, descriptors) in [(0, 20), (1, 0), (1, u64::MAX), (200, 20)] {
            let checked = messaging(groups, descriptors).check(None);
            assert!(matches!(checked, Err(Failure::Failed(_))), "{groups} {descriptors}");
        }
    }

    /// The time that others take is counted where all tasks have one CPU, pinned or not.
    #[test]
    fn tasks_of_one_cpu_are_those_that_may_use_no_other() {
        let board = Board::new(2, 1).unwrap();
        let is_on_one = |cpus: &[u32]| {
            Groups { messaging: messaging(1, 1), one_in: 1, board: &board, cpus }.is_on_one_cpu()
        };
        assert_eq!([is_on_one(&[]), is_on_one(&[1]), is_on_one(&[0, 1])], [true, true, false]);
    }

    #[test]
    fn threads_of_a_group_exchange_all_messages_of_a_round() {
        let roles = Role::of_group(Carrier::UnixStream, 3, 1).unwrap();
        let board = Board::new(roles.len(), 3).unwrap();
        let right = std::thread::scope(|scope| {
            for (task, role) in roles.into_iter().enumerate() {
                let board = &board;
                scope.spawn(move || role.act(board, task, UsageScope::Thread).unwrap());
            }
            let right = [board.round(4), board.round(2)].map(Result::unwrap);
            board.quit();
            right
        });
        assert_eq!(right, [9 * 4, 9 * 2]);
        let counts = (0..6).map(|task| board.reported(task)).fold(Counts::default(), Counts::plus);
        assert_eq!((counts.messages, counts.bytes), (2 * 9 * 6, 2 * 9 * 6 * 100));
    }
}
