//! Monotonic regression: the closest series that never falls.

/// A stretch of equal fitted values.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Block {
    total: f64,
    weight: f64,
    length: usize,
}

impl Block {
    fn level(&self) -> f64 {
        self.total / self.weight
    }

    fn join(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            weight: self.weight + other.weight,
            length: self.length + other.length,
        }
    }
}

/// The non-decreasing series with the least sum of squared distances from `values`, each of weight 1.
///
/// Pool adjacent violators: Ayer and others, "An empirical distribution function for sampling with
/// incomplete information", 1955.
pub fn non_decreasing(values: &[f64]) -> Vec<f64> {
    weighted(values.iter().map(|&value| (value, 1.0)))
}

/// As [`non_decreasing`], for pairs of a value and its weight; weights must be positive.
pub fn weighted(values: impl IntoIterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut blocks: Vec<Block> = Vec::new();
    for (value, weight) in values {
        let mut block = Block { total: value * weight, weight, length: 1 };
        while let Some(before) = blocks.pop_if(|before| before.level() > block.level()) {
            block = before.join(block);
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|block| std::iter::repeat_n(block.level(), block.length)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violators_are_pooled() {
        assert_eq!(non_decreasing(&[1.0, 3.0, 2.0, 2.5, 5.0]), [1.0, 2.5, 2.5, 2.5, 5.0]);
        assert_eq!(non_decreasing(&[3.0, 2.0, 1.0]), [2.0; 3]);
        assert_eq!(non_decreasing(&[]), [0.0; 0]);
    }

    #[test]
    fn heavier_values_pull_harder() {
        assert_eq!(weighted([(4.0, 3.0), (0.0, 1.0)]), [3.0, 3.0]);
    }
}
