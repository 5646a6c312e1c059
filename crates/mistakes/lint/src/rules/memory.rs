//! Rules for caches and memory: levels, working sets, sizes read off curves.

use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::table::Row;
use quantity::{Quantity, show};

/// Levels from near to far.
const LEVELS: [&str; 5] = ["L1", "L2", "L3", "L4", "memory"];
/// A lower latency must be lower by this share: medians of good runs vary by a few percent.
const FALL: f64 = 0.05;
/// The same for two working sets, which differ in pages and placement as well.
const FALL_OF_SETS: f64 = 0.25;

/// Parameters that name the working set.
const WORKING_SETS: [&str; 5] = ["array", "working_set", "buffer", "size", "bytes"];

/// How near to a power of two a factor must be, and the smallest power that is not an error of detection: shared caches
/// are found too small by half, hardly by three quarters.
const NEAR: f64 = 0.1;
const LEAST_POWER: f64 = 2.0;

/// Seconds: the latency of the slowest memory in use, where the table does not give it.
const SLOWEST: f64 = 2e-7;
/// Memory gives at least a line in the time of one access; this is far below one byte.
const BYTES: f64 = 0.5;

/// Memory is given in powers of 1024 and of 1000: gigabytes of the two differ by 7 %.
const OVER: f64 = 0.08;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "levels",
        code: "E16",
        what: "A farther level of the memory hierarchy with a lower latency than a nearer one, or a larger working set with a \
               latency a quarter below that of a smaller one.",
        example: "operation,parameter,measured,unit\nmemory.latency,level=L3,20,ns\nmemory.latency,level=memory,12,ns\n",
        why: "Latency only grows with distance: the working set was not in the named level, or two rows are swapped.",
        wrong_when: "The table names the levels differently.",
        checks: &[Check::Table(levels), Check::Table(working_sets)],
    },
    Rule {
        id: "too_small",
        code: "E16",
        what: "A working set labelled memory that is no larger than the last-level cache of the machine.",
        example: "# a machine with a last-level cache of 32 MB\noperation,parameter,measured,unit\n\
                  memory.latency,level=memory array=2MB,30,ns\n",
        why: "The cache answered. Nine of ten lines come from memory only from four times the cache on.",
        wrong_when: "The caches were flushed before each access.",
        checks: &[Check::Points(too_small)],
    },
    Rule {
        id: "knee_unit",
        code: "E19",
        what: "A size read off a curve that is a quarter, an eighth, a sixteenth… of the predicted or known size, or that \
               many times it.",
        example: "operation,parameter,predicted,measured,unit\nmemory.levels.size,level=L3,8192,512,KB\n",
        why: "The axis does not count bytes but nodes, words or lines.",
        wrong_when: "Detection failed by exactly that factor.",
        checks: &[Check::Table(knee_unit)],
    },
    Rule {
        id: "slower_than_latency",
        code: "E37",
        what: "A memory bandwidth below half a byte per access latency.",
        example: "operation,parameter,measured,unit\nmemory.bandwidth.read,,1.93,MB/s\n",
        why: "Even one byte at a time would be faster: the unit is a thousand times too small.",
        wrong_when: "The memory is behind a bus or a network that the table does not name.",
        checks: &[Check::Claims(slower_than_latency)],
    },
    Rule {
        id: "larger_than_memory",
        code: "E48",
        what: "A page cache that is measured or predicted larger than the memory of the machine.",
        example: "# a machine with 16 GB of memory\noperation,measured,unit\nfile.cache_size,31,GB\n",
        why: "The inventory understates the memory, or the data did not come from memory.",
        wrong_when: "A disk's controller or the host of a virtual machine caches files, too.",
        checks: &[Check::Claims(larger_than_memory)],
    },
];

fn levels(context: &Context<'_>) -> Vec<Finding> {
    let firsts = context.first_of_claims(|row| row.result().is_some()).into_iter();
    let plain = firsts.filter(|row| row.is_time_of_one() && row.params.is_plain());
    let ranked: Vec<(&Row, usize)> = plain.filter_map(|row| Some((row, rank(row)?))).collect();
    let found = ranked.iter().filter_map(|(near, rank)| {
        let point = near.params.essence().without(&["level"]);
        let farther = ranked.iter().filter(|(far, other)| {
            other > rank && far.same_quantity(near) && far.params.essence().without(&["level"]) == point
        });
        let (far, _) = farther.min_by_key(|(_, other)| other)?;
        let [far_level, near_level] = [far, near]
            .map(|row| format!("{} of {}", row.shown(), row.params.get("level").unwrap_or_default()));
        let text = format!("{far_level} is below {near_level}, which is nearer to the core");
        (far.result()? < near.result()? * (1.0 - FALL)).then(|| Finding::new(&[far, near], text))
    });
    found.collect()
}

/// The place of a row's level in the hierarchy.
fn rank(row: &Row) -> Option<usize> {
    let level = row.params.get("level")?;
    let is_latency = row.belongs_to_any(&["memory.latency", "memory.levels"]);
    let named = LEVELS.iter().position(|known| known.eq_ignore_ascii_case(level));
    named.or_else(|| level.parse().ok()).filter(|_| is_latency)
}

/// A working set that is larger, and faster, at the same point.
fn working_sets(context: &Context<'_>) -> Vec<Finding> {
    let firsts = context.first_of_claims(|row| row.result().is_some()).into_iter();
    let plain =
        firsts.filter(|row| row.belongs("memory.latency") && row.is_time_of_one() && row.params.is_plain());
    let mut sets: Vec<(f64, &Row)> = plain
        .filter_map(|row| Some((WORKING_SETS.iter().find_map(|name| row.params.bytes(name))?, row)))
        .collect();
    sets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let found = sets.iter().filter_map(|(bytes, small)| {
        let point = small.params.essence().without(&WORKING_SETS);
        let (_, large) = sets.iter().find(|(other, large)| {
            let results = large.result().zip(small.result());
            other > bytes
                && large.same_quantity(small)
                && large.params.essence().without(&WORKING_SETS) == point
                && results.is_some_and(|(far, near)| far < near * (1.0 - FALL_OF_SETS))
        })?;
        let text = format!("{} for the larger working set, {} for the smaller", large.shown(), small.shown());
        Some(Finding::new(&[large, small], text))
    });
    found.collect()
}

fn too_small(context: &Context<'_>, row: &Row) -> Option<String> {
    let is_memory = row.params.get("level").is_some_and(|level| level.eq_ignore_ascii_case("memory"));
    let cache = context.table.machine(&row.report)?.last_cache?;
    let set = WORKING_SETS.iter().find_map(|name| row.params.bytes(name))?;
    let found = is_memory && row.measured.is_some() && set <= cache;
    let [set, cache] = [set, cache].map(|bytes| show(bytes, None, Quantity::Size));
    found.then(|| {
        format!("a working set of {set} fits into the last-level cache of {cache}, but is labelled memory")
    })
}

fn knee_unit(context: &Context<'_>) -> Vec<Finding> {
    let sizes = context.first_of_claims(|row| {
        row.is(Quantity::Size) && row.params.is_plain() && row.operation.contains("level")
    });
    let found = sizes.into_iter().filter_map(|row| {
        let expected = row.si(row.predicted).or(row.si(row.base))?;
        let power = (row.result()? / expected).log2();
        let factor = power.abs().exp2().round();
        let text = format!(
            "measured and expected differ by a factor of {factor}: the axis counts units of {factor} bytes"
        );
        let is_power = power.round().abs() >= LEAST_POWER && (power - power.round()).abs() < NEAR;
        is_power.then(|| Finding::new(&[row], text))
    });
    found.collect()
}

fn slower_than_latency(context: &Context<'_>, row: &Row) -> Option<String> {
    let is_rate = row.belongs("memory.bandwidth") && row.is(Quantity::Bandwidth) && !row.params.is_derived();
    let rate = row.result().filter(|rate| is_rate && *rate > 0.0)?;
    let latencies = context
        .table
        .rows_of(&row.report)
        .filter(|other| other.belongs("memory.latency") && other.is_time_of_one())
        .filter_map(Row::result);
    let shown = row.shown();
    (rate * latencies.fold(SLOWEST, f64::max) < BYTES)
        .then(|| format!("{shown} is less than half a byte per access latency of the memory"))
}

fn larger_than_memory(context: &Context<'_>, row: &Row) -> Option<String> {
    let memory = context.table.machine(&row.report)?.memory?;
    let is_cache = row.operation == "file.cache_size" && row.is(Quantity::Size);
    let figure = [row.measured, row.predicted]
        .into_iter()
        .find(|figure| row.si(*figure).is_some_and(|size| size > memory * (1.0 + OVER)))
        .filter(|_| is_cache)?;
    Some(format!("{} of page cache in {:.1} GB of memory", row.figure(figure), memory / 1e9))
}

#[cfg(test)]
mod tests {
    use crate::Machine;
    use crate::rules::testing::{HEADING, expect, expect_on};

    #[test]
    fn farther_level_with_lower_latency_is_found() {
        let found = [
            "memory.latency,level=L1,1.4,ns\nmemory.latency,level=L3,20,ns\nmemory.latency,level=memory,12,ns\n",
            "memory.levels,level=2 of=latency,14,ns\nmemory.levels,level=3 of=latency,4,ns\n",
        ];
        let right = "memory.latency,level=L1,1.4,ns\nmemory.latency,level=L2,4,ns\nmemory.latency,level=memory,80,ns\n";
        expect("levels", HEADING, &found, &[right]);
        let found = "memory.latency,bytes=32KiB,4,ns\nmemory.latency,bytes=64MiB,1.2,ns\n";
        let right = "memory.latency,bytes=32KiB,4,ns\nmemory.latency,bytes=64KiB,3.5,ns\nmemory.latency,bytes=64MiB page=2MiB,1.2,ns\n";
        expect("levels", HEADING, &[found], &[right]);
    }

    #[test]
    fn working_set_within_the_cache_is_found() {
        let text = "memory.latency,level=memory array=2MB,30,ns\nmemory.latency,level=memory bytes=64MiB,80,ns\n\
                    memory.latency,level=L3 array=2MB,10,ns\n";
        let machine = Machine { last_cache: Some(3e6), ..Machine::default() };
        expect_on(&machine, "too_small", [1, 0], HEADING, text);
    }

    #[test]
    fn sixteenth_of_the_expected_size_is_found() {
        let right = "memory.levels.size,level=L1,5,5,log2 KB\nmemory.levels.size,level=L3,11.585,11,log2 KB\n\
                     memory.levels.size,level=L2,2097152,1048576,bytes\nmemory.levels.size,level=L4,,3,bytes\n";
        let heading = "operation,parameter,predicted,measured,unit\n";
        expect("knee_unit", heading, &["memory.levels.size,level=L3,23,19,log2 bytes\n"], &[right]);
    }

    #[test]
    fn megabytes_for_gigabytes_are_found() {
        let wrong = "memory.bandwidth.read,,1.93,MB/s\nmemory.latency,level=memory,141,ns\n";
        let right =
            "memory.bandwidth.read,,38,MB/s\nmemory.latency,level=memory,300,ns\nfile.read,,1.9,MB/s\n";
        expect("slower_than_latency", HEADING, &[wrong], &[right]);
    }

    #[test]
    fn page_cache_larger_than_memory_is_found() {
        let text = "file.cache_size,,31,GB\nfile.cache_size,disk=b,16.9,GB\nfile.size,,99,GB\n";
        let machine = Machine { memory: Some(17_179_869_184.0), ..Machine::default() };
        expect_on(&machine, "larger_than_memory", [1, 0], HEADING, text);
    }
}
