//! `oscope launch SETTING COMMAND…`: makes a setting for itself and becomes the command.

use crate::exit::Exit;
use anyhow::Context;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use sys::remedies;
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
const MOST_PERCENT: i64 = 1_000_000;
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
    pub fn policy(text: &str) -> Result<Self, String> {
        let (name, priority) = text.split_once(':').unwrap_or((text, ""));
        let names = POLICIES.map(|(name, _)| name).join(", ");
        let found = POLICIES.into_iter().find(|(known, _)| *known == name);
        let (_, policy) = found.ok_or_else(|| format!("sched={text}: policies are {names}"))?;
        if text == name {
            return Ok(Self::Sched(policy));
        }
        match (policy, priority.parse()) {
            (Policy::Fifo(_), Ok(priority @ LEAST..=99)) => Ok(Self::Sched(Policy::Fifo(priority))),
            (Policy::RoundRobin(_), Ok(priority @ LEAST..=99)) => {
                Ok(Self::Sched(Policy::RoundRobin(priority)))
            }
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
        let number =
            value.strip_suffix('%').filter(|_| name == "cgroup-quota").unwrap_or(value).parse::<i64>();
        let (setting, range): (fn(i64) -> Self, _) = match name {
            "nice" => (|nice| Self::Nice(nice as i32), -20..=19),
            "filter" => (|length| Self::Filter(length as u16), 2..=4096),
            "cgroup-quota" => (|percent| Self::CgroupQuota(percent as u32), 1..=MOST_PERCENT),
            "cgroup-shares" => (|shares| Self::CgroupShares(shares as u64), 2..=262_144),
            "sched" => return Self::policy(value),
            _ => return Err(format!("no setting is called '{name}'")),
        };
        let (least, most) = (range.start(), range.end());
        number.ok().filter(|number| range.contains(number)).map(setting).ok_or_else(|| match name {
            "nice" => format!("{text}: a nice value is a number from {least} to {most}"),
            "filter" => format!("{text}: a filter has {least} to {most} instructions"),
            "cgroup-quota" => format!("{text}: a quota is a percentage of one CPU from {least}% to {most}%"),
            _ => format!("{text}: shares are a number from {least} to {most}; a group has 1024 by default"),
        })
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
pub fn run(setting: Setting, command: &[OsString]) -> anyhow::Result<Exit> {
    let status = match setting {
        Setting::Container(runtime) => container::run(runtime, command)?,
        Setting::CgroupQuota(percent) => cgroup::run(Limit::Quota(percent), command)?,
        Setting::CgroupShares(shares) => cgroup::run(Limit::Shares(shares), command)?,
        _ => {
            make(setting).with_context(|| format!("the setting {setting} cannot be made"))?;
            let (program, words) = command.split_first().context("the command is missing")?;
            return Err(Command::new(program).args(words).exec().into());
        }
    };
    anyhow::ensure!(status.success(), "{setting} ended with {status}");
    Ok(Exit::Success)
}

fn make(setting: Setting) -> anyhow::Result<()> {
    let made = make_by_call(setting);
    made.map_err(|error| match error.downcast_ref::<sys::Error>() {
        Some(call) => anyhow::anyhow!(remedies::sentence(*call, remedies::Context::Any)),
        None => error,
    })
}

fn make_by_call(setting: Setting) -> anyhow::Result<()> {
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
        for (text, is_realtime) in [("rr:99", true), ("fifo", true), ("idle", false)] {
            assert_eq!(Setting::policy(text).unwrap().is_realtime(), is_realtime, "{text}");
        }
    }
}
