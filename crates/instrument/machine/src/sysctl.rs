//! Settings below `/proc/sys` that costs follow, one fact each: `sysctl.net.ipv4.tcp_timestamps`, as sysctl(8) names them.
//!
//! Settings that [`kernel`](crate::kernel) describes by names of its own are not described twice.

use crate::facts::Facts;
use crate::kernel;
use crate::parse;
use crate::tree;
use record::Unit;

const FOLDER: &str = "/proc/sys";

/// Folders below [`FOLDER`] and how names of settings in them begin: every setting that the kernel has there, so that those
/// of a newer kernel are described as well.
const FAMILIES: [(&str, &[&str]); 5] = [
    ("kernel", &["sched_"]),
    ("vm", &[""]),
    ("net/core", &[""]),
    ("net/ipv4", &["ip_", "ipfrag_", "tcp_", "udp_"]),
    ("net/unix", &[""]),
];

/// Single settings in folders that hold much else.
const SINGLE: [&str; 29] = [
    "fs/aio-max-nr",
    "fs/file-max",
    "fs/leases-enable",
    "fs/nr_open",
    "fs/pipe-max-size",
    "fs/pipe-user-pages-hard",
    "fs/pipe-user-pages-soft",
    "fs/protected_hardlinks",
    "fs/protected_symlinks",
    "kernel/bpf_stats_enabled",
    "kernel/ftrace_enabled",
    "kernel/io_uring_disabled",
    "kernel/lock_stat",
    "kernel/nmi_watchdog",
    "kernel/perf_cpu_time_max_percent",
    "kernel/pid_max",
    "kernel/prove_locking",
    "kernel/soft_watchdog",
    "kernel/split_lock_mitigate",
    "kernel/stack_tracer_enabled",
    "kernel/task_delayacct",
    "kernel/timer_migration",
    "kernel/watchdog",
    "kernel/watchdog_cpumask",
    "kernel/watchdog_thresh",
    "net/ipv4/conf/all/rp_filter",
    "net/ipv4/conf/lo/rp_filter",
    "net/netfilter/nf_conntrack_acct",
    "net/netfilter/nf_conntrack_max",
];

/// How the names of those begin that no cost follows: secrets (`tcp_fastopen_key`), what is new after every start
/// (`netdev_rss_key`), commands that are given by writing (reading `stat_refresh` carries it out), a folder, lists of what is
/// loaded, rights, messages, and what counts only where packets are lost or memory is used up.
const LEFT_OUT: [&str; 37] = [
    "kernel/sched_domain",
    "net/core/devconf_",
    "net/core/fb_tunnels_",
    "net/core/message_",
    "net/core/netdev_rss_key",
    "net/core/netdev_unregister_",
    "net/core/tstamp_allow_",
    "net/core/warnings",
    "net/core/xfrm_",
    "net/ipv4/ip_autobind_",
    "net/ipv4/ip_default_ttl",
    "net/ipv4/ip_dynaddr",
    "net/ipv4/ip_forward_",
    "net/ipv4/ip_local_reserved_",
    "net/ipv4/ip_nonlocal_",
    "net/ipv4/ip_unprivileged_",
    "net/ipv4/tcp_allowed_",
    "net/ipv4/tcp_available_",
    "net/ipv4/tcp_challenge_",
    "net/ipv4/tcp_fastopen_",
    "net/ipv4/tcp_keepalive_",
    "net/ipv4/tcp_orphan_",
    "net/ipv4/tcp_plb_",
    "net/ipv4/tcp_retries",
    "net/ipv4/tcp_syn_",
    "net/ipv4/tcp_synack_",
    "vm/admin_reserve_",
    "vm/compact_memory",
    "vm/drop_caches",
    "vm/hugetlb_shm_",
    "vm/memfd_",
    "vm/mmap_min_",
    "vm/oom_",
    "vm/panic_",
    "vm/stat_refresh",
    "vm/unprivileged_",
    "vm/user_reserve_",
];

/// No family has more settings (`net/ipv4` of Linux 6.18 has 84).
const MOST_SETTINGS: usize = 128;

/// No name of a setting is longer.
const LONGEST_NAME: usize = 48;

pub(crate) fn describe(facts: &mut Facts) {
    for (folder, beginnings) in FAMILIES {
        let path = format!("{FOLDER}/{folder}");
        match facts.tree.list(&path) {
            Ok(names) => {
                let settings = names
                    .iter()
                    .filter(|name| beginnings.iter().any(|begins| name.starts_with(begins)))
                    .filter(|name| is_plain(name));
                settings.take(MOST_SETTINGS).for_each(|name| setting(facts, &format!("{folder}/{name}")));
            }
            Err(absent) => facts.text(&key(folder), &path, Err(absent)),
        }
    }
    SINGLE.iter().for_each(|name| setting(facts, name));
}

fn setting(facts: &mut Facts, name: &str) {
    if LEFT_OUT.iter().any(|begins| name.starts_with(begins)) || kernel::describes(name) {
        return;
    }
    let path = format!("{FOLDER}/{name}");
    let (key, text) = (key(name), tree::text(facts.tree, &path));
    match text.as_deref().ok().and_then(parse::number) {
        Some(number) => facts.number(&key, Unit::One, &path, Ok(number)),
        None => facts.text(&key, &path, text),
    }
}

fn key(name: &str) -> String {
    format!("sysctl.{}", name.replace('/', "."))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
}
