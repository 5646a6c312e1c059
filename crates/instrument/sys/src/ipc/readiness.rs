//! Which of many descriptors can be read: select, poll and epoll, by raw system calls that do not wait.

use crate::descriptor::Descriptor;
use crate::eventfd::EventCounter;
use crate::inet::{self, Listener};
use crate::{Error, Result, arch, limits, pipe};
use rustix::event::epoll;

/// Descriptors that are watched, and for each the end by which it is made ready.
#[derive(Debug)]
pub struct Watched {
    /// What is watched, and the other end where there is one.
    ends: Vec<(Descriptor, Option<Descriptor>)>,
    /// What makes one ready, and is read from it again.
    message: &'static [u8],
}

impl Watched {
    /// `count` pipes; their read ends are watched.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn pipes(count: usize) -> Result<Self> {
        Self::of(count, || {
            let (reader, writer) = pipe::pipe()?;
            Ok((reader.into_descriptor(), Some(writer.into_descriptor())))
        })
    }

    /// `count` TCP connections over loopback; the accepted ends are watched.
    ///
    /// # Errors
    /// When no descriptor or port is left, or there is no loopback interface.
    pub fn connections(count: usize) -> Result<Self> {
        let listener = Listener::new(inet::loopback(false))?;
        Self::of(count, || {
            let sender = inet::connected(listener.address())?;
            let watched = listener.accept()?;
            inet::reset_when_closed(&sender)?;
            inet::reset_when_closed(&watched)?;
            Ok((watched, Some(sender)))
        })
    }

    /// `count` event counters, which are their own other ends.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn counters(count: usize) -> Result<Self> {
        let counters = Self::of(count, || Ok((EventCounter::new()?.into_descriptor(), None)))?;
        Ok(Self { message: &[1, 0, 0, 0, 0, 0, 0, 0], ..counters })
    }

    fn of(count: usize, pair: impl Fn() -> Result<(Descriptor, Option<Descriptor>)>) -> Result<Self> {
        limits::raise_descriptors(ENOUGH.max(2 * count as u64));
        let ends = (0..count).map(|_| pair()).collect::<Result<_>>()?;
        Ok(Self { ends, message: &[1] })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Lets one be ready to be read.
    ///
    /// # Errors
    /// When the kernel refuses the byte.
    pub fn make_ready(&self, index: usize) -> Result<()> {
        let ends = self.ends.get(index);
        ends.map_or(Ok(()), |(watched, sender)| sender.as_ref().unwrap_or(watched).write_all(self.message))
    }

    /// Takes what makes one ready.
    ///
    /// # Errors
    /// When there was nothing to take.
    pub fn drain(&self, index: usize) -> Result<()> {
        let mut message = [0; 8];
        let message = message.get_mut(..self.message.len()).unwrap_or_default();
        self.ends.get(index).map_or(Ok(()), |(watched, _)| watched.read_all(message))
    }

    fn numbers(&self) -> impl Iterator<Item = i32> + '_ {
        self.ends.iter().map(|(watched, _)| watched.number())
    }
}

/// More descriptors than most sets here need; numbers that select knows here.
const ENOUGH: u64 = 4096;

/// A call that reports which of the watched descriptors can be read.
pub trait ReadinessCall {
    /// Asks, and does not wait; gives how many can be read.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn count_ready(&mut self) -> Result<usize>;

    /// Whether the last answer names the last of the watched.
    fn last_is_ready(&self) -> bool;
}

/// Bits of a set for select: numbers up to 4095.
const WORDS: usize = ENOUGH as usize / 64;

/// By `pselect6`.
#[derive(Debug)]
pub struct Select {
    wanted: [u64; WORDS],
    reported: [u64; WORDS],
    words: usize,
    highest: usize,
    last: usize,
}

impl Select {
    /// Watches all of these.
    pub fn new(watched: &Watched) -> Self {
        let mut wanted = [0; WORDS];
        let (mut highest, mut last) = (0, 0);
        for number in watched.numbers() {
            last = usize::try_from(number).unwrap_or(0);
            highest = highest.max(last);
            if let Some(word) = wanted.get_mut(last / 64) {
                *word |= 1 << (last % 64);
            }
        }
        Self { wanted, reported: wanted, words: highest / 64 + 1, highest, last }
    }
}

impl ReadinessCall for Select {
    #[inline(always)]
    fn count_ready(&mut self) -> Result<usize> {
        // The kernel puts its answer where the question was.
        for (reported, wanted) in self.reported.iter_mut().zip(&self.wanted).take(self.words) {
            *reported = *wanted;
        }
        let now = [0_i64; 2];
        let arguments =
            [self.highest + 1, self.reported.as_mut_ptr() as usize, 0, 0, (&raw const now) as usize];
        // SAFETY: the set has a bit for every number up to the highest; the time is valid, no signals are named.
        unsafe { arch::try_syscall::<{ libc::SYS_pselect6 }, _>(arguments) }
    }

    #[inline(always)]
    fn last_is_ready(&self) -> bool {
        self.reported.get(self.last / 64).is_some_and(|word| word >> (self.last % 64) & 1 == 1)
    }
}

/// By `ppoll`.
#[derive(Debug)]
pub struct Poll {
    entries: Vec<libc::pollfd>,
}

impl Poll {
    /// Watches all of these.
    pub fn new(watched: &Watched) -> Self {
        Self {
            entries: watched
                .numbers()
                .map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 })
                .collect(),
        }
    }
}

impl ReadinessCall for Poll {
    #[inline(always)]
    fn count_ready(&mut self) -> Result<usize> {
        let now = [0_i64; 2];
        if let Some(last) = self.entries.last_mut() {
            last.revents = 0;
        }
        let arguments = [self.entries.as_mut_ptr() as usize, self.entries.len(), (&raw const now) as usize];
        // SAFETY: the entries are as many as said; the time is valid, no signals are named.
        unsafe { arch::try_syscall::<{ libc::SYS_ppoll }, _>(arguments) }
    }

    #[inline(always)]
    fn last_is_ready(&self) -> bool {
        self.entries.last().is_some_and(|last| last.revents & libc::POLLIN != 0)
    }
}

/// Whether a descriptor can be read, by one `ppoll` that does not wait.
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn can_be_read(descriptor: &Descriptor) -> Result<bool> {
    let now = [0_i64; 2];
    let mut entry = libc::pollfd { fd: descriptor.number(), events: libc::POLLIN, revents: 0 };
    let arguments = [(&raw mut entry) as usize, 1, (&raw const now) as usize];
    // SAFETY: the entry and the time live through the call; no signals are named.
    let ready = unsafe { arch::try_syscall::<{ libc::SYS_ppoll }, _>(arguments) }?;
    Ok(ready == 1 && entry.revents & libc::POLLIN != 0)
}

/// By `epoll_pwait`.
#[derive(Debug)]
pub struct Epoll {
    set: Descriptor,
    events: Vec<libc::epoll_event>,
    reported: usize,
    last: u64,
}

impl Epoll {
    /// Watches all of these.
    ///
    /// # Errors
    /// When no descriptor is left or the user watches too many.
    pub fn new(watched: &Watched) -> Result<Self> {
        let set = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(Error::in_call("epoll_create1"))?;
        for (index, (end, _)) in watched.ends.iter().enumerate() {
            let word = epoll::EventData::new_u64(index as u64);
            epoll::add(&set, end, word, epoll::EventFlags::IN).map_err(Error::in_call("epoll_ctl"))?;
        }
        Ok(Self {
            set: set.into(),
            events: vec![libc::epoll_event { events: 0, u64: 0 }; watched.count().max(1)],
            reported: 0,
            last: watched.count().saturating_sub(1) as u64,
        })
    }
}

impl Epoll {
    /// Takes the last of the watched out of the set and puts it back: two calls.
    ///
    /// # Errors
    /// When the kernel refuses, as it does where it is not there.
    #[inline(always)]
    pub fn replace_last(&self, watched: &Watched) -> Result<()> {
        let Some((last, _)) = watched.ends.last() else { return Ok(()) };
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: self.last };
        for change in [libc::EPOLL_CTL_DEL, libc::EPOLL_CTL_ADD] {
            let set = self.set.number() as usize;
            let arguments = [set, change as usize, last.number() as usize, &raw mut event as usize];
            // SAFETY: the event is valid; the call reads it.
            unsafe { arch::try_syscall::<{ libc::SYS_epoll_ctl }, _>(arguments) }?;
        }
        Ok(())
    }
}

impl ReadinessCall for Epoll {
    #[inline(always)]
    fn count_ready(&mut self) -> Result<usize> {
        let arguments = [self.set.number() as usize, self.events.as_mut_ptr() as usize, self.events.len()];
        // SAFETY: there is room for as many events as said; no signals are named.
        self.reported = unsafe { arch::try_syscall::<{ libc::SYS_epoll_pwait }, _>(arguments) }?;
        Ok(self.reported)
    }

    #[inline(always)]
    fn last_is_ready(&self) -> bool {
        let mut reported = self.events.iter().take(self.reported);
        reported.any(|event| event.u64 == self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports_what_is_ready(watched: &Watched, query: &mut dyn ReadinessCall) {
        let last = watched.count() - 1;
        assert_eq!(query.count_ready().unwrap(), 0);
        watched.make_ready(0).unwrap();
        assert_eq!((query.count_ready().unwrap(), query.last_is_ready()), (1, false));
        watched.make_ready(last).unwrap();
        assert_eq!((query.count_ready().unwrap(), query.last_is_ready()), (2, true));
        watched.drain(0).unwrap();
        assert_eq!((query.count_ready().unwrap(), query.last_is_ready()), (1, true));
        watched.drain(last).unwrap();
        assert_eq!(query.count_ready().unwrap(), 0);
    }

    #[test]
    fn a_pipe_can_be_read_while_it_holds_a_byte() {
        let (reader, writer) = pipe::pipe().unwrap();
        assert_eq!(can_be_read(reader.descriptor()), Ok(false));
        writer.write_byte(7).unwrap();
        assert_eq!(can_be_read(reader.descriptor()), Ok(true));
        assert_eq!(reader.read_byte(), Ok(7));
        assert_eq!(can_be_read(reader.descriptor()), Ok(false));
    }

    #[test]
    fn one_that_is_put_back_is_reported_again() {
        let watched = Watched::counters(3).unwrap();
        let mut set = Epoll::new(&watched).unwrap();
        watched.make_ready(2).unwrap();
        set.replace_last(&watched).unwrap();
        assert_eq!((set.count_ready().unwrap(), set.last_is_ready()), (1, true));
        let other = Epoll::new(&Watched::counters(1).unwrap()).unwrap();
        assert_eq!(other.replace_last(&watched).unwrap_err().errno, libc::ENOENT);
    }

    #[test]
    fn every_call_reports_exactly_what_is_ready() {
        for watched in
            [Watched::pipes(100).unwrap(), Watched::connections(20).unwrap(), Watched::counters(50).unwrap()]
        {
            reports_what_is_ready(&watched, &mut Select::new(&watched));
            reports_what_is_ready(&watched, &mut Poll::new(&watched));
            reports_what_is_ready(&watched, &mut Epoll::new(&watched).unwrap());
        }
    }
}
