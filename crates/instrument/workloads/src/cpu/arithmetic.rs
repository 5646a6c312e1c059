//! Arithmetic in loops of assembly, by the parameters of a point.

use measure::{Bench, Failure, Parameters, Point, Result, Work, choice, parameters};
use sys::arithmetic::{Arithmetic, Chain, Number, Operator, PER_TURN};

/// The 32-bit and the 64-bit type.
pub type Numbers = [Number; 2];

/// Integers.
pub const INTEGERS: Numbers = [Number::Integer32, Number::Integer64];
/// Floating-point numbers.
pub const FLOATS: Numbers = [Number::Float32, Number::Float64];

choice! {
    /// An operation on numbers.
    pub enum Instruction {
        /// a + b.
        Add = "add",
        /// a × b.
        Multiply = "multiply",
        /// a / b.
        Divide = "divide",
        /// The remainder of a / b.
        Modulo = "modulo",
        /// √a.
        SquareRoot = "square_root",
        /// a × b + c.
        MultiplyAdd = "multiply_add",
    }
}

choice! {
    /// Bits of a number.
    pub enum Width {
        /// 32.
        Narrow = "32",
        /// 64.
        Wide = "64",
    }
}

choice! {
    /// Whether operations wait for each other.
    pub enum ChainName {
        /// Each for the one before.
        Dependent = "dependent",
        /// None for another.
        Independent = "independent",
    }
}

parameters! {
    /// Operations on numbers.
    pub struct Calculation {
        /// The operation.
        instruction: Instruction,
        /// Of a number.
        bits: Width,
        /// Whether operations wait for each other.
        chain: ChainName,
    }
}

impl Calculation {
    fn arithmetic(self, [narrow, wide]: Numbers) -> Option<Arithmetic> {
        let number = match self.bits {
            Width::Narrow => narrow,
            Width::Wide => wide,
        };
        let operator = match self.instruction {
            Instruction::Add => Operator::Add,
            Instruction::Multiply => Operator::Multiply,
            Instruction::Divide => Operator::Divide,
            Instruction::Modulo => Operator::Modulo,
            Instruction::SquareRoot => Operator::SquareRoot,
            Instruction::MultiplyAdd => Operator::MultiplyAdd,
        };
        let chain = match self.chain {
            ChainName::Dependent => Chain::Dependent,
            ChainName::Independent => Chain::Independent,
        };
        Arithmetic::new(number, operator, chain)
    }
}

/// The point with the `instructions` of one operation.
pub fn in_lines(point: &Point, numbers: Numbers) -> Point {
    let calculation = Calculation::read(point).ok();
    let arithmetic = calculation.and_then(|calculation| calculation.arithmetic(numbers));
    let instructions = arithmetic.map_or(1.0, |all| all.instructions());
    point.clone().with("instructions", instructions)
}

/// Runs the operations of the point and compares the result with the expected one.
pub fn run(bench: &mut Bench<'_>, numbers: Numbers) -> Result<()> {
    let arithmetic = bench.parameters::<Calculation>()?.arithmetic(numbers).ok_or_else(|| {
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
