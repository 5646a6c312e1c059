//! A whole number in JSON, of which no reader loses a digit: many take numbers for floating point, which has 53 bits.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest number to which all whole numbers are floating-point numbers.
const LARGEST_EXACT: u64 = 1 << 53;

/// A whole number as it is written: as text where it is larger than that. Both are read.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub(crate) enum Written {
    /// Up to 2^53, and in older records.
    Number(u64),
    /// Its decimal digits.
    Text(String),
}

pub(crate) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
    let written = match *number {
        small if small <= LARGEST_EXACT => Written::Number(small),
        large => Written::Text(large.to_string()),
    };
    written.serialize(to)
}

pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<u64, D::Error> {
    match Written::deserialize(from)? {
        Written::Number(number) => Ok(number),
        Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::Settings;
    use serde_json::{Value, json};

    #[test]
    fn numbers_that_floating_point_would_change_are_text_and_both_forms_are_read() {
        const LARGEST: u64 = 1 << 53;
        for (seed, written) in [
            (7, json!(7)),
            (LARGEST, json!(LARGEST)),
            (LARGEST + 1, json!("9007199254740993")),
            (u64::MAX, json!("18446744073709551615")),
        ] {
            let mut settings = serde_json::to_value(Settings { seed, ..Settings::default() }).unwrap();
            assert_eq!(settings["seed"], written);
            let read = |settings: &Value| serde_json::from_value::<Settings>(settings.clone()).unwrap().seed;
            assert_eq!(read(&settings), seed);
            // Records of older versions have a number, however large.
            settings["seed"] = json!(seed);
            assert_eq!(read(&settings), seed);
        }
        let mut wrong = serde_json::to_value(Settings::default()).unwrap();
        wrong["seed"] = json!("seven");
        assert!(serde_json::from_value::<Settings>(wrong).is_err());
    }
}
