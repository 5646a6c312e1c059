//! The exact minimum of bounded squared distances plus a penalty for each change, by functional pruning.

/// A part of the least cost as a function of the level of the last segment: a parabola up to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    end: f64,
    square: f64,
    linear: f64,
    constant: f64,
    /// Where the last segment begins.
    since: usize,
}

impl Piece {
    /// Its least value between `start` and its end.
    fn least(&self, start: f64) -> f64 {
        if self.square <= 0.0 {
            return self.constant;
        }
        let level = (-self.linear / (2.0 * self.square)).clamp(start, self.end);
        (self.square * level + self.linear) * level + self.constant
    }
}

/// Where segments begin, the first at 0. Values are in deviations; those that are no number cost nothing.
pub(super) fn starts(values: &[f64], penalty: f64, most: f64) -> Vec<usize> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    // From the middle, so that parabolas lose no digits.
    let middle = crate::order::median(finite()).unwrap_or(0.0);
    let start = low - middle;
    let first = Piece { end: high - middle, square: 0.0, linear: 0.0, constant: 0.0, since: 0 };
    let mut pieces = vec![first];
    let mut least = 0.0;
    let mut since = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        if value.is_finite() {
            pieces = match at {
                0 => pieces,
                _ => bounded(&pieces, start, least + penalty, at),
            };
            pieces = with_loss(&pieces, start, value - middle, most);
        }
        let best = best(&pieces, start);
        least = best.0;
        since.push(best.1);
    }
    traced(&since)
}

/// The way back from the last value.
fn traced(since: &[usize]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut end = since.len();
    while let Some(start) = end.checked_sub(1).and_then(|last| since.get(last)) {
        starts.push(*start);
        end = *start;
    }
    starts.reverse();
    starts
}

/// The least cost, and where its last segment begins.
fn best(pieces: &[Piece], start: f64) -> (f64, usize) {
    let mut from = start;
    let mut best = (f64::INFINITY, 0);
    for piece in pieces {
        let least = piece.least(from);
        if least < best.0 {
            best = (least, piece.since);
        }
        from = piece.end;
    }
    best
}

/// Adds a piece behind the others, as a part of the last one where it is the same constant.
fn push(pieces: &mut Vec<Piece>, piece: Piece, from: f64) {
    if piece.end <= from && !pieces.is_empty() {
        return;
    }
    match pieces.last_mut() {
        Some(last)
            if last.since == piece.since
                && last.square == piece.square
                && last.linear == piece.linear
                && last.constant == piece.constant =>
        {
            last.end = piece.end;
        }
        _ => pieces.push(piece),
    }
}

/// Where a new segment that begins at `at` costs less, it is taken.
fn bounded(pieces: &[Piece], start: f64, limit: f64, at: usize) -> Vec<Piece> {
    let mut bounded = Vec::with_capacity(pieces.len() + 2);
    let mut from = start;
    for piece in pieces {
        let new = |end: f64| Piece { end, square: 0.0, linear: 0.0, constant: limit, since: at };
        if piece.square <= 0.0 {
            push(&mut bounded, if piece.constant <= limit { *piece } else { new(piece.end) }, from);
        } else {
            let centre = -piece.linear / (2.0 * piece.square);
            let above = piece.constant - piece.square * centre * centre;
            let reach = ((limit - above) / piece.square).max(0.0).sqrt();
            let (low, high) =
                ((centre - reach).clamp(from, piece.end), (centre + reach).clamp(from, piece.end));
            if low > from {
                push(&mut bounded, new(low), from);
            }
            if high > low {
                push(&mut bounded, Piece { end: high, ..*piece }, low);
            }
            if piece.end > high.max(low) {
                push(&mut bounded, new(piece.end), high.max(low));
            }
        }
        from = piece.end;
    }
    bounded
}

/// Adds the loss of a value, which is a parabola up to `most` deviations from it.
fn with_loss(pieces: &[Piece], start: f64, value: f64, most: f64) -> Vec<Piece> {
    let mut added = Vec::with_capacity(pieces.len() + 2);
    let mut from = start;
    for piece in pieces {
        for (end, is_near) in [(value - most, false), (value + most, true), (f64::INFINITY, false)] {
            let end = end.min(piece.end);
            if end <= from && !(added.is_empty() && end >= piece.end) {
                continue;
            }
            let with = match is_near {
                true => Piece {
                    end,
                    square: piece.square + 1.0,
                    linear: piece.linear - 2.0 * value,
                    constant: piece.constant + value * value,
                    since: piece.since,
                },
                false => Piece { end, constant: piece.constant + most * most, ..*piece },
            };
            push(&mut added, with, from);
            from = end;
        }
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of these segments, each level from a fine grid.
    fn cost(values: &[f64], starts: &[usize], penalty: f64, most: f64) -> f64 {
        let of_segment = |from: usize, to: usize| {
            let levels = (-400..=400).map(|step| f64::from(step) / 40.0);
            let sums = levels.map(|level| {
                values[from..to].iter().map(|value| (value - level).powi(2).min(most * most)).sum::<f64>()
            });
            sums.fold(f64::INFINITY, f64::min)
        };
        let ends = starts.iter().skip(1).copied().chain([values.len()]);
        let sum: f64 = starts.iter().zip(ends).map(|(from, to)| of_segment(*from, to)).sum();
        sum + penalty * (starts.len() - 1) as f64
    }

    #[test]
    fn no_segmentation_costs_less_than_that_of_pruning() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut changes = 0;
        for _ in 0..40 {
            let values: Vec<f64> = (0..9)
                .map(|at| {
                    let value = f64::from(random.i32(-40..40)) / 40.0 + if at > 4 { 4.0 } else { 0.0 };
                    if random.u8(0..8) == 0 { value * -1.9 } else { value }
                })
                .collect();
            let penalty = 1.0 + random.f64() * 6.0;
            let found = starts(&values, penalty, 2.0);
            let all = (0..1_u32 << (values.len() - 1)).map(|mask| {
                let later = (1..values.len()).filter(|at| mask >> (at - 1) & 1 == 1);
                cost(&values, &std::iter::once(0).chain(later).collect::<Vec<_>>(), penalty, 2.0)
            });
            let (least, found_cost) =
                (all.fold(f64::INFINITY, f64::min), cost(&values, &found, penalty, 2.0));
            assert!(found_cost <= least + 0.01, "{values:?} {penalty}: {found:?} {found_cost} {least}");
            changes += found.len() - 1;
        }
        assert!(changes > 20, "{changes}");
    }

    #[test]
    fn equal_values_and_none_are_one_segment() {
        assert_eq!(starts(&[4.0; 30], 3.0, 3.0), [0]);
        assert_eq!(starts(&[], 3.0, 3.0), [0; 0]);
        assert_eq!(starts(&[f64::NAN; 3], 3.0, 3.0), [0]);
    }

    #[test]
    fn missing_values_keep_their_place() {
        let mut values: Vec<f64> = (0..40).map(|at| if at < 20 { 0.0 } else { 9.0 }).collect();
        values[18] = f64::NAN;
        values[30] = f64::NAN;
        assert_eq!(starts(&values, 10.0, 3.0), [0, 20]);
    }
}
