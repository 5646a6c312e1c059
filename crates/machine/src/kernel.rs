//! The kernel: its version and the settings that change the costs of its services; and the C library.

use crate::facts::Facts;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0";

/// Lines of `/boot/config-*` that a description uses.
const CONFIGURATION: [(&str, &str); 4] = [
    ("kernel.config.preempt_dynamic", "CONFIG_PREEMPT_DYNAMIC"),
    ("kernel.config.no_hz_full", "CONFIG_NO_HZ_FULL"),
    (
        "kernel.config.page_table_isolation",
        "CONFIG_PAGE_TABLE_ISOLATION",
    ),
    ("kernel.config.slab_hardening", "CONFIG_SLAB_FREELIST_HARDENED"),
];

/// Settings that are one number in a file below `/proc/sys`.
const NUMBERS: [(&str, &str); 8] = [
    ("kernel.perf_event_paranoid", "kernel/perf_event_paranoid"),
    ("kernel.ptrace_scope", "kernel/yama/ptrace_scope"),
    ("kernel.randomize_va_space", "kernel/randomize_va_space"),
    ("kernel.sched_autogroup", "kernel/sched_autogroup_enabled"),
    ("kernel.sched_rt_runtime_us", "kernel/sched_rt_runtime_us"),
    ("kernel.numa_balancing", "kernel/numa_balancing"),
    ("kernel.overcommit_memory", "vm/overcommit_memory"),
    ("kernel.swappiness", "vm/swappiness"),
];

/// Settings that are one line of words in a file.
const WORDS: [(&str, &str); 4] = [
    ("kernel.system", "/proc/sys/kernel/ostype"),
    ("kernel.release", "/proc/sys/kernel/osrelease"),
    ("kernel.version", "/proc/sys/kernel/version"),
    (
        "kernel.tcp_congestion_control",
        "/proc/sys/net/ipv4/tcp_congestion_control",
    ),
];

pub(crate) fn describe(facts: &mut Facts) {
    for (key, path) in WORDS {
        facts.line(key, path);
    }
    let preemption = preemption(facts.tree);
    facts.text("kernel.preemption", "/proc/sys/kernel/version", preemption);
    facts.line("kernel.clocksource", &format!("{CLOCK}/current_clocksource"));
    facts.words("kernel.clocksources", &format!("{CLOCK}/available_clocksource"));
    configuration(facts);
    for (key, file) in NUMBERS {
        facts.amount(key, Unit::One, &format!("/proc/sys/{file}"));
    }
    facts.words("kernel.sched_features", "/sys/kernel/debug/sched/features");
    facts.line("libc.version", "oscope/c_library");
}

/// The version names the model that was built in: `#1 SMP PREEMPT_DYNAMIC Debian 6.1`.
fn preemption(tree: &dyn Tree) -> Found<String> {
    let version = tree::line(tree, "/proc/sys/kernel/version")?;
    let word = version
        .split_whitespace()
        .find(|word| word.starts_with("PREEMPT"));
    Ok(match word {
        Some("PREEMPT_DYNAMIC") => "dynamic: chosen when booting (setting preempt=)",
        Some("PREEMPT_RT") => "real time",
        Some("PREEMPT_LAZY") => "lazy",
        Some(_) => "full",
        None => "none or voluntary",
    }
    .to_owned())
}

/// The configuration that distributions put beside the kernel. `/proc/config.gz` is compressed and not
/// read.
fn configuration(facts: &mut Facts) {
    let release = tree::line(facts.tree, "/proc/sys/kernel/osrelease");
    let path = match &release {
        Ok(release) => format!("/boot/config-{release}"),
        Err(_) => "/boot/config-*".to_owned(),
    };
    let text = release.and_then(|_| facts.tree.read(&path));
    let tick = text.clone().and_then(|text| {
        let value = option(&text, "CONFIG_HZ").and_then(crate::parse::number);
        value.ok_or_else(|| Absent::silent(&path, "does not set CONFIG_HZ"))
    });
    facts.number("kernel.tick_hz", Unit::Hertz, &path, tick);
    for (key, name) in CONFIGURATION {
        let set = text.as_ref().map(|text| option(text, name) == Some("y"));
        facts.flag(key, &format!("{path} {name}"), set.map_err(Clone::clone));
    }
}

/// Whether a description uses this line of a configuration.
pub(crate) fn is_used(line: &str) -> bool {
    let name = line.split('=').next().unwrap_or(line);
    name == "CONFIG_HZ" || CONFIGURATION.iter().any(|(_, used)| *used == name)
}

fn option<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key == name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_whole_names() {
        let text = "# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n";
        assert_eq!(option(text, "CONFIG_HZ"), Some("250"));
        assert_eq!(option(text, "CONFIG_HZ_100"), None);
    }
}
