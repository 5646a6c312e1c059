//! Redaction of identifiers in paths and texts, letter by letter, so that paths stay consistent.

use crate::cgroup::CONTAINERS;

/// This many hexadecimal digits in a row are an identifier: the shortest are a MAC address and the short
/// form of a container's id, both 12.
const IDENTIFIER_DIGITS: usize = 12;

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup/";

/// Controllers of control groups that a description reads, and the mount of version 2 beside version 1.
pub(crate) const CONTROLLERS: [&str; 7] =
    ["memory", "cpu", "cpuacct", "cpu,cpuacct", "pids", "cpuset", "unified"];

/// How the names of the files of those controllers begin.
const FILES: [&str; 3] = ["memory.", "cpu.", "pids."];

/// A path of groups with the names that a description uses; depths stay.
pub(crate) fn group_path(path: &str) -> String {
    let names: Vec<&str> = path.split('/').map(group_name).collect();
    names.join("/")
}

fn group_name(name: &str) -> &str {
    let kept = name.is_empty()
        || name == ".."
        || CONTROLLERS.contains(&name)
        || FILES.iter().any(|start| name.starts_with(start));
    if kept {
        return name;
    }
    let container = CONTAINERS.iter().find(|(word, _)| name.contains(word));
    container.map_or("group", |(word, _)| word)
}

/// A path without identifiers and without names of groups.
pub(crate) fn path(path: &str) -> String {
    match path.strip_prefix(GROUPS) {
        Some(rest) => format!("{GROUPS}{}", group_path(rest)),
        None => without_identifiers(path),
    }
}

/// Redacts every long run of hexadecimal digits (and hyphens between them).
pub(crate) fn without_identifiers(text: &str) -> String {
    redact(text, |letter| letter == '-')
}

/// Names of users in paths of their home directories, `/home/alice/x` as `/home/user/x`.
pub(crate) fn without_users(text: &str) -> String {
    const HOMES: &str = "/home/";
    let mut parts = text.split(HOMES);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(['/', ':', ' ']).unwrap_or(part.len());
        out += HOMES;
        out += "user";
        out += part.get(end..).unwrap_or_default();
    }
    out
}

/// Redacts every long run of hexadecimal digits, with the letters that join them.
pub(crate) fn redact(text: &str, joins: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = String::new();
    for letter in text.chars() {
        if is_digit(letter) || (joins(letter) && !run.is_empty()) {
            run.push(letter);
        } else {
            end_run(&mut out, &mut run);
            out.push(letter);
        }
    }
    end_run(&mut out, &mut run);
    out
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_hexdigit()
}

fn end_run(out: &mut String, run: &mut String) {
    if run.chars().filter(|letter| is_digit(*letter)).count() >= IDENTIFIER_DIGITS {
        out.extend(run.chars().map(|letter| if is_digit(letter) { 'x' } else { letter }));
    } else {
        out.push_str(run);
    }
    run.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_redacted_and_names_stay() {
        assert_eq!(
            without_identifiers("/docker/0123456789abcdef/memory.max"),
            "/docker/xxxxxxxxxxxxxxxx/memory.max"
        );
        assert_eq!(
            without_identifiers("/kubepods/p550e8400-e29b-41d4-a716-446655440000/x"),
            "/kubepods/pxxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx/x"
        );
        assert_eq!(without_identifiers("enx0a1b2c3d4e5f"), format!("enx{}", "x".repeat(12)));
        let plain = "/sys/devices/system/cpu/cpu0/cache/index0 0000:00:1f.2 user-1000.slice";
        assert_eq!(without_identifiers(plain), plain);
    }

    #[test]
    fn users_are_removed_from_paths() {
        let list = "LD_PRELOAD=/home/alice/a.so:/home/bob:/lib/c.so /var/home/carol/d.so";
        let kept = "LD_PRELOAD=/home/user/a.so:/home/user:/lib/c.so /var/home/user/d.so";
        assert_eq!(without_users(list), kept);
        assert_eq!(without_users(kept), kept);
    }

    #[test]
    fn group_names_are_removed_from_paths() {
        assert_eq!(
            path("/sys/fs/cgroup/memory/alice/memory.limit_in_bytes"),
            "/sys/fs/cgroup/memory/group/memory.limit_in_bytes"
        );
    }
}
