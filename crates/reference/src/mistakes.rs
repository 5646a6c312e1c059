//! Names of the mistakes by their codes.

/// Codes and names, in the order of the codes.
pub const MISTAKES: [(&str, &str); 62] = [
    ("E01", "the library answered, not the kernel"),
    ("E02", "a failing call was timed"),
    ("E03", "a whole cheaper than its parts"),
    ("E04", "the result is the harness"),
    ("E05", "subtraction below the noise"),
    ("E06", "overhead subtracted here and not there"),
    ("E07", "one short operation timed alone"),
    ("E08", "a coarse clock"),
    ("E09", "ticks of a counter called cycles"),
    ("E10", "the clock of the core drifted"),
    ("E11", "CPUID as a fence in a virtual machine"),
    ("E12", "an unoptimised harness"),
    ("E13", "work that the compiler removed"),
    ("E14", "memory that was never touched"),
    ("E15", "a working set smaller than claimed"),
    ("E16", "too small for the level"),
    ("E17", "a pattern that prefetchers follow"),
    ("E18", "large arrays on the stack"),
    ("E19", "an axis in the wrong unit"),
    ("E20", "another kind of fault than reported"),
    ("E21", "an empty file, or memory taken for a disk"),
    ("E22", "caches not dropped, or on one side only"),
    ("E23", "an effect of the order"),
    ("E24", "still warming up"),
    ("E25", "one value moves the mean"),
    ("E26", "two modes under one mean"),
    ("E27", "a deviation of another kind"),
    ("E28", "variance between runs left out"),
    ("E29", "too few samples"),
    ("E30", "an arbitrary cut"),
    ("E31", "the best of several as the result"),
    ("E32", "predicted after the measurement"),
    ("E33", "predicted from something else, or from itself"),
    ("E34", "what is left over called overhead"),
    ("E35", "faster than the hardware"),
    ("E36", "longer than the experiment"),
    ("E37", "a slip of the unit"),
    ("E38", "a wake-up on another processor called a switch"),
    ("E39", "no switch in the interval, or more than one"),
    ("E40", "a person in the interval"),
    ("E41", "bytes counted from before the clock"),
    ("E42", "an acknowledgement taken for an answer"),
    ("E43", "the instrument disturbs"),
    ("E44", "different hardware at the two ends"),
    ("E45", "unequal cores"),
    ("E46", "real-time priority with side effects"),
    ("E47", "competitors that do not overlap"),
    ("E48", "a wrong inventory"),
    ("E49", "text and table differ"),
    ("E50", "a story that nothing tests"),
    ("E51", "agreement by accident"),
    ("E52", "a counter that always reads zero"),
    ("E53", "divided by an assumed number"),
    ("E54", "the peer was still awake"),
    ("E55", "fork without the size of the parent"),
    ("E56", "an interval from one process"),
    ("E57", "long batches under load"),
    ("E58", "code across a cache line"),
    ("E59", "a fallback that nobody asked for"),
    ("E60", "buffers of zeros"),
    ("E61", "a cache called memory"),
    ("E62", "bytes that were not moved, or counted twice"),
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
