//! Two CPUs as a number: where the value of a pair stands on the curve of a trial that measures all pairs.

/// Numbers of CPUs are below this.
pub const MAX_CPUS: u32 = 1 << 16;

/// The number of two CPUs, in either order: a whole one below 2³².
pub fn place_of_pair((one, other): (u32, u32)) -> f64 {
    f64::from(one.min(other)) * f64::from(MAX_CPUS) + f64::from(one.max(other))
}

/// The two CPUs of a number, the lower first.
pub fn pair_at(place: u64) -> [u32; 2] {
    let cpus = u64::from(MAX_CPUS);
    [place / cpus, place % cpus].map(|cpu| u32::try_from(cpu).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_their_numbers_are_found_from_each_other() {
        for (pair, expected) in [((1, 0), [0, 1]), ((2, 3), [2, 3]), ((65_535, 65_534), [65_534, 65_535])] {
            assert_eq!(pair_at(place_of_pair(pair) as u64), expected);
        }
        assert_eq!(place_of_pair((3, 2)), 131_075.0);
    }
}
