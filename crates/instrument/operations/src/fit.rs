//! The lines through the points of sweeps.

use record::Fit;

/// The line of a parameter: what one more of it costs, and what is left without it, in words.
pub fn line(parameter: &str, slope: &str, intercept: &str) -> Fit {
    Fit {
        parameter: parameter.to_owned(),
        unit: 1,
        per_unit: false,
        slope: slope.to_owned(),
        intercept: intercept.to_owned(),
    }
}
