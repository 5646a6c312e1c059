//! Arithmetic in assembly: one operation again and again, in one chain in which each waits for the one before,
//! or in several chains side by side; and the answers, computed apart.
//!
//! Operands keep their full width: divisions and roots are followed by one addition that restores the operand,
//! so that a chain stays where it is. None is denormal.

use crate::arch;

/// What kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// An unsigned integer of 32 bits.
    Integer32,
    /// An unsigned integer of 64 bits.
    Integer64,
    /// A floating number of single precision.
    Float32,
    /// A floating number of double precision.
    Float64,
}

/// What is done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Addition of a register.
    Add,
    /// Multiplication by a register.
    Multiply,
    /// Division, and an addition that restores the dividend.
    Divide,
    /// Remainder of a division, and an addition that restores the dividend.
    Modulo,
    /// Square root, and an addition that restores the operand.
    SquareRoot,
    /// Fused multiplication and addition.
    MultiplyAdd,
}

/// Whether an operation waits for the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// It does: the latency.
    Dependent,
    /// It does not: the throughput.
    Independent,
}

/// Operations in one turn of every sequence.
pub const PER_TURN: u64 = 48;

/// An assembled sequence: takes the turns (at least 1) and the operands.
struct Sequence {
    run: unsafe extern "C" fn(u64, *const Operands) -> u64,
    /// Instructions of a turn, less the two of the loop.
    instructions: u32,
    /// Registers that go through the operation, each added to the answer.
    chains: u64,
}

/// What the registers hold at the start, the bits of numbers: the one that goes through the chain, the other operand
/// (addend, factor, divisor), and what restores the first.
type Operands = [u64; 3];

/// A sequence that this architecture has, with its operands.
pub struct Arithmetic {
    number: Number,
    operator: Operator,
    sequence: Sequence,
    operands: Operands,
}

impl Arithmetic {
    /// The sequence; `None` where there is none or the processor lacks the instruction.
    pub fn new(number: Number, operator: Operator, chain: Chain) -> Option<Self> {
        let operands = operands(number, operator)?;
        let sequence = sequence(number, operator, chain)?;
        Some(Self { number, operator, sequence, operands })
    }

    /// Does `turns` × [`PER_TURN`] operations (at least one turn) and gives what came out of all chains together.
    pub fn run(&self, turns: u64) -> u64 {
        // SAFETY: the sequence is made for this architecture and its features were checked; it reads the operands.
        unsafe { (self.sequence.run)(turns.max(1), &raw const self.operands) }
    }

    /// What [`Arithmetic::run`] must give, computed without assembly.
    pub fn answer(&self, turns: u64) -> u64 {
        let count = turns.max(1) * PER_TURN;
        let [start, other, _] = self.operands;
        let chains = self.sequence.chains;
        let each = count / chains;
        match (self.number, self.operator) {
            (Number::Integer32 | Number::Integer64, Operator::Divide) => count.wrapping_mul(start / other),
            (Number::Integer32 | Number::Integer64, Operator::Modulo) => count.wrapping_mul(start % other),
            (Number::Integer32 | Number::Integer64, Operator::Add) => {
                chains.wrapping_mul(start.wrapping_add(each.wrapping_mul(other)))
            }
            (Number::Integer32 | Number::Integer64, _) => {
                let factor = (0..each).fold(1_u64, |product, _| product.wrapping_mul(other));
                chains.wrapping_mul(start.wrapping_mul(factor))
            }
            (Number::Float64, _) => chains.wrapping_mul(self.float(each).to_bits()),
            (Number::Float32, _) => chains.wrapping_mul(u64::from((self.float(each) as f32).to_bits())),
        }
    }

    /// The number at the end of a chain. In single precision each operation is done in double precision and rounded, which
    /// gives the same (Figueroa 1995).
    fn float(&self, count: u64) -> f64 {
        let is_single = self.number == Number::Float32;
        let round = |x: f64| if is_single { f64::from(x as f32) } else { x };
        let [start, other, restore] = self
            .operands
            .map(|bits| if is_single { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) });
        repeated(start, count, |x: f64| match self.operator {
            Operator::Add => round(x + other),
            Operator::Multiply => round(x * other),
            Operator::Divide => round(round(x / other) + restore),
            Operator::SquareRoot => round(round(x.sqrt()) + restore),
            // The factor is one, so that nothing is rounded in between.
            Operator::MultiplyAdd | Operator::Modulo => round(x * other + restore),
        })
    }

    /// Instructions of one operation, its share of the loop and of what keeps the operand included.
    pub fn instructions(&self) -> f64 {
        f64::from(self.sequence.instructions + 2) / PER_TURN as f64
    }
}

/// The step `count` times; fewer once the number no longer changes.
fn repeated(start: f64, count: u64, step: impl Fn(f64) -> f64) -> f64 {
    let mut x = start;
    for _ in 0..count {
        let next = step(x);
        if next == x {
            break;
        }
        x = next;
    }
    x
}

/// The sequence for an operator; `None` where there is none or the processor lacks the instruction.
fn sequence(number: Number, operator: Operator, chain: Chain) -> Option<Sequence> {
    use Number::{Float32, Float64, Integer32, Integer64};
    use Operator::{Add, Divide, Modulo, Multiply, MultiplyAdd, SquareRoot};
    use arch::arithmetic::*;
    if operator == MultiplyAdd && !has_multiply_add() {
        return None;
    }
    // Instructions of one operation, and of one with several chains; the number of those.
    type Run = unsafe extern "C" fn(u64, *const Operands) -> u64;
    let (one, several, [each, each_of_several], chains): (Run, Run, _, _) = match (number, operator) {
        (Integer64, Add) => (add_one, add_several, [1; 2], 12),
        (Integer64, Multiply) => (multiply_one, multiply_several, [1; 2], 12),
        (Integer64, Divide) => (divide_one, divide_several, DIVIDE, DIVIDE_CHAINS),
        (Integer64, Modulo) => (modulo_one, modulo_several, MODULO, DIVIDE_CHAINS),
        (Integer32, Divide) => (divide_32_one, divide_32_several, DIVIDE, DIVIDE_CHAINS),
        (Integer32, Modulo) => (modulo_32_one, modulo_32_several, MODULO, DIVIDE_CHAINS),
        (Float64, Add) => (float_add_one, float_add_several, [1; 2], FLOAT_CHAINS),
        (Float64, Multiply) => (float_multiply_one, float_multiply_several, [1; 2], FLOAT_CHAINS),
        (Float64, Divide) => (float_divide_one, float_divide_several, [2; 2], FLOAT_CHAINS),
        (Float64, SquareRoot) => (float_root_one, float_root_several, [2; 2], FLOAT_CHAINS),
        (Float64, MultiplyAdd) => (multiply_add_one, multiply_add_several, [1; 2], FLOAT_CHAINS),
        (Float32, Divide) => (float_divide_32_one, float_divide_32_several, [2; 2], FLOAT_CHAINS),
        (Float32, SquareRoot) => (float_root_32_one, float_root_32_several, [2; 2], FLOAT_CHAINS),
        _ => return None,
    };
    let (run, instructions, chains) = match chain {
        Chain::Dependent => (one, each, 1),
        Chain::Independent => (several, each_of_several, chains),
    };
    Some(Sequence { run, instructions: instructions * PER_TURN as u32, chains })
}

/// Operands for an operator; `None` for one that the kind of number does not have.
fn operands(number: Number, operator: Operator) -> Option<Operands> {
    let floats: [f64; 3] = match (number, operator) {
        (Number::Integer32, _) => return integers(operator, 0xc001, 0xb505),
        (Number::Integer64, _) => return integers(operator, 0xc000_0001, 0xb504_f333),
        (_, Operator::Add) => [1.0, 1.0, 0.0],
        // A little above one: thousands of millions of factors do not leave the range.
        (_, Operator::Multiply) => [1.0, 1.0 + 1.0 / f64::from(1 << 30), 0.0],
        (_, Operator::MultiplyAdd) => [1.0, 1.0, 1.0],
        // From the start each step comes nearer to a number whose every digit is in use, and stays there.
        (_, Operator::Divide) => [1.0, 1.732_050_807_568_877_2, 0.7],
        (_, Operator::SquareRoot) => [1.0, 0.0, 0.7],
        (_, Operator::Modulo) => return None,
    };
    Some(floats.map(|x| match number {
        Number::Float32 => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }))
}

/// A dividend of full width, a divisor and a result of half of it each: (q (m - 1) + m / 2 + q) / m = q.
fn integers(operator: Operator, divisor: u64, result: u64) -> Option<Operands> {
    let (start, other, restore) = match operator {
        Operator::Add | Operator::Multiply => (1, 0x9e37_79b9_7f4a_7c15, 0),
        Operator::Divide => {
            let restore = result * (divisor - 1) + divisor / 2;
            (result + restore, divisor, restore)
        }
        Operator::Modulo => {
            let restore = divisor * result;
            (result + restore, divisor, restore)
        }
        Operator::SquareRoot | Operator::MultiplyAdd => return None,
    };
    Some([start, other, restore])
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [Number; 4] = [Number::Integer32, Number::Integer64, Number::Float32, Number::Float64];
    const OPERATORS: [Operator; 6] = [
        Operator::Add,
        Operator::Multiply,
        Operator::Divide,
        Operator::Modulo,
        Operator::SquareRoot,
        Operator::MultiplyAdd,
    ];

    fn all() -> impl Iterator<Item = Arithmetic> {
        let kinds = NUMBERS.into_iter().flat_map(|number| OPERATORS.map(|operator| (number, operator)));
        kinds.flat_map(|(number, operator)| {
            [Chain::Dependent, Chain::Independent]
                .into_iter()
                .filter_map(move |chain| Arithmetic::new(number, operator, chain))
        })
    }

    #[test]
    fn every_sequence_gives_the_independently_computed_answer() {
        for one in all() {
            for turns in [1, 2, 3, 100] {
                let name = (one.number, one.operator, one.sequence.chains);
                assert_eq!(one.run(turns), one.answer(turns), "{name:?}, {turns} turns");
            }
        }
        assert!(all().count() >= 18);
    }

    #[test]
    fn what_counts_its_operations_gives_another_answer_for_fewer() {
        for one in all() {
            let is_integer = matches!(one.number, Number::Integer32 | Number::Integer64);
            if is_integer || matches!(one.operator, Operator::Add | Operator::MultiplyAdd) {
                assert_ne!(one.answer(2), one.answer(1), "{:?} {:?}", one.number, one.operator);
            }
        }
    }

    #[test]
    fn operands_of_divisions_are_wide_and_come_back() {
        for (number, bits) in [(Number::Integer32, 32), (Number::Integer64, 64)] {
            for operator in [Operator::Divide, Operator::Modulo] {
                let [start, other, restore] = operands(number, operator).unwrap();
                let result = if operator == Operator::Divide { start / other } else { start % other };
                assert_eq!(result + restore, start, "{number:?} {operator:?}");
                let widths = [start, other, result].map(|x: u64| 64 - x.leading_zeros());
                assert_eq!(widths, [bits, bits / 2, bits / 2]);
            }
        }
    }

    #[test]
    fn chains_of_floating_divisions_and_roots_settle_on_long_fractions() {
        for operator in [Operator::Divide, Operator::SquareRoot] {
            let one = Arithmetic::new(Number::Float64, operator, Chain::Dependent).unwrap();
            let settled = one.float(1_000);
            assert_eq!(settled, one.float(1_001));
            assert!(settled > 1.0 && settled.to_bits().trailing_zeros() < 8, "{settled}");
        }
    }
}
