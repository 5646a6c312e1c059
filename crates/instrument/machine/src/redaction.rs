//! Redaction of dumps: no serial numbers, host names, addresses, identifiers of containers.
//!
//! A description reads a fixed set of files. Those that mix facts with identity keep only the lines or
//! words that a description uses; in all others, and in paths, what looks like an identifier is redacted
//! letter by letter, so that paths stay consistent.

use crate::command_line;
use crate::identifiers;
use crate::identifiers::{CONTROLLERS, group_path, path, redact};
use crate::identity::{self, Identity};
use crate::kernel::{self, MODULES, SHOWN_CONFIGURATION};
use crate::loader::{self, VARIABLES};
use crate::mounts::{MOUNTS, MountLine};

/// Lines of `/proc/self/status` that a description uses.
const STATUS_LINES: [&str; 6] = ["Uid", "CapEff", "NoNewPrivs", "Seccomp", "Cpus_allowed_list", "TracerPid"];

/// The text of a file as a dump keeps it.
pub(crate) fn redacted(path: &str, text: &str) -> String {
    match path {
        "/proc/cpuinfo" => processors(text),
        "/proc/stat" => keep_lines(text, |line| line.starts_with("cpu ")),
        "/proc/cmdline" => command_line::settings(text).join(" "),
        "/proc/self/status" => {
            keep_lines(text, |line| line.split_once(':').is_some_and(|(key, _)| STATUS_LINES.contains(&key)))
        }
        "/proc/self/cgroup" => text.lines().filter_map(group).collect(),
        MOUNTS => text.lines().filter_map(mount).collect(),
        MODULES => text.lines().filter_map(|line| Some([line.split(' ').next()?, "\n"].concat())).collect(),
        VARIABLES => keep_lines(&identifiers::without_users(text), loader::is_read),
        SHOWN_CONFIGURATION => keep_lines(text, kernel::is_used),
        _ if path.starts_with("/boot/config-") => keep_lines(text, kernel::is_used),
        _ => without_addresses(text),
    }
}

fn keep_lines(text: &str, keep: impl Fn(&str) -> bool) -> String {
    text.lines().filter(|line| keep(line)).flat_map(|line| [line, "\n"]).collect()
}

/// The first CPU of each kind whole, the others by their numbers, the board without its serial number.
fn processors(text: &str) -> String {
    let mut kept = String::new();
    let mut seen: Vec<Identity> = Vec::new();
    for block in text.split("\n\n") {
        let kind = identity::of_block(block);
        let whole = kind.as_ref().is_none_or(|kind| !seen.contains(kind));
        seen.extend(kind);
        kept.push_str(&keep_lines(block, |line| {
            let key = line.split(':').next().unwrap_or_default().trim();
            !key.eq_ignore_ascii_case("serial") && (whole || identity::KEYS.contains(&key))
        }));
        kept.push('\n');
    }
    kept
}

/// A mount of control groups or of the root, with the fields that a description uses.
fn mount(line: &str) -> Option<String> {
    let MountLine { root, point, kind, system_options, .. } = MountLine::parse(line)?;
    if kind.starts_with("cgroup") {
        let options: Vec<&str> =
            system_options.split(',').filter(|option| CONTROLLERS.contains(option)).collect();
        let (root, point, options) = (group_path(root), path(point), options.join(","));
        return Some(format!("0 0 0:0 {root} {point} - {kind} none {options}\n"));
    }
    (point == "/").then(|| format!("0 0 0:0 / / - {kind} none none\n"))
}

/// `4:memory:/user.slice/alice` becomes `4:memory:/group/group`: names are not needed, depths are.
fn group(line: &str) -> Option<String> {
    let (number, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    Some(format!("{number}:{controllers}:{}\n", group_path(path)))
}

/// Redacts MAC addresses and UUIDs: digits in pairs with colons, or groups with hyphens.
fn without_addresses(text: &str) -> String {
    text.split_inclusive(char::is_whitespace)
        .map(|word| {
            let bare = word.trim();
            let address = bare.len() == 17 && bare.matches(':').count() == 5;
            let identifier = bare.len() == 36 && bare.matches('-').count() == 4;
            if address || identifier {
                redact(word, |letter| letter == ':' || letter == '-')
            } else {
                word.to_owned()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_redacted_in_any_text() {
        assert_eq!(without_addresses("at 02:fc:00:00:00:01 now"), "at xx:xx:xx:xx:xx:xx now");
        assert_eq!(
            without_addresses("550e8400-e29b-41d4-a716-446655440000"),
            "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
        );
        assert_eq!(without_addresses("CapEff:\t000001ffffffffff"), "CapEff:\t000001ffffffffff");
    }

    #[test]
    fn mixed_files_keep_only_used_lines() {
        let status = redacted("/proc/self/status", "Name:\tx\nUid:\t0\t0\nGroups:\t7\n");
        assert_eq!(status, "Uid:\t0\t0\n");
        let info = redacted("/proc/cpuinfo", "Model\t: X\nSerial\t\t: 00000000abcd\n");
        assert_eq!(info, "Model\t: X\n\n");
        for path in ["/boot/config-6.1", SHOWN_CONFIGURATION] {
            let config = redacted(path, "CONFIG_HZ=250\nCONFIG_DEFAULT_HOSTNAME=\"alpha\"\n");
            assert_eq!(config, "CONFIG_HZ=250\n");
        }
        let mounts = redacted(
            "/proc/self/mountinfo",
            "1 0 8:1 / / rw - ext4 /dev/disk/by-id/WD-1234 rw\n2 1 0:5 / /home/alice rw - nfs host:/x rw\n\
             3 1 0:6 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        );
        assert_eq!(mounts, "0 0 0:0 / / - ext4 none none\n0 0 0:0 / /sys/fs/cgroup - cgroup2 none \n");
    }

    #[test]
    fn group_paths_keep_their_depth_without_names() {
        let groups = "4:memory:/machine.slice/machine-alpha.scope/x\n0::/docker/0123\n1:name=systemd:/\n";
        assert_eq!(
            redacted("/proc/self/cgroup", groups),
            "4:memory:/machine.slice/group/group\n0::/docker/group\n1:name=systemd:/\n"
        );
        assert_eq!(
            mount(
                "33 31 0:31 /alice/b /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory,release_agent=/home/x"
            ),
            Some("0 0 0:0 /group/group /sys/fs/cgroup/memory - cgroup none memory\n".to_owned())
        );
    }
}
