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
    ///
    /// # Errors
    /// When the user names a CPU that may not be used, one for both actors, or a class of which no CPU may be used.
    pub fn choose(
        tree: &dyn Tree,
        allowed: &[u32],
        (cpu, peer): (Option<u32>, Option<u32>),
        class: Option<CpuClass>,
    ) -> anyhow::Result<Self> {
        let isolated = listed(tree, "/sys/devices/system/cpu/isolated").unwrap_or_default();
        for asked in cpu.iter().chain(&peer) {
            if !allowed.contains(asked) && !isolated.contains(asked) {
                return Err(usage(format!(
                    "CPU {asked} is not among those that this process may use ({})",
                    list(allowed)
                )));
            }
        }
        if cpu.is_some() && cpu == peer {
            return Err(usage(
                "--cpu and --peer-cpu name the same CPU; the points with cpu=same do that anyway",
            ));
        }
        let classes = cpu_classes(tree);
        let class_of = |cpu: u32| classes.iter().position(|cpus| cpus.contains(&(cpu as usize)));
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
        let siblings = listed(tree, &format!("/sys/devices/system/cpu/cpu{main}/topology/core_cpus_list"))
            .or_else(|| {
                listed(tree, &format!("/sys/devices/system/cpu/cpu{main}/topology/thread_siblings_list"))
            })
            .unwrap_or_default();
        let node = node_of(tree, main);
        let others: Vec<u32> = allowed.iter().rev().copied().filter(|&cpu| cpu != main).collect();
        let find = |wanted: &dyn Fn(u32) -> bool| others.iter().copied().find(|&cpu| wanted(cpu));
        let apart = |cpu: u32| !siblings.contains(&cpu);
        let near = |cpu: u32| node.as_ref().is_none_or(|node| node.contains(&cpu));
        let same_class = |cpu: u32| class_of(cpu) == class_of(main);
        let other = peer
            .or_else(|| find(&|cpu| apart(cpu) && near(cpu) && same_class(cpu)))
            .or_else(|| find(&apart))
            .or_else(|| find(&|_| true));
        let chosen = [
            (Placement::Same, Some(main)),
            (Placement::Other, other),
            (Placement::Sibling, find(&|cpu| siblings.contains(&cpu))),
            (Placement::Node, find(&|cpu| !near(cpu))),
        ];
        let peers =
            chosen.into_iter().filter_map(|(placement, cpu)| Some((placement.name(), cpu?))).collect();
        Ok(Self { main: Some(main), peers })
    }

    /// The second actor's CPU at a placement.
    pub fn peer(&self, placement: Placement) -> Option<u32> {
        self.peers.get(placement.name()).copied()
    }
}

/// The first of these CPUs that is of the class that is asked for, or of the most capable one among them.
fn of_class(classes: &[Vec<usize>], class: Option<CpuClass>, free: &[u32]) -> anyhow::Result<Option<u32>> {
    let first = |cpus: &Vec<usize>| free.iter().copied().find(|&cpu| cpus.contains(&(cpu as usize)));
    let Some(class) = class else {
        return Ok(classes.iter().find_map(first).or(free.first().copied()));
    };
    let found = classes.get(class.among(classes)?).and_then(first);
    let none = || usage("this process may use no CPU of the class that --cpu-class names".to_owned());
    found.ok_or_else(none).map(Some)
}

impl CpuClass {
    /// Its place among classes of which the first is the most capable.
    fn among(self, classes: &[Vec<usize>]) -> anyhow::Result<usize> {
        if classes.len() < 2 {
            return Err(usage(
                "--cpu-class: the cores of this machine are alike, as far as its kernel says".to_owned(),
            ));
        }
        Ok(match self {
            Self::Performance => 0,
            Self::Efficiency => classes.len() - 1,
        })
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
    #![allow(clippy::unwrap_used)]
    use super::*;
    use machine::Absent;

    /// Two nodes of two cores with two threads each: node 0 has 0, 1, 4, 5; node 1 has 2, 3, 6, 7.
    struct Server;

    impl Tree for Server {
        fn read(&self, path: &str) -> Result<String, Absent> {
            let tail = path.trim_start_matches("/sys/devices/system/");
            if let Some(cpu) =
                tail.strip_prefix("cpu/cpu").and_then(|rest| rest.strip_suffix("/topology/core_cpus_list"))
            {
                let core = cpu.parse::<u32>().unwrap() % 4;
                return Ok(format!("{core},{}\n", core + 4));
            }
            match tail {
                "node/node0/cpulist" => Ok("0-1,4-5\n".to_owned()),
                "node/node1/cpulist" => Ok("2-3,6-7\n".to_owned()),
                _ => Err(Absent::missing(path)),
            }
        }

        fn list(&self, path: &str) -> Result<Vec<String>, Absent> {
            match path {
                "/sys/devices/system/node" => {
                    Ok(vec!["node0".to_owned(), "node1".to_owned(), "possible".to_owned()])
                }
                _ => Err(Absent::missing(path)),
            }
        }

        fn link(&self, path: &str) -> Result<String, Absent> {
            Err(Absent::missing(path))
        }
    }

    #[test]
    fn every_placement_on_a_server() {
        let cpus = Cpus::choose(&Server, &[0, 1, 2, 3, 4, 5, 6, 7], (Some(1), None), None).unwrap();
        assert_eq!(cpus.peer(Placement::Same), Some(1));
        assert_eq!(cpus.peer(Placement::Sibling), Some(5));
        assert!([0, 4].contains(&cpus.peer(Placement::Other).unwrap()), "same node, another core");
        assert!([2, 3, 6, 7].contains(&cpus.peer(Placement::Node).unwrap()));
    }

    /// Two CPUs that are isolated, 2 and 3, and processes are given the others.
    struct Isolated;

    impl Tree for Isolated {
        fn read(&self, path: &str) -> Result<String, Absent> {
            match path {
                "/sys/devices/system/cpu/isolated" => Ok("2-3\n".to_owned()),
                _ => Err(Absent::missing(path)),
            }
        }

        fn list(&self, path: &str) -> Result<Vec<String>, Absent> {
            Err(Absent::missing(path))
        }

        fn link(&self, path: &str) -> Result<String, Absent> {
            Err(Absent::missing(path))
        }
    }

    #[test]
    fn isolated_cpus_are_used_where_they_are_named_and_only_there() {
        let named = Cpus::choose(&Isolated, &[0, 1], (Some(3), Some(2)), None).unwrap();
        assert_eq!((named.main, named.peer(Placement::Other)), (Some(3), Some(2)));
        let half = Cpus::choose(&Isolated, &[0, 1], (Some(3), None), None).unwrap();
        assert_eq!(half.peer(Placement::Other), Some(1));
        let chosen = Cpus::choose(&Isolated, &[0, 1], (None, None), None).unwrap();
        assert_eq!((chosen.main, chosen.peer(Placement::Other)), (Some(1), Some(0)));
        assert!(Cpus::choose(&Isolated, &[0, 1], (Some(4), None), None).is_err());
    }

    #[test]
    fn one_cpu_has_only_itself() {
        let cpus = Cpus::choose(&Server, &[3], (None, None), None).unwrap();
        assert_eq!(cpus.main, Some(3));
        assert_eq!(cpus.peer(Placement::Other), None);
        assert_eq!(cpus.peer(Placement::Sibling), None);
    }

    #[test]
    fn a_cpu_that_may_not_be_used_is_refused() {
        let refused = Cpus::choose(&Server, &[0, 1], (Some(9), None), None).unwrap_err().to_string();
        assert!(refused.contains("CPU 9") && refused.contains("0, 1"), "{refused}");
        assert!(Cpus::choose(&Server, &[0, 1], (Some(1), Some(1)), None).is_err());
        let cpus = Cpus::choose(&Server, &[0, 1], (None, Some(1)), None).unwrap();
        assert_eq!((cpus.main, cpus.peer(Placement::Other)), (Some(0), Some(1)));
    }

    /// Cores of unequal capacity: the kernel's numbers, of which the largest is not the last as text.
    struct Unequal;

    impl Tree for Unequal {
        fn read(&self, path: &str) -> Result<String, Absent> {
            match path.trim_start_matches("/sys/devices/system/cpu/") {
                "online" => Ok("0-5\n".to_owned()),
                "cpu0/cpu_capacity" | "cpu1/cpu_capacity" => Ok("1024\n".to_owned()),
                capacity if capacity.ends_with("/cpu_capacity") => Ok("446\n".to_owned()),
                _ => Err(Absent::missing(path)),
            }
        }

        fn list(&self, path: &str) -> Result<Vec<String>, Absent> {
            Err(Absent::missing(path))
        }

        fn link(&self, path: &str) -> Result<String, Absent> {
            Err(Absent::missing(path))
        }
    }

    #[test]
    fn both_actors_are_on_cores_of_one_class() {
        let all = [0, 1, 2, 3, 4, 5];
        let on = |allowed: &[u32], class| {
            let cpus = Cpus::choose(&Unequal, allowed, (None, None), class).unwrap();
            (cpus.main, cpus.peer(Placement::Other))
        };
        assert_eq!(on(&all, None), (Some(1), Some(0)));
        assert_eq!(on(&all, Some(CpuClass::Performance)), (Some(1), Some(0)));
        assert_eq!(on(&all, Some(CpuClass::Efficiency)), (Some(5), Some(4)));
        // Only slow cores are left: the best of these.
        assert_eq!(on(&[3, 4], None), (Some(4), Some(3)));
        let refused = |tree: &dyn Tree, allowed: &[u32]| {
            let chosen = Cpus::choose(tree, allowed, (None, None), Some(CpuClass::Performance));
            chosen.unwrap_err().to_string()
        };
        assert!(refused(&Unequal, &[3, 4]).contains("no CPU of the class"));
        assert!(refused(&Server, &all).contains("alike"));
    }
}
