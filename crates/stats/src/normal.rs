//! Tail of the normal distribution, for approximate p-values.

/// The probability that a standard normal variable is at least this far from 0, on either side.
///
/// Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.17; error below 1.5e-7.
pub(crate) fn two_sided(z: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let polynomial = COEFFICIENTS
        .iter()
        .rev()
        .fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (2.0 * density * polynomial).clamp(0.0, 1.0)
}

/// How far from 0 a standard normal variable is at most, except with this probability on one side.
///
/// Found by halving: the tail falls all the way.
pub(crate) fn beyond(tail: f64) -> f64 {
    /// Nothing that is asked for lies further out, and halving so often leaves less than a 10⁻⁹th of it.
    const FURTHEST: f64 = 8.0;
    const HALVINGS: u32 = 33;
    let halve = |(low, high): (f64, f64), _| {
        let middle = (low + high) / 2.0;
        if two_sided(middle) / 2.0 > tail {
            (middle, high)
        } else {
            (low, middle)
        }
    };
    (0..HALVINGS).fold((0.0, FURTHEST), halve).0
}

#[cfg(test)]
mod tests {
    use super::{beyond, two_sided};

    #[test]
    fn the_tail_and_its_inverse_agree() {
        for (tail, z) in [(0.025, 1.96), (0.005, 2.575_83), (0.5, 0.0)] {
            assert!((beyond(tail) - z).abs() < 1e-4, "{tail}");
        }
    }

    #[test]
    fn agrees_with_the_table() {
        for (z, p) in [
            (0.0, 1.0),
            (1.0, 0.317_311),
            (1.96, 0.049_996),
            (-2.575_83, 0.01),
            (5.0, 5.7e-7),
        ] {
            assert!((two_sided(z) - p).abs() < 1e-6, "{z}");
        }
    }
}
