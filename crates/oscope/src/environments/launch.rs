//! `oscope launch SETTING COMMAND…`: makes a setting for itself and becomes the command.

use crate::exit::Exit;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use sys::settings::{self, Policy};

mod filter;
mod runc;

/// A setting that a process makes for itself and keeps when it becomes another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// A filter of system calls by number.
    Seccomp,
    /// A filter of system calls by number and first argument.
    SeccompArguments,
    /// The same addresses each time.
    NoAslr,
    /// No transparent huge pages.
    NoThp,
    /// Less speculation.
    Mitigations,
    /// A container of runc.
    Runc,
    /// A nice value.
    Nice(i32),
    /// A scheduling policy.
    Sched(Policy),
}

const PLAIN: [(&str, Setting); 6] = [
    ("runc", Setting::Runc),
    ("seccomp", Setting::Seccomp),
    ("seccomp-arguments", Setting::SeccompArguments),
    ("no-aslr", Setting::NoAslr),
    ("no-thp", Setting::NoThp),
    ("mitigations", Setting::Mitigations),
];

const POLICIES: [(&str, Policy); 5] = [
    ("fifo", Policy::Fifo),
    ("rr", Policy::RoundRobin),
    ("batch", Policy::Batch),
    ("idle", Policy::Idle),
    ("other", Policy::Other),
];

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, setting)) = PLAIN.iter().find(|(name, _)| *name == text) {
            return Ok(*setting);
        }
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        match name {
            "nice" => match value.parse() {
                Ok(nice @ -20..=19) => Ok(Self::Nice(nice)),
                _ => Err(format!("nice={value}: a nice value is a number from -20 to 19")),
            },
            "sched" => {
                let policy = POLICIES.iter().find(|(name, _)| *name == value);
                policy.map(|(_, policy)| Self::Sched(*policy)).ok_or_else(|| {
                    let names = POLICIES.map(|(name, _)| name).join(", ");
                    format!("sched={value}: policies are {names}")
                })
            }
            _ => Err(format!("no setting is called '{name}'")),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nice(nice) => write!(out, "nice={nice}"),
            Self::Sched(policy) => {
                let name = POLICIES.iter().find(|(_, other)| other == policy);
                write!(out, "sched={}", name.map_or("other", |(name, _)| name))
            }
            plain => {
                let name = PLAIN.iter().find(|(_, setting)| setting == plain);
                out.write_str(name.map_or("", |(name, _)| name))
            }
        }
    }
}

/// Makes the setting, and becomes the command.
///
/// # Errors
/// When the setting is refused, or the command cannot be started.
pub fn run(setting: Setting, command: &[OsString]) -> anyhow::Result<Exit> {
    if setting == Setting::Runc {
        let status = runc::run(command)?;
        anyhow::ensure!(status.success(), "runc ended with {status}");
        return Ok(Exit::Success);
    }
    make(setting).map_err(|error| error.context(format!("the setting {setting} cannot be made")))?;
    let (program, words) = command
        .split_first()
        .ok_or_else(|| anyhow::anyhow!("the command is missing"))?;
    Err(Command::new(program).args(words).exec().into())
}

fn make(setting: Setting) -> anyhow::Result<()> {
    match setting {
        Setting::Nice(nice) => settings::set_nice(nice)?,
        Setting::Sched(policy) => settings::set_policy(policy)?,
        Setting::NoAslr => settings::stop_randomising_addresses()?,
        Setting::NoThp => settings::stop_huge_pages()?,
        Setting::Mitigations => drop(settings::stop_speculation()?),
        Setting::Seccomp => filter::install(false)?,
        Setting::SeccompArguments => filter::install(true)?,
        // Not a setting of this process.
        Setting::Runc => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_setting_reads_back_as_it_is_written() {
        let policies = POLICIES.map(|(_, policy)| Setting::Sched(policy));
        let plain = PLAIN.map(|(_, setting)| setting);
        let more = [Setting::Nice(-5)];
        for setting in policies.into_iter().chain(plain).chain(more) {
            assert_eq!(setting.to_string().parse::<Setting>().unwrap(), setting);
        }
        for text in ["nice=20", "nice", "sched=", "seccomp=1", ""] {
            assert!(text.parse::<Setting>().is_err(), "{text}");
        }
    }
}
