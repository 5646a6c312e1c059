//! Memory: areas of an address space, pages, memory of the C library, one word.

use super::messages::word;
use super::object::{Object, object};
use measure::Result;
use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use sys::memory::page_size;
use sys::pages::{Advice, Pages, map_and_unmap};
use sys::program_break::ProgramBreak;

/// A page mapped and unmapped.
pub(super) fn mmap() -> Result<Box<dyn Object>> {
    object(page_size(), |bytes, _| map_and_unmap(*bytes).map(|()| true))
}

/// The end of the data segment moved up by a page and back. Only in a process with one thread.
pub(super) fn brk() -> Result<Box<dyn Object>> {
    object((ProgramBreak::current()?, page_size()), |(end, bytes), _| end.grow_and_shrink(*bytes))
}

/// A page freed by MADV_DONTNEED and written again.
pub(super) fn fault() -> Result<Box<dyn Object>> {
    // Each actor has its own page; the mutex says so to the compiler.
    object(Mutex::new(Pages::anonymous(page_size())?), |page, turn| {
        let page = page.lock().unwrap_or_else(PoisonError::into_inner);
        page.advise(0..page_size(), Advice::DontNeed)?;
        // The first touch is a write: a read before it would be another fault, for the page of zeros. The second word shows that
        // the page is a new one, and is marked for the next.
        let is_new = page.write(0, turn | 1) && page.read(8) == Some(0);
        Ok(is_new && page.write(8, turn | 1))
    })
}

/// Bytes that are taken from the C library: more than its caches of threads hold, less than what it maps.
const BYTES: usize = 16 << 10;

/// Memory taken and given back.
pub(super) fn malloc() -> Result<Box<dyn Object>> {
    object((), |(), turn| {
        let mut taken: Vec<u8> = Vec::with_capacity(black_box(BYTES));
        taken.push(turn as u8);
        Ok(black_box(&taken).first() == Some(&(turn as u8)))
    })
}

/// An atomic addition to a word: what it gave is never the same twice.
pub(super) fn add() -> Result<Box<dyn Object>> {
    object(word()?, |words, _| Ok(words.word(0).fetch_add(1, Ordering::AcqRel) != u64::MAX))
}
