//! The environments that have a name of their own.

use super::launch::Setting;
use super::programs::located;
use super::versus::{Start, Versus};

/// An environment with a name of its own.
struct Preset {
    name: &'static str,
    /// What follows the name behind `=`, where something does.
    value: Option<&'static str>,
    title: &'static str,
    start: By,
}

/// What starts a worker in it.
enum By {
    /// A program with its words, and the Debian package that holds it.
    Program(&'static [&'static str], &'static str),
    /// The same, and then a setting that oscope makes there.
    ProgramThen(&'static [&'static str], &'static str, Setting),
    /// QEMU's program for this architecture, of this package.
    Emulator(&'static str),
    /// A program whose last word is the value.
    Remote(&'static [&'static str], &'static str),
    /// A setting that oscope makes.
    Setting,
    /// The same by means of this program of this package.
    Helped(&'static str, &'static str),
}

/// Where a program is that has no package in Debian.
const NOT_IN_DEBIAN: &str = "none; see gvisor.dev/docs/user_guide/install";

const PRESETS: [Preset; 21] = [
    preset(
        "namespaces",
        "new namespaces of users, processes, mounts, network, host name and IPC",
        By::ProgramThen(
            &["unshare", "-Urfpmnui", "--mount-proc", "--kill-child", "--"],
            "util-linux",
            Setting::Loopback,
        ),
    ),
    preset(
        "bwrap",
        "bubblewrap, the sandbox of Flatpak: namespaces, no new privileges",
        By::Program(
            &[
                "bwrap",
                "--dev-bind",
                "/",
                "/",
                "--unshare-user",
                "--unshare-pid",
                "--unshare-ipc",
                "--unshare-uts",
                "--unshare-cgroup-try",
                "--proc",
                "/proc",
                "--die-with-parent",
                "--",
            ],
            "bubblewrap",
        ),
    ),
    preset(
        "runc",
        "a container of runc with the capabilities and the filter that Docker gives",
        By::Helped("runc", "runc"),
    ),
    preset("crun", "the same container of crun, as Podman uses it", By::Helped("crun", "crun")),
    preset(
        "gvisor",
        "a container of gVisor, whose kernel is a program, entered by signals (systrap)",
        By::Helped("runsc", NOT_IN_DEBIAN),
    ),
    preset("gvisor-ptrace", "the same, entered by ptrace", By::Helped("runsc", NOT_IN_DEBIAN)),
    preset(
        "strace",
        "a tracer that stops at every system call and prints none",
        By::Program(&["strace", "-f", "-qq", "-e", "trace=none", "-o", "/dev/null", "--"], "strace"),
    ),
    preset(
        "strace-seccomp",
        "a tracer that stops at the system calls of one kind only, by a filter",
        By::Program(
            &["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=acct", "-o", "/dev/null", "--"],
            "strace",
        ),
    ),
    preset(
        "proot",
        "PRoot, which changes paths as chroot does, by a tracer",
        By::Program(&["proot"], "proot"),
    ),
    preset("qemu-user", "QEMU's emulation of a process", By::Emulator("qemu-user-static")),
    preset(
        "valgrind",
        "Valgrind without a tool: instructions are translated",
        By::Program(&["valgrind", "-q", "--tool=none"], "valgrind"),
    ),
    preset("seccomp", "a filter of system calls that looks at their numbers", By::Setting),
    preset(
        "seccomp-arguments",
        "a filter of system calls that looks at their numbers and first arguments",
        By::Setting,
    ),
    preset("no-aslr", "programs and libraries at the same addresses each time", By::Setting),
    preset("no-thp", "no transparent huge pages", By::Setting),
    preset(
        "mitigations",
        "no speculation past stores and through indirect branches, by the process's own choice",
        By::Setting,
    ),
    with_value("nice", "N", "another nice value (-20 to 19)", By::Setting),
    with_value("sched", "POLICY", "another scheduling policy: fifo, rr, batch, idle", By::Setting),
    with_value(
        "cgroup-quota",
        "PERCENT%",
        "a control group that may have this percentage of a CPU (50%), in periods of 100 ms",
        By::Setting,
    ),
    with_value("cgroup-shares", "N", "a control group with other shares of the CPU than 1024", By::Setting),
    with_value(
        "ssh",
        "HOST",
        "workers on another machine, which has this program at the same path",
        By::Remote(&["ssh", "-o", "BatchMode=yes"], "openssh-client"),
    ),
];

const fn preset(name: &'static str, title: &'static str, start: By) -> Preset {
    Preset { name, value: None, title, start }
}

const fn with_value(name: &'static str, value: &'static str, title: &'static str, start: By) -> Preset {
    Preset { value: Some(value), ..preset(name, title, start) }
}

/// The preset of this name with this value; `None` where it is another name, or has words of the user's.
pub(super) fn find(name: &str, value: Option<&str>) -> Option<Result<Versus, String>> {
    let preset = PRESETS.iter().find(|preset| preset.name == name)?;
    let versus = |name: String, start: Start| Versus {
        name,
        title: preset.title.to_owned(),
        is_elsewhere: matches!(preset.start, By::Remote(..)),
        start,
    };
    match (preset.value, value) {
        // A preset's name with words of the user's is theirs.
        (None, Some(_)) => None,
        (Some(what), None) => Some(Err(format!("{name}={what}: the value is missing ({})", preset.title))),
        _ => Some(
            start(preset, value.unwrap_or_default())
                .map(|start| versus(value.map_or(name.to_owned(), |value| format!("{name}={value}")), start)),
        ),
    }
}

fn start(preset: &Preset, value: &str) -> Result<Start, String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    Ok(match preset.start {
        By::Program(all, package) => Start::Program(words(all), package, None),
        By::ProgramThen(all, package, setting) => Start::Program(words(all), package, Some(setting)),
        By::Emulator(package) => {
            let name = format!("qemu-{}", std::env::consts::ARCH);
            // Debian 12 has it under either name, by package.
            let linked_statically = format!("{name}-static");
            let found = match located(&name) {
                Some(_) => name,
                None => linked_statically,
            };
            Start::Program(vec![found], package, None)
        }
        By::Remote(all, package) => {
            Start::Program([words(all), vec![value.to_owned()]].concat(), package, None)
        }
        By::Helped(program, package) => Start::Setting(preset.name.parse()?, Some((program, package))),
        By::Setting => {
            let text = match preset.value {
                Some(_) => format!("{}={value}", preset.name),
                None => preset.name.to_owned(),
            };
            Start::Setting(text.parse::<Setting>()?, None)
        }
    })
}

/// Every preset as it is typed, and what it is.
pub(super) fn all() -> impl Iterator<Item = (String, &'static str)> {
    PRESETS.iter().map(|preset| {
        let name = match preset.value {
            Some(value) => format!("{}={value}", preset.name),
            None => preset.name.to_owned(),
        };
        (name, preset.title)
    })
}

/// Says that a name means nothing, what was probably meant, and what there is.
pub(super) fn none_is(name: &str) -> String {
    let like = |preset: &&Preset| strsim::jaro_winkler(preset.name, name) > 0.8;
    let meant = PRESETS.iter().find(like);
    let meant = meant.map_or_else(String::new, |preset| format!("; did you mean {}?", preset.name));
    let names: Vec<String> = all().map(|(name, _)| name).collect();
    format!(
        "no environment is called '{name}'{meant} There are: {}; or give the words before the worker: {name}='PREFIX …'",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_started_with_a_value_of_its_own() {
        for preset in &PRESETS {
            let value = match preset.name {
                "sched" => "batch",
                "cgroup-shares" => "512",
                _ => "1",
            };
            let value = preset.value.map(|_| value);
            assert!(matches!(find(preset.name, value), Some(Ok(_))), "{}", preset.name);
        }
    }
}
