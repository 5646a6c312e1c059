//! The environments that have a name of their own.

use super::launch::Setting;
use super::versus::Versus;
use crate::suggest::{did_you_mean, like};

/// An environment with a name of its own.
struct Preset {
    name: &'static str,
    /// What follows the name behind `=`, where something does.
    value: Option<&'static str>,
    title: &'static str,
    start: Start,
}

/// What starts a worker in it.
enum Start {
    /// A program with its words, and the Debian package that holds it.
    Program(&'static str, &'static str),
    /// The same, and then a setting that oscope makes there.
    ProgramThen(&'static str, &'static str, Setting),
    /// A setting that oscope makes, of the preset's name.
    Setting,
    /// The same by means of this program of this package.
    SettingBy(&'static str, &'static str),
}

use Start::{Program, ProgramThen, SettingBy};

/// Where a program is that has no package in Debian.
const NOT_IN_DEBIAN: &str = "none; see gvisor.dev/docs/user_guide/install";

/// In the words of a program: the preset's value, and the architecture of this machine.
const VALUE: &str = "VALUE";
const ARCHITECTURE: &str = "ARCHITECTURE";

const PRESETS: [Preset; 22] = [
    preset(
        "namespaces",
        "new namespaces of users, processes, mounts, network, host name and IPC",
        ProgramThen("unshare -Urfpmnui --mount-proc --kill-child --", "util-linux", Setting::Loopback),
    ),
    preset(
        "bwrap",
        "bubblewrap, the sandbox of Flatpak: namespaces, no new privileges",
        Program(
            "bwrap --dev-bind / / --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try \
             --proc /proc --die-with-parent --",
            "bubblewrap",
        ),
    ),
    preset(
        "runc",
        "a container of runc with the capabilities and the filter that Docker gives",
        SettingBy("runc", "runc"),
    ),
    preset("crun", "the same container of crun, as Podman uses it", SettingBy("crun", "crun")),
    preset(
        "gvisor",
        "a container of gVisor, whose kernel is a program, entered by signals (systrap)",
        SettingBy("runsc", NOT_IN_DEBIAN),
    ),
    preset("gvisor-ptrace", "the same, entered by ptrace", SettingBy("runsc", NOT_IN_DEBIAN)),
    preset(
        "strace",
        "a tracer that stops at every system call and prints none",
        Program("strace -f -qq -e trace=none -o /dev/null --", "strace"),
    ),
    preset(
        "strace-seccomp",
        "a tracer that stops at the system calls of one kind only, by a filter",
        Program("strace -f -qq --seccomp-bpf -e trace=acct -o /dev/null --", "strace"),
    ),
    preset("proot", "PRoot, which changes paths as chroot does, by a tracer", Program("proot", "proot")),
    preset("qemu-user", "QEMU's emulation of a process", Program("qemu-ARCHITECTURE", "qemu-user-static")),
    preset(
        "valgrind",
        "Valgrind without a tool: instructions are translated",
        Program("valgrind -q --tool=none", "valgrind"),
    ),
    preset("seccomp", "a filter of system calls that looks at their numbers", Start::Setting),
    preset(
        "seccomp-arguments",
        "a filter of system calls that looks at their numbers and first arguments",
        Start::Setting,
    ),
    with_value(
        "filter",
        "N",
        "a filter of N instructions (2 to 4096), which allows every system call",
        Start::Setting,
    ),
    preset("no-aslr", "programs and libraries at the same addresses each time", Start::Setting),
    preset("no-thp", "no transparent huge pages", Start::Setting),
    preset(
        "mitigations",
        "no speculation past stores and through indirect branches, by the process's own choice",
        Start::Setting,
    ),
    with_value("nice", "N", "another nice value (-20 to 19)", Start::Setting),
    with_value(
        "sched",
        "POLICY",
        "another scheduling policy: batch, idle, fifo, rr, or with a priority fifo:80",
        Start::Setting,
    ),
    with_value(
        "cgroup-quota",
        "PERCENT%",
        "a control group that may have this percentage of a CPU (50%), in periods of 100 ms",
        Start::Setting,
    ),
    with_value(
        "cgroup-shares",
        "N",
        "a control group with other shares of the CPU than 1024",
        Start::Setting,
    ),
    with_value(
        "ssh",
        "HOST",
        "workers on another machine, which has this program at the same path",
        Program("ssh -o BatchMode=yes VALUE", "openssh-client"),
    ),
];

const fn preset(name: &'static str, title: &'static str, start: Start) -> Preset {
    Preset { name, value: None, title, start }
}

const fn with_value(name: &'static str, value: &'static str, title: &'static str, start: Start) -> Preset {
    Preset { value: Some(value), ..preset(name, title, start) }
}

impl Preset {
    /// As it is typed, with this value.
    fn typed(&self, value: Option<&str>) -> String {
        value.map_or_else(|| self.name.to_owned(), |value| format!("{}={value}", self.name))
    }

    fn versus(&self, value: Option<&str>) -> Result<Versus, String> {
        let words: Vec<String> = match self.start {
            Program(all, _) | ProgramThen(all, ..) => all
                .split(' ')
                .map(|word| match word {
                    VALUE => value.unwrap_or_default().to_owned(),
                    word => word.replace(ARCHITECTURE, std::env::consts::ARCH),
                })
                .collect(),
            Start::Setting | SettingBy(..) => Vec::new(),
        };
        let needs = match self.start {
            Program(_, package) | ProgramThen(_, package, _) => words.first().cloned().zip(Some(package)),
            SettingBy(program, package) => Some((program.to_owned(), package)),
            Start::Setting => None,
        };
        let setting = match self.start {
            Program(..) => None,
            ProgramThen(.., setting) => Some(setting),
            Start::Setting | SettingBy(..) => Some(self.typed(value).parse()?),
        };
        Ok(Versus {
            name: self.typed(value),
            title: self.title.to_owned(),
            is_elsewhere: matches!(self.start, Program(all, _) if all.ends_with(VALUE)),
            is_by_hand: false,
            words,
            needs,
            setting,
        })
    }
}

/// The preset of this name with this value; `None` where it is another name, or has words of the user's.
pub(super) fn find(name: &str, value: Option<&str>) -> Option<Result<Versus, String>> {
    let preset = PRESETS.iter().find(|preset| preset.name == name)?;
    match (preset.value, value) {
        // A preset's name with words of the user's is theirs.
        (None, Some(_)) => None,
        (Some(what), None) => Some(Err(format!("{name}={what}: the value is missing ({})", preset.title))),
        _ => Some(preset.versus(value)),
    }
}

/// Every preset as it is typed, and what it is.
pub(super) fn all() -> impl Iterator<Item = (String, &'static str)> {
    PRESETS.iter().map(|preset| (preset.typed(preset.value), preset.title))
}

/// Those among them that `oscope launch` makes, and one that a preset is made of.
pub(super) fn settings() -> impl Iterator<Item = (String, &'static str)> {
    let made = PRESETS.iter().filter(|preset| matches!(preset.start, Start::Setting | SettingBy(..)));
    let made = made.map(|preset| (preset.typed(preset.value), preset.title));
    made.chain([("loopback".to_owned(), "a loopback device that is up, in a new namespace of networks")])
}

/// Says that a name means nothing, what was probably meant, and what there is.
pub(super) fn none_is(name: &str) -> String {
    let near = did_you_mean(like(name, PRESETS.iter().map(|preset| preset.name.to_owned())));
    let names: Vec<String> = all().map(|(name, _)| name).collect();
    format!(
        "no environment is called '{name}'{near} (known: {}; or give the words before the worker: {name}='PREFIX …')",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_that_is_listed_can_be_launched() {
        let listed: Vec<String> = settings().map(|(name, _)| name).collect();
        for name in ["filter=N", "nice=N", "sched=POLICY", "cgroup-quota=PERCENT%", "cgroup-shares=N", "runc"]
        {
            assert!(listed.iter().any(|listed| listed == name), "{name} of {listed:?}");
        }
        for name in listed {
            let typed = name.replace("=N", "=2").replace("POLICY", "idle").replace("PERCENT", "50");
            assert!(typed.parse::<Setting>().is_ok(), "{typed}");
        }
    }

    #[test]
    fn every_preset_can_be_started_with_a_value_of_its_own() {
        for preset in &PRESETS {
            let value = match preset.name {
                "sched" => "batch",
                "cgroup-shares" => "512",
                "filter" => "16",
                _ => "1",
            };
            let value = preset.value.map(|_| value);
            assert!(matches!(find(preset.name, value), Some(Ok(_))), "{}", preset.name);
        }
    }
}
