//! Every error of the table has the remedy of its cause.

use super::*;
use libc::{
    EACCES, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, ECONNREFUSED, EDQUOT, EFBIG, EHOSTUNREACH,
    EINPROGRESS, EINVAL, EIO, EMFILE, ENETUNREACH, ENFILE, ENOMEM, ENOSPC, ENOSYS, EPERM, EROFS, ETIMEDOUT,
};

const CONTEXTS: [Context; 8] = [
    Context::Any,
    Context::Loopback,
    Context::LoopbackSix,
    Context::PeerControl,
    Context::PeerData,
    Context::EchoRequests,
    Context::Packets,
    Context::TestFile,
];

/// What an error means where these conditions hold and no other.
fn explained(call: &'static str, errno: i32, context: Context, holding: &[Condition]) -> Option<Explanation> {
    explain_by(Error { call, errno }, context, &|condition| {
        holding.contains(&condition).then(|| "FOUND".to_owned())
    })
}

#[track_caller]
fn remedy(call: &'static str, errno: i32, context: Context, holding: &[Condition]) -> String {
    explained(call, errno, context, holding).unwrap().remedy
}

#[test]
fn every_row_is_reached_and_says_what_to_do() {
    for (number, row) in rows().enumerate() {
        let holding: Vec<Condition> = row.condition.into_iter().collect();
        let contexts = if row.contexts.is_empty() { &CONTEXTS[..] } else { row.contexts };
        let calls = if row.calls.is_empty() { &["some_call", "connect"] } else { row.calls };
        let reached = contexts.iter().any(|context| {
            calls.iter().any(|call| {
                row.errnos.iter().any(|errno| {
                    let error = Error { call, errno: *errno };
                    let first = rows().position(|other| {
                        let explanation = other
                            .explanation(error, &|condition| holding.contains(&condition).then(String::new));
                        other.is_about(error, *context) && explanation.is_some()
                    });
                    first == Some(number)
                })
            })
        });
        assert!(reached, "never reached: {}", row.meaning);
        assert!(!row.meaning.is_empty() && !row.remedy.is_empty(), "{}", row.meaning);
        let names_found = row.meaning.contains("{found}") || row.remedy.contains("{found}");
        assert!(!names_found || row.condition.is_some(), "{}", row.meaning);
    }
}

#[test]
fn no_placeholder_is_left_in_a_text() {
    let calls = rows().flat_map(|row| row.calls).chain(&["some_call"]);
    for call in calls {
        for errno in 1..134 {
            for context in CONTEXTS {
                let Some(known) = explain_by(Error { call, errno }, context, &|_| Some("7".to_owned()))
                else {
                    continue;
                };
                assert!(known.reason.contains(call), "{known:?}");
                assert!(!known.sentence().contains(['{', '}']), "{known:?}");
            }
        }
    }
}

#[test]
fn an_address_that_is_not_available_has_the_remedy_of_its_cause() {
    let range = Condition::PortRange;
    for (holding, part) in [
        (&[Condition::LoopbackDown, Condition::NoLoopbackSixAddress, range][..], "ip link set lo up"),
        (&[Condition::NoIpv6, range], "ipv6.disable"),
        (&[Condition::SmallMtu, Condition::NoLoopbackSixAddress, range], "mtu 65536"),
        (&[Condition::Ipv6Disabled, Condition::NoLoopbackSixAddress], "disable_ipv6=0"),
        (&[Condition::NoLoopbackSixAddress, range], "address add ::1"),
        (&[], "ip address"),
    ] {
        assert!(remedy("bind", EADDRNOTAVAIL, Context::LoopbackSix, holding).contains(part), "{part}");
    }
    for (holding, part) in [(&[Condition::NoLoopbackAddress][..], "127.0.0.1/8"), (&[], "ip address")] {
        assert!(remedy("bind", EADDRNOTAVAIL, Context::Loopback, holding).contains(part), "{part}");
    }
    for context in [Context::Loopback, Context::LoopbackSix, Context::PeerData, Context::Any] {
        let used_up = explained("connect", EADDRNOTAVAIL, context, &[range]).unwrap();
        assert!(used_up.reason.contains("every local port (FOUND)"), "{used_up:?}");
        assert!(
            used_up.remedy.contains("ip_local_port_range") && !used_up.remedy.contains("lo up"),
            "{used_up:?}"
        );
    }
    assert!(remedy("bind", EADDRINUSE, Context::Loopback, &[range]).contains("ip_local_port_range"));
}

#[test]
fn a_firewall_before_the_data_ports_is_named() {
    for errno in [EINPROGRESS, ETIMEDOUT, EAGAIN, ECONNREFUSED, EHOSTUNREACH, EPERM, EACCES] {
        let known = explained("connect", errno, Context::PeerData, &[]).unwrap();
        assert!(
            known.reason.contains("firewall") && known.remedy.contains("ip_local_port_range"),
            "{known:?}"
        );
        assert!(!known.is_fault);
    }
    assert!(remedy("connect", ECONNREFUSED, Context::PeerControl, &[]).contains("oscope serve"));
    assert!(remedy("read", EAGAIN, Context::EchoRequests, &[]).contains("ICMP"));
    assert!(remedy("socket", EPERM, Context::EchoRequests, &[]).contains("ping_group_range"));
    assert!(remedy("socket", EPERM, Context::Packets, &[]).contains("cap_net_raw"));
}

#[test]
fn a_real_time_policy_has_the_remedy_of_its_cause() {
    let both = [Condition::NoRealTimeBudget, Condition::MayNice];
    for (holding, part) in [
        (&both[..], "cpu.rt_runtime_us"),
        (&[Condition::NiceInUserNamespace, Condition::MayNice], "outside of the namespace"),
        (&[Condition::MayNice], "root control group"),
        (&[], "ulimit -r"),
    ] {
        assert!(remedy("sched_setscheduler", EPERM, Context::Any, holding).contains(part), "{part}");
    }
    let budget = remedy("sched_setscheduler", EPERM, Context::Any, &both);
    assert!(!budget.contains("CAP_SYS_NICE"), "{budget}");
    for errno in [EPERM, EACCES] {
        assert!(remedy("setpriority", errno, Context::Any, &[]).contains("ulimit -e"));
        assert!(remedy("setpriority", errno, Context::Any, &[Condition::MayNice]).contains("sandbox"));
    }
}

#[test]
fn limits_are_named_by_the_call_that_met_them() {
    for call in ["fork", "clone", "clone3", "pthread_create", "posix_spawn", "start a worker"] {
        for (errno, part) in [(EAGAIN, "pids.max"), (ENOMEM, "memory.max")] {
            assert!(remedy(call, errno, Context::Any, &[]).contains(part), "{call}");
        }
        let full = explained(call, EAGAIN, Context::Any, &[Condition::GroupOfProcessesFull]).unwrap();
        assert!(full.reason.contains("FOUND") && full.remedy.contains("pids.max"), "{full:?}");
        assert!(remedy(call, EAGAIN, Context::Any, &[Condition::UserProcesses]).contains("ulimit -u"));
    }
    for call in ["openat", "socket", "pipe2", "eventfd2", "start a worker"] {
        assert!(remedy(call, EMFILE, Context::Any, &[]).contains("ulimit -n"), "{call}");
    }
    for (call, errno, part) in [
        ("openat", ENFILE, "fs.file-max"),
        ("pipe2", ENFILE, "pipe-user-pages-hard"),
        ("mq_open", EMFILE, "ulimit -q"),
        ("io_uring_setup", ENOMEM, "ulimit -l"),
        ("semget", ENOSPC, "kernel.sem"),
        ("msgget", ENOSPC, "kernel.msgmni"),
        ("unshare", ENOSPC, "max_user_namespaces"),
        ("mmap", ENOMEM, "max_map_count"),
    ] {
        assert!(remedy(call, errno, Context::Any, &[]).contains(part), "{call}");
    }
    assert!(remedy("mmap", ENOMEM, Context::Any, &[Condition::AddressSpace]).contains("ulimit -v"));
    assert!(remedy("mmap", ENOMEM, Context::Any, &[Condition::StrictCommit]).contains("overcommit_memory=0"));
}

#[test]
fn a_file_that_cannot_be_written_has_the_remedy_of_its_cause() {
    for call in ["pwrite64", "write", "openat", "fsync", "mkdir"] {
        for (errno, meaning) in [
            (ENOSPC, "full"),
            (EDQUOT, "quota"),
            (EROFS, "read-only"),
            (EFBIG, "size of files"),
            (EACCES, "may not write"),
            (EPERM, "may not write"),
        ] {
            let known = explained(call, errno, Context::TestFile, &[]).unwrap();
            assert!(
                known.reason.contains(meaning) && known.remedy.contains("--dir") && !known.is_fault,
                "{known:?}"
            );
            assert!(!remedy(call, errno, Context::Any, &[]).contains("--remote-dir"));
        }
        assert!(explained(call, EIO, Context::TestFile, &[]).unwrap().is_fault);
    }
}

#[test]
fn a_timeout_is_no_limit() {
    for call in ["read", "recvmsg", "write", "accept4"] {
        let known = explained(call, EAGAIN, Context::Any, &[]).unwrap();
        assert!(known.is_fault && !known.remedy.contains("raise the limit"), "{known:?}");
    }
}

#[test]
fn what_is_denied_or_absent_is_a_need_and_names_the_call() {
    for call in ["getppid", "futex", "epoll_create1", "timerfd_create", "prctl"] {
        for errno in [EPERM, EACCES, ENOSYS, EAFNOSUPPORT] {
            let known = explained(call, errno, Context::Any, &[]).unwrap();
            assert!(known.remedy.contains(call) && !known.is_fault, "{known:?}");
        }
        assert!(explained(call, EINVAL, Context::Any, &[]).unwrap().is_fault);
        // Programs end early, are interrupted, or read a wrong address: no row.
        for errno in [0, libc::EINTR, libc::EFAULT, libc::ECHILD, libc::EBADF] {
            assert_eq!(explained(call, errno, Context::Any, &[]), None);
        }
    }
    let uring = Condition::Sysctl("kernel/io_uring_disabled", "0");
    assert!(remedy("io_uring_setup", EPERM, Context::Any, &[uring]).contains("io_uring_disabled=0"));
    assert!(remedy("io_uring_setup", ENOSYS, Context::Any, &[uring]).contains("Linux 5.4"));
    for (errno, part) in [(EPERM, "CAP_BPF"), (EACCES, "CAP_BPF"), (EINVAL, "CONFIG_BPF_EVENTS")] {
        let known = explained("bpf", errno, Context::Any, &[]).unwrap();
        assert!(known.remedy.contains(part) && !known.is_fault, "{known:?}");
    }
    assert!(remedy("sched_setaffinity", EINVAL, Context::Any, &[]).contains("--cpu"));
    assert!(!remedy("sched_getaffinity", EINVAL, Context::Any, &[]).contains("allowed"));
    assert!(remedy("sched_getaffinity", EPERM, Context::Any, &[]).contains("allowed"));
    assert!(remedy("connect", ENETUNREACH, Context::PeerControl, &[]).contains("ip route get"));
}

#[test]
fn contexts_follow_from_addresses() {
    for (address, context) in [
        ("127.0.0.2", Context::Loopback),
        ("::1", Context::LoopbackSix),
        ("192.0.2.7", Context::PeerData),
        ("fe80::1", Context::PeerData),
    ] {
        assert_eq!(Context::of_connection_to(address.parse().unwrap()), context);
    }
}
