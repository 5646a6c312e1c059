//! The rules for Rust files.

use super::finding::Finding;
use super::source::{Source, closing, end_of_item, line_of, places_of_word};

/// Lines of a file, tests apart.
const LONGEST_FILE: usize = 400;
/// Lines of a function.
const LONGEST_FUNCTION: usize = 70;

/// One rule.
type Rule = fn(&Source) -> Vec<Finding>;

const RULES: [Rule; 8] = [
    first_line_says_what_it_is,
    files_are_short,
    functions_are_short,
    unsafe_in_sys_only,
    no_panicking_shortcuts,
    targets_low_down_only,
    tests_start_declared_programs,
    areas_stand_apart,
];

/// Everything in a file that is against a rule.
pub fn check(source: &Source) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| rule(source)).collect()
}

fn at(source: &Source, line: usize, text: impl Into<String>) -> Finding {
    Finding { path: source.path.clone(), line, text: text.into() }
}

fn first_line_says_what_it_is(source: &Source) -> Vec<Finding> {
    let says = source.first_line.strip_prefix("//!").unwrap_or_default();
    let words = says.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    if words.count() >= 2 {
        return Vec::new();
    }
    vec![at(source, 1, "the first line does not say what the file is; begin with `//! …`")]
}

fn files_are_short(source: &Source) -> Vec<Finding> {
    if source.shipped_lines <= LONGEST_FILE {
        return Vec::new();
    }
    let lines = source.shipped_lines;
    let text = format!("{lines} lines without tests, more than {LONGEST_FILE}; split it by duty");
    vec![at(source, 1, text)]
}

fn functions_are_short(source: &Source) -> Vec<Finding> {
    let code = &source.shipped;
    let long = places_of_word(code, "fn").filter_map(|start| {
        let name = code.get(start + 2..)?.trim_start();
        let length = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        let name = name.get(..length).filter(|name| !name.is_empty())?;
        let end = end_of_item(code.as_bytes(), start)?;
        let (first, last) = (line_of(code, start), line_of(code, end - 1));
        let lines = last - first + 1;
        let text = format!("`{name}` has {lines} lines, more than {LONGEST_FUNCTION}; split it");
        (lines > LONGEST_FUNCTION).then(|| at(source, first, text))
    });
    long.collect()
}

fn unsafe_in_sys_only(source: &Source) -> Vec<Finding> {
    if source.path.starts_with("crates/sys/") {
        return Vec::new();
    }
    let places = places_of_word(&source.code, "unsafe");
    let text = "unsafe outside crates/sys; put a safe function there and call it";
    places.map(|place| at(source, line_of(&source.code, place), text)).collect()
}

fn no_panicking_shortcuts(source: &Source) -> Vec<Finding> {
    let code = &source.shipped;
    let of = |call: &'static str| {
        let text = format!("`{call}…)` outside tests; give the error to the caller");
        let places = code.match_indices(call).map(|(place, _)| line_of(code, place));
        places.map(move |line| at(source, line, text.clone()))
    };
    of(".unwrap(").chain(of(".expect(")).collect()
}

fn targets_low_down_only(source: &Source) -> Vec<Finding> {
    let low = ["crates/sys/", "crates/machine/"];
    if low.iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    let code = &source.code;
    let openings = ["cfg(", "cfg!(", "cfg_attr("];
    let places = openings.iter().flat_map(|open| {
        let all = code.match_indices(open);
        all.map(|(place, open)| (place, place + open.len() - 1))
    });
    let conditions = places.filter(|&(_, open)| {
        let end = closing(code.as_bytes(), open).unwrap_or(code.len());
        code.get(open..end).is_some_and(|inside| inside.contains("target_"))
    });
    let text = "cfg(target_…) above sys and machine; let sys or machine tell the difference";
    conditions.map(|(place, _)| at(source, line_of(code, place), text)).collect()
}

fn tests_start_declared_programs(source: &Source) -> Vec<Finding> {
    if source.path.starts_with("crates/programs/") {
        return Vec::new();
    }
    let call = "Command::new(";
    let places = source.code.match_indices(call).map(|(place, _)| place);
    let in_tests = places.filter(|&place| source.shipped.get(place..place + call.len()) != Some(call));
    let text = "a test starts a program by `Command::new`; use `programs::command`, which knows the packages";
    in_tests.map(|place| at(source, line_of(&source.code, place), text)).collect()
}

/// Areas of operations: what two of them use belongs beside them, not into one of them.
const AREAS: [&str; 5] = ["cpu", "file", "memory", "network", "os"];

fn areas_stand_apart(source: &Source) -> Vec<Finding> {
    let own = ["crates/operations/src/", "crates/workloads/src/"]
        .iter()
        .find_map(|root| source.path.strip_prefix(root));
    let Some(own) = own.and_then(|path| path.split_once('/')).map(|(area, _)| area) else {
        return Vec::new();
    };
    let others = AREAS.iter().filter(|area| **area != own);
    let lines = source.shipped.lines().enumerate();
    let lines: Vec<(usize, &str)> = lines.collect();
    others
        .flat_map(|area| {
            let path = format!("crate::{area}::");
            let uses = lines.iter().filter(move |(_, line)| line.contains(&path));
            uses.map(move |(line, _)| {
                at(source, line + 1, format!("an area uses another, {area}: put what both use beside them"))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        let findings = check(&Source::new(path, &format!("//! A made-up file.\n{text}")));
        findings.into_iter().map(|finding| (finding.line, finding.text)).collect()
    }

    /// Exactly one finding, in this line, that says this.
    fn assert_one(text: &str, line: usize, says: &str) {
        let found = found("crates/a/src/lib.rs", text);
        assert!(
            matches!(found.as_slice(), [(at, text)] if *at == line && text.contains(says)),
            "{text}: {found:?}"
        );
    }

    fn assert_none(path: &str, text: &str) {
        assert_eq!(found(path, text), [], "{text}");
    }

    #[test]
    fn first_lines() {
        for text in ["fn f() {}\n", "//! .\n", "// A file.\n", ""] {
            let findings = check(&Source::new("crates/a/src/lib.rs", text));
            assert!(matches!(findings.as_slice(), [one] if one.line == 1), "{text}");
        }
        assert_none("crates/a/src/lib.rs", "");
    }

    #[test]
    fn long_files() {
        let lines = |count: usize| "const A: u8 = 0;\n".repeat(count);
        assert_none("crates/a/src/lib.rs", &lines(399));
        assert_one(&lines(400), 1, "401 lines");
        assert_none("crates/a/tests/long.rs", &lines(900));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", lines(900));
        assert_none("crates/a/src/lib.rs", &tests);
    }

    #[test]
    fn long_functions() {
        let function =
            |lines: usize| format!("pub fn long(x: [u8; 2]) {{\n{}}}\n", "f();\n".repeat(lines - 2));
        assert_none("crates/a/src/lib.rs", &function(70));
        assert_one(&function(71), 2, "`long` has 71 lines");
        assert_none("crates/a/src/lib.rs", &format!("type F = fn(u8);\n{}", "x!();\n".repeat(90)));
    }

    #[test]
    fn unsafe_code() {
        assert_one("fn f() {\n unsafe { g() }\n}", 3, "crates/sys");
        assert_one("#[cfg(test)]\nmod t { unsafe fn f() {} }", 3, "crates/sys");
        assert_none("crates/sys/src/lib.rs", "unsafe fn f() {}");
        assert_none("crates/a/src/lib.rs", "#![forbid(unsafe_code)]\n// unsafe\nconst A: &str = \"unsafe\";");
    }

    #[test]
    fn panicking_shortcuts() {
        assert_one("fn f() { g().unwrap() }", 2, ".unwrap(");
        assert_one("fn f() {\n  g()\n    .expect(\"x\") }", 4, ".expect(");
        assert_none("crates/a/src/lib.rs", "fn f() { g().unwrap_or(0); h().expect_err(\"x\") }");
        assert_none("crates/a/src/lib.rs", "#[cfg(test)]\nmod t { fn f() { g().unwrap() } }");
        assert_none("crates/a/tests/t.rs", "fn f() { g().unwrap() }");
    }

    #[test]
    fn programs_of_tests() {
        let call = "fn f() { Command::new(\"ls\"); }";
        assert_one(&format!("#[cfg(test)]\nmod t {{ {call} }}"), 3, "`programs::command`");
        assert_eq!(found("crates/a/tests/t.rs", call).len(), 1);
        assert_none("crates/a/src/lib.rs", call);
        assert_none("crates/a/tests/t.rs", "fn f() { programs::command(\"ls\"); }");
        assert_none("crates/programs/src/lib.rs", &format!("#[cfg(test)]\nmod t {{ {call} }}"));
    }

    #[test]
    fn targets() {
        assert_one("#[cfg(not(target_arch = \"x86_64\"))]\nfn f() {}", 2, "target_");
        assert_one("fn f() -> bool { cfg!(target_os = \"linux\") }", 2, "target_");
        assert_none("crates/machine/src/lib.rs", "#[cfg(target_arch = \"x86_64\")]\nfn f() {}");
        assert_none("crates/a/src/lib.rs", "#[cfg(unix)]\nfn target_of() {}");
    }

    #[test]
    fn areas() {
        let text = "//! A card.\nuse crate::os::exchange;\n";
        assert_eq!(found("crates/operations/src/network/a.rs", text).len(), 1);
        assert_none("crates/operations/src/os/a.rs", text);
        assert_none("crates/operations/src/lib.rs", text);
        assert_none("crates/report/src/a.rs", text);
    }
}
