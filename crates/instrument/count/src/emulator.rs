//! QEMU: which one is here, what it can do, and its words for a boot.

use crate::error::{Error, Result};
use crate::image::Architecture;
use crate::initrd::LIBRARIES;
use std::io::ErrorKind;
use std::process::Command;

/// The oldest version that is used: Debian 11's, which has the clock by instructions without sleeping.
const OLDEST: u32 = 5;

/// Versions whose plugin interface the plugin is made for (1 to 5 of that interface).
const WITH_PLUGINS: std::ops::RangeInclusive<u32> = 6..=10;

/// The plugin, as `build.rs` compiled it; empty where it could not be.
pub const PLUGIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plugin.so"));

/// QEMU of an architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emulator {
    /// Of what it emulates.
    pub architecture: Architecture,
    /// Its version, as it prints it.
    pub version: String,
    /// Whether it runs the plugin, or why not.
    pub plugin: PluginUse,
}

/// Whether the plugin is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginUse {
    /// It counts by function.
    Used,
    /// It is not, for this reason; totals are those of the virtual clock.
    Unused(String),
}

impl Emulator {
    /// The emulator of this machine for an architecture.
    ///
    /// # Errors
    /// When it is not installed or too old.
    pub fn find(architecture: Architecture) -> Result<Self> {
        let (program, package) = names(architecture);
        let output = Command::new(program).arg("--version").output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error(format!(
                "{program} is not installed, and kernels are counted in it; install it: apt-get install {package}, \
                 dnf install {program}, or your distribution's package of QEMU"
            )),
            _ => Error(format!("{program}: {error}")),
        })?;
        Self::from_version(architecture, &String::from_utf8_lossy(&output.stdout), !PLUGIN.is_empty())
    }

    /// What a version can do.
    fn from_version(architecture: Architecture, text: &str, is_compiled: bool) -> Result<Self> {
        let (program, _) = names(architecture);
        let version = text.split_once("version ").map_or("", |(_, rest)| rest);
        let version = version.split([' ', '\n', '(']).next().unwrap_or_default().to_owned();
        let major: u32 = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0);
        if major < OLDEST {
            return Err(Error(format!(
                "{program} {version} is too old to count kernels; install QEMU {OLDEST} or newer"
            )));
        }
        let plugin = match (is_compiled, WITH_PLUGINS.contains(&major)) {
            (true, true) => PluginUse::Used,
            (false, _) => PluginUse::Unused(
                "this oscope was built without a C compiler, so it has no plugin".to_owned(),
            ),
            (true, false) => PluginUse::Unused(format!(
                "the plugin interface of QEMU {version} is not the one of QEMU {} to {}",
                WITH_PLUGINS.start(),
                WITH_PLUGINS.end()
            )),
        };
        Ok(Self { architecture, version, plugin })
    }

    /// The processor that it emulates.
    pub fn processor(&self) -> &'static str {
        match self.architecture {
            Architecture::X86 => "EPYC-Milan",
            Architecture::Arm => "cortex-a76",
        }
    }

    /// The command for a boot, without files.
    pub fn command(&self, machine: &Machine<'_>) -> Command {
        let mut command = Command::new(names(self.architecture).0);
        if self.architecture == Architecture::Arm {
            command.args(["-machine", "virt"]);
        }
        command.args(["-accel", "tcg", "-cpu", self.processor(), "-m", MEMORY]);
        command.args(["-icount", "shift=0,sleep=off", "-rtc", "clock=vm,base=2024-01-01"]);
        command.args([
            "-nodefaults",
            "-nic",
            "none",
            "-display",
            "none",
            "-serial",
            "stdio",
            "-monitor",
            "none",
        ]);
        command.args(["-no-reboot", "-smp", &machine.cpus.to_string(), "-seed", &machine.seed.to_string()]);
        command.arg("-append").arg(kernel_line(self.architecture, machine.options));
        command
    }
}

/// What differs between boots.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// CPUs.
    pub cpus: u32,
    /// Seed of everything random in the emulator.
    pub seed: u32,
    /// Boot options of the user.
    pub options: &'a str,
}

/// Memory of the machine: faults of operations take less than a quarter.
const MEMORY: &str = "3G";

fn names(architecture: Architecture) -> (&'static str, &'static str) {
    match architecture {
        Architecture::X86 => ("qemu-system-x86_64", "qemu-system-x86"),
        Architecture::Arm => ("qemu-system-aarch64", "qemu-system-arm"),
    }
}

/// Boot options that make counts repeat, and those that predictions assume: no mitigations, no pages cleared for safety, no
/// security modules. `noreplace-smp` keeps the LOCK prefixes that a kernel of one CPU patches away.
const OPTIONS: &str = "quiet panic=-1 mitigations=off init_on_alloc=0 init_on_free=0 lsm=capability nokaslr norandmaps \
    randomize_kstack_offset=off";
const OPTIONS_X86: &str = "tsc=reliable tsc_early_khz=1000000 no_timer_check noreplace-smp";

/// The kernel's command line: of an option that the user gives only the user's value is there. Besides the user's consoles there is
/// ours, which is the last, because process 1 writes to that.
fn kernel_line(architecture: Architecture, of_user: &str) -> String {
    let key = |option: &str| option.split('=').next().unwrap_or_default().replace('-', "_");
    let given: Vec<String> = of_user.split_whitespace().map(key).collect();
    let (own, console) = match architecture {
        Architecture::X86 => (OPTIONS_X86, "console=ttyS0"),
        Architecture::Arm => ("", "console=ttyAMA0"),
    };
    let kept = OPTIONS
        .split_whitespace()
        .chain(own.split_whitespace())
        .filter(|option| !given.contains(&key(option)));
    let fixed = [format!("rdinit={}", crate::guest::PROGRAM), format!("LD_LIBRARY_PATH={LIBRARIES}")];
    let of_user: Vec<&str> = of_user.split_whitespace().collect();
    let (before, after) =
        of_user.split_at(of_user.iter().rposition(|option| key(option) == "console").map_or(0, |at| at + 1));
    let fixed = fixed.iter().map(String::as_str);
    let all = kept.chain(fixed).chain(before.iter().copied()).chain([console]).chain(after.iter().copied());
    all.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn versions_without_the_plugin_interface_count_totals_and_old_ones_nothing() {
        let found = |text: &str, compiled| Emulator::from_version(Architecture::X86, text, compiled);
        let debian = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)\nCopyright";
        let emulator = found(debian, true).unwrap();
        assert_eq!((emulator.version.as_str(), &emulator.plugin), ("7.2.22", &PluginUse::Used));
        assert!(
            matches!(found(debian, false).unwrap().plugin, PluginUse::Unused(why) if why.contains("compiler"))
        );
        for (version, is_used) in [("5.2.0", false), ("9.2.4", true), ("10.0.2", true), ("99.0.0", false)] {
            let emulator = found(&format!("QEMU emulator version {version}"), true).unwrap();
            assert_eq!(emulator.plugin == PluginUse::Used, is_used, "{version}");
        }
        for old in ["QEMU emulator version 4.2.1", "garbage", ""] {
            assert!(found(old, true).unwrap_err().to_string().contains("too old"), "{old}");
        }
    }

    #[test]
    fn option_of_the_user_replaces_the_default() {
        let line = kernel_line(Architecture::X86, "mitigations=auto audit=1 init-on-alloc=1");
        assert!(line.contains("mitigations=auto audit=1") && !line.contains("mitigations=off"), "{line}");
        assert!(!line.contains("init_on_alloc=0") && line.contains("init_on_free=0"), "{line}");
        assert!(kernel_line(Architecture::Arm, "").contains("ttyAMA0"));
        let line = kernel_line(Architecture::X86, "audit=1 console=tty0 -- x");
        assert!(line.ends_with("audit=1 console=tty0 console=ttyS0 -- x"), "{line}");
    }

    #[test]
    fn machine_has_no_network_no_window_and_no_disk() {
        let emulator = Emulator::from_version(Architecture::X86, "version 7.2", true).unwrap();
        let command = emulator.command(&Machine { cpus: 2, seed: 3, options: "" });
        let words: Vec<String> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let words = words.join(" ");
        for part in ["-nic none", "-display none", "-nodefaults", "-smp 2", "-seed 3", "-no-reboot"] {
            assert!(words.contains(part), "{words}");
        }
        assert!(!words.contains("-drive"));
    }
}
