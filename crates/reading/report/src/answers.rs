//! Answers to questions, in sentences.

use crate::cells::{self, TWO_DIGITS};
use crate::thresholds::BUS_HALF_WIDTH;
use crate::wording::{count, joined, some_joined};
use analysis::{Answer, Answered, Finding, HugePageBacking, Measured, Numbers, Ranking, Untested, Verdict};
use quantity::{Bytes, Quantity, show, show_bytes, show_change, show_interval, show_percent, show_ratio};
use record::Range;

/// Bytes for which a cost per byte is given: that of one is too small to read.
const PIECE: f64 = 1_048_576.0;

/// The answer, or why there is none.
pub(crate) fn sentence(answer: &Answer) -> String {
    match &answer.finding {
        Finding::Decided(answered) => numbers(answered, true),
        Finding::Undecided(answered) => numbers(answered, false),
        Finding::Untested(why) => format!("untested: {}", untested(why)),
    }
}

/// What to run so that a question can be answered; `None` where everything was planned.
pub(crate) fn remedy(answer: &Answer) -> Option<String> {
    let points = answer.to_run.iter().map(|id| match id.point.is_empty() {
        true => id.to_string(),
        false => format!("'{id}'"),
    });
    some_joined(points, " ").map(|points| format!("oscope run {points}"))
}

fn numbers(answered: &Answered, is_decided: bool) -> String {
    let range = answered.range;
    match &answered.numbers {
        Numbers::Ratio { of, to } => ratio(of, to, range, is_decided),
        Numbers::Slope { name, quantity, through, planned } => {
            let line = format!("a line through {through} of {planned} points");
            slope(name, *quantity, range, is_decided, &line)
        }
        Numbers::CostSplit { request, per_byte, bytes, share } => {
            split(request, range, *per_byte, (*bytes, *share), is_decided)
        }
        Numbers::Fastest(rankings) => joined(rankings.iter().map(ranking), "; "),
        Numbers::ReportedSize { .. } => size(&answered.numbers, range, is_decided),
        Numbers::CacheCapacity { held, allowed, is_machine } => {
            let (name, size, allowed) = (&held.name, typical(held), show(*allowed, None, Quantity::Size));
            let of = if *is_machine { "that the machine has" } else { "that its group may use" };
            let [low, share, high] = [range.low, range.value, range.high].map(show_percent);
            format!("{name} holds {size} of {allowed} {of}: {share} ({low} … {high})")
        }
        Numbers::HugePageBacking { huge, base, backing } => {
            let ([huge, base], backing) = ([huge, base].map(typical), self::backing(backing));
            format!("the first TLB reaches {huge} huge pages and {base} base pages: {backing}")
        }
    }
}

/// The typical value, in the digits of its interval; or that of each state.
fn typical(measured: &Measured) -> String {
    if !measured.states.is_empty() {
        let states = measured.states.iter();
        return cells::alternatives(states.map(|state| show(*state, None, measured.quantity)));
    }
    show(measured.typical, cells::half(measured.interval), measured.quantity)
}

fn between(range: Range) -> String {
    format!("{} … {}", show_ratio(range.low), show_ratio(range.high))
}

fn ratio(of: &Measured, to: &Measured, range: Range, is_decided: bool) -> String {
    let (of_name, to_name) = (&of.name, &to.name);
    let values = format!("{} against {}", typical(of), typical(to));
    let of_what = if of.is_noisy || to.is_noisy { " over all trials" } else { "" };
    let between = format!("{}{of_what}", between(range));
    if !is_decided {
        return format!("{of_name} and {to_name} do not differ measurably: {values}, ratio {between}");
    }
    let (verb, than) = match of.quantity {
        Quantity::Bandwidth => ("has", "the bandwidth of"),
        _ => ("takes", "as long as"),
    };
    let noisy = match (of.is_noisy, to.is_noisy) {
        (true, true) => ", both noisy",
        (false, false) => "",
        _ => ", one of them noisy",
    };
    let ratio = show_ratio(range.value);
    format!("{of_name} {verb} {ratio} {than} {to_name} ({between}): {values}{noisy}")
}

fn slope(name: &str, quantity: Quantity, range: Range, is_decided: bool, line: &str) -> String {
    if !is_decided {
        let most = show(range.high, Some(range.high * TWO_DIGITS), quantity);
        return format!("{name} costs nothing measurable: at most {most} ({line})");
    }
    let [low, value, high] = digits(range, quantity);
    format!("{name} costs {value} ({low} … {high}; {line})")
}

/// The lower end, the value and the upper end, in the digits of the interval.
fn digits(range: Range, quantity: Quantity) -> [String; 3] {
    let half = Some((range.high - range.low) / 2.0);
    [range.low, range.value, range.high].map(|value| show(value, half, quantity))
}

fn split(name: &str, request: Range, per_byte: Range, at: (f64, f64), is_decided: bool) -> String {
    let per_piece =
        Range { low: per_byte.low * PIECE, value: per_byte.value * PIECE, high: per_byte.high * PIECE };
    let [_, per_piece, _] = digits(per_piece, Quantity::Latency);
    let [piece, bytes] = [PIECE, at.0].map(|bytes| show_bytes(Bytes::from_bytes(bytes as u64)));
    if !is_decided {
        return format!("{name} costs nothing measurable by itself, and {per_piece} per {piece}");
    }
    let [_, request, _] = digits(request, Quantity::Latency);
    let share = show_percent(at.1);
    format!(
        "{name} costs {request}, and {per_piece} more per {piece}: at {bytes} the request is {share} of the cost"
    )
}

/// The fastest method of a group.
fn ranking(ranking: &Ranking) -> String {
    let Ranking { group, fastest, .. } = ranking;
    let name = &fastest.name;
    let noisy = if fastest.is_noisy { ", noisy" } else { "" };
    let bus = ranking.bus.map_or_else(String::new, |(rate, why)| {
        let rate = show(rate, Some(rate * BUS_HALF_WIDTH), Quantity::Bandwidth);
        format!(" (at most {rate} on the bus: {why})")
    });
    let rate = format!("{}{noisy}{bus}", typical(fastest));
    let slowest = ranking.slowest.as_ref();
    let slowest =
        slowest.map_or_else(String::new, |(name, factor)| format!(", {} {name}", show_ratio(*factor)));
    match &ranking.second {
        None => format!("{group} the method {name} reaches {rate}"),
        Some((second, Some(factor))) => {
            format!("{group} {name} is the fastest: {rate}, {} {second}{slowest}", show_ratio(*factor))
        }
        Some((second, None)) => {
            format!("{group} {name} and {second} do not differ measurably: {rate}{slowest}")
        }
    }
}

/// A measured and a reported size, and what a difference means.
fn size(numbers: &Numbers, ratio: Range, is_decided: bool) -> String {
    let Numbers::ReportedSize { measured, noisy, reported, hypervisor, shared_by } = numbers else {
        return String::new();
    };
    let rounds = noisy.map_or_else(String::new, |(low, high)| {
        format!(" (noisy, all trials {})", show_interval(low, high, Quantity::Size))
    });
    let (name, found) = (&measured.name, typical(measured));
    let change = match measured.states.is_empty() {
        true => show_change(ratio.value),
        false => joined(measured.states.iter().map(|state| show_change(state / reported)), " | "),
    };
    let reported = show(*reported, None, Quantity::Size);
    let both = format!("{name} measured {found}{rounds}, reported {reported} ({change})");
    let meaning = match (is_decided, ratio.value > 1.0, hypervisor, shared_by) {
        (false, ..) => "equal within the uncertainty of the method".to_owned(),
        (_, true, Some(name), _) => format!(
            "the size that {name} reports to its guests need not be the host's, or the next cache level was measured \
             with this one"
        ),
        (_, true, None, _) => {
            "unexplained; the next cache level may have been measured with this one".to_owned()
        }
        (_, false, Some(name), _) => format!(
            "programs of this machine or others on the host use the cache as well, or {name} was assigned a part of it: \
             this is the effective size at the time"
        ),
        (_, false, None, Some(cpus)) => {
            format!("{} CPUs share the cache: this is the effective size at the time", count(*cpus))
        }
        (_, false, None, None) => {
            "unexplained; check cache allocation (resctrl), and whether memory is on small pages".to_owned()
        }
    };
    let is_as_reported = if is_decided { "no" } else { "yes" };
    format!("{is_as_reported}: {both}: {meaning}")
}

fn backing(backing: &HugePageBacking) -> String {
    match backing {
        HugePageBacking::Huge => "the TLB holds them as huge pages, so the processor sees huge pages",
        HugePageBacking::Uncertain => "the interval is too wide to say whether the two differ",
        HugePageBacking::Small(name) => {
            return format!(
                "no: this processor has fewer entries for huge pages, so {name} backs those of its guest with small \
                 pages, and huge pages save only a level of the guest's own page walk"
            );
        }
        HugePageBacking::NotHuge => {
            "this processor should have fewer entries for huge pages, so these may not have been huge"
        }
        HugePageBacking::Unknown => {
            "processors of this family may have one TLB for both, so their backing is unknown"
        }
    }
    .to_owned()
}

fn untested(why: &Untested) -> String {
    match why {
        Untested::NotMeasured(id) => format!("{id} was not measured in this run"),
        Untested::NoNumber(id, Verdict::Measured | Verdict::Noisy) => format!("{id} has no number"),
        Untested::NoNumber(id, verdict) => format!("{id} is {}", verdict.word()),
        Untested::NoMethod { by, group } => format!("no {by} of {group} has a number"),
        Untested::NotAboveZero(pair) => {
            let [of, to] = &**pair;
            format!("{of} or {to} is not measurably above zero, so they have no ratio")
        }
        Untested::Noisy(answered) => format!("too noisy to decide: {}", noisy(answered)),
        Untested::NoLine(sweep) => format!("too few points of {sweep} have a number for a line"),
        Untested::NoInterval(id) => format!("{id}: too few trials for an interval"),
        Untested::NoReach => "TLB reach not found: latency does not rise".to_owned(),
        Untested::Unreported(fact) => format!("the machine does not report {fact}"),
        Untested::NoLimit(id) => format!("{id} names no limit"),
    }
}

/// The numbers of what is too noisy: whether they differ is not said.
fn noisy(answered: &Answered) -> String {
    match &answered.numbers {
        Numbers::Ratio { of, to } => {
            let ([of_value, to_value], between) = ([of, to].map(typical), between(answered.range));
            format!("{} {of_value} against {} {to_value}, ratio {between}", of.name, to.name)
        }
        _ => numbers(answered, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::PointId;

    fn about(value: f64) -> Range {
        Range { low: value * 0.98, value, high: value * 1.02 }
    }

    fn measured(name: &str, typical: f64, quantity: Quantity) -> Measured {
        Measured {
            name: name.to_owned(),
            typical,
            states: Vec::new(),
            interval: Some(analysis::Interval::at_level(typical * 0.99, typical * 1.01, 0.95)),
            quantity,
            is_noisy: false,
        }
    }

    fn said(is_decided: bool, range: Range, numbers: Numbers) -> String {
        super::numbers(&Answered { range, numbers }, is_decided)
    }

    #[test]
    fn ratios_name_both_sides_and_their_values() {
        let of = measured("a system call", 90.0, Quantity::Latency);
        let to = measured("a procedure call", 1.2, Quantity::Latency);
        let ratio = |of: &Measured| Numbers::Ratio { of: of.clone(), to: to.clone() };
        assert_eq!(
            said(true, about(75.0), ratio(&of)),
            "a system call takes 75.0× as long as a procedure call (73.5× … 76.5×): 90.0 ns against 1.200 ns"
        );
        let noisy = Measured { is_noisy: true, ..of.clone() };
        assert!(said(true, about(75.0), ratio(&noisy)).ends_with("one of them noisy"));
        assert!(said(false, about(1.0), ratio(&of)).contains("do not differ measurably: 90.0 ns against"));
        let stream = measured("a stream", 2e9, Quantity::Bandwidth);
        assert!(
            said(true, about(2.0), ratio(&stream))
                .contains("a stream has 2.00× the bandwidth of a procedure call")
        );
    }

    #[test]
    fn slopes_and_their_absence_name_the_points_of_the_line() {
        let numbers =
            Numbers::Slope { name: "one more argument", quantity: Quantity::Latency, through: 7, planned: 8 };
        assert_eq!(
            said(true, about(0.5), numbers.clone()),
            "one more argument costs 0.500 ns (0.490 ns … 0.510 ns; a line through 7 of 8 points)"
        );
        let zero = Range { low: -0.1, value: 0.1, high: 0.31 };
        assert_eq!(
            said(false, zero, numbers),
            "one more argument costs nothing measurable: at most 0.31 ns (a line through 7 of 8 points)"
        );
    }

    #[test]
    fn a_request_and_its_bytes_have_a_cost_each() {
        let numbers =
            Numbers::CostSplit { request: "a request", per_byte: about(1.0), bytes: 4096.0, share: 0.9375 };
        assert_eq!(
            said(true, about(61_440.0), numbers.clone()),
            "a request costs 61.4 µs, and 1.049 ms more per 1 MiB: at 4 KiB the request is 94 % of the cost"
        );
        assert!(
            said(false, about(0.0), numbers).contains("nothing measurable by itself, and 1.049 ms per 1 MiB")
        );
    }

    fn ranked(second: Option<(&str, Option<f64>)>, slowest: Option<(&str, f64)>) -> String {
        let ranking = Ranking {
            group: "on one CPU",
            fastest: measured("widest", 16e9, Quantity::Bandwidth),
            bus: Some((32e9, "read and written")),
            second: second.map(|(name, factor)| (name.to_owned(), factor)),
            slowest: slowest.map(|(name, factor)| (name.to_owned(), factor)),
        };
        super::ranking(&ranking)
    }

    #[test]
    fn rankings_name_the_first_the_second_and_the_last() {
        let rate = "16.00 GB/s (at most 32.0 GB/s on the bus: read and written)";
        assert_eq!(ranked(None, None), format!("on one CPU the method widest reaches {rate}"));
        assert_eq!(
            ranked(Some(("streams", Some(1.3))), Some(("loop", 2.0))),
            format!("on one CPU widest is the fastest: {rate}, 1.30× streams, 2.00× loop")
        );
        assert_eq!(
            ranked(Some(("streams", None)), None),
            format!("on one CPU widest and streams do not differ measurably: {rate}")
        );
    }

    fn reported_size(
        is_decided: bool,
        size: f64,
        hypervisor: Option<&str>,
        shared_by: Option<f64>,
    ) -> String {
        let numbers = Numbers::ReportedSize {
            measured: measured("the L1 data cache:", size * 32_768.0, Quantity::Size),
            noisy: None,
            reported: 32_768.0,
            hypervisor: hypervisor.map(str::to_owned),
            shared_by,
        };
        said(is_decided, about(size), numbers)
    }

    #[test]
    fn a_reported_size_stands_beside_the_measured_one() {
        assert_eq!(
            reported_size(false, 1.048, None, None),
            "yes: the L1 data cache: measured 33.5 KiB, reported 32 KiB (+4.8 %): equal within the uncertainty of the method"
        );
        assert!(reported_size(true, 0.5, None, None).contains("(−50 %): unexplained; check"));
        assert!(
            reported_size(true, 0.5, None, Some(8.0))
                .contains("8 CPUs share the cache: this is the effective size")
        );
        assert!(reported_size(true, 0.5, Some("KVM"), Some(8.0)).contains("KVM was assigned a part"));
        assert!(reported_size(true, 2.0, None, None).contains("the next cache level may"));
        assert!(reported_size(true, 2.0, Some("KVM"), None).contains("that KVM reports to its guests"));
    }

    #[test]
    fn size_in_two_states_is_shown_as_in_its_row() {
        let states = vec![3.9 * 1_048_576.0, 5.6 * 1_048_576.0];
        let numbers = Numbers::ReportedSize {
            measured: Measured { states, ..measured("the L3 cache:", 4.0 * 1_048_576.0, Quantity::Size) },
            noisy: None,
            reported: 32.0 * 1_048_576.0,
            hypervisor: None,
            shared_by: None,
        };
        let said = said(true, about(0.125), numbers);
        assert!(said.contains("measured 3.9 | 5.6 MiB, reported 32 MiB (0.12× | 0.17×)"), "{said}");
    }

    fn capacity(is_machine: bool) -> Numbers {
        Numbers::CacheCapacity {
            held: measured("the file cache", 16_777_216.0, Quantity::Size),
            allowed: 33_554_432.0,
            is_machine,
        }
    }

    fn huge_pages(backing: HugePageBacking) -> Numbers {
        Numbers::HugePageBacking {
            huge: measured("huge pages", 32.0, Quantity::Count),
            base: measured("base pages", 64.0, Quantity::Count),
            backing,
        }
    }

    #[test]
    fn capacity_and_backing_are_said_with_their_numbers() {
        assert_eq!(
            said(true, about(0.5), capacity(false)),
            "the file cache holds 16.00 MiB of 32 MiB that its group may use: 50 % (49 % … 51 %)"
        );
        assert!(said(true, about(0.5), capacity(true)).contains("that the machine has"));
        let huge = said(true, about(0.5), huge_pages(HugePageBacking::Huge));
        assert!(huge.starts_with("the first TLB reaches 32.0 huge pages and 64.0 base pages: "), "{huge}");
        assert!(
            said(true, about(1.0), huge_pages(HugePageBacking::Small("KVM".to_owned())))
                .contains("KVM backs")
        );
    }

    #[test]
    fn untested_questions_say_why() {
        let id = PointId::new("a.b", "n=1");
        let noisy = measured("a call", 90.0, Quantity::Latency);
        for (why, words) in [
            (Untested::NotMeasured(id.clone()), "a.b n=1 was not measured in this run"),
            (Untested::NoNumber(id.clone(), Verdict::Contradicted), "a.b n=1 is contradicted"),
            (Untested::NoNumber(id.clone(), Verdict::Noisy), "a.b n=1 has no number"),
            (
                Untested::Noisy(Box::new(Answered {
                    range: about(1.0),
                    numbers: Numbers::Ratio { of: noisy.clone(), to: noisy },
                })),
                "too noisy to decide: a call 90.0 ns against a call 90.0 ns, ratio 0.98× … 1.02×",
            ),
            (Untested::NoLine(id.clone()), "too few points of a.b n=1 have a number for a line"),
            (Untested::Unreported("memory.total".to_owned()), "the machine does not report memory.total"),
        ] {
            assert_eq!(untested(&why), words);
        }
    }
}
