//! Reads of the memory of a child that sleeps.

use crate::repeat::repeat;
use measure::{Bench, Failure, Result, parameters};
use quantity::Bytes;
use sys::memory::page_size;
use sys::other_memory;
use sys::pages::Pages;
use sys::pipe::pipe;
use sys::process::Actor;

parameters! {
    /// Memory of another process.
    pub struct OtherMemory {
        /// Read by a call.
        bytes: Bytes,
    }
}

/// Words that differ in the memory of the parent and of the child.
const OF_PARENT: u64 = 0x5555_0000_0000_0001;
const OF_CHILD: u64 = 0xaaaa_0000_0000_0002;

/// Writes a word to the begin and the end of each page.
fn fill(pages: &Pages, word: u64) -> bool {
    let starts = (0..pages.length()).step_by(page_size());
    starts.fold(true, |right, start| {
        right & pages.write(start, word) & pages.write(start + page_size() - 8, word)
    })
}

/// Reads memory that a child has written where the parent has written other words; first and last word are checked and then
/// overwritten.
///
/// # Errors
/// When the call is denied.
pub fn read_child(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<OtherMemory>()?.bytes.bytes() as usize;
    let pages = Pages::anonymous(bytes)?;
    Failure::unless(fill(&pages, OF_PARENT), "a page does not hold the word written to it")?;
    let (is_ready, ready) = pipe()?;
    // It waits for a byte that never comes.
    let (endless, _never) = pipe()?;
    let child = Actor::serve(None, || {
        if fill(&pages, OF_CHILD) {
            ready.write_byte(1)?;
        }
        endless.read_byte().map(|_| ())
    })?;
    // A child that ends before it writes leaves nobody waiting.
    drop(ready);
    is_ready.read_byte()?;
    let mut buffer = vec![0; bytes];
    repeat(bench, |_| {
        let read = other_memory::read(&child, &pages, &mut buffer)?;
        let right = |word: Option<&mut [u8; 8]>| {
            word.is_some_and(|word| u64::from_ne_bytes(std::mem::take(word)) == OF_CHILD)
        };
        let [first, last] = [right(buffer.first_chunk_mut()), right(buffer.last_chunk_mut())];
        Ok(read == bytes && first && last)
    })
}
