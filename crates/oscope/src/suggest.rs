//! What was probably meant by a word that means nothing.

use crate::Operations;
use crate::operation_list::operation;
use measure::{Area, Operation};
use record::Profile;

/// Words for what users look for, each with the names that oscope has for it: suggestions by meaning come before those by
/// letters.
const MEANINGS: [(&[&str], &[&str]); 17] = [
    (&["slow", "slower", "why", "bottleneck"], &["'oscope explain slow'"]),
    (&["core-clock", "clock-rate", "frequency", "ghz"], &["clock.frequency"]),
    (&["hand-off", "handoff", "wake-up", "wakeup"], &["switch.process.pipe", "wakeup"]),
    (&["ram", "dram"], &["memory.latency", "memory.bandwidth"]),
    (&["cache", "caches", "cpu-cache"], &["memory.latency", "memory.levels"]),
    (&["disk", "ssd", "storage", "io"], &["file.read.direct", "file.write.fsync"]),
    (
        &["context-switch", "contextswitch", "process-switch", "task-switch", "ctx", "csw"],
        &["switch.process.pipe", "switch.thread"],
    ),
    (&["spawn", "exec"], &["process.create.posix_spawn", "process.create.fork_wait"]),
    (&["kernel", "sys", "os-call"], &["syscall.floor", "syscall.getppid"]),
    (&["socket", "net", "loopback"], &["network.round_trip.tcp", "network.bandwidth.tcp"]),
    (&["function", "subroutine"], &["call.procedure"]),
    (&["timer", "gettimeofday", "time"], &["clock.read.monotonic", "sleep"]),
    (&["paging", "page-fault", "pagefault"], &["fault.anonymous", "fault.file"]),
    (&["throughput"], &["memory.bandwidth", "network.bandwidth", "ipc.bandwidth"]),
    (&["lock", "mutex"], &["switch.thread.mutex", "switch.thread.futex"]),
    (&["tlb"], &["memory.tlb"]),
    (&["mitigations", "mitigation", "spectre"], &["'oscope run --versus mitigations'"]),
];

/// What a word means, if it is one that users look for.
pub fn meaning(text: &str) -> Option<Vec<String>> {
    let text = text.to_lowercase().replace(' ', "-");
    let (_, names) = MEANINGS.iter().find(|(words, _)| words.contains(&text.as_str()))?;
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

/// Names that a suggestion lists at most.
const MOST: usize = 4;
/// Below this similarity (0 to 1) two words have nothing to do with each other: one letter of four is another, or by Jaro's, which
/// forgives that parts are absent, about one of six.
const LEAST: f64 = 0.75;
const LEAST_BY_JARO: f64 = 0.85;

/// Says that a word of a selection means nothing, and what was probably meant.
pub fn nothing_is(text: &str, operations: Operations) -> String {
    let meant = match text.split_once(' ') {
        Some((id, point)) => meaning(text).unwrap_or_else(|| points_like(id, point, operations)),
        None => meaning(text).unwrap_or_else(|| names_like(text, operations)),
    };
    let near = match meant.as_slice() {
        [] if text.contains('=') => {
            let near = like(text, operations.iter().copied().flat_map(parameters));
            let near = near.filter(|near| near != text);
            let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
            format!(
                "; {near}quote a condition with what it holds for: 'switch.process.pipe cpu=same', 'all cpu=same'"
            )
        }
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        several => format!("; did you mean one of {}?", several.join(", ")),
    };
    let areas = Area::ALL.map(Area::name).join(", ");
    format!(
        "nothing is called '{text}'{near} (see 'oscope list'; areas: {areas}; sets: headline, reports, all)"
    )
}

/// Ids that contain the word, else the name that is most like it: an id, the beginning of one, an area.
fn names_like(text: &str, operations: Operations) -> Vec<String> {
    let ids: Vec<&str> =
        operations.iter().map(|operation| operation.id).filter(|id| flawed::method(id).is_none()).collect();
    let containing = ids.iter().filter(|id| text.len() >= 3 && id.contains(text)).take(MOST);
    let containing: Vec<String> = containing.map(|id| (*id).to_owned()).collect();
    if !containing.is_empty() {
        return containing;
    }
    let beginnings = ids.iter().flat_map(|id| id.match_indices('.').map(move |(at, _)| id.split_at(at).0));
    let areas = Area::ALL.map(Area::name);
    let names = areas.into_iter().chain(beginnings).chain(ids.iter().copied()).map(str::to_owned);
    if text.contains('=') {
        return Vec::new();
    }
    if let Some(name) = like(text, names) {
        return vec![name];
    }
    let words = ids.iter().flat_map(|id| id.split(['.', '_']).map(str::to_owned));
    let Some(word) = like(text, words) else {
        return meaning_like(text);
    };
    let with_word = ids.iter().filter(|id| id.split(['.', '_']).any(|own| own == word));
    with_word.take(MOST).map(|id| (*id).to_owned()).collect()
}

/// What the word that users look for means that is most like what was typed, or a part of which is.
fn meaning_like(text: &str) -> Vec<String> {
    let parts = |word: &'static str| std::iter::once(word).chain(word.split('-'));
    let all = MEANINGS.iter().flat_map(|(words, _)| words.iter().copied().flat_map(parts));
    let meant = like(&text.to_lowercase(), all.map(str::to_owned)).and_then(|near| {
        let has_it = |words: &[&'static str]| words.iter().copied().flat_map(parts).any(|part| part == near);
        MEANINGS.iter().find(|(words, _)| has_it(words))
    });
    meant.map_or_else(Vec::new, |(_, names)| names.iter().map(|name| (*name).to_owned()).collect())
}

/// The point of an operation that is most like what was typed.
fn points_like(id: &str, point: &str, operations: Operations) -> Vec<String> {
    match operation(operations, id) {
        None => names_like(id, operations),
        Some(operation) => {
            like(point, points(operation)).map(|near| format!("'{id} {near}'")).into_iter().collect()
        }
    }
}

/// The parameters of the points of an operation, each with its value.
fn parameters(operation: &Operation) -> Vec<String> {
    let points = points(operation).collect::<Vec<String>>();
    points.iter().flat_map(|point| point.split(' ')).map(str::to_owned).collect()
}

fn points(operation: &Operation) -> impl Iterator<Item = String> {
    let points = operation.points_of(Profile::Standard).into_iter();
    points.map(|point| point.text())
}

/// The suggestion of a name, behind a message.
pub fn did_you_mean(near: Option<String>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

/// The name that is most like what was typed, if any is like enough; the first of equals.
pub fn like(text: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let mut best: Option<(f64, String)> = None;
    for name in names {
        let (edits, jaro) = (strsim::normalized_damerau_levenshtein(text, &name), strsim::jaro(text, &name));
        let likeness = edits.max(jaro);
        if (edits >= LEAST || jaro >= LEAST_BY_JARO) && best.as_ref().is_none_or(|(most, _)| likeness > *most)
        {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(text: &str) -> String {
        nothing_is(text, flawed::all_operations())
    }

    #[test]
    fn slips_of_the_finger_are_recognised() {
        for (typed, meant) in [
            ("sycall", "did you mean syscall?"),
            ("memroy", "did you mean memory?"),
            ("syscall.getpd", "did you mean syscall.getp"),
            ("switch.process.pipe cpu=smae", "did you mean 'switch.process.pipe cpu=same'?"),
        ] {
            assert!(says(typed).contains(meant), "{}", says(typed));
        }
    }

    #[test]
    fn words_are_known_by_their_meaning() {
        for (typed, meant) in [
            ("slow", "oscope explain slow"),
            ("disk", "file.read.direct"),
            ("RAM", "memory.latency"),
            ("context switch", "switch.process.pipe"),
            ("page fault", "fault.anonymous"),
            ("mitigations", "--versus mitigations"),
            // A part of a word, and a slip.
            ("contxt", "switch.process.pipe"),
            ("freqency", "clock.frequency"),
        ] {
            assert!(says(typed).contains(meant), "{}", says(typed));
        }
        for name in MEANINGS.iter().flat_map(|(_, names)| *names).filter(|name| !name.starts_with('\'')) {
            let is_known = flawed::all_operations().iter().any(|operation| operation.id.starts_with(name));
            assert!(is_known, "{name}");
        }
    }

    #[test]
    fn words_inside_ids_name_them() {
        assert!(says("fork").contains("process.create.fork_wait"), "{}", says("fork"));
        assert!(says("pipe").contains("pipe"), "{}", says("pipe"));
        assert!(says("forkk").contains("process.create.fork_wait"), "{}", says("forkk"));
        for word in ["xyzzy", "drifting", "narrow", "nominal"] {
            assert!(!says(word).contains("did you mean"), "{}", says(word));
        }
    }

    #[test]
    fn parameters_without_their_id_are_to_be_quoted_with_it() {
        let said = says("cpu=smae");
        assert!(said.contains("; did you mean cpu=same? quote a condition with"), "{said}");
        let said = says("zzz=qqq");
        assert!(said.contains("; quote a condition with") && !said.contains("did you mean"), "{said}");
    }
}
