//! On which CPUs the actors run.

use crate::arguments::CpuClass;
use crate::exit::usage;
use machine::{Tree, cpu_classes};
use measure::Placement;
use std::collections::BTreeMap;

/// The CPU of the main actor and, by placement, that of the second.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cpus {
    /// The main actor's; `None` when it cannot be chosen.
    pub main: Option<u32>,
    /// The second actor's, where the machine has one at that placement.
    pub peers: BTreeMap<&'static str, u32>,
}

impl Cpus {
    /// Chooses among the CPUs that this process may use; isolated ones, which no process is given by itself, where the
    /// user names them. Where cores are unequal, both actors are on the class that is asked for, or on the most capable.
    /// Fails when the user names a CPU that may not be used, one for both actors, or a class of which no CPU may be used.
    pub fn choose(
        tree: &dyn Tree,
        allowed: &[u32],
        (cpu, peer): (Option<u32>, Option<u32>),
        class: Option<CpuClass>,
    ) -> anyhow::Result<Self> {
        let isolated = listed(tree, "/sys/devices/system/cpu/isolated").unwrap_or_default();
        let asked = cpu.iter().chain(&peer).find(|cpu| !allowed.contains(cpu) && !isolated.contains(cpu));
        if let Some(asked) = asked {
            let allowed = list(allowed);
            let why = format!("CPU {asked} is not among those that this process may use ({allowed})");
            return Err(usage(why));
        }
        if cpu.is_some() && cpu == peer {
            let why = "--cpu and --peer-cpu name the same CPU; the points with cpu=same do that anyway";
            return Err(usage(why));
        }
        let classes = cpu_classes(tree);
        let main = match cpu {
            Some(cpu) => Some(cpu),
            None => {
                let free = allowed.iter().rev().copied().filter(|&cpu| Some(cpu) != peer);
                of_class(&classes, class, &free.collect::<Vec<u32>>())?
            }
        };
        let Some(main) = main else {
            return Ok(Self::default());
        };
        let siblings = ["core_cpus_list", "thread_siblings_list"]
            .into_iter()
            .find_map(|name| listed(tree, &format!("/sys/devices/system/cpu/cpu{main}/topology/{name}")));
        let siblings = siblings.unwrap_or_default();
        let node = node_of(tree, main);
        let others: Vec<u32> = allowed.iter().rev().copied().filter(|&cpu| cpu != main).collect();
        let find = |wanted: &dyn Fn(u32) -> bool| others.iter().copied().find(|&cpu| wanted(cpu));
        let near = |cpu: u32| node.as_ref().is_none_or(|node| node.contains(&cpu));
        let other = peer
            .or_else(|| {
                find(&|cpu| {
                    !siblings.contains(&cpu)
                        && near(cpu)
                        && class_of(&classes, cpu) == class_of(&classes, main)
                })
            })
            .or_else(|| find(&|cpu| !siblings.contains(&cpu)))
            .or_else(|| find(&|_| true));
        let chosen = [
            (Placement::Same, Some(main)),
            (Placement::Other, other),
            (Placement::Sibling, find(&|cpu| siblings.contains(&cpu))),
            (Placement::Node, find(&|cpu| !near(cpu))),
        ];
        let peers = chosen.into_iter().filter_map(|(placement, cpu)| Some((placement.name(), cpu?)));
        Ok(Self { main: Some(main), peers: peers.collect() })
    }

    /// The second actor's CPU at a placement.
    pub fn peer(&self, placement: Placement) -> Option<u32> {
        self.peers.get(placement.name()).copied()
    }
}

/// The place of a CPU's class among the classes.
fn class_of(classes: &[Vec<usize>], cpu: u32) -> Option<usize> {
    classes.iter().position(|cpus| cpus.contains(&(cpu as usize)))
}

/// The first of these CPUs that is of the class that is asked for, or of the most capable one among them.
fn of_class(classes: &[Vec<usize>], class: Option<CpuClass>, free: &[u32]) -> anyhow::Result<Option<u32>> {
    // The first class is the most capable.
    let wanted = match (class, classes) {
        (None, classes) => classes,
        (Some(_), [] | [_]) => {
            return Err(usage("--cpu-class: the kernel reports one class of cores only"));
        }
        (Some(CpuClass::Performance), [most, ..]) => std::slice::from_ref(most),
        (Some(CpuClass::Efficiency), [.., least]) => std::slice::from_ref(least),
    };
    let first =
        wanted.iter().find_map(|cpus| free.iter().copied().find(|&cpu| cpus.contains(&(cpu as usize))));
    match (class, first) {
        (Some(_), None) => Err(usage("this process may use no CPU of the class that --cpu-class names")),
        (Some(_), first) => Ok(first),
        (None, first) => Ok(first.or(free.first().copied())),
    }
}

fn listed(tree: &dyn Tree, path: &str) -> Option<Vec<u32>> {
    let text = tree.read(path).ok()?;
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        cpus.extend(first..=last.min(first.saturating_add(4096)));
    }
    Some(cpus)
}

fn node_of(tree: &dyn Tree, cpu: u32) -> Option<Vec<u32>> {
    let names = tree.list("/sys/devices/system/node").ok()?;
    let nodes = names.iter().filter(|name| name.starts_with("node"));
    nodes
        .filter_map(|name| listed(tree, &format!("/sys/devices/system/node/{name}/cpulist")))
        .find(|cpus| cpus.contains(&cpu))
}

fn list(cpus: &[u32]) -> String {
    let words: Vec<String> = cpus.iter().take(32).map(u32::to_string).collect();
    let more = if cpus.len() > words.len() { ", …" } else { "" };
    format!("{}{more}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Absent;

    /// Files below /sys/devices/system, each with its text.
    struct Files(Vec<(String, &'static str)>);

    impl Tree for Files {
        fn read(&self, path: &str) -> Result<String, Absent> {
            let name = path.trim_start_matches("/sys/devices/system/");
            let found = self.0.iter().find(|(file, _)| file == name);
            found.map(|(_, text)| format!("{text}\n")).ok_or_else(|| Absent::missing(path))
        }

        fn list(&self, path: &str) -> Result<Vec<String>, Absent> {
            let folder = format!("{}/", path.trim_start_matches("/sys/devices/system/"));
            let below = self.0.iter().filter_map(|(file, _)| file.strip_prefix(&folder)?.split('/').next());
            Ok(below.map(str::to_owned).collect())
        }

        fn link(&self, path: &str) -> Result<String, Absent> {
            Err(Absent::missing(path))
        }
    }

    /// Two nodes of two cores with two threads each: node 0 has 0, 1, 4, 5; node 1 has 2, 3, 6, 7.
    fn server() -> Files {
        let cores = ["0,4", "1,5", "2,6", "3,7"];
        let nodes =
            [("node/node0/cpulist", "0-1,4-5"), ("node/node1/cpulist", "2-3,6-7"), ("node/possible", "0-1")];
        let nodes = nodes.map(|(file, text)| (file.to_owned(), text));
        let cores = (0..8).map(|cpu| (format!("cpu/cpu{cpu}/topology/core_cpus_list"), cores[cpu % 4]));
        Files(cores.chain(nodes).collect())
    }

    #[test]
    fn every_placement_on_a_server() {
        let cpus = Cpus::choose(&server(), &[0, 1, 2, 3, 4, 5, 6, 7], (Some(1), None), None).unwrap();
        assert_eq!(cpus.peer(Placement::Same), Some(1));
        assert_eq!(cpus.peer(Placement::Sibling), Some(5));
        assert!([0, 4].contains(&cpus.peer(Placement::Other).unwrap()), "same node, another core");
        assert!([2, 3, 6, 7].contains(&cpus.peer(Placement::Node).unwrap()));
    }

    #[test]
    fn isolated_cpus_are_used_where_they_are_named_and_only_there() {
        let isolated = Files(vec![("cpu/isolated".to_owned(), "2-3")]);
        let named = Cpus::choose(&isolated, &[0, 1], (Some(3), Some(2)), None).unwrap();
        assert_eq!((named.main, named.peer(Placement::Other)), (Some(3), Some(2)));
        let half = Cpus::choose(&isolated, &[0, 1], (Some(3), None), None).unwrap();
        assert_eq!(half.peer(Placement::Other), Some(1));
        let chosen = Cpus::choose(&isolated, &[0, 1], (None, None), None).unwrap();
        assert_eq!((chosen.main, chosen.peer(Placement::Other)), (Some(1), Some(0)));
        assert!(Cpus::choose(&isolated, &[0, 1], (Some(4), None), None).is_err());
    }

    #[test]
    fn one_cpu_has_only_itself() {
        let cpus = Cpus::choose(&server(), &[3], (None, None), None).unwrap();
        assert_eq!(cpus.main, Some(3));
        assert_eq!(cpus.peer(Placement::Other), None);
        assert_eq!(cpus.peer(Placement::Sibling), None);
    }

    #[test]
    fn a_cpu_that_may_not_be_used_is_refused() {
        let refused = Cpus::choose(&server(), &[0, 1], (Some(9), None), None).unwrap_err().to_string();
        assert!(refused.contains("CPU 9") && refused.contains("0, 1"), "{refused}");
        assert!(Cpus::choose(&server(), &[0, 1], (Some(1), Some(1)), None).is_err());
        let cpus = Cpus::choose(&server(), &[0, 1], (None, Some(1)), None).unwrap();
        assert_eq!((cpus.main, cpus.peer(Placement::Other)), (Some(0), Some(1)));
    }

    #[test]
    fn both_actors_are_on_cores_of_one_class() {
        // The largest of the kernel's numbers is not the last as text.
        let capacities =
            (0..6).map(|cpu| (format!("cpu/cpu{cpu}/cpu_capacity"), if cpu < 2 { "1024" } else { "446" }));
        let unequal = Files(capacities.chain([("cpu/online".to_owned(), "0-5")]).collect());
        let all = [0, 1, 2, 3, 4, 5];
        for (allowed, class, expected) in [
            (&all[..], None, (1, 0)),
            (&all, Some(CpuClass::Performance), (1, 0)),
            (&all, Some(CpuClass::Efficiency), (5, 4)),
            // Only slow cores are left: the best of these.
            (&[3, 4], None, (4, 3)),
        ] {
            let cpus = Cpus::choose(&unequal, allowed, (None, None), class).unwrap();
            let (main, other) = expected;
            assert_eq!((cpus.main, cpus.peer(Placement::Other)), (Some(main), Some(other)));
        }
        let server = server();
        for (tree, allowed, reason) in
            [(&unequal as &dyn Tree, &[3, 4][..], "no CPU of the class"), (&server, &all, "one class")]
        {
            let chosen = Cpus::choose(tree, allowed, (None, None), Some(CpuClass::Performance));
            assert!(chosen.unwrap_err().to_string().contains(reason));
        }
    }
}
