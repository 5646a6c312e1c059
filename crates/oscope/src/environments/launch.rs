//! `oscope launch SETTING COMMAND…`: makes a setting for itself and becomes the command.

use crate::exit::Exit;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use sys::settings::{self, Policy};

mod attended;
mod cgroup;
mod container;
mod filter;

use cgroup::Limit;
pub use container::Runtime;

/// A setting that a process makes for itself and keeps when it becomes another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// A filter of system calls by number.
    Seccomp,
    /// A filter of system calls by number and first argument.
    SeccompArguments,
    /// A filter of this many instructions, which allows everything: its cost per call is known from its length.
    Filter(u16),
    /// The same addresses each time.
    NoAslr,
    /// No transparent huge pages.
    NoThp,
    /// Less speculation.
    Mitigations,
    /// A container.
    Container(Runtime),
    /// A control group that may have this percentage of a CPU.
    CgroupQuota(u32),
    /// A control group with these shares of the CPU.
    CgroupShares(u64),
    /// A loopback device that is up.
    Loopback,
    /// A nice value.
    Nice(i32),
    /// A scheduling policy.
    Sched(Policy),
}

const PLAIN: [(&str, Setting); 10] = [
    ("loopback", Setting::Loopback),
    ("runc", Setting::Container(Runtime::Runc)),
    ("crun", Setting::Container(Runtime::Crun)),
    ("gvisor", Setting::Container(Runtime::Gvisor)),
    ("gvisor-ptrace", Setting::Container(Runtime::GvisorPtrace)),
    ("seccomp", Setting::Seccomp),
    ("seccomp-arguments", Setting::SeccompArguments),
    ("no-aslr", Setting::NoAslr),
    ("no-thp", Setting::NoThp),
    ("mitigations", Setting::Mitigations),
];

/// Largest quota: more CPUs than any machine has.
const MOST_PERCENT: u32 = 1_000_000;
/// The least real-time priority, which a policy has without a number.
const LEAST: i32 = 1;

const POLICIES: [(&str, Policy); 5] = [
    ("fifo", Policy::Fifo(LEAST)),
    ("rr", Policy::RoundRobin(LEAST)),
    ("batch", Policy::Batch),
    ("idle", Policy::Idle),
    ("other", Policy::Other),
];

impl Setting {
    /// A scheduling policy by its name, with a priority where it is a real-time one: `rr:99`.
    ///
    /// # Errors
    /// When there is no such policy or priority.
    pub fn policy(text: &str) -> Result<Self, String> {
        let (name, priority) =
            text.split_once(':').map_or((text, None), |(name, priority)| (name, Some(priority)));
        let names = POLICIES.map(|(name, _)| name).join(", ");
        let found = POLICIES.iter().find(|(known, _)| *known == name);
        let (_, policy) = found.ok_or_else(|| format!("sched={text}: policies are {names}"))?;
        let Some(priority) = priority else {
            return Ok(Self::Sched(*policy));
        };
        let priority = priority.parse().ok().filter(|priority| (LEAST..=99).contains(priority));
        match (policy, priority) {
            (Policy::Fifo(_), Some(priority)) => Ok(Self::Sched(Policy::Fifo(priority))),
            (Policy::RoundRobin(_), Some(priority)) => Ok(Self::Sched(Policy::RoundRobin(priority))),
            _ => Err(format!("sched={text}: fifo and rr have a priority from {LEAST} to 99")),
        }
    }

    /// Whether it is a real-time policy.
    pub fn is_realtime(self) -> bool {
        matches!(self, Self::Sched(Policy::Fifo(_) | Policy::RoundRobin(_)))
    }
}

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
            "filter" => match value.parse() {
                Ok(length @ 2..=4096) => Ok(Self::Filter(length)),
                _ => Err(format!("filter={value}: a filter has 2 to 4096 instructions")),
            },
            "cgroup-quota" => match value.strip_suffix('%').unwrap_or(value).parse() {
                Ok(percent @ 1..=MOST_PERCENT) => Ok(Self::CgroupQuota(percent)),
                _ => Err(format!(
                    "cgroup-quota={value}: a quota is a percentage of one CPU from 1% to {MOST_PERCENT}%"
                )),
            },
            "cgroup-shares" => match value.parse() {
                Ok(shares @ 2..=262_144) => Ok(Self::CgroupShares(shares)),
                _ => Err(format!(
                    "cgroup-shares={value}: shares are a number from 2 to 262144; a group without a choice has 1024"
                )),
            },
            "sched" => Self::policy(value),
            _ => Err(format!("no setting is called '{name}'")),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nice(nice) => write!(out, "nice={nice}"),
            Self::Filter(length) => write!(out, "filter={length}"),
            Self::CgroupQuota(percent) => write!(out, "cgroup-quota={percent}%"),
            Self::CgroupShares(shares) => write!(out, "cgroup-shares={shares}"),
            Self::Sched(Policy::Fifo(priority)) if *priority != LEAST => write!(out, "sched=fifo:{priority}"),
            Self::Sched(Policy::RoundRobin(priority)) if *priority != LEAST => {
                write!(out, "sched=rr:{priority}")
            }
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
    let attended = match setting {
        Setting::Container(runtime) => Some(container::run(runtime, command)?),
        Setting::CgroupQuota(percent) => Some(cgroup::run(Limit::Quota(percent), command)?),
        Setting::CgroupShares(shares) => Some(cgroup::run(Limit::Shares(shares), command)?),
        _ => None,
    };
    if let Some(status) = attended {
        anyhow::ensure!(status.success(), "{setting} ended with {status}");
        return Ok(Exit::Success);
    }
    make(setting).map_err(|error| error.context(format!("the setting {setting} cannot be made")))?;
    let (program, words) = command.split_first().ok_or_else(|| anyhow::anyhow!("the command is missing"))?;
    Err(Command::new(program).args(words).exec().into())
}

fn make(setting: Setting) -> anyhow::Result<()> {
    match setting {
        Setting::Nice(nice) => settings::set_nice(nice)?,
        Setting::Sched(policy) => settings::set_policy(policy)?,
        Setting::Loopback => sys::interface::bring_up("lo")?,
        Setting::NoAslr => settings::stop_randomising_addresses()?,
        Setting::NoThp => settings::stop_huge_pages()?,
        Setting::Mitigations => drop(settings::stop_speculation()?),
        Setting::Filter(length) => filter::install_of_length(length)?,
        Setting::Seccomp => filter::install(false)?,
        Setting::SeccompArguments => filter::install(true)?,
        // Not settings of this process.
        Setting::Container(_) | Setting::CgroupQuota(_) | Setting::CgroupShares(_) => {}
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
        let more = [
            Setting::Nice(-5),
            Setting::CgroupQuota(50),
            Setting::CgroupShares(1024),
            Setting::Filter(4096),
            Setting::Sched(Policy::RoundRobin(99)),
            Setting::Sched(Policy::Fifo(2)),
        ];
        for setting in policies.into_iter().chain(plain).chain(more) {
            assert_eq!(setting.to_string().parse::<Setting>().unwrap(), setting);
        }
        for text in [
            "nice=20",
            "nice",
            "cgroup-quota=0%",
            "filter=1",
            "cgroup-shares=1",
            "sched=",
            "sched=rr:100",
            "sched=rr:0",
            "sched=idle:3",
            "seccomp=1",
            "",
        ] {
            assert!(text.parse::<Setting>().is_err(), "{text}");
        }
        let realtime = |text: &str| Setting::policy(text).unwrap().is_realtime();
        assert!(realtime("rr:99") && realtime("fifo") && !realtime("idle"));
    }
}
