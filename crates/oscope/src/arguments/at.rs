//! A moment as it is typed: a time of day, or all of it.

use jiff::Timestamp;

/// Seconds in a day.
const DAY_S: i64 = 86_400;

/// When something happened: a moment, or a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Moment(Timestamp),
    /// Seconds since midnight, UTC.
    TimeOfDay(i64),
}

/// Reads `03:12`, `03:12:30`, or a moment as RFC 3339 has it.
pub(super) fn parse_at(text: &str) -> Result<At, String> {
    if let Ok(moment) = text.parse() {
        return Ok(At::Moment(moment));
    }
    let parts: Option<Vec<i64>> = text.split(':').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some([hours @ 0..=23, minutes @ 0..=59]) => Ok(At::TimeOfDay(hours * 3600 + minutes * 60)),
        Some([hours @ 0..=23, minutes @ 0..=59, seconds @ 0..=59]) => {
            Ok(At::TimeOfDay(hours * 3600 + minutes * 60 + seconds))
        }
        _ => {
            Err("write a time of day such as 03:12 (UTC), or a moment such as 2026-11-27T03:12:00Z"
                .to_owned())
        }
    }
}

impl At {
    /// The moment: of a time of day the last one before `newest`.
    pub fn moment(self, newest: Timestamp) -> Timestamp {
        match self {
            Self::Moment(moment) => moment,
            Self::TimeOfDay(seconds) => {
                let since = (newest.as_second() - seconds).rem_euclid(DAY_S);
                Timestamp::from_second(newest.as_second() - since).unwrap_or(newest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_day_is_the_last_one_before_the_newest_reading() {
        let newest: Timestamp = "2026-11-27T02:00:00Z".parse().unwrap();
        for (text, moment) in [
            ("01:30", "2026-11-27T01:30:00Z"),
            ("03:12:05", "2026-11-26T03:12:05Z"),
            ("2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z"),
        ] {
            assert_eq!(parse_at(text).unwrap().moment(newest), moment.parse().unwrap(), "{text}");
        }
        for wrong in ["", "3", "24:00", "03:60", "noon", "-1:00"] {
            assert!(parse_at(wrong).is_err(), "{wrong}");
        }
    }
}
