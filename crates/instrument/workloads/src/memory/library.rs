//! Calls of the C library's functions on memory and strings.

use measure::{Bench, Result, Value, choice, parameters};
use quantity::Bytes;
use sys::library::{Calls, Function, Start};

choice! {
    /// The function.
    pub enum FunctionName {
        /// Bytes copied.
        Memcpy = "memcpy",
        /// Bytes set to one value.
        Memset = "memset",
        /// The length of a string.
        Strlen = "strlen",
        /// Two strings compared, which differ in their last byte.
        Strcmp = "strcmp",
    }
}

choice! {
    /// Whose lengths differ.
    pub enum Sizes {
        /// Those of all calls.
        Mixed = "mixed",
    }
}

/// Where the first operand begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alignment(Start);

impl Value for Alignment {
    fn parse(text: &str) -> Option<Self> {
        let in_line = || text.parse().ok().filter(|&bytes: &u8| bytes < 64).map(Start::InLine);
        if text == "page" { Some(Self(Start::EndOfPage)) } else { in_line().map(Self) }
    }

    fn expected() -> String {
        "the bytes behind the beginning of a line, 0 to 63, or page".to_owned()
    }
}

parameters! {
    /// Calls of a function.
    pub struct LibraryCalls {
        /// Which.
        function: FunctionName,
        /// Of each call, or of the longest.
        bytes: Bytes,
        /// Where the first operand begins.
        alignment: Alignment,
        /// Whether the lengths differ; all are the same without.
        sizes: Option<Sizes> = None,
    }
}

impl LibraryCalls {
    /// The lengths of the calls, which are equally frequent: that of the point, or one, two, three, four, six, eight and so on up to it.
    pub fn lengths(self) -> Vec<usize> {
        let longest = self.bytes.bytes() as usize;
        let halves = || (0..usize::BITS - 2).flat_map(|power| [2 << power, 3 << power]);
        match self.sizes {
            None => vec![longest],
            Some(Sizes::Mixed) => {
                [1].into_iter().chain(halves()).take_while(|&length| length <= longest).collect()
            }
        }
    }

    /// The mean of the lengths.
    pub fn mean(self) -> f64 {
        let lengths = self.lengths();
        lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64
    }

    fn calls(self, seed: u64) -> Result<Calls> {
        let function = match self.function {
            FunctionName::Memcpy => Function::Memcpy,
            FunctionName::Memset => Function::Memset,
            FunctionName::Strlen => Function::Strlen,
            FunctionName::Strcmp => Function::Strcmp,
        };
        Ok(Calls::new(function, &self.lengths(), self.alignment.0, seed)?)
    }
}

/// Calls of the function of the point.
///
/// # Errors
/// When there is no memory left.
pub fn call_library(bench: &mut Bench<'_>) -> Result<()> {
    let parameters = bench.parameters()?;
    call_changed(bench, parameters, |_| {})
}

/// The same with other parameters, and after `change`.
///
/// # Errors
/// When there is no memory left.
pub fn call_changed(
    bench: &mut Bench<'_>,
    parameters: LibraryCalls,
    change: impl Fn(&mut Calls),
) -> Result<()> {
    let mut calls = parameters.calls(bench.seed())?;
    change(&mut calls);
    bench.slope(&mut |n| Ok(calls.run(n)))?;
    let (done, bytes) = calls.done();
    bench.count("bytes.of_calls", bytes as f64, done as f64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::{Parameters, Point};

    fn read(text: &str) -> Result<LibraryCalls> {
        LibraryCalls::read(&Point::parse(text).unwrap())
    }

    #[test]
    fn mixed_lengths_are_half_octaves_up_to_the_longest() {
        let mixed = read("function=memcpy bytes=256B alignment=0 sizes=mixed").unwrap();
        assert_eq!(mixed.lengths(), [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]);
        assert_eq!(mixed.mean(), 55.75);
        let fixed = read("function=memcpy bytes=256B alignment=0").unwrap();
        assert_eq!((fixed.lengths(), fixed.mean()), (vec![256], 256.0));
    }

    #[test]
    fn alignments_are_places_in_a_line_or_at_the_end_of_a_page() {
        for (text, expected) in [
            ("0", Some(Start::InLine(0))),
            ("63", Some(Start::InLine(63))),
            ("page", Some(Start::EndOfPage)),
            ("64", None),
            ("-1", None),
        ] {
            let point = read(&format!("function=strlen bytes=64B alignment={text}"));
            assert_eq!(point.ok().map(|point| point.alignment.0), expected, "{text}");
        }
    }
}
