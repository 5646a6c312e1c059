//! What holds on this machine when a call fails: read from the kernel then, because one error number has several causes.

use crate::control_groups::Hierarchy;
use crate::limits::soft;
use crate::{inet, interface};
use rustix::process::Resource;
use std::fs;
use std::path::Path;

/// A cause that the kernel's error number does not tell from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// The loopback interface is down.
    LoopbackDown,
    /// The kernel has no IPv6.
    NoIpv6,
    /// The MTU of the loopback interface is too small for IPv6.
    SmallMtu,
    /// IPv6 is disabled on the loopback interface.
    Ipv6Disabled,
    /// The loopback interface has no `::1`.
    NoLoopbackSixAddress,
    /// The loopback interface has no `127.0.0.1`.
    NoLoopbackAddress,
    /// The range of ports that the kernel chooses from is known.
    PortRange,
    /// The real-time budget of the control group is zero.
    NoRealTimeBudget,
    /// The process has CAP_SYS_NICE, in a namespace of users only.
    NiceInUserNamespace,
    /// The process has CAP_SYS_NICE.
    MayNice,
    /// The control group has as many processes as it may have.
    GroupOfProcessesFull,
    /// The number of processes of this user is limited, and the user has no capability beyond that.
    UserProcesses,
    /// The number of open files of this process is limited.
    OpenFiles,
    /// The address space of this process is limited.
    AddressSpace,
    /// The kernel commits no more memory than there is.
    StrictCommit,
    /// A setting below /proc/sys denies the call: its path, and the values that allow it to everybody.
    Sysctl(&'static str, &'static str),
}

/// The least MTU of IPv6 (RFC 8200, section 5).
const IPV6_LEAST_MTU: u32 = 1280;

/// Numbers of capabilities in linux/capability.h.
const CAP_SYS_ADMIN: u32 = 21;
const CAP_SYS_NICE: u32 = 23;
const CAP_SYS_RESOURCE: u32 = 24;

impl Condition {
    /// What the texts of a row name, where the condition holds; `None` where it does not, or is unknown.
    pub(super) fn found(self) -> Option<String> {
        let holds = |holds: bool| holds.then(String::new);
        match self {
            Self::LoopbackDown => holds(interface::is_up("lo") == Ok(false)),
            Self::NoIpv6 => {
                holds(Path::new("/proc/net/dev").exists() && !Path::new("/proc/net/if_inet6").exists())
            }
            Self::SmallMtu => {
                let mtu = interface::mtu("lo").ok().filter(|mtu| *mtu < IPV6_LEAST_MTU)?;
                Some(mtu.to_string())
            }
            Self::Ipv6Disabled => holds(sysctl("net/ipv6/conf/lo/disable_ipv6")? == "1"),
            Self::NoLoopbackSixAddress => {
                let addresses = fs::read_to_string("/proc/net/if_inet6").ok()?;
                holds(
                    !addresses.starts_with(LOOPBACK_SIX) && !addresses.contains(&format!("\n{LOOPBACK_SIX}")),
                )
            }
            Self::NoLoopbackAddress => {
                let missing = std::io::ErrorKind::AddrNotAvailable;
                let bound = std::net::UdpSocket::bind(inet::loopback(false));
                holds(bound.is_err_and(|error| error.kind() == missing))
            }
            Self::PortRange => {
                let range = sysctl("net/ipv4/ip_local_port_range")?;
                let (first, last) = range.split_once(char::is_whitespace)?;
                Some(format!("{first} to {}", last.trim()))
            }
            Self::NoRealTimeBudget => group_without_real_time_budget(),
            Self::NiceInUserNamespace => {
                holds(has_capability(CAP_SYS_NICE)? && !is_initial_user_namespace()?)
            }
            Self::MayNice => holds(has_capability(CAP_SYS_NICE)?),
            Self::GroupOfProcessesFull => full_group_of_processes(),
            Self::UserProcesses => {
                let is_exempt = [CAP_SYS_ADMIN, CAP_SYS_RESOURCE]
                    .into_iter()
                    .any(|one| has_capability(one) == Some(true));
                soft(Resource::Nproc).filter(|_| !is_exempt).map(|most| most.to_string())
            }
            Self::OpenFiles => soft(Resource::Nofile).map(|most| most.to_string()),
            Self::AddressSpace => soft(Resource::As).map(|most| format!("{} KiB", most >> 10)),
            Self::StrictCommit => holds(sysctl("vm/overcommit_memory")? == "2"),
            Self::Sysctl(path, allows) => {
                let value = sysctl(path)?;
                (!allows.split(' ').any(|allowed| allowed == value)).then_some(value)
            }
        }
    }
}

/// `::1` in /proc/net/if_inet6.
const LOOPBACK_SIX: &str = "00000000000000000000000000000001 ";

fn sysctl(path: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new("/proc/sys").join(path)).ok()?;
    Some(text.trim().to_owned())
}

/// Whether this process has a capability.
fn has_capability(number: u32) -> Option<bool> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let digits = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    let capabilities = u64::from_str_radix(digits.trim(), 16).ok()?;
    Some(capabilities >> number & 1 == 1)
}

/// Whether this process is in the first namespace of users, in which all numbers are mapped to themselves.
fn is_initial_user_namespace() -> Option<bool> {
    let map = fs::read_to_string("/proc/self/uid_map").ok()?;
    let words: Vec<&str> = map.split_whitespace().collect();
    Some(words == ["0", "0", "4294967295"])
}

fn number(path: &Path) -> Option<i64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The control group of this process, where the kernel gives it no real-time budget (CONFIG_RT_GROUP_SCHED).
fn group_without_real_time_budget() -> Option<String> {
    let mut groups = Hierarchy::of_this_process("cpu").into_iter().map(|hierarchy| hierarchy.own_path());
    let group = groups.find(|group| number(&group.join("cpu.rt_runtime_us")) == Some(0))?;
    Some(group.display().to_string())
}

/// The limit of the control group that has as many processes as it may have: `/sys/fs/cgroup/x/pids.max is 3`.
fn full_group_of_processes() -> Option<String> {
    let hierarchies = Hierarchy::of_this_process("pids");
    hierarchies.iter().flat_map(Hierarchy::groups).find_map(|group| {
        let limit = group.join("pids.max");
        let (most, now) = (number(&limit)?, number(&group.join("pids.current"))?);
        (now >= most).then(|| format!("{} is {most}", limit.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_and_the_namespace_of_users_are_read() {
        if Path::new("/proc/self/status").exists() {
            assert!(has_capability(CAP_SYS_NICE).is_some() && is_initial_user_namespace().is_some());
        }
    }

    #[test]
    fn limits_are_found_as_numbers() {
        let files = Condition::OpenFiles.found();
        assert!(files.is_none_or(|files| files.parse::<u64>().is_ok_and(|files| files > 0)));
    }
}
