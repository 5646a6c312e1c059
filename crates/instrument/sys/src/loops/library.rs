//! Calls of the C library's functions on memory and strings: each by its address, so that no compiler puts instructions of its
//! own in their place, and each looked at.

use crate::memory::{Mapping, page_size};
use crate::{Result, random};
use libc::{c_char, c_int, c_void};

/// A function of the C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Bytes copied.
    Memcpy,
    /// Bytes set to one value.
    Memset,
    /// The length of a string.
    Strlen,
    /// Two strings compared, which differ in their last byte.
    Strcmp,
}

/// Where the first operand begins: the target, or the first string. The second one begins a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Bytes behind the beginning of a line, less than 64.
    InLine(u8),
    /// With the last byte of a page.
    EndOfPage,
}

/// Bytes of a line.
const LINE: usize = 64;

/// Calls before their lengths repeat themselves: more than a branch predictor remembers. They are read one after the other, two
/// bytes a call at most from memory.
const SEQUENCE: usize = 1 << 16;

/// Different lengths at most.
const MOST_LENGTHS: usize = 256;

/// Where second operands begin in their memory: half of a page of 4 KiB from where first ones do in theirs, so that loads do not
/// wait for stores to the same place of another page.
const HALF_OF_A_PAGE: usize = 2048;

/// The addresses of the functions.
#[derive(Debug, Clone, Copy)]
struct Addresses {
    memcpy: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void,
    memset: unsafe extern "C" fn(*mut c_void, c_int, usize) -> *mut c_void,
    strlen: unsafe extern "C" fn(*const c_char) -> usize,
    strcmp: unsafe extern "C" fn(*const c_char, *const c_char) -> c_int,
}

/// What a call is given, and how long it is.
#[derive(Debug)]
struct Operands {
    first: *mut u8,
    second: *mut u8,
    length: usize,
}

/// Calls of one function, with lengths one after the other.
#[derive(Debug)]
pub struct Calls {
    function: Function,
    addresses: Addresses,
    operands: Vec<Operands>,
    /// Which operands each call has.
    sequence: Vec<u8>,
    next: usize,
    /// Calls, and the bytes of all of them.
    done: (u64, u64),
    /// The memory of first and second operands, which they point to.
    _memory: [Mapping; 2],
}

impl Calls {
    /// Calls whose lengths are drawn from these, each as often as the others.
    ///
    /// # Errors
    /// When there is no memory left, or when a length is 0 or there are too many of them (EINVAL).
    pub fn new(function: Function, lengths: &[usize], start: Start, seed: u64) -> Result<Self> {
        if lengths.is_empty() || lengths.len() > MOST_LENGTHS || lengths.contains(&0) {
            return Err(crate::Error { call: "lengths of calls", errno: libc::EINVAL });
        }
        let page = page_size();
        let (mut places, mut ends) = (Vec::new(), [0, HALF_OF_A_PAGE]);
        for &length in lengths {
            let first = match start {
                Start::InLine(bytes) => ends[0] + usize::from(bytes) % LINE,
                Start::EndOfPage => (ends[0] + 1).next_multiple_of(page) - 1,
            };
            places.push([first, ends[1]]);
            // With the end of a string.
            ends = [first, ends[1]].map(|place| (place + length + 1).next_multiple_of(LINE));
        }
        // A second source lies a line behind the first.
        let mut memory = [Mapping::private(ends[0])?, Mapping::private(ends[1] + LINE)?];
        memory.iter_mut().for_each(|mapping| mapping.touch(seed));
        let second = memory[1].bytes_mut().iter_mut().zip(0..);
        second.for_each(|(byte, index)| *byte = random::word(seed, index) as u8 | 1);
        let bases = memory.each_mut().map(|mapping| mapping.bytes_mut().as_mut_ptr());
        let operands: Vec<Operands> = places
            .iter()
            .zip(lengths)
            .map(|([first, second], &length)| Operands {
                first: bases[0].wrapping_add(*first),
                second: bases[1].wrapping_add(*second),
                length,
            })
            .collect();
        operands.iter().for_each(|operands| operands.prepare(function));
        let (mut drawn, count) = (seed ^ 0x6c69_6263, lengths.len() as u64);
        let sequence = (0..SEQUENCE).map(|_| random::below(&mut drawn, count) as u8).collect();
        let addresses = Addresses {
            memcpy: libc::memcpy,
            memset: libc::memset,
            strlen: libc::strlen,
            strcmp: libc::strcmp,
        };
        // Opaque, so that the compiler does not find out which functions these are.
        let addresses = std::hint::black_box(addresses);
        Ok(Self { function, addresses, operands, sequence, next: 0, done: (0, 0), _memory: memory })
    }

    /// Makes the next `n` calls; gives how many answers were right, and 0 where a byte of the last one is wrong.
    pub fn run(&mut self, n: u64) -> u64 {
        let Addresses { memcpy, memset, strlen, strcmp } = self.addresses;
        match self.function {
            Function::Memcpy => self.each(n, |&Operands { first, second, length }, turn| {
                // SAFETY: `new` made the operands: length, and a line more behind the second one, lie in their memory.
                unsafe {
                    // Alternating sources, so that a call that copies nothing leaves the wrong byte.
                    let source = second.add(source_of(turn));
                    let given = memcpy(first.cast(), source.cast(), length);
                    given == first.cast() && *first.add(length - 1) == *source.add(length - 1)
                }
            }),
            Function::Memset => self.each(n, |&Operands { first, length, .. }, turn| {
                // SAFETY: as above.
                unsafe {
                    let given = memset(first.cast(), c_int::from(turn as u8), length);
                    given == first.cast() && *first.add(length - 1) == turn as u8
                }
            }),
            Function::Strlen => self.each(n, |&Operands { first, length, .. }, _| {
                // SAFETY: `new` made a string of it.
                unsafe { strlen(first.cast()) == length }
            }),
            Function::Strcmp => self.each(n, |&Operands { first, second, .. }, _| {
                // SAFETY: `new` made strings of both.
                unsafe { strcmp(first.cast(), second.cast()) > 0 }
            }),
        }
    }

    /// The loop around the calls.
    #[inline(always)]
    fn each(&mut self, n: u64, call: impl Fn(&Operands, u64) -> bool) -> u64 {
        let (mut turn, mut right, mut bytes, mut last) = (0, 0, 0, None);
        while turn < n {
            let rest = self.sequence.get(self.next..).unwrap_or_default();
            let part = rest.get(..(n - turn) as usize).unwrap_or(rest);
            for (operands, turn) in
                part.iter().filter_map(|&index| self.operands.get(usize::from(index))).zip(turn..)
            {
                right += u64::from(call(operands, turn));
                bytes += operands.length as u64;
                last = Some(operands);
            }
            turn += part.len() as u64;
            self.next = (self.next + part.len()) % SEQUENCE;
        }
        let is_whole = last.is_none_or(|last| last.is_whole(self.function, n - 1));
        self.done = (self.done.0 + n, self.done.1 + bytes);
        if is_whole { right } else { 0 }
    }

    /// Calls so far, and the bytes of all of them.
    pub fn done(&self) -> (u64, u64) {
        self.done
    }

    /// Puts functions that do half of the work in the place of the C library's: a mistake that [`Calls::run`] must find.
    pub fn do_half(&mut self) {
        self.addresses =
            Addresses { memcpy: half_memcpy, memset: half_memset, strlen: half_strlen, strcmp: half_strcmp };
    }
}

impl Operands {
    /// Writes the strings of a function that reads strings, and makes the last bytes of the sources of a copy differ.
    fn prepare(&self, function: Function) {
        let Self { first, second, length } = *self;
        let last = length - 1;
        // SAFETY: both operands lie in memory of their own, with room for one byte more, and for a line more behind a second one.
        unsafe {
            match function {
                Function::Memcpy => *second.add(last + LINE) = !*second.add(last),
                Function::Memset => {}
                Function::Strlen | Function::Strcmp => {
                    first.copy_from_nonoverlapping(second, length);
                    *first.add(last) = 2;
                    *second.add(last) = 1;
                    *first.add(length) = 0;
                    *second.add(length) = 0;
                }
            }
        }
    }

    /// Whether every byte is what the call of this turn must have left.
    fn is_whole(&self, function: Function, turn: u64) -> bool {
        let bytes = |at: *const u8| {
            // SAFETY: as above; nothing writes meanwhile.
            unsafe { std::slice::from_raw_parts(at, self.length) }
        };
        match function {
            Function::Memcpy => bytes(self.first) == bytes(self.second.wrapping_add(source_of(turn))),
            Function::Memset => bytes(self.first).iter().all(|&byte| byte == turn as u8),
            Function::Strlen | Function::Strcmp => true,
        }
    }
}

/// Where the source of a copy begins, from the second operand on.
fn source_of(turn: u64) -> usize {
    (turn % 2) as usize * LINE
}

unsafe extern "C" fn half_memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    // SAFETY: as the caller vouches for twice as much.
    unsafe { libc::memcpy(to, from, length / 2) }
}

unsafe extern "C" fn half_memset(to: *mut c_void, value: c_int, length: usize) -> *mut c_void {
    // SAFETY: as the caller vouches for twice as much.
    unsafe { libc::memset(to, value, length / 2) }
}

unsafe extern "C" fn half_strlen(of: *const c_char) -> usize {
    // SAFETY: the caller vouches for the string.
    unsafe { libc::strlen(of) / 2 }
}

unsafe extern "C" fn half_strcmp(one: *const c_char, other: *const c_char) -> c_int {
    // SAFETY: the caller vouches for the strings.
    unsafe { libc::strncmp(one, other, libc::strlen(one) / 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTIONS: [Function; 4] = [Function::Memcpy, Function::Memset, Function::Strlen, Function::Strcmp];

    const STARTS: [Start; 4] = [Start::InLine(0), Start::InLine(1), Start::InLine(63), Start::EndOfPage];

    #[test]
    fn every_call_gives_the_right_answer() {
        for function in FUNCTIONS {
            for start in STARTS {
                for lengths in [&[1][..], &[2], &[64], &[16 << 10], &[1, 3, 96, 256, 4096]] {
                    let mut calls = Calls::new(function, lengths, start, 7).unwrap();
                    for n in [0, 1, 2, 301] {
                        assert_eq!(calls.run(n), n, "{function:?} {start:?} {lengths:?}");
                    }
                    assert_eq!(calls.done().0, 304);
                }
            }
        }
    }

    #[test]
    fn half_of_the_work_is_found_in_most_calls() {
        for function in FUNCTIONS {
            for length in [1, 64, 4096] {
                let mut calls = Calls::new(function, &[length], Start::InLine(0), 7).unwrap();
                calls.do_half();
                assert!(calls.run(1_000) < 10, "{function:?} {length}");
            }
        }
    }

    #[test]
    fn a_byte_that_the_last_call_left_wrong_takes_all_answers_away() {
        for function in [Function::Memcpy, Function::Memset] {
            let calls = Calls::new(function, &[64], Start::InLine(3), 7).unwrap();
            let operands = &calls.operands[0];
            // SAFETY: within the memory of the calls.
            unsafe { *operands.first.add(8) = 9 };
            assert!(!operands.is_whole(function, 0), "{function:?}");
        }
    }

    #[test]
    fn operands_begin_where_they_should() {
        let page = page_size();
        for (start, in_line, in_page) in [
            (Start::InLine(0), 0, None),
            (Start::InLine(17), 17, None),
            (Start::EndOfPage, 63, Some(page - 1)),
        ] {
            let calls = Calls::new(Function::Strcmp, &[5, 200, 64], start, 7).unwrap();
            for operands in &calls.operands {
                let [first, second] = [operands.first, operands.second].map(|at| at as usize);
                assert_eq!((first % LINE, second % LINE), (in_line, 0), "{start:?}");
                assert!(in_page.is_none_or(|place| first % page == place), "{start:?}");
            }
        }
    }

    #[test]
    fn lengths_are_drawn_evenly_and_do_not_repeat_early() {
        let mut calls = Calls::new(Function::Memset, &[1, 2, 4, 8], Start::InLine(0), 7).unwrap();
        let (first, second) = calls.sequence.split_at(SEQUENCE / 2);
        assert_ne!(first, second);
        assert_eq!(calls.run(SEQUENCE as u64 + 100), SEQUENCE as u64 + 100);
        let (done, bytes) = calls.done();
        assert!((bytes as f64 / done as f64 - 3.75).abs() < 0.05, "{bytes} of {done}");
    }

    #[test]
    fn lengths_that_no_call_can_have_are_rejected() {
        for lengths in [&[][..], &[0], &[1; 257]] {
            assert!(Calls::new(Function::Memcpy, lengths, Start::InLine(0), 7).is_err(), "{lengths:?}");
        }
    }
}
