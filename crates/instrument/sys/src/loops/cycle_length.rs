//! Links that are followed, and how many lines a cycle of them goes through.

use crate::arch;
use crate::memory::{Mapping, long_vec};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where lines lie: offset of the first, bytes from one to the next, number of lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineLayout {
    pub(crate) start: usize,
    pub(crate) spacing: usize,
    pub(crate) lines: usize,
}

/// Follows `turns` × [`arch::CHASE_LOADS`] links of a cycle from the one at an offset; gives the offset of the last.
///
/// # Safety
/// There must be a link at the offset, and every link of its cycle must be the address of another link in the mapping.
#[inline(always)]
pub(crate) unsafe fn follow(mapping: &Mapping, at: usize, turns: u64) -> usize {
    let base = mapping.start();
    // SAFETY: the caller vouches for the links.
    let end = unsafe { arch::chase(base.add(at), turns) };
    end as usize - base as usize
}

/// Follows links from the one at an offset until it comes back there; gives how many that are, 0 when it does not come back
/// within `most`. Links are followed in memory.
pub(crate) fn round_by_walk(words: &[AtomicU64], from: usize, most: u64) -> u64 {
    let base = words.as_ptr() as usize;
    let mut at = from;
    for visited in 1..=most {
        let link = words.get(at / size_of::<usize>());
        at = link.map_or(0, |word| (word.load(Relaxed) as usize).wrapping_sub(base));
        if at == from {
            return visited;
        }
    }
    0
}

/// Follows the links of lines from the one at an offset until it comes back there; gives how many lines that are, 0
/// when it does not come back. Links are read from memory one after another, and followed as numbers.
pub(crate) fn round_by_number(words: &[AtomicU64], from: usize, layout: LineLayout) -> u64 {
    let base = words.as_ptr() as usize;
    let LineLayout { start, spacing, lines } = layout;
    let shift = spacing.is_power_of_two().then(|| spacing.trailing_zeros());
    let number = |offset: usize| {
        let within = offset.wrapping_sub(start);
        let line = shift.map_or_else(|| within / spacing, |shift| within >> shift);
        let is_line = line < lines && line * spacing == within;
        u32::try_from(line).ok().filter(|_| is_line).unwrap_or(NO_LINE)
    };
    let mut next = long_vec(lines);
    next.extend((0..lines).map(|line| {
        words
            .get((start + line * spacing) / size_of::<usize>())
            .map_or(NO_LINE, |word| number((word.load(Relaxed) as usize).wrapping_sub(base)))
    }));
    match number(from) {
        NO_LINE => 0,
        first => cycle_length(&next, first),
    }
}

/// What is the number of no line.
const NO_LINE: u32 = u32::MAX;

/// Parts of a cycle that are followed at the same time: a processor has a dozen or more loads in flight, and the parts
/// differ in length.
const PARTS: usize = 64;

/// Lines from `first` until it comes back, 0 when it does not.
///
/// The cycle is cut at every line whose number ends in the same bits as `first`. The parts are followed side by side,
/// and those that follow each other from `first` on are added up.
fn cycle_length(next: &[u32], first: u32) -> u64 {
    let apart = (next.len() / PARTS).max(1).next_power_of_two() as u32;
    let begin = first & (apart - 1);
    let mut parts: Vec<Part> =
        (begin..next.len() as u32).step_by(apart as usize).map(|line| Part { at: line, length: 0 }).collect();
    let (mut open, mut steps): (Vec<usize>, usize) = ((0..parts.len()).collect(), 0);
    while !open.is_empty() {
        steps += open.len();
        // Links that are no permutation lead through lines again and again.
        if steps > next.len() {
            return length_one_by_one(next, first);
        }
        open.retain(|&index| {
            parts.get_mut(index).is_some_and(|part| {
                part.at = next.get(part.at as usize).copied().unwrap_or(NO_LINE);
                part.length += 1;
                part.at != NO_LINE && part.at & (apart - 1) != begin
            })
        });
    }
    let (mut at, mut length) = (first, 0);
    for _ in 0..parts.len() {
        let Some(part) = parts.get((at / apart) as usize).filter(|_| at != NO_LINE) else {
            return 0;
        };
        (at, length) = (part.at, length + part.length);
        if at == first {
            return length;
        }
    }
    0
}

/// A part of a cycle: where its walk is, and how many links that took.
struct Part {
    at: u32,
    length: u64,
}

/// The same by one walk.
fn length_one_by_one(next: &[u32], first: u32) -> u64 {
    let mut at = first;
    for visited in 1..=next.len() as u64 {
        at = next.get(at as usize).copied().unwrap_or(NO_LINE);
        if at == first {
            return visited;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chase::{sattolo, shuffled};

    fn below(limit: u32, random: &mut u64) -> u32 {
        crate::random::below(random, limit.into()) as u32
    }

    #[test]
    fn cycle_length_is_that_of_a_walk_for_any_links() {
        let mut random = 11;
        for lines in [1_u32, 2, 63, 64, 65, 1000, 4097] {
            for kind in 0..40 {
                let mut next = match kind % 4 {
                    // One cycle, several cycles, links of any kind, cycles with one link that is wrong.
                    0 => sattolo(lines as usize, random),
                    1 | 3 => shuffled(0..lines, random),
                    _ => (0..lines).map(|_| below(lines, &mut random)).collect(),
                };
                if kind % 4 == 3 {
                    let to = if kind % 8 == 3 { NO_LINE } else { below(lines, &mut random) };
                    *next.get_mut(below(lines, &mut random) as usize).unwrap() = to;
                }
                let first = below(lines, &mut random);
                assert_eq!(cycle_length(&next, first), length_one_by_one(&next, first));
            }
        }
    }
}
