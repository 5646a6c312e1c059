//! The mistakes of measuring: their codes, their names, and what guards against each in oscope.

/// Mistakes of one kind, and what guards against them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// What they have in common.
    pub name: &'static str,
    /// What oscope does against them.
    pub guard: &'static str,
}

/// A mistake of measuring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mistake {
    /// Its code, `E01` to `E63`.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub theme: Theme,
}

const SOMETHING_ELSE: Theme = Theme {
    name: "something else is measured",
    guard: "every return value is checked, the rehearsal counts calls and instructions, cost is linear in n",
};
const IMPOSSIBLE: Theme =
    Theme { name: "impossible results", guard: "bounds; impossible trials are refused" };
const INSTRUMENT: Theme = Theme {
    name: "the instrument in the result",
    guard: "slope over n, 2n, 4n; cheap fences; aligned assembly; counting apart from timing; `loop.known_cost`",
};
const CLOCKS: Theme = Theme {
    name: "clocks and units",
    guard: "steps are detected, cycles are probed, every trial calibrates, sizes are a type (`Bytes`), every quantity has its unit",
};
const MEMORY: Theme = Theme {
    name: "memory that is not what it claims",
    guard: "mapped, touched, non-zero memory; sizes are parameters; faults are counted",
};
const FILES: Theme = Theme {
    name: "files and networks",
    guard: "random data, cache state checked before, device bytes counted after, a common window",
};
const ORDER: Theme = Theme {
    name: "order and time",
    guard: "fresh processes, shuffled rounds, separate warm-up, trend tests, an estimator fixed before the run",
};
const STATISTICS: Theme = Theme {
    name: "statistics",
    guard: "medians, order statistics, modes reported, named causes only, short batches, open loop",
};
const PLACEMENT: Theme = Theme {
    name: "placement and switches",
    guard: "placement is a parameter, switches of both actors are counted, counters are tried first",
};
const PREDICTIONS: Theme = Theme {
    name: "predictions and stories",
    guard: "predictions precede trials, sources are named, the residual is a column",
};
const REPORT: Theme =
    Theme { name: "the report", guard: "every fact has its source, every number comes from the record" };

/// Every mistake, in the order of the codes.
pub const MISTAKES: [Mistake; 63] = [
    mistake("E01", "no system call: the library answered", SOMETHING_ELSE),
    mistake("E02", "failing call timed", SOMETHING_ELSE),
    mistake("E03", "cheaper than its parts", IMPOSSIBLE),
    mistake("E04", "harness overhead reported as the result", INSTRUMENT),
    mistake("E05", "subtracted overhead exceeds the result", INSTRUMENT),
    mistake("E06", "overhead subtracted inconsistently", INSTRUMENT),
    mistake("E07", "one short operation timed individually", INSTRUMENT),
    mistake("E08", "coarse clock", CLOCKS),
    mistake("E09", "ticks of a counter called cycles", CLOCKS),
    mistake("E10", "core clock drift", CLOCKS),
    mistake("E11", "CPUID as a fence in a virtual machine", INSTRUMENT),
    mistake("E12", "unoptimised harness", INSTRUMENT),
    mistake("E13", "work removed by the compiler", SOMETHING_ELSE),
    mistake("E14", "memory never touched", MEMORY),
    mistake("E15", "working set smaller than claimed", MEMORY),
    mistake("E16", "working set too small for the level", MEMORY),
    mistake("E17", "access pattern that prefetchers follow", MEMORY),
    mistake("E18", "large arrays on the stack", MEMORY),
    mistake("E19", "axis in the wrong unit", CLOCKS),
    mistake("E20", "another kind of page fault than reported", SOMETHING_ELSE),
    mistake("E21", "empty file or file in memory", FILES),
    mistake("E22", "caches not dropped on both sides", FILES),
    mistake("E23", "order effect", ORDER),
    mistake("E24", "warm-up included", ORDER),
    mistake("E25", "outlier in the mean", STATISTICS),
    mistake("E26", "two modes reported as one mean", STATISTICS),
    mistake("E27", "another kind of deviation", STATISTICS),
    mistake("E28", "variance between runs ignored", ORDER),
    mistake("E29", "too few samples", STATISTICS),
    mistake("E30", "arbitrary cut-off", STATISTICS),
    mistake("E31", "one of several reported as the result", ORDER),
    mistake("E32", "predicted after the measurement", PREDICTIONS),
    mistake("E33", "predicted from another result or from itself", PREDICTIONS),
    mistake("E34", "residual reported as overhead", PREDICTIONS),
    mistake("E35", "faster than the hardware", IMPOSSIBLE),
    mistake("E36", "longer than the experiment", IMPOSSIBLE),
    mistake("E37", "wrong unit", CLOCKS),
    mistake("E38", "hand-off between CPUs reported as a context switch", PLACEMENT),
    mistake("E39", "not exactly one switch in the interval", PLACEMENT),
    mistake("E40", "setup or a wait included", FILES),
    mistake("E41", "bytes counted before timing started", FILES),
    mistake("E42", "TCP acknowledgement reported as a round trip", FILES),
    mistake("E43", "instrumentation disturbs the measurement", INSTRUMENT),
    mistake("E44", "different hardware at the two ends", FILES),
    mistake("E45", "unequal cores", PLACEMENT),
    mistake("E46", "real-time priority with side effects", PLACEMENT),
    mistake("E47", "competing processes that do not overlap", FILES),
    mistake("E48", "wrong hardware inventory", REPORT),
    mistake("E49", "text and table differ", REPORT),
    mistake("E50", "untested explanation", PREDICTIONS),
    mistake("E51", "accidental agreement", PREDICTIONS),
    mistake("E52", "counter that always reads zero", PLACEMENT),
    mistake("E53", "divided by an assumed count", PLACEMENT),
    mistake("E54", "peer still awake", PLACEMENT),
    mistake("E55", "fork without the parent's memory size", MEMORY),
    mistake("E56", "interval from a single process", ORDER),
    mistake("E57", "long batches under load", STATISTICS),
    mistake("E58", "code that crosses a cache line", INSTRUMENT),
    mistake("E59", "silent fallback", SOMETHING_ELSE),
    mistake("E60", "buffers of zeros", MEMORY),
    mistake("E61", "cache reported as memory", MEMORY),
    mistake("E62", "bytes not moved or counted twice", MEMORY),
    mistake("E63", "time of a closed loop reported as what users wait", STATISTICS),
];

const fn mistake(code: &'static str, name: &'static str, theme: Theme) -> Mistake {
    Mistake { code, name, theme }
}

/// The mistake with this code.
pub fn find_mistake(code: &str) -> Option<&'static Mistake> {
    MISTAKES.iter().find(|mistake| mistake.code == code)
}

/// The name of the mistake with this code.
pub fn mistake_name(code: &str) -> Option<&'static str> {
    find_mistake(code).map(|mistake| mistake.name)
}

/// The codes of mistakes that a text cites.
pub fn cited_mistakes(text: &str) -> impl Iterator<Item = &'static str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter_map(find_mistake).map(|mistake| mistake.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_numbered_without_a_gap() {
        for (at, mistake) in MISTAKES.iter().enumerate() {
            assert_eq!(mistake.code, format!("E{:02}", at + 1));
        }
        assert_eq!(mistake_name("E99"), None);
    }

    #[test]
    fn a_text_cites_the_codes_that_it_names() {
        let text = "a failing call (E02), E99 and TE03, twice: E59.";
        assert_eq!(cited_mistakes(text).collect::<Vec<&str>>(), ["E02", "E59"]);
    }
}
