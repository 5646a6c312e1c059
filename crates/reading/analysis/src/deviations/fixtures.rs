//! Rows with a value and a prediction for tests.

use crate::answers::fixtures::row;
use crate::rows::row::{Predicted, Row, Tier};
use quantity::Quantity;
use record::Range;

/// A row of this value with its interval, predicted as 100 within 90 to 110.
pub(crate) fn measured(operation: &str, point: &str, of: (f64, f64, f64)) -> Row {
    let total = Range { low: 90.0, value: 100.0, high: 110.0 };
    let zero = Range::exactly(0.0);
    let predicted = Predicted {
        tier: Tier::Facts,
        hardware: zero,
        software: total,
        total,
        terms: Vec::new(),
        assumed: Vec::new(),
        uncertain_parts: Vec::new(),
    };
    Row { from_facts: Some(predicted), ..row(operation, point, Quantity::Latency, of) }
}
