//! Calls that are not traced or not restricted as claimed: what `stops.calls` and `landlock.rulesets` must catch; namespaces and
//! control groups that are not those of the point, which `answers`, `cgroup.levels`, `cgroup.controllers` and `cgroup.charged` must catch.

use crate::sabotage::count_all;
use crate::{Caught, Sabotage};
use sys::landlock::Ruleset;
use sys::namespaces::NamespaceKind;
use workloads::group_levels::Groups;
use workloads::memory::anonymous_pages::{touch, write};
use workloads::memory::page_sequence::unmap_pages;
use workloads::os::landlock::open_and_close_null;
use workloads::os::namespaces::{Separated, enter_alternately, unshare_by};
use workloads::os::traced::call_in_stops;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.seams.stop_taken_for_call",
        of: "syscall.traced cpu=same",
        mistake: "each stop is taken for a call, of which it is the entry or the exit",
        caught_by: Caught::By("stops.calls"),
        run: |bench| call_in_stops(bench, 1),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.seams.rulesets_on_another_thread",
        of: "syscall.open_close.landlock rulesets=16",
        mistake: "another thread is under the rulesets, which do not hold for the one that opens",
        caught_by: Caught::By("landlock.rulesets"),
        run: |bench| {
            let ruleset = Ruleset::new()?;
            std::thread::scope(|scope| {
                scope.spawn(|| ruleset.count_nested().map(|_| ())).join().unwrap_or(Ok(()))
            })?;
            open_and_close_null(bench)?;
            bench.count("landlock.rulesets", ruleset.count_nested()? as f64, 1.0);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.seams.namespace_of_another_kind",
        of: "syscall.unshare kind=cgroup",
        mistake: "namespaces of host names are made, which cost nearly the same",
        caught_by: Caught::By("answers"),
        run: |bench| unshare_by(bench, Separated::Cgroup, NamespaceKind::UTS),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.seams.own_namespace_entered",
        of: "syscall.setns kind=uts",
        mistake: "both descriptors are of the own namespace: the second one is opened before unshare",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let kind = NamespaceKind::UTS;
            let both = [kind.current()?, kind.current()?];
            kind.unshare()?;
            enter_alternately(bench, kind, &both)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.seams.groups_not_entered",
        of: "cgroup.fault controller=none levels=8",
        mistake: "the groups are made, and nothing moves into them",
        caught_by: Caught::By("cgroup.levels"),
        run: |bench| {
            let groups = Groups::new(bench)?;
            touch(bench, unmap_pages, |_, _| Ok(()), |pages, offset| Ok(write(pages, offset)))?;
            groups.count(bench);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.seams.groups_with_controllers",
        of: "cgroup.fault controller=none levels=8",
        mistake: "the group around gives its controllers to the nested ones, which then account as well",
        caught_by: Caught::By("cgroup.controllers"),
        run: |bench| {
            let groups = Groups::new(bench)?;
            groups.enter()?;
            touch(bench, unmap_pages, |_, _| Ok(()), |pages, offset| Ok(write(pages, offset)))?;
            count_all(bench, &[("cgroup.levels", 8.0), ("cgroup.controllers", 2.0)]);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.seams.charged_elsewhere",
        of: "cgroup.fault controller=memory levels=32",
        mistake: "the pages are touched before this process moves into the group: they are charged to the one around",
        caught_by: Caught::By("cgroup.charged"),
        run: |bench| {
            let groups = Groups::new(bench)?;
            touch(bench, unmap_pages, |_, _| Ok(()), |pages, offset| Ok(write(pages, offset)))?;
            groups.enter()?;
            groups.count(bench);
            Ok(())
        },
        ..Sabotage::NEW
    },
];
