//! Bytes moved through memory: blocks that are read, written, copied or filled, one after another, in assembly or
//! by the library, and looked at afterwards.

use crate::arch;
use crate::memory::Mapping;
use crate::{Error, Result, random};

mod content;
mod method;
pub use content::Content;
use content::{fill, words};
pub use method::{Action, Method};

/// What a loop in assembly is given.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Walk {
    to: *mut u8,
    from: *const u8,
    turns: u64,
    passes: u64,
    /// From one pass to the next, in bytes.
    step: u64,
    word: u64,
    /// From a place in the first source to the same one in the second, in bytes.
    second: u64,
}

/// A loop in assembly; gives the sum of what it read.
pub(crate) type Run = unsafe extern "C" fn(*const Walk) -> u64;

/// A loop in assembly, and what a turn of it does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel {
    pub(crate) run: Run,
    /// Bytes of a turn.
    pub(crate) turn: u32,
    pub(crate) loads: u32,
    pub(crate) stores: u32,
    /// Instructions of a turn, those of the loop included.
    pub(crate) instructions: u32,
    /// Instructions of a pass besides.
    pub(crate) pass: u32,
}

/// What an action by a method costs in instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// Instructions that load.
    pub loads: u64,
    /// Instructions that store.
    pub stores: u64,
    /// All instructions.
    pub instructions: u64,
}

/// By assembly or by the library.
#[derive(Debug, Clone, Copy)]
enum Implementation {
    Kernel(Kernel),
    Library,
}

fn implementation(action: Action, method: Method) -> Option<Implementation> {
    match (action, method) {
        (Action::Copy | Action::Fill, Method::Library) => Some(Implementation::Library),
        (_, Method::Widest) => arch::kernel(action, arch::widest()).map(Implementation::Kernel),
        _ => arch::kernel(action, method).map(Implementation::Kernel),
    }
}

/// What doing `block` bytes takes, on this processor or on one that has the method's instructions; `None` for the
/// library, and where there is no such method.
pub fn declared(action: Action, method: Method, block: usize) -> Option<Declared> {
    let kernel = match method {
        Method::Library => return None,
        Method::Widest => arch::kernel(action, arch::widest())?,
        _ => arch::described_kernel(action, method)?,
    };
    let turns = (block / kernel.turn as usize) as u64;
    Some(Declared {
        loads: turns * u64::from(kernel.loads),
        stores: turns * u64::from(kernel.stores),
        instructions: turns * u64::from(kernel.instructions) + u64::from(kernel.pass),
    })
}

/// Memory cut into blocks, through which an action goes round and round.
#[derive(Debug)]
pub struct Blocks {
    mapping: Mapping,
    action: Action,
    implementation: Implementation,
    /// Bytes of a block, of which one part of the memory holds `count`.
    block: usize,
    count: usize,
    /// Where the first part begins in the mapping.
    start: usize,
    next: usize,
    /// Blocks done since the start, and those done at least once.
    done: u64,
    touched: usize,
    /// Of the words of all blocks before each, and of all.
    sums: Vec<u64>,
    word: u64,
    random: u64,
}

/// What STREAM multiplies by.
const SCALAR: f64 = 3.0;

/// Blocks are a multiple of this many bytes, which every loop's turn divides.
pub const GRAIN: usize = 512;

impl Blocks {
    /// `size` bytes on pages of its own, each touched, cut into blocks of `block` bytes; sources and target have
    /// equal parts of it. `None` where there is no such method.
    ///
    /// # Errors
    /// When there is no memory left, or when size and block do not fit each other (EINVAL).
    pub fn new(
        action: Action,
        method: Method,
        (size, block): (usize, usize),
        content: Content,
        seed: u64,
    ) -> Result<Option<Self>> {
        let Some(implementation) = implementation(action, method) else {
            return Ok(None);
        };
        let part = size / action.parts();
        if block == 0 || !block.is_multiple_of(GRAIN) || !part.is_multiple_of(block) || part == 0 {
            let (call, errno) = ("blocks of memory", libc::EINVAL);
            return Err(Error { call, errno });
        }
        let mut mapping = Mapping::large(size)?;
        let start = mapping.large_start(size);
        let word = match (content, action) {
            (Content::Zeros, _) => 0,
            (_, Action::Fill) => u64::from_ne_bytes([(seed as u8) | 1; 8]),
            (_, action) if action.is_float() => SCALAR.to_bits(),
            _ => random::next(seed ^ 0x5bd1) | 1,
        };
        let bytes = mapping.bytes_mut().get_mut(start..start + size).unwrap_or_default();
        let mut sums = vec![0];
        let mut sum = 0_u64;
        for (index, block) in bytes.chunks_mut(block).enumerate() {
            sum = sum.wrapping_add(fill(block, (content, action), random::next(seed ^ index as u64)));
            sums.push(sum);
        }
        Ok(Some(Self {
            mapping,
            action,
            implementation,
            block,
            count: part / block,
            start,
            next: 0,
            done: 0,
            touched: 0,
            sums,
            word: if method == Method::ZeroLine { 0 } else { word },
            random: seed | 1,
        }))
    }

    /// Bytes of memory that the blocks lie in, source and target together.
    pub fn size(&self) -> usize {
        self.block * self.count * self.action.parts()
    }

    /// Does the next `n` blocks, and gives whether the answer is right: the sum of what was read, or two words that
    /// were corrupted before and must have been written since, or two that must have been increased as often as
    /// their blocks were done.
    pub fn run(&mut self, n: u64) -> bool {
        let first = self.next;
        let last = (first as u64 + n.saturating_sub(1)) % self.count as u64;
        let probes = [first, last as usize].map(|block| self.probe(block, n));
        let sum = self.walk(n);
        match self.action {
            Action::Read => sum == self.sum_of(first, n),
            _ => n == 0 || probes.into_iter().all(|(at, expected)| self.word_at(at) == expected),
        }
    }

    /// Where a random word of a target block is, and what must stand there after the next `n` blocks.
    fn probe(&mut self, block: usize, n: u64) -> (usize, u64) {
        if self.action == Action::Update {
            let (at, times) = (self.random_word(block), self.times(block, self.next, n));
            return (at, self.word_at(at).wrapping_add(self.word.wrapping_mul(times)));
        }
        let at = self.corrupt(block);
        (at, self.expected(at))
    }

    /// How often `n` blocks from one on include a block.
    fn times(&self, block: usize, first: usize, n: u64) -> u64 {
        let (count, after) = (self.count as u64, (block + self.count - first) % self.count);
        n / count + u64::from((after as u64) < n % count)
    }

    /// The sum of `n` blocks from one on.
    fn sum_of(&self, first: usize, n: u64) -> u64 {
        let at = |block: usize| self.sums.get(block).copied().unwrap_or(0);
        let end = first as u64 + n;
        let rounds = (end / self.count as u64).wrapping_mul(at(self.count));
        let rest = at((end % self.count as u64) as usize);
        rounds.wrapping_add(rest).wrapping_sub(at(first))
    }

    /// Does `n` blocks without looking at anything.
    fn walk(&mut self, n: u64) -> u64 {
        let (mut left, mut sum) = (n, 0_u64);
        self.done += n;
        while left > 0 {
            let at = self.next * self.block;
            let (passes, step) = if self.count == 1 {
                (left, 0)
            } else {
                (left.min((self.count - self.next) as u64), self.block)
            };
            sum = sum.wrapping_add(self.passes(at, passes, step));
            left -= passes;
            self.touched = self.touched.max((self.next + passes as usize).min(self.count));
            self.next = (self.next + passes as usize) % self.count;
        }
        sum
    }

    /// `passes` passes from an offset within the part on.
    fn passes(&mut self, at: usize, passes: u64, step: usize) -> u64 {
        let part = self.block * self.count;
        let source = self.start + at;
        let target = source + self.sources();
        let base = self.mapping.bytes_mut().as_mut_ptr();
        match self.implementation {
            // SAFETY: `implementation` chose the loop for a processor that has its instructions. Source and target of all
            // passes lie in the mapping: `walk` ends them at the part's end, and a block is a multiple of a turn.
            Implementation::Kernel(kernel) => unsafe {
                let walk = Walk {
                    to: base.add(target),
                    from: base.add(source),
                    turns: (self.block / kernel.turn as usize) as u64,
                    passes,
                    step: step as u64,
                    word: self.word,
                    second: part as u64,
                };
                (kernel.run)(&raw const walk)
            },
            Implementation::Library => {
                for pass in 0..passes as usize {
                    // SAFETY: as above; the parts of a copy do not overlap.
                    unsafe {
                        let to = base.add(target + pass * step).cast();
                        if self.action == Action::Copy {
                            libc::memcpy(to, base.add(source + pass * step).cast(), self.block);
                        } else {
                            libc::memset(to, self.word as u8 as i32, self.block);
                        }
                        // Keeps the compiler from merging this call with the next one.
                        std::hint::black_box(to);
                    }
                }
                0
            }
        }
    }

    /// Bytes of the sources, behind which the target lies.
    fn sources(&self) -> usize {
        self.block * self.count * (self.action.parts() - 1)
    }

    /// Where a random word of a target block is.
    fn random_word(&mut self, block: usize) -> usize {
        self.random = random::next(self.random);
        let word = (self.random as usize % (self.block / 8)) * 8;
        self.start + self.sources() + block * self.block + word
    }

    /// Makes a word of a target block wrong; gives where it is. What is read stays as it is.
    fn corrupt(&mut self, block: usize) -> usize {
        let at = self.random_word(block);
        if self.action != Action::Read {
            let wrong = self.expected(at).wrapping_add(0x0101_0101_0101_0101);
            self.put(at, wrong);
        }
        at
    }

    /// Makes a word of the next block wrong, as if it had not been written.
    pub fn corrupt_next_block(&mut self) {
        self.corrupt(self.next);
    }

    fn word_at(&self, at: usize) -> u64 {
        let bytes = self.mapping.bytes().get(at..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes))
    }

    fn put(&mut self, at: usize, word: u64) {
        if let Some(bytes) = self.mapping.bytes_mut().get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
            *bytes = word.to_ne_bytes();
        }
    }

    /// What must stand at a place of the target; of an update, what stands there.
    fn expected(&self, at: usize) -> u64 {
        let first = at - self.sources();
        let number = |at| f64::from_bits(self.word_at(at));
        let (one, scalar) = (number(first), f64::from_bits(self.word));
        let second = || number(first + self.block * self.count);
        match self.action {
            Action::Copy | Action::Update => self.word_at(first),
            Action::Scale => (scalar * one).to_bits(),
            Action::Add => (one + second()).to_bits(),
            Action::Triad => (one + scalar * second()).to_bits(),
            Action::Read | Action::Write | Action::Fill => self.word,
        }
    }

    /// What the words of the blocks done hold now. A block is looked at as a whole while the caches hold it.
    pub fn check(&self) -> Checked {
        let mut checked = Checked::default();
        let mut sum = 0_u64;
        for index in 0..self.touched {
            let start = self.start + index * self.block;
            let of = |start: usize| {
                let bytes = self.mapping.bytes().get(start..start + self.block);
                bytes.unwrap_or_default()
            };
            let (source, count) = (of(start), |is: bool| u64::from(is));
            checked.words += (source.len() / 8) as u64;
            checked.not_zero += words(source).map(|word| count(word != 0)).sum::<u64>();
            match self.action {
                Action::Read => sum = words(source).fold(sum, u64::wrapping_add),
                Action::Copy => {
                    let both = words(source).zip(words(of(start + self.sources())));
                    checked.right += both.map(|(from, to)| count(from == to)).sum::<u64>();
                }
                Action::Scale | Action::Add | Action::Triad => {
                    let target = start + self.sources();
                    let at = (target..target + self.block).step_by(8);
                    checked.right += at.map(|at| count(self.word_at(at) == self.expected(at))).sum::<u64>();
                }
                Action::Update => {
                    // The sum of the block: any word that was not increased as often as the others changes it.
                    let added = self.word.wrapping_mul(self.times(index, 0, self.done));
                    let expected =
                        self.sum_of(index, 1).wrapping_add(added.wrapping_mul(self.block as u64 / 8));
                    let is_right = words(source).fold(0, u64::wrapping_add) == expected;
                    checked.right += count(is_right) * (self.block / 8) as u64;
                }
                _ => checked.right += words(source).map(|word| count(word == self.word)).sum::<u64>(),
            }
        }
        // What was read must be as it was.
        if self.action == Action::Read && self.sums.get(self.touched) == Some(&sum) {
            checked.right = checked.words;
        }
        checked
    }
}

/// Words of the blocks done: all, those that hold what they must, and those of the source, or of what was written, that
/// are not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checked {
    /// All.
    pub words: u64,
    /// Those that hold what they must.
    pub right: u64,
    /// Those that are not zero.
    pub not_zero: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `size` bytes, or half as much again where there are three parts.
    fn all(size: usize, block: usize) -> impl Iterator<Item = (Action, Method, Blocks)> {
        Action::ALL.into_iter().flat_map(move |action| {
            let size = if action.parts() == 3 { size / 2 * 3 } else { size };
            Method::ALL.into_iter().filter_map(move |(method, _)| {
                let blocks = Blocks::new(action, method, (size, block), Content::Random, 7).unwrap()?;
                Some((action, method, blocks))
            })
        })
    }

    #[test]
    fn every_method_does_all_of_every_block() {
        let mut seen = 0;
        for (size, block) in [(8192, 4096), (65_536, 2048), (4 << 20, 65_536)] {
            for (action, method, mut blocks) in all(size, block) {
                for n in [1, 2, 3, 7, 100] {
                    assert!(blocks.run(n), "{action:?} {method:?} {size} {block} {n}");
                }
                let Checked { words, right, not_zero } = blocks.check();
                assert_eq!(right, words, "{action:?} {method:?}");
                assert!(words > 0 && [size, size / 2 * 3].contains(&blocks.size()));
                let zeros = if method == Method::ZeroLine { words } else { 0 };
                assert_eq!(not_zero, words - zeros, "{action:?} {method:?}");
                seen += 1;
            }
        }
        assert!(seen >= 30, "{seen}");
    }

    #[test]
    fn a_wrong_word_is_found() {
        for (action, method, mut blocks) in all(65_536, 4096) {
            assert!(blocks.run(100));
            let whole = blocks.check();
            let at = blocks.start + blocks.sources() + 8;
            blocks.put(at, !blocks.word_at(at));
            // A sum finds that a word is wrong, and not which.
            let wrong = match action {
                Action::Read => whole.words,
                Action::Update => 4096 / 8,
                _ => 1,
            };
            assert_eq!(blocks.check().right, whole.right - wrong, "{action:?} {method:?}");
        }
    }

    #[test]
    fn half_of_the_bytes_missing_is_detected() {
        for (action, method, mut blocks) in all(65_536, 4096) {
            if let Implementation::Kernel(kernel) = &mut blocks.implementation {
                // Turns of twice the bytes: half as many are done.
                kernel.turn *= 2;
                let right = (0..64).filter(|_| blocks.run(2)).count();
                assert!(right < 48, "{action:?} {method:?}: {right}");
            }
        }
    }

    #[test]
    fn blocks_that_do_not_fit_are_rejected() {
        for (size, block) in [(4096, 0), (4096, 100), (4096, 3 * 512), (512, 1024)] {
            let made = Blocks::new(Action::Read, Method::Loop, (size, block), Content::Random, 1);
            assert!(made.is_err(), "{size} {block}");
        }
        assert!(
            Blocks::new(Action::Read, Method::Library, (4096, 4096), Content::Random, 1).unwrap().is_none()
        );
    }

    #[test]
    fn declared_loads_and_stores_cover_the_bytes() {
        for action in Action::ALL {
            for (method, _) in Method::ALL {
                let Some(declared) = declared(action, method, 4096) else {
                    continue;
                };
                let moved = declared.loads.max(declared.stores);
                assert!(moved * 64 >= 4096 && moved <= 4096, "{action:?} {method:?}");
                assert!(declared.instructions >= moved);
            }
        }
    }

    #[test]
    fn zeros_stay_zeros() {
        let made = Blocks::new(Action::Fill, Method::Library, (8192, 4096), Content::Zeros, 3);
        let mut blocks = made.unwrap().unwrap();
        assert!(blocks.run(5));
        assert_eq!(blocks.check().not_zero, 0);
    }
}
