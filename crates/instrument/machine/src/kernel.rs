//! The kernel: its version and the settings that change the costs of its services.

use crate::checksum;
use crate::facts::{Facts, Form};
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

/// What names the distribution.
const OS_RELEASE: &str = "/etc/os-release";

/// The configuration that the running kernel shows, where it was built to.
pub(crate) const SHOWN_CONFIGURATION: &str = "/proc/config.gz";

/// Options of the kernel's configuration that a description uses; some were renamed.
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

/// What names the kernel, in files below `/proc/sys`.
const VERSIONS: [(&str, &str, Form); 3] = [
    ("system", "kernel/ostype", Form::Line),
    ("release", "kernel/osrelease", Form::Line),
    ("version", "kernel/version", Form::Line),
];

/// Its settings, likewise.
const SETTINGS: [(&str, &str, Form); 9] = [
    ("perf_event_paranoid", "kernel/perf_event_paranoid", NUMBER),
    ("ptrace_scope", "kernel/yama/ptrace_scope", NUMBER),
    ("randomize_va_space", "kernel/randomize_va_space", NUMBER),
    ("sched_autogroup", "kernel/sched_autogroup_enabled", NUMBER),
    ("sched_rt_runtime_us", "kernel/sched_rt_runtime_us", NUMBER),
    ("numa_balancing", "kernel/numa_balancing", NUMBER),
    ("overcommit_memory", "vm/overcommit_memory", NUMBER),
    ("swappiness", "vm/swappiness", NUMBER),
    ("tcp_congestion_control", "net/ipv4/tcp_congestion_control", Form::Line),
];
const NUMBER: Form = Form::Number(Unit::One);

/// The scheduler's settings, and those that are one number each.
const SCHEDULER: &str = "/sys/kernel/debug/sched";
const TUNABLES: [&str; 8] = [
    "base_slice_ns",
    "idle_min_granularity_ns",
    "latency_ns",
    "migration_cost_ns",
    "min_granularity_ns",
    "nr_migrate",
    "tunable_scaling",
    "wakeup_granularity_ns",
];

/// The modules that are loaded.
pub(crate) const MODULES: &str = "/proc/modules";

/// The clocks of the kernel.
const CLOCKS: [(&str, &str, Form); 2] = [
    ("clocksource", "current_clocksource", Form::Line),
    ("clocksources", "available_clocksource", Form::Words),
];

pub(crate) fn describe(facts: &mut Facts) {
    facts.files("kernel", "/proc/sys", &VERSIONS);
    let preemption = preemption(facts.tree);
    facts.text("kernel.preemption", "/proc/sys/kernel/version", preemption);
    describe_settings(facts);
    configuration(facts);
    facts.file("kernel.config.sum", "oscope/kernel_config", Form::Line);
    let modules = facts.tree.read(MODULES).map(|text| loaded(&text));
    facts.text("kernel.modules", MODULES, modules);
    let name = tree::parsed(facts.tree.read(OS_RELEASE), OS_RELEASE, "has no PRETTY_NAME", distribution);
    facts.text("distribution.name", OS_RELEASE, name);
}

/// How many modules are loaded, and the sum of their names.
fn loaded(text: &str) -> String {
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    names.sort_unstable();
    format!("{} loaded, names {}", names.len(), checksum::checksum(names.join(" ").as_bytes()))
}

/// What can be set while the kernel runs.
pub(crate) fn describe_settings(facts: &mut Facts) {
    facts.files("kernel", "/sys/devices/system/clocksource/clocksource0", &CLOCKS);
    facts.files("kernel", "/proc/sys", &SETTINGS);
    facts.file("kernel.sched_features", &format!("{SCHEDULER}/features"), Form::Words);
    // Only root sees the folder, and which files it has depends on the kernel.
    let names = facts.tree.list(SCHEDULER).unwrap_or_default();
    for name in names.iter().filter(|name| TUNABLES.contains(&name.as_str())) {
        facts.file(&format!("kernel.sched_{name}"), &format!("{SCHEDULER}/{name}"), Form::Selected);
    }
}

/// Whether this setting below `/proc/sys` is a fact of the group `kernel`.
pub(crate) fn describes(setting: &str) -> bool {
    SETTINGS.iter().any(|(_, file, _)| *file == setting)
}

/// os-release(5): `PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"`.
fn distribution(text: &str) -> Option<String> {
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned())
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

/// What the kernel's configuration says.
fn configuration(facts: &mut Facts) {
    let (path, text) = configuration_text(facts.tree);
    let tick = text.clone().and_then(|text| {
        let value = option(&text, "CONFIG_HZ").and_then(crate::parse::number);
        value.ok_or_else(|| Absent::silent(&path, "does not set CONFIG_HZ"))
    });
    facts.number("kernel.tick_hz", Unit::Hertz, &path, tick);
    for (key, names) in CONFIGURATION {
        let set = text.as_ref().map(|text| names.iter().any(|name| option(text, name) == Some("y")));
        let source = format!("{path} {}", names.join(" or "));
        facts.flag(key, &source, set.map_err(Clone::clone));
    }
}

/// The configuration that the kernel shows, or the one that distributions put beside it, with its path.
fn configuration_text(tree: &dyn Tree) -> (String, Found<String>) {
    if let Ok(text) = tree.read(SHOWN_CONFIGURATION) {
        return (SHOWN_CONFIGURATION.to_owned(), Ok(text));
    }
    match tree::line(tree, "/proc/sys/kernel/osrelease") {
        Ok(release) => {
            let path = format!("/boot/config-{release}");
            let text = tree.read(&path);
            (path, text)
        }
        Err(absent) => ("/boot/config-*".to_owned(), Err(absent)),
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
    use crate::tree::testing::texts;

    #[test]
    fn a_dynamic_kernel_names_the_model_that_was_chosen() {
        let dynamic = ("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian");
        let booted = ("/proc/cmdline", "quiet preempt=full preempt=none");
        let in_force = ("/sys/kernel/debug/sched/preempt", "none (voluntary) full\n");
        // Built in: what was asked for when booting has no effect.
        let fixed = ("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT");
        let cases: [(&[_], &str); 4] = [
            (&[dynamic], "dynamic:"),
            (&[dynamic, booted], "none:"),
            (&[dynamic, booted, in_force], "voluntary:"),
            (&[fixed, booted], "real time"),
        ];
        for (files, beginning) in cases {
            assert!(preemption(&texts(files)).unwrap_or_default().starts_with(beginning), "{beginning}");
        }
    }

    #[test]
    fn options_have_an_old_and_a_new_name() {
        for name in ["CONFIG_PAGE_TABLE_ISOLATION", "CONFIG_MITIGATION_PAGE_TABLE_ISOLATION"] {
            let text = format!("{name}=y\n");
            let tree = texts(&[("/proc/sys/kernel/osrelease", "6.12"), ("/boot/config-6.12", &text)]);
            let mut facts = Facts::below(&tree);
            configuration(&mut facts);
            assert_eq!(facts.machine().flag("kernel.config.page_table_isolation"), Some(true), "{name}");
            assert!(is_used(text.trim()));
        }
    }

    #[test]
    fn what_the_kernel_shows_is_more_than_what_lies_beside_it() {
        let release = ("/proc/sys/kernel/osrelease", "6.12");
        let kept = ("/boot/config-6.12", "CONFIG_HZ=250\n");
        let shown = (SHOWN_CONFIGURATION, "CONFIG_HZ=1000\n");
        for (files, hertz, source) in [
            (&[release, kept][..], Some(250.0), kept.0),
            (&[release, kept, shown], Some(1000.0), shown.0),
            (&[shown], Some(1000.0), shown.0),
            (&[kept], None, "/boot/config-*"),
        ] {
            let tree = texts(files);
            let mut facts = Facts::below(&tree);
            configuration(&mut facts);
            let tick = facts.machine().get("kernel.tick_hz").map(|fact| fact.source.as_str());
            assert_eq!(facts.machine().number("kernel.tick_hz"), hertz);
            assert_eq!(tick, Some(source));
        }
    }

    #[test]
    fn options_are_whole_names() {
        let text = "# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n";
        assert_eq!(option(text, "CONFIG_HZ"), Some("250"));
        assert_eq!(option(text, "CONFIG_HZ_100"), None);
    }
}
