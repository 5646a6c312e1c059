//! The kernel's symbols, as it lists them itself.

/// A symbol of the kernel's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Where it begins, in hexadecimal.
    pub address: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// Reads a line of /proc/kallsyms: only text, without the paddings before functions and the stubs of control-flow integrity.
pub fn symbol(line: &str) -> Option<Symbol<'_>> {
    let mut words = line.split_whitespace();
    let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
    let is_text = matches!(kind, "t" | "T" | "w" | "W");
    let is_padding = ["__pfx_", "__cfi_", "$"].iter().any(|prefix| name.starts_with(prefix));
    (is_text && !is_padding && address.bytes().any(|digit| digit != b'0')).then_some(Symbol { address, name })
}

/// Suffixes by which compilers distinguish parts and variants of a function.
const SUFFIXES: [&str; 6] = ["constprop", "isra", "part", "cold", "llvm", "lto_priv"];

/// The name of a function without suffixes of its compiler: `step_into.isra.0` is `step_into`.
pub fn folded(name: &str) -> &str {
    let cut = name.match_indices('.').find(|(at, _)| {
        let suffix = name.get(at + 1..).unwrap_or_default();
        SUFFIXES.iter().any(|known| suffix.starts_with(known))
    });
    cut.and_then(|(at, _)| name.get(..at)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_of_the_kernel_is_a_symbol() {
        let found = symbol("ffffffff81000040 T startup_64\t[module]");
        assert_eq!(found, Some(Symbol { address: "ffffffff81000040", name: "startup_64" }));
        for line in [
            "0000000000000000 T hidden",
            "ffffffff82000000 D data",
            "ffffffff81000000 t __pfx_startup_64",
            "",
        ] {
            assert_eq!(symbol(line), None, "{line}");
        }
    }

    #[test]
    fn suffixes_of_compilers_are_folded_and_names_with_points_are_not() {
        for (name, expected) in [
            ("step_into", "step_into"),
            ("step_into.isra.0", "step_into"),
            ("a.part.0.cold", "a"),
            ("x.constprop.3", "x"),
            ("bpf_prog_6deef7357e7b4530.name", "bpf_prog_6deef7357e7b4530.name"),
        ] {
            assert_eq!(folded(name), expected);
        }
    }
}
