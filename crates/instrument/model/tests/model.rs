//! The language of cards: what is read, and what each kind of mistake is called.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use model::{Mistake, bounds, parse, prediction, witnesses};
use proptest::prelude::*;
use quantity::Quantity;
use record::{Breach, Formula, Origin, PointId, Prediction, Term, TermSide};

fn quantity_of(part: &PointId) -> Option<Quantity> {
    match part.operation.as_str() {
        "syscall.floor"
        | "syscall.fstat"
        | "syscall.pipe.self"
        | "syscall.unix.self"
        | "switch.process.eventfd" => Some(Quantity::Latency),
        "clock.frequency" => Some(Quantity::Frequency),
        "memory.bandwidth.read" => Some(Quantity::Bandwidth),
        _ => None,
    }
}

fn at(parameters: &str) -> PointId {
    PointId::new("a.b", parameters)
}

fn predicted(lines: &[&str], parameters: &str) -> Result<Prediction, Mistake> {
    prediction(lines, &at(parameters), Quantity::Latency, Some(&quantity_of))
}

fn texts(terms: &[Term]) -> Vec<String> {
    let text = |term: &Term| format!("{:?} {} = {}", term.side, term.name, term.formula);
    terms.iter().map(text).collect()
}

/// The only term of T1 of one line.
fn formula(text: &str, parameters: &str) -> Formula {
    let line = format!("hardware t1 it = {text}");
    let mut terms = predicted(&[&line], parameters).unwrap().from_parts;
    assert_eq!(terms.len(), 1);
    terms.remove(0).formula
}

fn refused(line: &str, parameters: &str) -> String {
    predicted(&[line], parameters).unwrap_err().to_string()
}

#[test]
fn printed_text_is_read_back() {
    for text in [
        "7",
        "1e9",
        "-2.5",
        "0.00048828125",
        "family.l2_cycles",
        "[syscall.floor]",
        "[switch.process.eventfd cpu=other]",
        "2 × [a.b n=1] × clock.cycle_ns",
        "1e9 / [clock.frequency clock=core]",
        "(a.b + c.d × 2 + 3)",
        "((a.b − c.d) − 1)",
        "max(0, 4 × (a.b / c.d − 1))",
        "min(1, (a.b or else [c.d] or else 7))",
        "a.b / (c.d × e.f) × 2 / g.h",
        "a.b / (c.d / e.f)",
    ] {
        assert_eq!(parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn plain_signs_and_spaces_are_read_as_the_printed_ones() {
    assert_eq!(parse("2*a.b - c.d"), parse("(2 × a.b − c.d)"));
    assert_eq!(parse("a.b+c.d"), parse("(a.b + c.d)"));
    assert_eq!(parse("1e-10"), Ok(Formula::exactly(1e-10)));
    assert_eq!(parse("2.5e12 × a.b"), parse("2500000000000 * a.b"));
}

#[test]
fn sums_and_products_are_flat_and_factors_of_one_fall_away() {
    assert_eq!(parse("a.b + (c.d + 1)").unwrap().to_string(), "(a.b + c.d + 1)");
    assert_eq!(parse("1 × (a.b × (c.d × 2))").unwrap().to_string(), "a.b × c.d × 2");
    assert_eq!(parse("a.b × (1e9 / c.d)").unwrap(), parse("a.b × 1e9 / c.d").unwrap());
    for text in ["a.b × 1", "a.b / 1", "a.b × c.d / c.d", "a.b / c.d × c.d"] {
        assert_eq!(parse(text).unwrap().to_string(), "a.b", "{text}");
    }
}

#[test]
fn parameters_become_numbers_and_parts() {
    let cpu = formula("2 * [switch.process.eventfd cpu={cpu}]", "cpu=other bytes=64KiB");
    assert_eq!(cpu.to_string(), "2 × [switch.process.eventfd cpu=other]");
    let pages = formula("{bytes / 4096 - 2} × [syscall.floor]", "cpu=other bytes=64KiB");
    assert_eq!(pages.to_string(), "14 × [syscall.floor]");
    let sizes = formula("{2 * 8KiB / 4096 + 1} ns", "");
    assert_eq!(sizes.to_string(), "5");
    let functions = formula("{max(min(n, 3), round(sqrt(5)) + ceil(0.2))} ns", "n=7");
    assert_eq!(functions.to_string(), "3");
}

#[test]
fn citations_carry_factor_and_source() {
    let text = "20 cycles (×1.6: a lock (18 to 20) of {n} lines) × cycle_ns";
    let facts = predicted(&[&format!("software t0 t = {text}")], "n=3").unwrap().from_facts;
    let cited = Formula::cited(20.0, 1.6, "a lock (18 to 20) of 3 lines");
    assert_eq!(facts[0].formula, cited.by(Formula::fact("clock.cycle_ns")));
    let certain = formula("20 ns (×1: by definition)", "");
    assert_eq!(certain, Formula::cited(20.0, 1.0, "by definition"));
}

#[test]
fn instructions_are_counted_by_point() {
    let floor = model::counted(&PointId::new("syscall.floor", "")).unwrap();
    let twice = formula("{2 × counted[syscall.floor]} ns", "");
    assert_eq!(twice, Formula::exactly(2.0 * floor));
    let at_parameters = formula("{counted[syscall.{name}]} ns", "name=floor");
    assert_eq!(at_parameters, Formula::exactly(floor));
    assert!(
        refused("hardware t1 t = {counted} ns", "n=1").contains("no instructions are counted of [a.b n=1]")
    );
}

#[test]
fn a_path_counts_instructions_and_locked_ones() {
    let line = "software t = path(1000, 2) (×1.5: a name found in a table) × cycle_ns";
    let Prediction { from_facts, from_parts } = predicted(&[line], "").unwrap();
    assert_eq!(from_facts[0].formula.to_string(), "1000 × kernel.cycles_per_instruction × clock.cycle_ns");
    assert_eq!(
        from_facts[0].formula.sources(),
        ["a name found in a table: some 1000 instructions, 2 of them locked"]
    );
    let measured = from_parts[0].formula.to_string();
    assert!(measured.starts_with("1000 × ") && measured.contains("[syscall.fstat]"), "{measured}");
    assert!(!measured.contains("clock.frequency"), "{measured}");
}

#[test]
fn terms_are_of_both_tiers_or_of_one() {
    let lines = [
        "hardware t0 second cache = family.l2_cycles × cycle_ns",
        "software both = 3 cycles × cycle_ns",
        "floors(2)",
        "t0 hand-offs between processes(1)",
    ];
    let Prediction { from_facts, from_parts } = predicted(&lines, "").unwrap();
    let mut texts_of_facts = texts(&from_facts);
    let last = texts_of_facts.pop().unwrap();
    assert!(last.starts_with("Software scheduler = (") && last.ends_with(") × clock.cycle_ns"), "{last}");
    assert_eq!(
        texts_of_facts,
        [
            "Hardware second cache = family.l2_cycles × clock.cycle_ns",
            "Software both = 3 × clock.cycle_ns",
            "Hardware enter and leave the kernel = 2 × (family.syscall_cycles + mitigation.syscall_cycles) × clock.cycle_ns",
            "Software save registers, dispatch, check for work, restore = 2 × 80 × clock.cycle_ns",
            "Hardware change of address space = family.address_space_switch_cycles × clock.cycle_ns",
        ]
    );
    assert_eq!(
        texts(&from_parts),
        [
            "Software both = 3 × 1e9 / [clock.frequency clock=core]",
            "Hardware the floor of a system call = 2 × [syscall.floor]",
        ]
    );
    assert_eq!(from_facts[1].side, TermSide::Software);
}

#[test]
fn guards_choose_lines() {
    let lines = [
        "cpu=same: hardware t1 a = 1 ns",
        "cpu=other|sibling bytes=1..64KiB: hardware t1 b = 2 ns",
        "cpu!=same: hardware t1 c = 3 ns",
        "bytes=*: hardware t1 d = 4 ns",
        "bytes!=*: hardware t1 e = 5 ns",
        "bytes=4097..: hardware t1 f = 6 ns",
    ];
    let names = |parameters| {
        let terms = predicted(&lines, parameters).unwrap().from_parts;
        terms.iter().map(|term| term.name.as_str()).collect::<String>()
    };
    assert_eq!(names("cpu=same"), "ae");
    assert_eq!(names("cpu=other bytes=4096"), "bcd");
    assert_eq!(names("cpu=sibling bytes=128KiB"), "cdf");
    assert_eq!(names(""), "ce");
}

#[test]
fn lines_hold_for_the_architecture_that_they_name() {
    let here = format!("architecture={}: hardware t1 here = 1 ns", std::env::consts::ARCH);
    let lines = [here.as_str(), "architecture=none: hardware t1 elsewhere = 2 ns"];
    let terms = predicted(&lines, "").unwrap().from_parts;
    assert_eq!(texts(&terms), ["Hardware here = 1"]);
}

#[test]
fn a_parameter_stands_in_the_name_of_a_fact() {
    let text = formula("family.{level}_cycles × clock.cycle_ns", "level=l2").to_string();
    assert_eq!(text, "family.l2_cycles × clock.cycle_ns");
    let mistake = refused("hardware t1 it = family.{level}", "level=l2");
    assert!(mistake.contains("there is no fact `family.l2`"), "{mistake}");
}

#[test]
fn a_card_defines_names_of_its_own() {
    let lines = [
        "n=1: let walk = 35 cycles (×2: a walk whose tables are near)",
        "n=2: let walk = 70 cycles",
        "let some(share, what) = {share * 2} × what",
        "hardware t1 walks = some(3, walk) × cycle_ns",
    ];
    let walks = |parameters| predicted(&lines, parameters).unwrap().from_parts[0].formula.to_string();
    assert_eq!(walks("n=1"), "6 × 35 × 1e9 / [clock.frequency clock=core]");
    assert_eq!(walks("n=2"), "6 × 70 × 1e9 / [clock.frequency clock=core]");
    let cited = ["let some(share) = {share * 2} ns", "hardware t1 it = some(3 ns (×2: a long table))"];
    assert!(predicted(&cited, "").unwrap_err().to_string().contains("is not a plain number"));
}

#[test]
fn units_must_fit() {
    assert!(refused("hardware t1 t = 3 cycles", "").ends_with("this is cycles and should be ns"));
    assert!(refused("hardware t1 t = 3", "").contains("this is a count and should be ns"));
    assert!(
        refused("hardware t1 t = [syscall.floor] + family.l1_cycles", "")
            .contains("ns and cycles cannot be joined")
    );
    assert!(
        refused("hardware t1 t = max([syscall.floor], cpus.allowed)", "")
            .contains("ns and a count cannot be joined")
    );
    assert!(
        refused("hardware t1 t = [syscall.floor] + 1 / [syscall.floor]", "")
            .contains("ns and 1/ns cannot be joined")
    );
    assert!(
        refused("hardware t1 t = [memory.bandwidth.read] × 5", "")
            .contains("this is bytes/s and should be ns")
    );
    formula("64 bytes × 1e9 ns/s / [memory.bandwidth.read]", "");
    formula("max(0, [syscall.floor] − 5 ns)", "");
    formula("0.1 cycles/byte × {4 * n} bytes × cycle_ns", "n=1");
    let bandwidth = prediction(
        &["hardware t0 t = 1e9 ns/s × 64 bytes / family.memory_ns"],
        &at(""),
        Quantity::Bandwidth,
        None,
    );
    bandwidth.unwrap();
}

#[test]
fn a_mistake_shows_the_place() {
    let mistake = predicted(&["hardware t1 µs = 3 ns × (4 + clock.tick)"], "").unwrap_err();
    assert_eq!((mistake.column, mistake.what.as_str()), (30, "there is no fact `clock.tick`"));
    for (line, what) in [
        ("hardware t1 t = ", "a number, a fact, a part or a definition is missing"),
        ("hardware t1 t = 3 ns 4", "`4` is left over"),
        ("hardware t1 t = (3 ns", "`)` is missing"),
        ("hardware t1 t = [syscall.floor", "`]` is missing"),
        ("hardware t1 t = [no.such]", "there is no point [no.such]"),
        ("hardware t0 t = [syscall.floor]", "is measured: T0 is made of facts"),
        ("hardware t1 t = walk", "`walk` is not defined"),
        ("hardware t0 t = path(1)", "`path` takes 2 arguments, 1 given"),
        ("hardware t0 t = path(1, 2) × cycle_ns", "has no parameter `within`"),
        ("hardware t1 t = {bytes} ns", "`a.b n=x` has no parameter `bytes`"),
        ("hardware t1 t = {n} ns", "`n=x` is not a number"),
        ("hardware t1 t = {1 / 0} ns", "the number is inf"),
        ("hardware t1 t = {log(1)} ns", "there is no function `log` of numbers"),
        ("hardware t1 t = 1 ns (×0.5: a manual of old)", "a factor of uncertainty is at least 1"),
        ("hardware t1 t = 1 ns (×2: )", "a source is missing"),
        ("hardware t1 t 3 ns", "` = ` and a formula are missing"),
        ("let t 3 ns", "` = ` and a formula are missing"),
        ("ceilings(2)", "there is no such group"),
        ("floors", "`floors` takes 1 arguments, 0 given"),
        ("n=: hardware t1 t = 3 ns", "a guard names values"),
        ("n=a..b: hardware t1 t = 3 ns", "`a..b` is not a range of numbers"),
    ] {
        let message = refused(line, "n=x");
        assert!(message.contains(what), "{line}: {message}");
    }
    let twice = predicted(&["hardware t1 t = 1 ns", "software t1 t = 2 ns"], "").unwrap_err();
    assert_eq!(twice.what, "two terms of one tier are called `t`");
    let endless = predicted(&["let t = 2 × t", "hardware t1 x = t"], "").unwrap_err();
    assert_eq!(endless.what, "the definition uses itself");
}

#[test]
fn evidence_is_counted_where_its_counter_is() {
    let lines = [
        "answers = 1: the bytes came back",
        "cpu=other: switches 1.95..{2 * n} (if consistent): {n} sides slept",
        "made.fork = 1: one process was made",
        "calls: read 1, write 2",
        "no new pages",
    ];
    let all = witnesses(&lines, &at("cpu=other n=2")).unwrap();
    let shown: Vec<String> = all
        .iter()
        .map(|w| format!("{} {}..{} {} {:?} {:?}", w.counter, w.low, w.high, w.positive, w.origin, w.breach))
        .collect();
    assert_eq!(
        shown,
        [
            "answers 1..1 true Trial OtherWork",
            "switches 1.95..4 true Trial IfConsistent",
            "made.fork 1..1 true Rehearsal OtherWork",
            "calls.read 0.99..1.01 true Rehearsal OtherWork",
            "calls.write 1.99..2.01 true Rehearsal OtherWork",
            "calls 2.99..3.01 false Rehearsal OtherWork",
            "faults.minor 0..0.01 false Trial IfConsistent",
        ]
    );
    assert_eq!(all[1].proves, "2 sides slept");
    assert_eq!(all[3].proves, "1 × read per iteration");
    assert_eq!(witnesses(&lines, &at("n=2")).unwrap().len(), 6);
}

#[test]
fn calls_of_both_sides_and_of_nobody() {
    let both = witnesses(&["calls of both sides: read 2..8, write 2"], &at("")).unwrap();
    assert_eq!((both[0].low, both[0].high, both[2].high), (1.9, 8.1, 10.1));
    assert_eq!(both[0].proves, "2 to 8 × read per round trip, both sides together");
    let none = witnesses(&["calls: none"], &at("")).unwrap();
    assert_eq!((none.len(), none[0].origin), (1, Origin::Rehearsal));
    let noise = witnesses(&["steady 0..1 (noise): the rate held"], &at("")).unwrap();
    assert_eq!((noise[0].positive, noise[0].breach), (false, Breach::Noise));
}

#[test]
fn mistakes_in_evidence_and_bounds_are_named() {
    for (line, what) in [
        ("answers 1", "`: ` is missing"),
        ("answers: they came", "a number is missing"),
        ("answers 2..1: they came", "2 is more than 1"),
        ("answers = 1 (loud): they came", "there is no flag `loud`"),
        ("Answers = 1: they came", "a counter or a group is missing"),
        ("calls: read", "a number is missing"),
        ("calls: read 1 write", "`write` is left over"),
    ] {
        let message = witnesses(&[line], &at("")).unwrap_err().to_string();
        assert!(message.contains(what), "{line}: {message}");
    }
    for (line, what) in [
        ("[syscall.floor]: less is impossible", "a bound begins with > or <"),
        ("> [syscall.floor]", "`: ` is missing"),
        ("> 3 cycles: less is impossible", "this is cycles and should be ns"),
    ] {
        let message = bounds(&[line], &at(""), Quantity::Latency, None).unwrap_err().to_string();
        assert!(message.contains(what), "{line}: {message}");
    }
}

#[test]
fn bounds_are_read() {
    let lines =
        ["cpu=same: > 2 × [syscall.floor]: both calls", "< {n} ns: too slow: a clock", "floors(3)", "floor"];
    let all = bounds(&lines, &at("cpu=same n=5"), Quantity::Latency, Some(&quantity_of)).unwrap();
    let shown: Vec<String> =
        all.iter().map(|bound| format!("{} {}: {}", bound.lower, bound.formula, bound.because)).collect();
    assert_eq!(
        shown,
        [
            "true 2 × [syscall.floor]: both calls",
            "false 5: too slow: a clock",
            "true 3 × [syscall.floor]: it enters and leaves the kernel 3 times",
            "true [syscall.floor]: it enters and leaves the kernel",
        ]
    );
}

/// Any formula, built without regard to the form that its text has.
fn any_formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        (-1e12..1e12_f64).prop_map(Formula::exactly),
        (0..100_u8).prop_map(|count| Formula::exactly(f64::from(count))),
        "[a-z]{1,4}\\.[a-z_0-9]{1,6}".prop_map(|key| Formula::fact(&key)),
        ("[a-z]{1,3}\\.[a-z]{1,3}", "([a-z]{1,3}=[a-z0-9]{1,4})?")
            .prop_map(|(operation, point)| Formula::part(&operation, &point)),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let of = prop::collection::vec(inner.clone(), 2..4);
        let pair = (inner.clone(), inner);
        prop_oneof![
            of.clone().prop_map(|of| Formula::Sum { of }),
            of.clone().prop_map(|of| Formula::Product { of }),
            of.clone().prop_map(|of| Formula::Maximum { of }),
            of.clone().prop_map(|of| Formula::Minimum { of }),
            of.prop_map(|of| Formula::First { of }),
            pair.clone().prop_map(|(a, b)| a.minus(b)),
            pair.prop_map(|(a, b)| a.over(b)),
        ]
    })
}

proptest! {
    #[test]
    fn any_formula_is_read_from_its_text(formula in any_formula()) {
        let read = parse(&formula.to_string()).unwrap();
        prop_assert_eq!(parse(&read.to_string()).unwrap(), read);
    }

    #[test]
    fn no_text_makes_the_reader_fail(text in "[-+×*/(){}\\[\\]a-z0-9 .:=,<>]{0,40}") {
        let _ = predicted(&[&text], "n=1");
        let _ = witnesses(&[&text], &at("n=1"));
        let _ = bounds(&[&text], &at("n=1"), Quantity::Latency, None);
    }
}

#[test]
fn nothing_is_defined_twice() {
    use model::definitions::{BOUNDS, EVIDENCE, FORMULAS, TERMS};
    let name = |header: &'static str| header.split('(').next().unwrap_or(header).trim();
    let formulas = FORMULAS.iter().copied().flatten();
    let formulas: Vec<&str> = formulas.map(|line| name(line.split(" = ").next().unwrap())).collect();
    let groups = [TERMS, EVIDENCE, BOUNDS].map(|tables| {
        let all = tables.iter().copied().flatten();
        all.map(|(header, _)| name(header)).collect::<Vec<&str>>()
    });
    for mut names in groups.into_iter().chain([formulas]) {
        names.sort_unstable();
        let twice: Vec<&[&str]> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert_eq!(twice, Vec::<&[&str]>::new());
    }
}
