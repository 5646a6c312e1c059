//! What every way of launching has in common: names of records, and words of commands.

use crate::Operations;
use crate::arguments::{Arguments, Command, Measured, Run};
use crate::exit::{unusable, usage};
use crate::select::select;
use clap::Parser;
use std::path::Path;

/// Whether an option is given.
type IsGiven = fn(&Run) -> bool;

/// Options that say what a launcher decides, and why.
const DECIDED: [(&str, IsGiven); 4] = [
    ("--output: records are named after their nodes", |run| run.output.is_some()),
    ("--resume: partial records are always resumed", |run| run.resume.is_some()),
    ("--seed: every run has its own, so that orders differ", |run| run.seed.is_some()),
    ("--dry-run: try it with `oscope run`", |run| run.dry_run),
];

/// The run that each node does.
/// Fails when the words are not those of a run, or decide what is decided here.
pub fn run_of(operations: Operations, measured: &Measured) -> anyhow::Result<Run> {
    let Measured { selection, options } = measured;
    let words = ["oscope", "run"].into_iter().map(str::to_owned);
    let words = words.chain(selection.iter().cloned()).chain(options.iter().cloned());
    let parsed = Arguments::try_parse_from(words).map_err(|error| usage(error.to_string().trim_end()))?;
    let Some(Command::Run(run)) = parsed.command else {
        return Err(usage("only options of `oscope run` may follow --"));
    };
    for (option, is_given) in DECIDED {
        if is_given(&run) {
            return Err(usage(format!("leave out {option}")));
        }
    }
    if !run.selection.is_empty() {
        select(operations, &run.selection, run.profile, run.with_flawed_methods)?;
    }
    Ok(run)
}

/// The file of a node's record. Reports call a machine as its file without a number at the end, so a name that itself ends
/// in one, as an address does, is followed by that of its first run.
pub fn file_name(node: &str, repeat: u32) -> String {
    let last = node.rsplit_once('.').map_or("", |(_, last)| last);
    match repeat {
        1 if !is_number(last) => format!("{node}.oscope.jsonl"),
        repeat => format!("{node}.{repeat}.oscope.jsonl"),
    }
}

/// Whether a word is a number without a sign.
pub fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks that a node's name can be that of a file, and is one word of a shell.
pub fn check_name(name: &str) -> anyhow::Result<()> {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.:".contains(letter));
    if name.is_empty() || name.starts_with(['.', '-']) || !is_plain {
        return Err(usage(format!(
            "'{name}' cannot be the name of a node: use letters, digits, '-', '_', '.' and ':'"
        )));
    }
    Ok(())
}

/// Words as a shell reads them.
/// Fails when one holds a byte 0.
pub fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> anyhow::Result<String> {
    shlex::try_join(words).map_err(|error| usage(format!("a word cannot be written in a script: {error}")))
}

/// A path as text, absolute.
/// Fails when it is not UTF-8, or the current directory is gone.
pub fn absolute(path: &Path) -> anyhow::Result<String> {
    let path = std::path::absolute(path)?;
    path.to_str().map(str::to_owned).ok_or_else(|| unusable(&path, "not UTF-8"))
}

/// The path of this program.
pub fn program_here() -> anyhow::Result<String> {
    absolute(&std::env::current_exe()?)
}

/// A host without its user.
pub fn host_name(host: &str) -> &str {
    host.rsplit('@').next().unwrap_or(host)
}

/// The hosts in a file, one a line; blank lines, remarks behind `#`, and the `node/` of kubectl are passed over.
/// Fails when the file cannot be read, has none, or one whose name cannot be used or stands there twice.
pub fn hosts(path: &Path) -> anyhow::Result<Vec<String>> {
    let read = match path.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(path),
    };
    let text = read.map_err(|error| unusable(path, error))?;
    let mut hosts: Vec<String> = Vec::new();
    for line in text.lines() {
        let word = line.split_once('#').map_or(line, |(word, _)| word).trim();
        let host = word.strip_prefix("node/").unwrap_or(word);
        if host.is_empty() {
            continue;
        }
        for part in host.splitn(2, '@') {
            check_name(part)?;
        }
        if hosts.iter().any(|known| host_name(known) == host_name(host)) {
            return Err(unusable(path, format!("{host} is listed twice")));
        }
        hosts.push(host.to_owned());
    }
    match hosts.is_empty() {
        true => Err(unusable(path, "no hosts")),
        false => Ok(hosts),
    }
}

/// A template with its values; what a value holds is not looked at again.
pub fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((at, (mark, value))) =
        values.iter().filter_map(|value| Some((rest.find(value.0)?, value))).min_by_key(|(at, _)| *at)
    {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        text.push_str(value);
        rest = after.get(mark.len()..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(selection: &[&str], options: &[&str]) -> Measured {
        let [selection, options] =
            [selection, options].map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        Measured { selection, options }
    }

    #[test]
    fn options_of_a_run_are_checked_before_anything_is_submitted() {
        let run = |selection: &[&str], options: &[&str]| {
            run_of(flawed::all_operations(), &measured(selection, options)).map_err(|error| error.to_string())
        };
        let right = run(&["syscall"], &["--profile", "quick", "--rounds", "3"]).unwrap();
        assert_eq!((right.rounds, right.selection), (Some(3), vec!["syscall".to_owned()]));
        for (selection, options, said) in [
            ("syscal", vec![], "syscal"),
            ("syscall", vec!["--rouds", "3"], "--rouds"),
            ("syscall", vec!["--seed", "3"], "leave out --seed"),
            ("syscall", vec!["--output", "x"], "leave out --output"),
            ("syscall", vec!["--dry-run"], "leave out --dry-run"),
        ] {
            let error = run(&[selection], &options).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        let error = run(&[], &["--resume", "x"]).unwrap_err();
        assert!(error.contains("leave out --resume"), "{error}");
    }

    #[test]
    fn records_are_named_after_node_and_repetition() {
        assert_eq!(file_name("n7", 1), "n7.oscope.jsonl");
        assert_eq!(file_name("n7", 2), "n7.2.oscope.jsonl");
        assert_eq!(file_name("n7.example.org", 1), "n7.example.org.oscope.jsonl");
        assert_eq!(file_name("192.0.2.7", 1), "192.0.2.7.1.oscope.jsonl");
        assert_eq!(file_name("192.0.2.7", 3), "192.0.2.7.3.oscope.jsonl");
    }

    #[test]
    fn names_are_plain_words() {
        for name in ["n1", "rack-2_n3", "n1.example.org", "2001:db8::1"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", ".n", "-n", "a/b", "a b", "$(x)", "a;b"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn values_are_filled_in_once() {
        let values = [("@A@", "x @B@".to_owned()), ("@B@", "y".to_owned())];
        assert_eq!(filled("1 @A@ 2 @B@ @A@", &values), "1 x @B@ 2 y x @B@");
    }
}
