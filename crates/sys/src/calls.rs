//! Names of system calls, for evidence that a person reads.

use syscalls::Sysno;

/// The kernel's name of the call with this number; `unknown` for numbers that are not assigned.
pub fn name(number: u64) -> String {
    usize::try_from(number)
        .ok()
        .and_then(Sysno::new)
        .map_or_else(|| "unknown".to_owned(), |call| call.name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn known_and_unknown_numbers() {
        assert_eq!(name(u64::try_from(libc::SYS_getppid).unwrap_or(0)), "getppid");
        assert_eq!(name(0xfff), "unknown");
    }
}
