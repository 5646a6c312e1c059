//! Names of the mistakes by their codes.

/// Codes and names, in the order of the codes.
pub const MISTAKES: [(&str, &str); 62] = [
    ("E01", "no system call: the library answered"),
    ("E02", "failing call timed"),
    ("E03", "cheaper than its parts"),
    ("E04", "harness overhead reported as the result"),
    ("E05", "subtracted overhead exceeds the result"),
    ("E06", "overhead subtracted inconsistently"),
    ("E07", "one short operation timed individually"),
    ("E08", "coarse clock"),
    ("E09", "ticks of a counter called cycles"),
    ("E10", "core clock drift"),
    ("E11", "CPUID as a fence in a virtual machine"),
    ("E12", "unoptimised harness"),
    ("E13", "work removed by the compiler"),
    ("E14", "memory never touched"),
    ("E15", "working set smaller than claimed"),
    ("E16", "working set too small for the level"),
    ("E17", "access pattern that prefetchers follow"),
    ("E18", "large arrays on the stack"),
    ("E19", "axis in the wrong unit"),
    ("E20", "another kind of page fault than reported"),
    ("E21", "empty file or file in memory"),
    ("E22", "caches not dropped on both sides"),
    ("E23", "order effect"),
    ("E24", "warm-up included"),
    ("E25", "outlier in the mean"),
    ("E26", "two modes reported as one mean"),
    ("E27", "another kind of deviation"),
    ("E28", "variance between runs ignored"),
    ("E29", "too few samples"),
    ("E30", "arbitrary cut-off"),
    ("E31", "best of several reported as the result"),
    ("E32", "predicted after the measurement"),
    ("E33", "predicted from another result or from itself"),
    ("E34", "residual reported as overhead"),
    ("E35", "faster than the hardware"),
    ("E36", "longer than the experiment"),
    ("E37", "wrong unit"),
    ("E38", "cross-CPU wake-up reported as a context switch"),
    ("E39", "not exactly one switch in the interval"),
    ("E40", "waiting for a person included"),
    ("E41", "bytes counted before timing started"),
    ("E42", "TCP acknowledgement reported as a reply"),
    ("E43", "instrumentation disturbs the measurement"),
    ("E44", "different hardware at the two ends"),
    ("E45", "unequal cores"),
    ("E46", "real-time priority with side effects"),
    ("E47", "competing processes that do not overlap"),
    ("E48", "wrong hardware inventory"),
    ("E49", "text and table differ"),
    ("E50", "untested explanation"),
    ("E51", "accidental agreement"),
    ("E52", "counter that always reads zero"),
    ("E53", "divided by an assumed count"),
    ("E54", "peer still awake"),
    ("E55", "fork without the parent's memory size"),
    ("E56", "interval from a single process"),
    ("E57", "long batches under load"),
    ("E58", "code that crosses a cache line"),
    ("E59", "silent fallback"),
    ("E60", "buffers of zeros"),
    ("E61", "cache reported as memory"),
    ("E62", "bytes not moved or counted twice"),
];

/// The name of a mistake.
pub fn mistake(code: &str) -> Option<&'static str> {
    let found = MISTAKES.iter().find(|(known, _)| *known == code);
    found.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_numbered_without_a_gap() {
        for (at, (code, _)) in MISTAKES.iter().enumerate() {
            assert_eq!(*code, format!("E{:02}", at + 1));
        }
        assert_eq!(mistake("E99"), None);
    }
}
