//! Requests that a messenger posts to workers at times that are fixed beforehand, whatever becomes of them: an open loop.

pub use super::arrivals::Conduct;
use super::arrivals::Schedule;
use super::now;
use super::queue::{Queue, Request, Taken};
use super::worker::{Done, Worker, add};
use crate::os::contention::section::{turns_in, work};
use measure::{Bench, Failure, Result, choice, parameters};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use sys::process::{no_child_error, report_child_error};
use sys::usage::{self, CpuClock, UsageScope};

choice! {
    /// What the value of a request is.
    pub enum RequestTime {
        /// From the post of a request to a worker that sleeps until the worker runs.
        WakeUp = "wakeup",
        /// From the time when it was due until it is done.
        Response = "response",
    }
}

parameters! {
    /// Requests to workers.
    pub struct Requests {
        /// Requests that are due, as a share in percent of those that the workers can do.
        load: u64,
        /// What a value is.
        time: RequestTime,
    }
}

/// Choice: the most workers. One messenger posts 36 000 requests per second to them, at some microseconds each.
const MAX_WORKERS: usize = 8;

/// Nanoseconds of work of a request: some twenty times what its messenger and its wake-up take.
pub const WORK_NS: u64 = 200_000;

/// Requests of each worker by which the capacity is found, and how often: the most is without disturbance.
const OF_CAPACITY: u64 = 60;
const ATTEMPTS: usize = 3;

/// Between two looks at the progress of the others, and until their delay is an error.
const LOOK_NS: i64 = 100_000;
const TIMEOUT_NS: i64 = 10_000_000_000;

/// Sleeps until the next look. The library's sleep ends the thread where its call is denied, and the others would wait for it.
fn pause() -> sys::Result<()> {
    sys::sleep::until(now()? + LOOK_NS)
}

/// Workers and the messenger, which are threads of one process.
struct Service {
    workers: Vec<Worker>,
    /// Whether a worker without a request polls.
    polls: bool,
    /// Turns of the work of a request, and the sum that they give.
    turns: u64,
    sum: u64,
    /// The schedule of the messenger; set once.
    schedule: std::sync::OnceLock<Schedule>,
    /// Requests that the messenger has posted by the schedule, and how late the latest of them was.
    posted: AtomicU64,
    latest_ns: AtomicU64,
    /// Ends the messenger, which then says that nothing more is posted.
    is_stopped: AtomicBool,
    is_over: AtomicBool,
}

/// A request that is done.
struct Answer {
    taken: Taken,
    /// When the worker had it, and when it was done.
    began: i64,
    ended: i64,
}

impl Service {
    fn new(workers: usize, turns: u64, polls: bool) -> Self {
        let workers = (0..workers).map(|_| Worker { queue: Queue::new(), done: Done::default() }).collect();
        Self {
            workers,
            polls,
            turns,
            sum: work(turns),
            schedule: std::sync::OnceLock::new(),
            posted: AtomicU64::new(0),
            latest_ns: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// The next request of a worker, done; `None` when all is over.
    fn answer(&self, worker: &Worker) -> sys::Result<Option<Answer>> {
        let Some(taken) = worker.queue.take(&self.is_over, self.polls)? else { return Ok(None) };
        let (began, cpu) = (now()?, sys::cpu::current());
        let is_right = work(self.turns) == self.sum;
        let ended = now()?;
        add(&worker.done.requests, 1);
        add(&worker.done.right, u64::from(is_right));
        if taken.has_slept {
            add(&worker.done.woken, 1);
            add(&worker.done.beside_messenger, u64::from(cpu.is_some() && cpu == taken.request.cpu));
        }
        Ok(Some(Answer { taken, began, ended }))
    }

    fn done(&self) -> u64 {
        self.workers.iter().map(|worker| worker.done.requests.load(Ordering::Acquire)).sum()
    }

    /// Waits for something that the other threads do.
    fn wait_until(&self, is_so: impl Fn() -> bool) -> Result<()> {
        let limit = now()? + TIMEOUT_NS;
        while !is_so() {
            no_child_error()?;
            if now()? > limit {
                return Err(Failure::failed("timeout: a worker did not answer its requests"));
            }
            pause()?;
        }
        Ok(())
    }

    /// Requests per nanosecond of all workers while their queues are never empty. The calling thread is the first worker.
    fn capacity(&self, first: &Worker) -> Result<f64> {
        let mut most = 0.0_f64;
        for _ in 0..ATTEMPTS {
            let (before, began) = (self.done(), now()?);
            for worker in &self.workers {
                let request = Request { due: began, posted: began, cpu: None };
                for _ in 0..OF_CAPACITY {
                    worker.queue.post(request)?;
                }
            }
            for _ in 0..OF_CAPACITY {
                self.answer(first)?;
            }
            let all = OF_CAPACITY * self.workers.len() as u64;
            self.wait_until(|| self.done() - before == all)?;
            most = most.max(all as f64 / (now()? - began) as f64);
        }
        for Worker { done, .. } in &self.workers {
            for count in [&done.requests, &done.right, &done.woken, &done.beside_messenger] {
                count.store(0, Ordering::Release);
            }
        }
        Ok(most)
    }

    /// What the messenger does: it waits for the schedule, and posts until its end.
    fn post(&self) -> sys::Result<()> {
        sys::sleep::set_slack(1)?;
        let schedule = loop {
            match self.schedule.get() {
                Some(schedule) => break schedule,
                None if self.is_stopped() => return Ok(()),
                None => pause()?,
            }
        };
        self.post_by(schedule)
    }

    fn post_by(&self, schedule: &Schedule) -> sys::Result<()> {
        let mut after_ns = 0.0;
        for number in 0.. {
            after_ns += schedule.gap_ns(number);
            let due = schedule.began + after_ns as i64;
            if due > schedule.end || self.is_stopped() {
                break;
            }
            if due > now()? {
                sys::sleep::until(due)?;
            }
            let Some(worker) = self.workers.get(schedule.worker(number, self.workers.len())) else { break };
            while schedule.conduct == Conduct::AfterAnswer && self.done() < number && !self.is_stopped() {
                pause()?;
            }
            let posted = now()?;
            self.latest_ns.fetch_max((posted - due).max(0).unsigned_abs(), Ordering::AcqRel);
            // The schedule waits for a worker that is behind by a whole queue; its requests were due all the same.
            while !worker.queue.post(Request { due, posted, cpu: sys::cpu::current() })? {
                if self.is_stopped() {
                    return Ok(());
                }
                pause()?;
            }
            add(&self.posted, 1);
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Ends all threads.
    fn quit(&self) {
        self.is_stopped.store(true, Ordering::Release);
        self.end();
    }

    /// Lets every worker end when its queue is empty.
    fn end(&self) {
        self.is_over.store(true, Ordering::Release);
        for worker in &self.workers {
            // Where the call is denied nobody sleeps by it either.
            let _ = worker.queue.wake();
        }
    }

    /// What the thread of this number does beside the first worker: the last one is the messenger.
    fn act(&self, thread: usize) -> sys::Result<()> {
        match self.workers.get(thread + 1) {
            Some(worker) => {
                while self.answer(worker)?.is_some() {}
                Ok(())
            }
            None => {
                let result = self.post();
                self.end();
                result
            }
        }
    }
}

/// The value of an answer; `None` where the worker was awake, and a wake-up is asked for.
fn value_of(answer: &Answer, time: RequestTime) -> Option<f64> {
    match time {
        RequestTime::WakeUp if answer.taken.has_slept => {
            Some((answer.began - answer.taken.request.posted) as f64)
        }
        RequestTime::WakeUp => None,
        RequestTime::Response => Some((answer.ended - answer.taken.request.due) as f64),
    }
}

/// The first worker, whose requests are the values.
struct Lead<'s> {
    service: &'s Service,
    worker: &'s Worker,
    requests: Requests,
    conduct: Conduct,
}

impl Lead<'_> {
    /// Begins the schedule; gives the capacity in requests per nanosecond.
    fn begin(&self, capacity: f64, seed: u64, duration_ns: u64) -> Result<()> {
        let mean_ns = 100.0 / (capacity * self.requests.load as f64);
        let began = now()?;
        let schedule = Schedule {
            seed,
            mean_ns,
            began,
            end: began.saturating_add(duration_ns as i64),
            conduct: self.conduct,
        };
        drop(self.service.schedule.set(schedule));
        Ok(())
    }

    /// The value of the next request that has one; `None` when all is over.
    fn next(&self) -> Result<Option<f64>> {
        while let Some(answer) = self.service.answer(self.worker)? {
            if let Some(value) = value_of(&answer, self.requests.time) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Measures the capacity, then the requests of the schedule.
    fn run(&self, bench: &mut Bench<'_>) -> Result<()> {
        let service = self.service;
        let capacity = service.capacity(self.worker)?;
        let sleeps = || usage::read(UsageScope::Thread).ok().map(|usage| usage.voluntary);
        let (began, before, used) = (Cell::new(now()?), sleeps(), CpuClock::PROCESS.nanos());
        if bench.times_every_iteration() {
            bench.keep_own_schedule();
            let (seed, spend_ns, is_begun) = (bench.seed(), bench.spend_ns(), Cell::new(false));
            bench.each_value(&|_| false, &mut || {
                if !is_begun.replace(true) {
                    began.set(now()?);
                    self.begin(capacity, seed, 4 * spend_ns)?;
                }
                self.next()?.ok_or_else(|| Failure::failed("no request of the schedule was left"))
            })?;
        } else {
            self.begin(capacity, bench.seed(), bench.spend_ns())?;
            let mut values = Vec::new();
            while let Some(value) = self.next()? {
                values.push(value);
            }
            if values.is_empty() {
                return Err(Failure::failed("no request found its worker asleep: the queue was never empty"));
            }
            bench.values(values);
        }
        let slept = sleeps().zip(before).map(|(after, before)| (after - before) as f64);
        let wall_ns = now()? - began.get();
        service.is_stopped.store(true, Ordering::Release);
        while service.answer(self.worker)?.is_some() {}
        service.wait_until(|| service.done() >= service.posted.load(Ordering::Acquire))?;
        let used = CpuClock::PROCESS.nanos().zip(used).map(|(after, before)| (after - before) as f64);
        let no_clock = "the CPU time of the process cannot be read";
        bench.try_count("cpu.used", used.ok_or(no_clock), wall_ns as f64 * service.workers.len() as f64);
        self.count(bench, capacity, slept, wall_ns as f64);
        Ok(())
    }

    /// Counts what the messenger and the workers did.
    fn count(&self, bench: &mut Bench<'_>, capacity: f64, slept: Option<f64>, wall_ns: f64) {
        let sum = |count: fn(&Done) -> &AtomicU64| -> f64 {
            self.service.workers.iter().map(|worker| count(&worker.done).load(Ordering::Acquire) as f64).sum()
        };
        let posted = self.service.posted.load(Ordering::Acquire) as f64;
        let woken = sum(|done| &done.woken);
        let working = |worker: &&Worker| worker.done.requests.load(Ordering::Acquire) > 0;
        let workers = self.service.workers.len();
        bench.count("answers", sum(|done| &done.right), posted);
        bench.count("load.offered", posted, capacity * wall_ns);
        bench.count("capacity.per_second", capacity * 1e9, 1.0);
        bench.count("arrivals.latest_ns", self.service.latest_ns.load(Ordering::Acquire) as f64, 1.0);
        bench.count(
            "tasks.working",
            self.service.workers.iter().filter(working).count() as f64,
            workers as f64,
        );
        bench.count("requests.woken", woken, posted);
        if woken > 0.0 {
            bench.count("wakeups.on_cpu_of_waker", sum(|done| &done.beside_messenger), woken);
        }
        let own = self.worker.done.woken.load(Ordering::Acquire) as f64;
        if own > 0.0 {
            bench.try_count("sleeps", slept.ok_or("the switches of the thread cannot be read"), own);
        }
    }
}

/// Times requests of the point.
///
/// # Errors
/// When a thread cannot be made, or its call fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    serve(bench, Conduct::OpenLoop)
}

/// The same where the messenger and the workers do this.
///
/// # Errors
/// When a thread cannot be made, or its call fails.
pub fn serve(bench: &mut Bench<'_>, conduct: Conduct) -> Result<()> {
    let requests: Requests = bench.parameters()?;
    if !(1..100).contains(&requests.load) {
        return Err(Failure::failed(format!("load={}: from 1 to 99 % are possible", requests.load)));
    }
    if bench.is_rehearsal() {
        return Ok(());
    }
    let mut cpus = sys::cpu::spread_over_cores(&sys::cpu::allowed_before_pinning()?);
    cpus.truncate(MAX_WORKERS);
    bench.sample_core_state();
    let service = Service::new(cpus.len(), turns_in(WORK_NS), conduct == Conduct::Polling);
    let Some(worker) = service.workers.first() else {
        return Err(Failure::failed("no CPU may be used"));
    };
    // The scheduler has the choice among the CPUs, as for any server.
    sys::cpu::pin_to(&cpus)?;
    let result = sys::thread::beside_many(
        service.workers.len(),
        |thread| service.act(thread).unwrap_or_else(report_child_error),
        || service.quit(),
        || {
            let result = Lead { service: &service, worker, requests, conduct }.run(bench);
            service.quit();
            result
        },
    );
    if let Some(cpu) = bench.cpu() {
        sys::cpu::pin(cpu)?;
    }
    bench.sample_core_state();
    result?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_a_schedule_are_all_answered() {
        let service = Service::new(2, 1_000, false);
        let worker = service.workers.first().unwrap();
        let lead = Lead {
            service: &service,
            worker,
            requests: Requests { load: 50, time: RequestTime::Response },
            conduct: Conduct::OpenLoop,
        };
        let values = sys::thread::beside_many(
            2,
            |thread| service.act(thread).unwrap(),
            || service.quit(),
            || {
                lead.begin(1e-5, 7, 20_000_000).unwrap();
                let values: Vec<f64> = std::iter::from_fn(|| lead.next().unwrap()).collect();
                service.quit();
                values
            },
        );
        let values = values.unwrap();
        assert!(values.iter().all(|value| *value > 0.0) && values.len() > 10, "{}", values.len());
        // 20 ms with a request each 200 µs in the mean; all of them are answered by now.
        let posted = service.posted.load(Ordering::Acquire);
        assert!((50..=150).contains(&posted), "{posted}");
        let right: u64 = service.workers.iter().map(|worker| worker.done.right.load(Ordering::Acquire)).sum();
        assert_eq!(right, posted);
    }

    #[test]
    fn a_wake_up_is_that_of_a_worker_that_slept() {
        let request = Request { due: 10, posted: 20, cpu: None };
        let answer = |has_slept| Answer { taken: Taken { request, has_slept }, began: 25, ended: 90 };
        for (has_slept, wakeup) in [(true, Some(5.0)), (false, None)] {
            assert_eq!(value_of(&answer(has_slept), RequestTime::WakeUp), wakeup);
            assert_eq!(value_of(&answer(has_slept), RequestTime::Response), Some(80.0));
        }
    }
}
