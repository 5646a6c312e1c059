//! The rules for Rust files.

use super::source::{Finding, Source, closing, end_of_item, line_of, places_of_word};

/// Lines of a file, tests apart.
const LONGEST_FILE: usize = 400;
/// Lines of a function.
const LONGEST_FUNCTION: usize = 70;

/// One rule.
type Rule = fn(&Source) -> Vec<Finding>;

const RULES: [Rule; 9] = [
    first_line_says_what_it_is,
    files_are_short,
    functions_are_short,
    unsafe_in_sys_only,
    targets_low_down_only,
    tests_start_declared_programs,
    tests_say_that_they_are_left_out,
    tests_are_run,
    areas_stand_apart,
];

/// Everything in a file that is against a rule.
pub fn check(source: &Source) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| rule(source)).collect()
}

impl Source {
    fn finding(&self, line: usize, text: impl Into<String>) -> Finding {
        Finding::new(&self.path, line, text)
    }

    /// A finding at each of these places of the code.
    fn findings(&self, places: impl IntoIterator<Item = usize>, text: &str) -> Vec<Finding> {
        places.into_iter().map(|place| self.finding(line_of(&self.code, place), text)).collect()
    }

    fn is_in(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }
}

/// Where this stands in code.
fn places<'c>(code: &'c str, text: &'c str) -> impl Iterator<Item = usize> + 'c {
    code.match_indices(text).map(|(place, _)| place)
}

fn first_line_says_what_it_is(source: &Source) -> Vec<Finding> {
    let says = source.first_line.strip_prefix("//!").unwrap_or_default();
    let words = says.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let text = "the first line does not say what the file is; begin with `//! …`";
    if words < 2 { vec![source.finding(1, text)] } else { Vec::new() }
}

fn files_are_short(source: &Source) -> Vec<Finding> {
    let lines = source.shipped_lines;
    let text = format!("{lines} lines without tests, more than {LONGEST_FILE}; split it by duty");
    if lines > LONGEST_FILE { vec![source.finding(1, text)] } else { Vec::new() }
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
        (lines > LONGEST_FUNCTION).then(|| source.finding(first, text))
    });
    long.collect()
}

fn unsafe_in_sys_only(source: &Source) -> Vec<Finding> {
    if source.is_in(&["crates/instrument/sys/"]) {
        return Vec::new();
    }
    let text = "unsafe outside crates/instrument/sys; put a safe function there and call it";
    source.findings(places_of_word(&source.code, "unsafe"), text)
}

fn targets_low_down_only(source: &Source) -> Vec<Finding> {
    if source.is_in(&["crates/instrument/sys/", "crates/instrument/machine/"]) {
        return Vec::new();
    }
    let code = &source.code;
    let conditions = ["cfg(", "cfg!(", "cfg_attr("].into_iter().flat_map(|opening| {
        places(code, opening).filter(move |place| {
            let open = place + opening.len() - 1;
            let end = closing(code.as_bytes(), open).unwrap_or(code.len());
            code.get(open..end).is_some_and(|inside| inside.contains("target_"))
        })
    });
    let text = "cfg(target_…) above sys and machine; let sys or machine tell the difference";
    source.findings(conditions, text)
}

fn tests_start_declared_programs(source: &Source) -> Vec<Finding> {
    if source.is_in(&["crates/ground/programs/"]) {
        return Vec::new();
    }
    let call = "Command::new(";
    let in_tests = places(&source.code, call)
        .filter(|place| source.shipped.get(*place..*place + call.len()) != Some(call));
    let text = "a test starts a program by `Command::new`; use `programs::command`, which knows the packages";
    source.findings(in_tests, text)
}

/// What says that a test is left out, and fails where it may not be: functions of `programs`, and helpers of tests that ask them.
const LEAVING_OUT: [&str; 19] = [
    "programs::installed(",
    "programs::allowed(",
    "programs::can(",
    "programs::can_validate(",
    "programs::has(",
    "programs::may_make_",
    "can(",
    "works(",
    "is_possible(",
    "may_mount(",
    "limited_user(",
    "as_nobody(",
    "unshared(",
    "Cgroup::limiting(",
    "Server::start(",
    "requests(",
    "seen_on(",
    "two()",
    "shown",
];

/// Lines of a condition before its `return`.
const LONGEST_CONDITION: usize = 4;

fn tests_say_that_they_are_left_out(source: &Source) -> Vec<Finding> {
    let code = &source.code;
    let tests =
        places(code, "#[test]").filter_map(|start| Some((start, end_of_item(code.as_bytes(), start)?)));
    let silent = tests.flat_map(|(start, end)| {
        let test = code.get(start..end).unwrap_or_default();
        let returns = places_of_word(test, "return").filter(|place| {
            let after = test.get(place + "return".len()..).unwrap_or_default().trim_start();
            after.starts_with([';', '}'])
        });
        let silent = returns.filter(|place| {
            let lines: Vec<&str> = test.get(..*place).unwrap_or_default().lines().collect();
            let condition = lines.iter().rev().take(LONGEST_CONDITION);
            !condition.into_iter().any(|line| LEAVING_OUT.iter().any(|says| line.contains(says)))
        });
        silent.map(|place| start + place).collect::<Vec<_>>()
    });
    let text = "a test ends early without a word; ask `programs::can` or `programs::has`, which say that it is left out";
    source.findings(silent, text)
}

fn tests_are_run(source: &Source) -> Vec<Finding> {
    let text =
        "a test is marked `#[ignore]`; what only prints belongs into an example or `cargo xtask bench`";
    source.findings(places(&source.code, "#[ignore"), text)
}

/// Areas of operations: what two of them use belongs beside them, not into one of them.
const AREAS: [&str; 5] = ["cpu", "file", "memory", "network", "os"];

fn areas_stand_apart(source: &Source) -> Vec<Finding> {
    let roots = ["crates/instrument/operations/src/", "crates/instrument/workloads/src/"];
    let own = roots.iter().find_map(|root| source.path.strip_prefix(root)?.split_once('/'));
    let others = own.into_iter().flat_map(|(own, _)| AREAS.into_iter().filter(move |area| *area != own));
    others
        .flat_map(|area| {
            let text = format!("an area uses another, {area}: put what both use beside them");
            source.findings(places(&source.shipped, &format!("crate::{area}::")), &text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "crates/a/src/lib.rs";

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        let findings = check(&Source::new(path, &format!("//! A made-up file.\n{text}")));
        findings.into_iter().map(|finding| (finding.line, finding.text)).collect()
    }

    #[test]
    fn first_lines_say_what_the_file_is() {
        for text in ["fn f() {}\n", "//! .\n", "// A file.\n", ""] {
            let findings = check(&Source::new(LIB, text));
            assert!(matches!(findings.as_slice(), [one] if one.line == 1), "{text}");
        }
        assert_eq!(found(LIB, ""), []);
    }

    #[test]
    fn what_is_against_a_rule_is_found_in_its_line() {
        let function =
            |lines: usize| format!("pub fn long(x: [u8; 2]) {{\n{}}}\n", "f();\n".repeat(lines - 2));
        for (text, line, says) in [
            ("const A: u8 = 0;\n".repeat(400).as_str(), 1, "401 lines"),
            (&function(71), 2, "`long` has 71 lines"),
            ("fn f() {\n unsafe { g() }\n}", 3, "crates/instrument/sys"),
            ("#[cfg(test)]\nmod t { unsafe fn f() {} }", 3, "crates/instrument/sys"),
            ("#[cfg(test)]\nmod t { fn f() { Command::new(\"ls\"); } }", 3, "`programs::command`"),
            ("#[test]\nfn t() {\n    let Ok(x) = f() else { return };\n}", 4, "without a word"),
            ("#[test]\nfn t() {\n    if g() {\n        return;\n    }\n}", 5, "without a word"),
            ("#[test]\n#[ignore = \"long\"]\nfn t() {}", 3, "`#[ignore]`"),
            ("#[cfg(not(target_arch = \"x86_64\"))]\nfn f() {}", 2, "target_"),
            ("fn f() -> bool { cfg!(target_os = \"linux\") }", 2, "target_"),
        ] {
            let found = found(LIB, text);
            let is_it = matches!(found.as_slice(), [(at, found)] if *at == line && found.contains(says));
            assert!(is_it, "{text}: {found:?}");
        }
        assert_eq!(found("crates/a/tests/t.rs", "fn f() { Command::new(\"ls\"); }").len(), 1);
        assert_eq!(
            found("crates/instrument/operations/src/network/a.rs", "use crate::os::exchange;\n").len(),
            1
        );
    }

    #[test]
    fn what_is_allowed_is_not_found() {
        let [most, more] = [399, 900].map(|count| "const A: u8 = 0;\n".repeat(count));
        let function = format!("pub fn long() {{\n{}}}\n", "f();\n".repeat(68));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{more}}}\n");
        let type_of_function = format!("type F = fn(u8);\n{}", "x!();\n".repeat(90));
        for (path, text) in [
            (LIB, most.as_str()),
            ("crates/a/tests/long.rs", &more),
            (LIB, &tests),
            (LIB, &function),
            (LIB, &type_of_function),
            ("crates/instrument/sys/src/lib.rs", "unsafe fn f() {}"),
            (LIB, "#![forbid(unsafe_code)]\n// unsafe\nconst A: &str = \"unsafe\";"),
            (LIB, "fn f() { Command::new(\"ls\"); }"),
            ("crates/a/tests/t.rs", "fn f() { programs::command(\"ls\"); }"),
            (
                "crates/a/tests/t.rs",
                "#[test]\nfn t() {\n    if !programs::has(\"x\", y) {\n        return;\n    }\n}",
            ),
            ("crates/a/tests/t.rs", "#[test]\nfn t() { f(|x| { return x; }) }\nfn g() { return; }"),
            ("crates/ground/programs/src/lib.rs", "#[cfg(test)]\nmod t { fn f() { Command::new(\"ls\"); } }"),
            ("crates/instrument/machine/src/lib.rs", "#[cfg(target_arch = \"x86_64\")]\nfn f() {}"),
            (LIB, "#[cfg(unix)]\nfn target_of() {}"),
            ("crates/instrument/operations/src/os/a.rs", "use crate::os::exchange;\n"),
            ("crates/instrument/operations/src/lib.rs", "use crate::os::exchange;\n"),
            ("crates/reading/report/src/a.rs", "use crate::os::exchange;\n"),
        ] {
            assert_eq!(found(path, text), [], "{text}");
        }
    }
}
