//! Arithmetic: what one operation costs when the next one waits for it, and when many are under way.

use measure::{
    Area, Bench, Failure, Operation, Point, Rehearse, calls, core_cycles, linear, term, told_cycles,
};
use measure::{Work, no_new_pages, undisturbed, work_done};
use record::{Bound, Formula, Origin, Prediction, Profile, Side, Term, Witness};
use sys::arch;
use sys::arithmetic::{Arithmetic, Chain, Number, PER_TURN, Sum};

const COMMON: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one operation; a division, remainder or root with the addition that restores its operand",
    sources: &[
        ("lmbench", "lat_ops: latency; par_ops: how many are done at once"),
        ("uops.info, Agner Fog", "tables of every instruction"),
    ],
    rehearse: Rehearse::CallsAndInstructions,
    spend_ns: 4_000_000,
    ..Operation::NEW
};

/// Integers.
pub static INTEGER: Operation = Operation {
    id: "arithmetic.integer",
    title: "an integer operation",
    method: "48 operations of registers in an aligned loop of assembly. chain=dependent: each takes the result of \
             the one before, so the cost is its latency; chain=independent: eight or twelve chains in turns, so the \
             cost is the reciprocal of the throughput. Divisions take a dividend of 64 (32) significant bits, a \
             divisor and a result of half as many, and add a register to the result to have the dividend again.",
    confounds: "Divisions take longer for longer results, on most cores: the operands are stated. The operands are in \
                registers, because recent cores add small constants while renaming, in no time. The addition behind \
                a dependent division is part of its cost, one cycle. A core that shares its hardware with a busy \
                thread does fewer independent operations, and dependent ones as fast as ever.",
    points: |profile| {
        let of = |bits, what: &[&'static str]| points(bits, what);
        let mut all = of(64, &["add", "multiply", "divide", "modulo"]);
        if profile == Profile::Thorough {
            all.extend(of(32, &["divide", "modulo"]));
        }
        all
    },
    computed_prediction: |point| INTEGERS.predict(point),
    computed_witnesses: |point| INTEGERS.witnesses(point),
    computed_bounds: |point| INTEGERS.bounds(point),
    run: |bench| INTEGERS.run(bench),
    ..COMMON
};

/// Floating numbers.
pub static FLOAT: Operation = Operation {
    id: "arithmetic.float",
    title: "a floating-point operation",
    method: "As arithmetic.integer, with scalar instructions on twelve or sixteen registers: addition of 1, \
             multiplication by a number next to 1, division and square root whose operands and results use every \
             digit, fused multiplication and addition. Divisions and roots are followed by the addition of 0.7.",
    confounds: "The addition behind a dependent division or root is part of its cost. No operand is denormal. Cores \
                shorten divisions whose result is a short fraction: these are not. Golden Cove adds in two cycles what \
                comes from an addition, in three what comes from elsewhere. One number at a time: vectors do \
                more in the same time.",
    points: |profile| {
        let what = ["add", "multiply", "multiply_add", "divide", "square_root"];
        let mut all = points(64, &what);
        if profile == Profile::Thorough {
            all.extend(points(32, &["divide", "square_root"]));
        }
        all
    },
    computed_prediction: |point| FLOATS.predict(point),
    computed_witnesses: |point| FLOATS.witnesses(point),
    computed_bounds: |point| FLOATS.bounds(point),
    run: |bench| FLOATS.run(bench),
    ..COMMON
};

fn points(bits: u32, what: &[&'static str]) -> Vec<Point> {
    let both = |&what: &&'static str| {
        ["dependent", "independent"].map(|chain| {
            Point::only()
                .with("what", what)
                .with("bits", bits)
                .with("chain", chain)
        })
    };
    what.iter().flat_map(both).collect()
}

/// What the two operations differ in.
struct Kind {
    id: &'static str,
    /// Numbers of 32 and of 64 bits.
    numbers: [Number; 2],
    /// What the names of facts begin with.
    facts: &'static str,
}

const INTEGERS: Kind = Kind {
    id: "arithmetic.integer",
    numbers: [Number::Integer32, Number::Integer64],
    facts: "",
};

const FLOATS: Kind = Kind {
    id: "arithmetic.float",
    numbers: [Number::Float32, Number::Float64],
    facts: "float_",
};

fn sum(point: &Point) -> Sum {
    match point.get("what") {
        Some("multiply") => Sum::Multiply,
        Some("divide") => Sum::Divide,
        Some("modulo") => Sum::Modulo,
        Some("square_root") => Sum::SquareRoot,
        Some("multiply_add") => Sum::MultiplyAdd,
        _ => Sum::Add,
    }
}

fn chain(point: &Point) -> Chain {
    match point.get("chain") {
        Some("independent") => Chain::Independent,
        _ => Chain::Dependent,
    }
}

/// Whether an addition restores the operand.
fn restored(point: &Point) -> bool {
    matches!(sum(point), Sum::Divide | Sum::Modulo | Sum::SquareRoot)
}

impl Kind {
    fn arithmetic(&self, point: &Point) -> Option<Arithmetic> {
        let [narrow, wide] = self.numbers;
        let number = if point.get("bits") == Some("32") {
            narrow
        } else {
            wide
        };
        Arithmetic::new(number, sum(point), chain(point))
    }

    /// A fact of the family in cycles.
    fn fact(&self, what: &str, suffix: &str, chain: Chain) -> Formula {
        let kind = match chain {
            Chain::Dependent => "latency",
            Chain::Independent => "reciprocal",
        };
        Formula::fact(&format!("family.{}{what}{suffix}_{kind}_cycles", self.facts))
    }

    fn predict(&self, point: &Point) -> Prediction {
        Prediction {
            from_facts: self.terms(point, told_cycles, |chain| {
                told_cycles(self.fact("add", "", chain))
            }),
            from_parts: self.terms(point, core_cycles, |chain| self.addition(chain)),
        }
    }

    /// What the addition that restores an operand costs by itself, measured.
    fn addition(&self, chain: Chain) -> Formula {
        let chain = match chain {
            Chain::Dependent => "dependent",
            Chain::Independent => "independent",
        };
        Formula::part(self.id, &format!("what=add bits=64 chain={chain}"))
    }

    fn terms(
        &self,
        point: &Point,
        cycles: fn(Formula) -> Formula,
        addition: impl Fn(Chain) -> Formula,
    ) -> Vec<Term> {
        let what = point.get("what").unwrap_or_default();
        let suffix = if point.get("bits") == Some("32") {
            "_32"
        } else {
            ""
        };
        let own = cycles(self.fact(what, suffix, chain(point)));
        let mut terms = vec![term(Side::Hardware, "the operation", own)];
        let dependent = chain(point) == Chain::Dependent;
        if dependent && sum(point) == Sum::Modulo && arch::REMAINDER_MULTIPLIES {
            let multiply = cycles(self.fact("multiply", "", Chain::Dependent));
            terms.push(term(Side::Hardware, "multiply and subtract", multiply));
        }
        // Side by side, the additions are done while the divider works.
        if dependent && restored(point) {
            let name = "the addition that restores the operand";
            terms.push(term(Side::Hardware, name, addition(Chain::Dependent)));
        }
        terms
    }

    fn witnesses(&self, point: &Point) -> Vec<Witness> {
        let mut all = work_done("what came out of all chains is what the same sums give without assembly");
        all.extend(linear());
        all.extend(calls(&[]));
        let least = self.arithmetic(point).map_or(1.0, |one| one.instructions());
        all.push(Witness {
            counter: "instructions".to_owned(),
            origin: Origin::Rehearsal,
            low: least - 0.01,
            // Looking up the answer takes some instructions more in the longer phase.
            high: least + 0.4,
            positive: true,
            proves: "every operation is executed".to_owned(),
            breach: record::Breach::OtherWork,
        });
        all.extend(undisturbed());
        all.extend(no_new_pages());
        all
    }

    fn bounds(&self, point: &Point) -> Vec<Bound> {
        let least = |cycles: f64, because: &str| Bound {
            lower: true,
            formula: core_cycles(Formula::exactly(cycles)),
            because: because.to_owned(),
        };
        match chain(point) {
            Chain::Dependent => vec![least(1.0, "an operation that waits for another takes a cycle")],
            Chain::Independent => vec![least(0.1, "no core does more than ten operations in a cycle")],
        }
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), Failure> {
        let arithmetic = self.arithmetic(bench.point()).ok_or_else(|| {
            Failure::skipped(
                format!("this processor has no instruction for {}", bench.point().text()),
                "run it on a processor that has it",
            )
        })?;
        // Each length of a batch is computed apart once: what a batch does later is to look it up.
        let mut answers: Vec<(u64, u64)> = Vec::with_capacity(64);
        let mut work = |n| {
            let turns = n / PER_TURN;
            let given = arithmetic.run(turns);
            let known = answers.iter().find(|(length, _)| *length == turns);
            let right = known.map_or_else(|| arithmetic.answer(turns), |(_, answer)| *answer);
            if known.is_none() {
                answers.push((turns, right));
            }
            Ok(if given == right { n } else { 0 })
        };
        bench.batches(Work {
            multiple_of: PER_TURN,
            ..Work::alone(&mut work)
        })
    }
}
