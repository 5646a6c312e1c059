//! Names of system calls, for evidence that a person reads.

use syscalls::Sysno;

/// Set in numbers of calls that were made by the entry of 32-bit programs.
const OF_32_BITS: u64 = 1 << 40;

/// Numbers of 32-bit x86 programs that are asked for here (arch/x86/entry/syscalls/syscall_32.tbl).
const NAMES_OF_32_BITS: [(u64, &str); 3] = [(20, "getpid"), (64, "getppid"), (183, "getcwd")];

/// The kernel's name of the call with this number; `unknown` for numbers that are not assigned.
pub(crate) const fn constant_name(number: i64) -> &'static str {
    match Sysno::new(number as usize) {
        Some(call) => call.name(),
        None => "unknown",
    }
}

/// The number of a call that was made by the entry of 32-bit programs, apart from all others.
pub(crate) fn of_32_bits(number: u64) -> u64 {
    number | OF_32_BITS
}

/// Whether the kernel of this architecture has a call of this name.
pub fn is_name(name: &str) -> bool {
    name.parse::<Sysno>().is_ok()
}

/// As [`constant_name`], with `_32` at its end for calls by the entry of 32-bit programs.
pub fn name(number: u64) -> String {
    if number & OF_32_BITS != 0 {
        let known = NAMES_OF_32_BITS.iter().find(|(short, _)| of_32_bits(*short) == number);
        return format!("{}_32", known.map_or("unknown", |(_, name)| name));
    }
    constant_name(number.cast_signed()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{is_name, name, of_32_bits};

    #[test]
    fn misspelt_names_are_unknown() {
        assert!(is_name("getppid") && !is_name("getpppid") && !is_name(""));
    }

    #[test]
    fn known_and_unknown_numbers() {
        assert_eq!(name(u64::try_from(libc::SYS_getppid).unwrap_or(0)), "getppid");
        assert_eq!(name(0xfff), "unknown");
        assert_eq!(name(of_32_bits(64)), "getppid_32");
        assert_eq!(name(of_32_bits(1)), "unknown_32");
    }
}
