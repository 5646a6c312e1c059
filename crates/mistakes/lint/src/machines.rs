//! Facts about the machines on which a table was measured.

use crate::columns::Columns;
use crate::error::LintError;
use crate::grid::Grid;
use crate::table::Machine;
use quantity::{Scale, parse_unit};

/// Words for storage that is memory, and for storage that is not a single hard disk.
const MEMORY: [&str; 6] = ["pmem", "persistent", "nvdimm", "dax", "tmpfs", "ram disk"];
const NOT_A_DISK: [&str; 7] = ["ssd", "nvme", "flash", "raid", "optane", "array", "disks"];

/// Reads a table of machines: columns `report`, `clock_ghz`, `l3_bytes` and `l2_bytes`, `network`, in any order.
///
/// # Errors
/// When the text is not a table with a heading, or has none of these columns.
pub fn machines(text: &str) -> Result<Vec<Machine>, LintError> {
    let mut grid = Grid::parse(text)?;
    let columns = Columns::parse(&grid.heading(|_| true).ok_or(LintError::NotMachines)?);
    if !columns.has("clock_ghz l3_bytes network") {
        return Err(LintError::NotMachines);
    }
    let mut machines = Vec::new();
    for (_, record) in &grid.rows {
        let number = |name: &str| columns.cell(record, name).parse::<f64>().ok();
        let storage = columns.cell(record, "storage").to_owned();
        let small = storage.to_ascii_lowercase();
        machines.push(Machine {
            report: columns.cell(record, "report").to_owned(),
            clock_hz: number("clock_ghz").map(|ghz| ghz * 1e9),
            last_cache: number("l3_bytes").or_else(|| number("l2_bytes")),
            link: rate(columns.cell(record, "network"), |unit| {
                unit.contains("bit/s") || unit.contains("b/s")
            }),
            memory: number("memory_bytes"),
            storage: rate(&storage, |unit| unit.ends_with("B/s")),
            rotates: storage.contains("rpm") && !NOT_A_DISK.iter().any(|word| small.contains(word)),
            stores_in_memory: MEMORY.iter().any(|word| small.contains(word)),
        });
    }
    Ok(machines)
}

/// The fastest rate in a unit of this kind among the words of a description.
fn rate(text: &str, is_meant: impl Fn(&str) -> bool) -> Option<f64> {
    let words: Vec<&str> =
        text.split(|letter: char| letter.is_whitespace() || ",;()".contains(letter)).collect();
    let rates = words.windows(2).filter_map(|pair| {
        let [number, unit] = pair else { return None };
        match parse_unit(unit).filter(|_| is_meant(unit))?.scale {
            Scale::Times(factor) => Some(number.parse::<f64>().ok()? * factor),
            _ => None,
        }
    });
    rates.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_any_order() {
        let text = "network,report,clock_ghz\n\"Wi-Fi, 144 Mbit/s; bus 10 GB/s\",A,2.7\nno link,B,\n";
        let read = machines(text).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].link, Some(18e6));
        assert!(!read[0].rotates && read[0].storage.is_none());
        assert_eq!(read[0].clock_hz, Some(2.7e9));
        let unknown = Machine { report: "B".to_owned(), ..Machine::default() };
        assert_eq!(read[1], unknown);
    }

    #[test]
    fn kind_of_storage_is_recognised_by_its_words() {
        let text = "report,network,storage,memory_bytes\nA,,\"80 GB, 7200 rpm, SATA 1.5 Gbit/s\",1e9\n\
                    B,,\"SSD 256 GB, 2280.2 MB/s read\",\nC,,\"3 disks, 15000 rpm\",\nD,,PMem 1.5 TB fsdax,\n";
        let read = machines(text).unwrap();
        let facts: Vec<(bool, bool)> = read.iter().map(|one| (one.rotates, one.stores_in_memory)).collect();
        assert_eq!(facts, [(true, false), (false, false), (false, false), (false, true)]);
        assert_eq!((read[0].memory, read[0].storage), (Some(1e9), None));
        assert_eq!(read[1].storage, Some(2280.2e6));
    }

    #[test]
    fn table_without_known_columns_is_refused() {
        assert!(machines("a,b\n1,2\n").is_err());
    }
}
