//! The kernel: its version and the settings that change the costs of its services; and the C library.

use crate::facts::Facts;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

/// What names the distribution.
const OS_RELEASE: &str = "/etc/os-release";
const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0";

/// Options of `/boot/config-*` that a description uses; some were renamed.
const CONFIGURATION: [(&str, &[&str]); 4] = [
    ("kernel.config.preempt_dynamic", &["CONFIG_PREEMPT_DYNAMIC"]),
    ("kernel.config.no_hz_full", &["CONFIG_NO_HZ_FULL"]),
    (
        "kernel.config.page_table_isolation",
        // The second since Linux 6.9.
        &["CONFIG_PAGE_TABLE_ISOLATION", "CONFIG_MITIGATION_PAGE_TABLE_ISOLATION"],
    ),
    ("kernel.config.slab_hardening", &["CONFIG_SLAB_FREELIST_HARDENED"]),
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
    ("kernel.tcp_congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control"),
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
    facts.text("distribution.name", OS_RELEASE, distribution(facts.tree));
}

/// os-release(5): `PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"`.
fn distribution(tree: &dyn Tree) -> Found<String> {
    let text = tree.read(OS_RELEASE)?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map(|name| name.trim_matches(['"', '\'']).to_owned())
        .ok_or_else(|| Absent::silent(OS_RELEASE, "has no PRETTY_NAME"))
}

/// The version names the model that was built in: `#1 SMP PREEMPT_DYNAMIC Debian 6.1`.
fn preemption(tree: &dyn Tree) -> Found<String> {
    let version = tree::line(tree, "/proc/sys/kernel/version")?;
    let word = version.split_whitespace().find(|word| word.starts_with("PREEMPT"));
    if word == Some("PREEMPT_DYNAMIC")
        && let Some(model) = chosen_model(tree)
    {
        return Ok(model);
    }
    Ok(match word {
        Some("PREEMPT_DYNAMIC") => "dynamic: chosen when booting (setting preempt=)",
        Some("PREEMPT_RT") => "real time",
        Some("PREEMPT_LAZY") => "lazy",
        Some(_) => "full",
        None => "none or voluntary",
    }
    .to_owned())
}

/// The model of a kernel that leaves the choice: the one in force, which only root may read, or the one set when booting.
fn chosen_model(tree: &dyn Tree) -> Option<String> {
    // `none voluntary (full)`
    let in_force = tree::line(tree, "/sys/kernel/debug/sched/preempt").ok();
    let bracketed = in_force.and_then(|line| Some(line.split_once('(')?.1.split_once(')')?.0.to_owned()));
    if let Some(model) = bracketed {
        return Some(format!("{model}: dynamic, in force now"));
    }
    let set = tree::line(tree, "/proc/cmdline").ok()?;
    let model = set.split_whitespace().filter_map(|word| word.strip_prefix("preempt=")).next_back()?;
    Some(format!("{model}: dynamic, chosen when booting by preempt="))
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
    for (key, names) in CONFIGURATION {
        let is_set = |text: &String| names.iter().any(|name| option(text, name) == Some("y"));
        let set = text.as_ref().map(is_set);
        let source = format!("{path} {}", names.join(" or "));
        facts.flag(key, &source, set.map_err(Clone::clone));
    }
}

/// Whether a description uses this line of a configuration.
pub(crate) fn is_used(line: &str) -> bool {
    let name = line.split('=').next().unwrap_or(line);
    name == "CONFIG_HZ" || CONFIGURATION.iter().any(|(_, used)| used.contains(&name))
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

    /// What is below a root with these files.
    fn preemption_with(files: &[(&str, &str)]) -> String {
        let read = |path: &str| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        preemption(&Files(&read)).unwrap_or_default()
    }

    struct Files<'a>(&'a dyn Fn(&str) -> Option<String>);

    impl Tree for Files<'_> {
        fn read(&self, path: &str) -> Result<String, Absent> {
            (self.0)(path).ok_or_else(|| Absent::missing(path))
        }

        fn list(&self, path: &str) -> Result<Vec<String>, Absent> {
            Err(Absent::missing(path))
        }

        fn link(&self, path: &str) -> Result<String, Absent> {
            Err(Absent::missing(path))
        }
    }

    #[test]
    fn a_dynamic_kernel_names_the_model_that_was_chosen() {
        let dynamic = ("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian");
        let booted = ("/proc/cmdline", "quiet preempt=full preempt=none");
        let in_force = ("/sys/kernel/debug/sched/preempt", "none (voluntary) full\n");
        assert!(preemption_with(&[dynamic]).starts_with("dynamic:"));
        assert!(preemption_with(&[dynamic, booted]).starts_with("none:"));
        assert!(preemption_with(&[dynamic, booted, in_force]).starts_with("voluntary:"));
        // Built in: what was asked for when booting has no effect.
        let fixed = ("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT");
        assert_eq!(preemption_with(&[fixed, booted]), "real time");
    }

    #[test]
    fn options_have_an_old_and_a_new_name() {
        for name in ["CONFIG_PAGE_TABLE_ISOLATION", "CONFIG_MITIGATION_PAGE_TABLE_ISOLATION"] {
            let text = format!("{name}=y\n");
            let files = [("/proc/sys/kernel/osrelease", "6.12"), ("/boot/config-6.12", &text)];
            let read = |path: &str| {
                let found = files.iter().find(|(name, _)| *name == path);
                found.map(|(_, text)| (*text).to_owned())
            };
            let tree = Files(&read);
            let mut facts = Facts::below(&tree);
            configuration(&mut facts);
            let machine = facts.into_machine();
            let fact = machine.get("kernel.config.page_table_isolation").map(|fact| &fact.value);
            assert!(matches!(fact, Some(record::FactValue::Flag { set: true })), "{name}");
            assert!(is_used(text.trim()));
        }
    }

    #[test]
    fn options_are_whole_names() {
        let text = "# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n";
        assert_eq!(option(text, "CONFIG_HZ"), Some("250"));
        assert_eq!(option(text, "CONFIG_HZ_100"), None);
    }
}
