//! The texts of numbers, by example.

use quantity::{
    Bytes, Quantity, duration_words, exact_size, show, show_bytes, show_change, show_half_width,
    show_interval, show_percent, show_ratio,
};
use std::time::Duration;

#[test]
fn values_in_the_unit_that_fits() {
    for (value, half_width, quantity, text) in [
        (112.346, Some(0.15), Quantity::Latency, "112.35 ns"),
        (112.345, Some(4.0), Quantity::Latency, "112 ns"),
        (112.345, None, Quantity::Latency, "112 ns"),
        (3_912.0, Some(35.0), Quantity::Latency, "3.91 µs"),
        (36_200.0, Some(4_300.0), Quantity::Latency, "36 µs"),
        (-0.31, Some(0.6), Quantity::Latency, "−0.3 ns"),
        (-0.001, Some(0.6), Quantity::Latency, "0.0 ns"),
        (999.96, Some(0.2), Quantity::Latency, "999.96 ns"),
        (999.96, Some(4.0), Quantity::Latency, "1.000 µs"),
        (999.999, Some(0.05), Quantity::Latency, "1.0000 µs"),
        (999.2, None, Quantity::Latency, "999 ns"),
        (999.9, None, Quantity::Latency, "1.00 µs"),
        (0.0, None, Quantity::Latency, "0.00 ns"),
        (2.5e9, None, Quantity::Latency, "2.50 s"),
        (12.345e9, Some(0.2e9), Quantity::Bandwidth, "12.35 GB/s"),
        (950.0, None, Quantity::Bandwidth, "950 B/s"),
        (65_536.0, None, Quantity::Size, "64 KiB"),
        (8_123_456_789.0, None, Quantity::Size, "7.57 GiB"),
        (2_399_999_000.0, None, Quantity::Frequency, "2.40 GHz"),
        (16_384.0, None, Quantity::Count, "16\u{2009}384"),
        (1e15, None, Quantity::Count, "1\u{2009}000\u{2009}000\u{2009}000\u{2009}000\u{2009}000"),
        (123_456.0, None, Quantity::Count, "123\u{2009}456"),
        (1.998, None, Quantity::Count, "2.00"),
        (3e20, None, Quantity::Count, "3.00e20"),
        (0.012_34, None, Quantity::Ratio, "1.23 %"),
        (0.012_34, Some(0.000_2), Quantity::Ratio, "1.234 %"),
        (2.5, None, Quantity::Ratio, "2.50×"),
        (f64::NAN, None, Quantity::Latency, "undefined"),
    ] {
        assert_eq!(show(value, half_width, quantity), text);
    }
}

#[test]
fn intervals_in_one_unit_where_it_shows_both_ends() {
    for (low, high, quantity, text) in [
        (1_230.0, 1_270.0, Quantity::Latency, "1.230–1.270 µs"),
        (1_200.0, 1_270.0, Quantity::Latency, "1.20–1.27 µs"),
        (990.0, 1_010.0, Quantity::Latency, "0.990–1.010 µs"),
        (-0.9, 0.3, Quantity::Latency, "−0.9 to 0.3 ns"),
        (0.0, 0.4, Quantity::Latency, "0.00–0.40 ns"),
        (1.9, 2.1, Quantity::Count, "1.90–2.10"),
        (0.01, 0.02, Quantity::Ratio, "1.0–2.0 %"),
        (0.31, 0.33, Quantity::Ratio, "31.0–33.0 %"),
        (0.5, 0.5, Quantity::Ratio, "50.0–50.0 %"),
        (-0.4, 0.0, Quantity::Latency, "−0.40 to 0.00 ns"),
        (0.0, 0.0, Quantity::Count, "0.00–0.00"),
        (1.5, 2.5, Quantity::Ratio, "1.5–2.5×"),
        (26_000.0, 1_300_000.0, Quantity::Latency, "26.0 µs–1.30 ms"),
        (0.0, 1_300_000.0, Quantity::Latency, "0.0–1.3 ms"),
        (f64::NAN, 1.0, Quantity::Latency, "undefined"),
    ] {
        assert_eq!(show_interval(low, high, quantity), text);
    }
}

#[test]
fn scripts_see_names_and_units_of_the_contract() {
    for (quantity, name, unit) in [
        (Quantity::Latency, "latency", "ns"),
        (Quantity::Bandwidth, "bandwidth", "bytes_per_s"),
        (Quantity::Size, "size", "bytes"),
        (Quantity::Count, "count", "1"),
        (Quantity::Frequency, "count", "1"),
        (Quantity::Ratio, "ratio", "1"),
    ] {
        assert_eq!((quantity.contract_name(), quantity.contract_unit()), (name, unit));
    }
}

#[test]
fn shares_and_factors() {
    for (fraction, text) in [
        (0.03, "3 %"),
        (0.0312, "3.1 %"),
        (0.12, "12 %"),
        (0.005, "0.5 %"),
        (0.000_1, "0.01 %"),
        (0.000_01, "< 0.01 %"),
        (-0.000_01, "> −0.01 %"),
        (2.33, "233 %"),
        (0.0, "0 %"),
        (-0.05, "−5 %"),
        (f64::INFINITY, "undefined"),
    ] {
        assert_eq!(show_percent(fraction), text);
    }
    for (fraction, text) in [
        (0.029_6, "3 %"),
        (0.03, "3 %"),
        (0.030_4, "3.1 %"),
        (0.030_01, "3.1 %"),
        (0.07 * 3.0, "21 %"),
        (0.099_6, "10 %"),
        (0.123, "13 %"),
        (0.999_6, "100 %"),
        (0.003_04, "0.31 %"),
        (0.000_01, "< 0.01 %"),
        (0.000_099_99, "0.01 %"),
        (0.0, "0 %"),
        (f64::INFINITY, "undefined"),
    ] {
        assert_eq!(show_half_width(fraction), text);
    }
    for (factor, text) in [
        (1.0312, "1.03×"),
        (12.34, "12.3×"),
        (123.4, "123×"),
        (0.5, "0.50×"),
        (0.031, "0.031×"),
        (-0.5, "−0.50×"),
        (f64::NAN, "undefined"),
    ] {
        assert_eq!(show_ratio(factor), text);
    }
    for (factor, text) in [
        (1.031, "+3.1 %"),
        (0.88, "−12 %"),
        (1.0, "0 %"),
        (2.5, "2.50×"),
        (0.3, "0.30×"),
        (1.000_01, "< 0.01 %"),
        (f64::NAN, "undefined"),
    ] {
        assert_eq!(show_change(factor), text);
    }
}

#[test]
fn sizes_and_durations() {
    assert_eq!(show_bytes(Bytes::from_bytes(48 << 10)), "48 KiB");
    assert_eq!(show_bytes(Bytes::from_bytes(1_572_864)), "1.5 MiB");
    assert_eq!(show_bytes(Bytes::from_bytes(u64::MAX)), "16 EiB");
    for (bytes, text) in [(0, "0B"), (1472, "1472B"), (1 << 20, "1MiB"), (1536 << 10, "1536KiB")] {
        assert_eq!(exact_size(Bytes::from_bytes(bytes)), text);
    }
    for (millis, text) in [
        (0, "0 ns"),
        (350, "350 ms"),
        (1_000, "1 s"),
        (8_240, "8.2 s"),
        (9_950, "10 s"),
        (9_960, "10 s"),
        (59_700, "1 min"),
        (80_000, "1 min 20 s"),
        (3_600_000, "1 h"),
        (3_930_000, "1 h 6 min"),
        (180_000_000, "2 d 2 h"),
    ] {
        assert_eq!(duration_words(Duration::from_millis(millis)), text);
    }
}

#[test]
fn cycles_have_prefixes() {
    for (cycles, half, text) in [
        (5.0, None, "5.00 cyc"),
        (280.875, Some(1.625), "280.9 cyc"),
        (9_780.0, Some(152.5), "9.78 kcyc"),
        (-10.0, Some(10.0), "−10 cyc"),
        (f64::INFINITY, None, "undefined"),
    ] {
        assert_eq!(quantity::show_cycles(cycles, half), text);
    }
}
