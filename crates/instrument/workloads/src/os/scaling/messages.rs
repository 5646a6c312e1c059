//! Calls on objects that carry messages or wake-ups, each of which sends what it then takes. Where all share one object, it holds at
//! least what the caller has sent and not yet taken: nobody waits for long.

use super::object::{Object, object};
use crate::shared_words::SharedWords;
use measure::Result;
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::futex::{self, Scope};
use sys::memory::Mapping;
use sys::posix::Semaphore;
use sys::socket::unix_stream_pair;

/// The byte of every message: which actor sent it is not known where all share the object.
const BYTE: [u8; 1] = [1];

/// A write to an event counter of which a read takes 1, and a read.
pub(super) fn eventfd() -> Result<Box<dyn Object>> {
    object(EventCounter::taken_singly()?, |counter, _| {
        counter.add(1)?;
        Ok(counter.take()? == 1)
    })
}

/// A byte through a pipe.
pub(super) fn pipe() -> Result<Box<dyn Object>> {
    object(sys::pipe::pipe()?, |(reader, writer), _| {
        writer.write_byte(BYTE[0])?;
        Ok(reader.read_byte()? == BYTE[0])
    })
}

/// A byte through a pair of Unix sockets.
pub(super) fn unix() -> Result<Box<dyn Object>> {
    object(unix_stream_pair()?, |pair, _| {
        let mut got = [0];
        pair.client.write_all(&BYTE)?;
        pair.server.read_all(&mut got)?;
        Ok(got == BYTE)
    })
}

/// A wake without a waiter, and a wait for another value than the word has.
pub(super) fn futex() -> Result<Box<dyn Object>> {
    object(Mapping::shared(size_of::<AtomicU32>())?, |page, _| {
        let Some(word) = page.short_words().first() else { return Ok(false) };
        let woken = sys::Error::check("futex", futex::wake_one(word, Scope::Shared))?;
        Ok(woken == 0 && futex::wait(word, 1, Scope::Shared) == futex::CHANGED)
    })
}

/// A post and a wait of a POSIX semaphore.
pub(super) fn semaphore() -> Result<Box<dyn Object>> {
    object(Semaphore::new(true)?, |semaphore, _| {
        semaphore.post()?;
        semaphore.wait().map(|()| true)
    })
}

/// A word of its own cache line, shared with processes forked later.
pub(super) fn word() -> Result<SharedWords> {
    Ok(SharedWords::new(1)?)
}
