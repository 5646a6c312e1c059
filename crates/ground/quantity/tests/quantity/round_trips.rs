//! Properties: what is shown can be read back, within what the digits promise.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quantity::{
    Bytes, Quantity, duration_words, exact_size, parse_bytes, parse_duration, parse_percent, show,
    show_bytes, show_half_width, show_interval, show_percent,
};
use std::time::Duration;

/// Numbers over many orders of magnitude.
fn wide(smallest: i32, largest: i32) -> impl Strategy<Value = f64> {
    (1.0..10.0, smallest..largest).prop_map(|(digits, power): (f64, i32)| digits * 10f64.powi(power))
}

/// The value of a shown latency in nanoseconds, minus sign and all.
fn read_latency(text: &str) -> f64 {
    let (sign, rest) = text.strip_prefix('−').map_or((1.0, text), |rest| (-1.0, rest));
    let (number, unit) = rest.split_once(' ').expect("a unit");
    let one = match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        other => panic!("{other} is no unit of time"),
    };
    sign * one * number.replace('\u{2009}', "").parse::<f64>().expect("a number")
}

/// The same cases every time, and no files left behind.
fn seeded() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn a_shown_latency_reads_back_within_its_interval(value in wide(-1, 11), share in wide(-4, 0), negative: bool) {
        let value = if negative { -value } else { value };
        let half_width = value.abs() * share;
        let back = read_latency(&show(value, Some(half_width), Quantity::Latency));
        // Either the half width's first digits are kept, or six digits or four decimals are the limit.
        let limit = (half_width / 6.0).max(value.abs() * 1e-5).max(0.5e-4);
        prop_assert!((back - value).abs() <= limit * 1.0001, "{back} for {value} ± {half_width}");
    }

    #[test]
    fn a_shown_latency_without_interval_keeps_three_digits(value in wide(-1, 11)) {
        let back = read_latency(&show(value, None, Quantity::Latency));
        prop_assert!((back / value - 1.0).abs() <= 0.005, "{back} for {value}");
    }

    #[test]
    fn a_shown_latency_is_at_least_one_of_its_unit(value in wide(1, 11)) {
        let text = show(value, None, Quantity::Latency);
        let number: f64 = text.split_once(' ').expect("a unit").0.replace('\u{2009}', "").parse().expect("a number");
        prop_assert!(number >= 1.0 && (number < 1000.0 || text.ends_with(" s")), "{text}");
    }

    #[test]
    fn a_shown_latency_is_a_duration(value in wide(3, 15)) {
        let back = parse_duration(&show(value, None, Quantity::Latency)).expect("it parses").as_secs_f64() * 1e9;
        prop_assert!((back / value - 1.0).abs() <= 0.0051, "{back} for {value}");
    }

    #[test]
    fn a_shown_size_is_a_size(bytes in 0u64..(1 << 60)) {
        let back = parse_bytes(&show_bytes(Bytes::from_bytes(bytes))).expect("it parses").bytes();
        prop_assert!((back as f64 - bytes as f64).abs() <= bytes as f64 * 0.0051, "{back} for {bytes}");
    }

    #[test]
    fn whole_sizes_survive(number in 1u64..1000, power in 0u32..6) {
        let bytes = number << (10 * power);
        prop_assume!(bytes <= 1 << 60);
        prop_assert_eq!(parse_bytes(&show_bytes(Bytes::from_bytes(bytes))).map(Bytes::bytes), Ok(bytes));
    }

    #[test]
    fn exact_sizes_survive(bytes in 0u64..(1 << 53)) {
        prop_assert_eq!(parse_bytes(&exact_size(Bytes::from_bytes(bytes))).map(Bytes::bytes), Ok(bytes));
    }

    #[test]
    fn duration_words_are_a_duration(millis in 0u64..30_000_000_000) {
        let text = duration_words(Duration::from_millis(millis));
        let back = parse_duration(&text).expect("it parses").as_secs_f64() * 1e3;
        prop_assert!((back - millis as f64).abs() <= millis as f64 * 0.055, "{} for {}", text, millis);
    }

    #[test]
    fn a_shown_share_is_a_share(fraction in wide(-4, 0).prop_filter("a share", |share| *share <= 1.0)) {
        let back = parse_percent(&show_percent(fraction)).expect("it parses");
        prop_assert!((back / fraction - 1.0).abs() <= 0.051, "{back} for {fraction}");
    }

    #[test]
    fn a_half_width_never_reads_narrower_than_it_is(fraction in wide(-3, 0)) {
        let back = parse_percent(&show_half_width(fraction)).expect("it parses");
        prop_assert!(back >= fraction * (1.0 - 1e-6), "{back} for {fraction}");
        prop_assert!(back <= fraction * 1.11, "{back} for {fraction}");
    }

    #[test]
    fn sizes_never_speak_of_powers_of_ten_and_rates_never_of_powers_of_two(value in wide(0, 18)) {
        prop_assert!(!show(value, None, Quantity::Bandwidth).contains('i'));
        let size = show(value, None, Quantity::Size);
        prop_assert!(size.ends_with(" B") || size.ends_with("iB"), "{}", size);
    }

    #[test]
    fn an_interval_has_one_unit_and_its_ends_in_order(low in wide(-1, 10), width in 0.001f64..3.0) {
        let text = show_interval(low, low * (1.0 + width), Quantity::Latency);
        let (first, rest) = text.split_once('–').expect("two ends");
        let (second, unit) = rest.split_once(' ').expect("one unit");
        let number = |text: &str| text.replace('\u{2009}', "").parse::<f64>().expect("a number");
        prop_assert!(number(first) <= number(second), "{}", text);
        prop_assert!(["ns", "µs", "ms", "s"].contains(&unit), "{}", text);
    }

    #[test]
    fn any_text_is_refused_or_read_without_a_panic(text in "\\PC{0,12}") {
        let _ = parse_bytes(&text);
        let _ = parse_percent(&text);
        if let Ok(duration) = parse_duration(&text) {
            prop_assert!(duration <= Duration::from_secs(366 * 24 * 3600));
        }
    }
}
