//! Arithmetic in loops of assembly, by the parameters of a point.

use measure::{Bench, Failure, Point, Result, Work};
use sys::arithmetic::{Arithmetic, Chain, Number, Operator, PER_TURN};

/// The 32-bit and the 64-bit type.
pub type Numbers = [Number; 2];

/// Integers.
pub const INTEGERS: Numbers = [Number::Integer32, Number::Integer64];
/// Floating-point numbers.
pub const FLOATS: Numbers = [Number::Float32, Number::Float64];

fn instruction(point: &Point) -> Operator {
    match point.get("instruction") {
        Some("multiply") => Operator::Multiply,
        Some("divide") => Operator::Divide,
        Some("modulo") => Operator::Modulo,
        Some("square_root") => Operator::SquareRoot,
        Some("multiply_add") => Operator::MultiplyAdd,
        _ => Operator::Add,
    }
}

fn chain(point: &Point) -> Chain {
    match point.get("chain") {
        Some("independent") => Chain::Independent,
        _ => Chain::Dependent,
    }
}

fn arithmetic(point: &Point, [narrow, wide]: Numbers) -> Option<Arithmetic> {
    let number = if point.get("bits") == Some("32") { narrow } else { wide };
    Arithmetic::new(number, instruction(point), chain(point))
}

/// The point with the `instructions` of one operation.
pub fn in_lines(point: &Point, numbers: Numbers) -> Point {
    let instructions = arithmetic(point, numbers).map_or(1.0, |one| one.instructions());
    point.clone().with("instructions", instructions)
}

/// Runs the operations of the point and compares the result with the expected one.
pub fn run(bench: &mut Bench<'_>, numbers: Numbers) -> Result<()> {
    let arithmetic = arithmetic(bench.point(), numbers).ok_or_else(|| {
        Failure::skipped(
            format!("this processor has no instruction for {}", bench.point().text()),
            "run it on a processor that has it",
        )
    })?;
    // The expected result of a batch length is computed once; later batches look it up.
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
    bench.batches(Work { multiple_of: PER_TURN, ..Work::new(&mut work) })
}
