//! Bandwidth of loops that are not optimised: words of 1 to 16 bytes, plain or unrolled, with the sum in memory.

use crate::method::FlawedMethod;
use measure::{Bench, Failure, Operation, Parameters, Rehearse, Result, parameters, takes};
use operations::bases::MEMORY;
use quantity::{Bytes, Quantity};
use record::{Need, Plot};
use std::hint::black_box;
use sys::memory::Mapping;
use workloads::memory::bandwidth::BLOCK;

const UNOPTIMISED: Operation = Operation {
    quantity: Quantity::Bandwidth,
    confounds: "This is the result of the method, not of memory: see the correct operation. The values of R0, 4.3.3, are \
                the best of 20 passes; that of R4, 5.2, of reads, is the ceiling of a plot.",
    rehearse: Rehearse::Nothing,
    parameters: takes::<Words>,
    payload_bytes: |point| Words::read(point).ok().map(|words| words.block() as u64),
    plot: Some(|| Plot::logarithmic("bytes", "size of the array", Quantity::Size)),
    needs: |point| {
        vec![Need::Memory { bytes: 2 * Words::read(point).map_or(0, |words| words.bytes.bytes()) }]
    },
    spend_ns: 8_000_000,
    ..MEMORY
};

/// Reads.
pub static READ: FlawedMethod = FlawedMethod {
    wrong: "Each addition waits for the sum in memory, and each turn for its counter there: the result is the speed of the loop (E04, \
            E12); few bytes give the cost of a call (E16).",
    right: ("memory.bandwidth.read", "method=widest bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.read.unoptimised",
        title: "read bandwidth of an unoptimised loop, by word and unrolling",
        one_iteration: "one block of 256 KiB, or the array if it is smaller, read and added word by word",
        method: "A loop adds the words of an array, one or eight in a turn, with sum and counter in memory as in unoptimised code.",
        sources: &[
            ("R0, 4.3.1", "words of 16 bytes, one or eight in a turn, no optimisation, 1 GB; the best of 20"),
            ("R0, 4.3.4", "a byte in each iteration: below 1 GB/s"),
            (
                "R4, 5.2",
                "additions unrolled by macros, from 1 byte to more than two pages, without optimisation; type and number of additions are not said",
            ),
        ],
        points: &[
            "profile!=thorough: word=16B unrolled=1|8 bytes=128MiB; word=1B unrolled=1 bytes=128MiB; word=1B unrolled=8 bytes=1B|64B|8KiB",
            "profile=thorough: word=16B unrolled=1|8 bytes=128MiB|1GiB; word=1B unrolled=1 bytes=128MiB; \
             word=1B|4B unrolled=8 bytes=4B|16B|64B|256B|1KiB|2KiB|4KiB|8KiB|16KiB; word=1B unrolled=8 bytes=1B|2B",
        ],
        predict: &[
            "software additions through a sum in memory = {word} bytes × 1e9 ns/s / ((family.store_forward_cycles + 1 cycle (×1.7: a \
             store forwarded to the next load, and the addition)) × cycle_ns)",
        ],
        evidence: &["answers = 1: the sum of the words was right", "linear", "undisturbed"],
        run: read_words,
        ..UNOPTIMISED
    },
};

/// Writes.
pub static WRITE: FlawedMethod = FlawedMethod {
    wrong: "Each turn waits for its counter in memory: the result is the speed of the loop, unless memory is slower (E04, E12).",
    right: ("memory.bandwidth.write", "method=widest bytes=128MiB cpus=1"),
    card: Operation {
        id: "memory.bandwidth.write.unoptimised",
        title: "write bandwidth of an unoptimised loop, by word and unrolling",
        one_iteration: "one block of 256 KiB written word by word",
        method: "A loop sets the words of an array, one or eight in a turn, with the counter in memory as in unoptimised code.",
        sources: &[(
            "R0, 4.3.1",
            "words of 16 bytes, one or eight in a turn, no optimisation, 1 GB; the best of 20",
        )],
        points: &[
            "profile!=thorough: word=16B unrolled=1|8 bytes=128MiB",
            "profile=thorough: word=16B unrolled=1|8 bytes=128MiB|1GiB",
        ],
        predict: &[
            "let turn = {word * unrolled} bytes × 1e9 ns/s / ((family.store_forward_cycles + 1 cycle (×1.7: the counter's store forwarded \
             to the next load, and its addition)) × cycle_ns)",
            "software t0 turns through a counter in memory = turn",
            "software t1 turns through a counter in memory, or memory = min(turn, [memory.bandwidth.write method=widest bytes=128MiB \
             cpus=1])",
        ],
        evidence: &["answers = 1: every word of a batch's last block was written", "linear", "undisturbed"],
        run: write_words,
        ..UNOPTIMISED
    },
};

parameters! {
    /// Words that a loop reads or writes.
    struct Words {
        /// Of one word.
        word: Bytes,
        /// Words in a turn.
        unrolled: u64,
        /// Of the array.
        bytes: Bytes,
    }
}

impl Words {
    fn block(&self) -> usize {
        (self.bytes.bytes() as usize).min(BLOCK)
    }

    /// The loops of this word.
    fn loops(&self) -> Result<Loops> {
        Ok(match self.word.bytes() {
            1 => Loops { sum: sum_1, set: set_1 },
            4 => Loops { sum: sum_4, set: set_4 },
            16 => Loops { sum: sum_16, set: set_16 },
            other => return Err(Failure::failed(format!("there is no loop over words of {other} bytes"))),
        })
    }
}

/// What is done with the words of a block, one or eight in a turn.
#[derive(Clone, Copy)]
struct Loops {
    /// Adds them.
    sum: fn(&[u8], usize) -> u128,
    /// Sets each to the sum of the byte in all its places.
    set: fn(&mut [u8], usize, u8),
}

macro_rules! loops {
    ($($sum:ident $set:ident $word:ty),+) => {$(
        fn $sum(block: &[u8], unrolled: usize) -> u128 {
            const SIZE: usize = size_of::<$word>();
            let (mut sum, mut at): ($word, usize) = (0, 0);
            let mut add = |at: usize| {
                let word = block.get(at..).and_then(|rest| rest.first_chunk());
                sum = sum.wrapping_add(word.map_or(0, |word| <$word>::from_ne_bytes(*word)));
                black_box(&mut sum);
            };
            let turn = unrolled * SIZE;
            while at + turn <= block.len() {
                if unrolled == 8 {
                    add(at);
                    add(at + SIZE);
                    add(at + 2 * SIZE);
                    add(at + 3 * SIZE);
                    add(at + 4 * SIZE);
                    add(at + 5 * SIZE);
                    add(at + 6 * SIZE);
                    add(at + 7 * SIZE);
                } else {
                    add(at);
                }
                at += turn;
                black_box(&mut at);
            }
            while at + SIZE <= block.len() {
                add(at);
                at += SIZE;
                black_box(&mut at);
            }
            u128::from(sum)
        }

        fn $set(block: &mut [u8], unrolled: usize, byte: u8) {
            const SIZE: usize = size_of::<$word>();
            let word = [byte; SIZE];
            let mut at = 0;
            let set = |block: &mut [u8], at: usize| {
                if let Some(place) = block.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
                    *place = black_box(word);
                }
            };
            let turn = unrolled * SIZE;
            while at + turn <= block.len() {
                if unrolled == 8 {
                    set(block, at);
                    set(block, at + SIZE);
                    set(block, at + 2 * SIZE);
                    set(block, at + 3 * SIZE);
                    set(block, at + 4 * SIZE);
                    set(block, at + 5 * SIZE);
                    set(block, at + 6 * SIZE);
                    set(block, at + 7 * SIZE);
                } else {
                    set(block, at);
                }
                at += turn;
                black_box(&mut at);
            }
        }
    )+};
}

loops!(sum_1 set_1 u8, sum_4 set_4 u32, sum_16 set_16 u128);

/// Adds the words of an array, block by block.
fn read_words(bench: &mut Bench<'_>) -> Result<()> {
    let words: Words = bench.parameters()?;
    let (sum, unrolled, block) = (words.loops()?.sum, words.unrolled as usize, words.block());
    let mut mapping = Mapping::private(words.bytes.bytes() as usize)?;
    mapping.touch(bench.seed());
    let bytes = &*mapping.bytes_mut();
    let bytes = bytes.get(..words.bytes.bytes() as usize).unwrap_or_default();
    let expected: Vec<u128> = bytes.chunks_exact(block).map(|block| sum(block, 1)).collect();
    let mut next = 0;
    bench.slope(&mut |n| {
        let mut answers = 0;
        for _ in 0..n {
            let block = bytes.get(next * block..(next + 1) * block).unwrap_or_default();
            answers += u64::from(expected.get(next) == Some(&black_box(sum(block, unrolled))));
            next = (next + 1) % expected.len();
        }
        Ok(answers)
    })
}

/// Sets the words of an array, block by block.
fn write_words(bench: &mut Bench<'_>) -> Result<()> {
    let words: Words = bench.parameters()?;
    let (set, unrolled, block) = (words.loops()?.set, words.unrolled as usize, words.block());
    let mut mapping = Mapping::private(words.bytes.bytes() as usize)?;
    mapping.touch(bench.seed());
    let (mut next, mut byte) = (0, 0_u8);
    let blocks = mapping.bytes_mut().len() / block;
    bench.slope(&mut |n| {
        let bytes = mapping.bytes_mut();
        byte = byte % 255 + 1;
        let mut last = 0;
        for _ in 0..n {
            set(bytes.get_mut(next * block..(next + 1) * block).unwrap_or_default(), unrolled, byte);
            (last, next) = (next, (next + 1) % blocks);
        }
        let written = bytes.get(last * block..(last + 1) * block).unwrap_or_default();
        Ok(if written.iter().all(|one| *one == byte) { n } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_loop_reads_and_writes_every_word() {
        for word in [1, 4, 16] {
            let words = Words { word: Bytes::from_bytes(word), unrolled: 8, bytes: Bytes::from_bytes(4096) };
            let Loops { sum, set } = words.loops().unwrap();
            for length in [word as usize, 7 * word as usize, 4096] {
                let mut block = vec![0; length];
                set(&mut block, 1, 3);
                assert!(block.iter().all(|byte| *byte == 3), "{word} {length}");
                assert_eq!(sum(&block, 1), sum(&block, 8), "{word} {length}");
                block[length - 1] = 4;
                assert_ne!(sum(&block, 8), sum(&vec![3; length], 8), "{word} {length}");
            }
            let mut block = vec![0; 4096];
            set(&mut block, 8, 5);
            assert!(block.iter().all(|byte| *byte == 5), "{word}");
        }
    }
}
