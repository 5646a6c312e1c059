//! What is told of the machines on which a table was measured.

use crate::columns::Columns;
use crate::grid::Grid;
use crate::read::LintError;
use quantity::parse_unit;

/// Facts of one machine that rules can use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// The report whose machine it is.
    pub report: String,
    /// Nominal clock, in Hz.
    pub clock_hz: Option<f64>,
    /// Last cache, in bytes.
    pub last_cache: Option<f64>,
    /// The fastest network link that is told in bits per second, in bytes per second. Links are rated in bits; a
    /// figure in bytes beside it is a bus or a slip.
    pub link: Option<f64>,
}

/// Reads a table of machines: columns `report`, `clock_ghz`, `l3_bytes` and `l2_bytes`, `network`, in any order.
///
/// # Errors
/// When the text is no table with a heading, or no column is known.
pub fn machines(text: &str) -> Result<Vec<Machine>, LintError> {
    let mut grid = Grid::of(text)?;
    let columns = Columns::of(&grid.heading(|_| true).ok_or(LintError::NotMachines)?);
    if columns.find(&["clock_ghz", "l3_bytes", "network"]).is_none() {
        return Err(LintError::NotMachines);
    }
    let mut machines = Vec::new();
    for (_, record) in &grid.rows {
        let cell = |name: &str| columns.cell(record, &[name]);
        let number = |name: &str| cell(name).parse::<f64>().ok();
        machines.push(Machine {
            report: cell("report").to_owned(),
            clock_hz: number("clock_ghz").map(|ghz| ghz * 1e9),
            last_cache: number("l3_bytes").or_else(|| number("l2_bytes")),
            link: link(cell("network")),
        });
    }
    Ok(machines)
}

/// The fastest rate in bits per second among the words of a description.
fn link(text: &str) -> Option<f64> {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || ",;()".contains(letter))
        .collect();
    let rates = words.windows(2).filter_map(|pair| {
        let [number, unit] = pair else { return None };
        let bits = unit.contains("bit/s") || unit.contains("b/s");
        let factor = match parse_unit(unit).filter(|_| bits)?.scale {
            quantity::Scale::Times(factor) => factor,
            _ => return None,
        };
        Some(number.parse::<f64>().ok()? * factor)
    });
    rates.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn facts_are_read_in_any_order() {
        let text = "network,report,clock_ghz\n\"Wi-Fi, 144 Mbit/s; bus 10 GB/s\",A,2.7\nno link,B,\n";
        let read = machines(text).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].link, Some(18e6));
        assert_eq!(read[0].clock_hz, Some(2.7e9));
        assert_eq!(
            read[1],
            Machine {
                report: "B".to_owned(),
                ..Machine::default()
            }
        );
    }

    #[test]
    fn another_table_is_refused() {
        assert!(machines("a,b\n1,2\n").is_err());
    }
}
