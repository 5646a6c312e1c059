//! What a run came to, at the end of its record: whoever reads many records needs neither their trials nor the analysis.

use crate::PointId;
use blake2::{Blake2s256, Digest};
use quantity::Quantity;
use serde::{Deserialize, Serialize};

/// The estimates of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// The byte of the record at which this line begins: in a record that was changed it stands elsewhere.
    pub at: u64,
    /// BLAKE2s of the start of the run and of the rows, in hexadecimal digits.
    pub sum: String,
    /// Share of the time in which the busiest probed core was quiet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_share: Option<f64>,
    /// The points.
    pub rows: Vec<SummaryRow>,
}

/// What a point came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryRow {
    /// The point.
    pub id: PointId,
    /// The kind of its values.
    pub quantity: Quantity,
    /// Revision of the operation.
    pub revision: u32,
    /// `measured`, `noisy`, `contradicted`, `skipped` or `failed`.
    pub verdict: String,
    /// Typical value, in the base unit of the quantity; `None` where there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<f64>,
    /// Ends of its interval, at 95 %; `None` with too few trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Trials that count.
    pub trials: u32,
    /// The clock of the core that was measured with it, in hertz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_hz: Option<f64>,
}

impl Summary {
    /// The summary of the run that began then, to be written at this byte of its record.
    pub fn new(started: &str, at: u64, quiet_share: Option<f64>, rows: Vec<SummaryRow>) -> Self {
        Self { at, sum: sum(started, &rows), quiet_share, rows }
    }

    /// Whether it is of the run that began then, and whole.
    pub fn is_of(&self, started: &str) -> bool {
        self.sum == sum(started, &self.rows)
    }
}

/// The digits of a boot's digest.
const BOOT_DIGITS: usize = 10;

/// A digest of the identity of a boot: it distinguishes boots, and does not give the identity away.
pub fn boot_digest(identity: &str) -> String {
    let mut digits = hexadecimal(Blake2s256::digest(identity.trim().as_bytes()).as_slice());
    digits.truncate(BOOT_DIGITS);
    digits
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sum(started: &str, rows: &[SummaryRow]) -> String {
    let mut sum = Blake2s256::new();
    sum.update(started.as_bytes());
    for row in rows {
        sum.update([0]);
        sum.update(row.id.to_string().as_bytes());
        sum.update(row.verdict.as_bytes());
        sum.update(row.revision.to_le_bytes());
        let (low, high) = row.interval.unwrap_or((f64::NAN, f64::NAN));
        let numbers = [row.typical.unwrap_or(f64::NAN), low, high];
        // Records without a clock keep the sum that they have.
        let numbers = numbers.into_iter().chain(row.core_hz);
        numbers.for_each(|number| sum.update(number.to_le_bytes()));
    }
    hexadecimal(sum.finalize().as_slice())
}
