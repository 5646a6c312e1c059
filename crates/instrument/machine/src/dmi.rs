//! The firmware's table (SMBIOS): memory modules, without their serial numbers.
//!
//! Layout after the DMTF's DSP0134, section 6.1 (structures) and 7.18 (type 17, memory device).

use crate::parse;

/// Type of the structure that describes a memory device.
const MEMORY_DEVICE: u8 = 17;

/// A machine has no more modules, and a table no more structures, than this.
const MOST_STRUCTURES: usize = 4096;

/// Names of memory types by their number, from DSP0134 table 77; others are given as a number.
const TYPES: [(u8, &str); 9] = [
    (0x12, "DDR"),
    (0x13, "DDR2"),
    (0x18, "DDR3"),
    (0x1a, "DDR4"),
    (0x1d, "LPDDR3"),
    (0x1e, "LPDDR4"),
    (0x20, "HBM"),
    (0x22, "DDR5"),
    (0x23, "LPDDR5"),
];

/// One line for each installed module: locator, bytes, type, rated and configured speed in megatransfers
/// per second (0 where unknown), separated by tabs.
pub(crate) fn memory_modules(table: &[u8]) -> String {
    let mut lines = String::new();
    let mut rest = table;
    for _ in 0..MOST_STRUCTURES {
        let Some((structure, after)) = next(rest) else { break };
        if structure.kind == MEMORY_DEVICE {
            lines.extend(module(&structure));
        }
        rest = after;
    }
    lines
}

struct Structure<'table> {
    kind: u8,
    formatted: &'table [u8],
    strings: &'table [u8],
}

/// A structure is a formatted area that begins with its length, then strings, then two zero bytes.
fn next(table: &[u8]) -> Option<(Structure<'_>, &[u8])> {
    let (&kind, &length) = (table.first()?, table.get(1)?);
    let formatted = table.get(..usize::from(length).max(4))?;
    let behind = table.get(formatted.len()..)?;
    let end = behind.windows(2).position(|pair| pair == [0, 0])?;
    let structure = Structure { kind, formatted, strings: behind.get(..end)? };
    Some((structure, behind.get(end + 2..)?))
}

impl Structure<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.formatted.get(at).copied()
    }

    fn word(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(at)?, self.byte(at + 1)?]))
    }

    fn double(&self, at: usize) -> Option<u32> {
        Some(u32::from(self.word(at)?) | u32::from(self.word(at + 2)?) << 16)
    }

    /// Strings are numbered from 1, in their order after the formatted area.
    fn string(&self, at: usize) -> Option<String> {
        let index = usize::from(self.byte(at)?).checked_sub(1)?;
        let text = self.strings.split(|byte| *byte == 0).nth(index)?;
        let printable = String::from_utf8_lossy(text).replace(char::is_control, " ");
        Some(printable.trim().to_owned())
    }

    /// Size in bytes: in MiB, or in KiB when bit 15 is set; 0x7fff says that the extended size holds.
    fn module_bytes(&self) -> Option<u64> {
        match self.word(0x0c)? {
            0 | 0xffff => None,
            0x7fff => Some(u64::from(self.double(0x1c)? & 0x7fff_ffff) << 20),
            small if small & 0x8000 != 0 => Some(u64::from(small & 0x7fff) << 10),
            size => Some(u64::from(size) << 20),
        }
    }
}

fn module(device: &Structure) -> Option<String> {
    let bytes = device.module_bytes()?;
    let number = device.byte(0x12).unwrap_or_default();
    let kind = parse::beside(&TYPES, |known| *known == number).unwrap_or_else(|| format!("type {number}"));
    let locator = device.string(0x10).unwrap_or_else(|| "unnamed".to_owned());
    let rated = device.word(0x15).unwrap_or_default();
    let configured = device.word(0x20).unwrap_or_default();
    Some(format!("{locator}\t{bytes}\t{kind}\t{rated}\t{configured}\n"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    /// A memory device of 16 GiB DDR4, 3200 rated, 2933 configured, with a serial number.
    fn device(size: u16) -> Vec<u8> {
        let mut bytes = vec![0_u8; 0x22];
        (bytes[0], bytes[1]) = (MEMORY_DEVICE, 0x22);
        bytes[0x0c..0x0e].copy_from_slice(&size.to_le_bytes());
        (bytes[0x10], bytes[0x12], bytes[0x18]) = (1, 0x1a, 2);
        bytes[0x15..0x17].copy_from_slice(&3200_u16.to_le_bytes());
        bytes[0x1c..0x20].copy_from_slice(&65_536_u32.to_le_bytes());
        bytes[0x20..0x22].copy_from_slice(&2933_u16.to_le_bytes());
        bytes.extend(b"DIMM_A1\0SERIAL-1234\0\0");
        bytes
    }

    #[test]
    fn modules_are_read_without_serial_numbers() {
        let mut table = vec![1, 4, 0, 0, 0, 0];
        table.extend(device(16_384));
        table.extend(device(0));
        table.extend(device(0x7fff));
        table.extend(device(0x8000 | 512));
        table.extend([127, 4, 0, 0, 0, 0]);
        let text = memory_modules(&table);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "DIMM_A1\t17179869184\tDDR4\t3200\t2933",
                "DIMM_A1\t68719476736\tDDR4\t3200\t2933",
                "DIMM_A1\t524288\tDDR4\t3200\t2933",
            ]
        );
    }

    #[test]
    fn truncated_table_ends_without_error() {
        let table = device(16_384);
        for length in 0..table.len() {
            assert_eq!(memory_modules(&table[..length]), "", "cut at {length}");
        }
        assert_ne!(memory_modules(&table), "");
    }
}
