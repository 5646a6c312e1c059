//! The whole description: every group of facts in the order in which they are shown.

use crate::facts::Facts;
use crate::tree::{Found, Tree};
use crate::{
    caches, command_line, costs, cpus, environment, families, kernel, limits, load, loader, memory,
    mitigations, network, power, processor, storage, sysctl,
};
use record::{Fact, Machine};
use std::cell::RefCell;
use std::collections::HashMap;

/// Describes a machine. A missing or malformed file becomes an unknown fact with the reason.
pub fn describe(tree: &dyn Tree) -> Machine {
    describe_core(tree, None)
}

/// The same, with this CPU's core: its caches, its clock and its family, where cores are unequal.
pub fn describe_core(tree: &dyn Tree, cpu: Option<u32>) -> Machine {
    let cache = Cache::of_core(tree, cpu);
    let mut facts = Facts::below(&cache);
    processor::describe(&mut facts);
    cpus::describe(&mut facts);
    caches::describe(&mut facts);
    memory::describe(&mut facts);
    storage::describe(&mut facts);
    network::describe(&mut facts);
    kernel::describe(&mut facts);
    sysctl::describe(&mut facts);
    command_line::describe(&mut facts);
    mitigations::describe(&mut facts);
    environment::describe(&mut facts);
    loader::describe(&mut facts);
    limits::describe(&mut facts);
    power::describe(&mut facts);
    load::describe(&mut facts);
    families::describe(&mut facts);
    costs::describe(&mut facts);
    facts.into_machine()
}

/// The facts that can change during a run and that costs follow: CPUs online and allowed, SMT, clock source, transparent
/// huge pages, limits of frequency, mitigations, limits of control groups, settings of the kernel. Each is as
/// [`describe_core`] has it with the same CPU; the other files of a description are not read.
pub fn describe_changeable(tree: &dyn Tree, cpu: Option<u32>) -> Vec<Fact> {
    let cache = Cache::of_core(tree, cpu);
    let mut facts = Facts::below(&cache);
    cpus::describe_usable(&mut facts);
    memory::describe_transparent(&mut facts);
    kernel::describe_settings(&mut facts);
    sysctl::describe(&mut facts);
    mitigations::describe(&mut facts);
    limits::describe_groups(&mut facts);
    power::describe_frequency(&mut facts);
    facts.into_machine().facts
}

/// Reads every file once: the facts of one file are of one moment, and the kernel generates `/proc/cpuinfo` slowly.
struct Cache<'tree> {
    inner: &'tree dyn Tree,
    texts: RefCell<HashMap<String, Found<String>>>,
    cpu: Option<usize>,
}

impl<'tree> Cache<'tree> {
    fn of_core(inner: &'tree dyn Tree, cpu: Option<u32>) -> Self {
        let cpu = cpu.and_then(|cpu| cpus::unlike_the_most_capable(inner, cpu as usize));
        Self { inner, texts: RefCell::new(HashMap::new()), cpu }
    }
}

impl Tree for Cache<'_> {
    fn described_cpu(&self) -> Option<usize> {
        self.cpu
    }

    fn read(&self, path: &str) -> Found<String> {
        let mut texts = self.texts.borrow_mut();
        if let Some(known) = texts.get(path) {
            return known.clone();
        }
        let found = self.inner.read(path);
        texts.insert(path.to_owned(), found.clone());
        found
    }

    fn list(&self, path: &str) -> Found<Vec<String>> {
        self.inner.list(path)
    }

    fn link(&self, path: &str) -> Found<String> {
        self.inner.link(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Live;
    use std::collections::{BTreeMap, HashSet};

    /// Counts what is read.
    #[derive(Default)]
    struct Counting {
        reads: RefCell<BTreeMap<String, usize>>,
    }

    impl Tree for Counting {
        fn read(&self, path: &str) -> Found<String> {
            *self.reads.borrow_mut().entry(path.to_owned()).or_default() += 1;
            Live::machine().read(path)
        }

        fn list(&self, path: &str) -> Found<Vec<String>> {
            Live::machine().list(path)
        }

        fn link(&self, path: &str) -> Found<String> {
            Live::machine().link(path)
        }
    }

    #[test]
    fn every_file_is_read_once() {
        let counting = Counting::default();
        describe(&counting);
        let reads = counting.reads.into_inner();
        assert!(reads.len() > 50);
        let twice: Vec<_> = reads.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn live_machine_has_every_group_with_unique_keys_and_sources() {
        let machine = describe(&Live::machine());
        let groups: HashSet<&str> =
            machine.facts.iter().filter_map(|fact| fact.key.split('.').next()).collect();
        let expected = "processor cpus cache memory storage network kernel mitigation environment limit power quiet \
                        family clock hypervisor";
        for group in expected.split(' ') {
            assert!(groups.contains(group), "no fact of {group}");
        }
        let keys: HashSet<&str> = machine.facts.iter().map(|fact| fact.key.as_str()).collect();
        assert_eq!(keys.len(), machine.facts.len());
        assert!(machine.facts.iter().all(|fact| !fact.source.is_empty()));
        assert!(machine.text("processor.architecture").is_some());
        assert!(machine.number("memory.total").unwrap() > 0.0);
    }

    #[test]
    fn unreadable_file_is_an_unknown_fact_with_the_reason() {
        let machine = describe(&crate::Dump::default());
        let fact = machine.get("processor.model").unwrap();
        assert_eq!(
            fact.value,
            record::FactValue::Unknown { reason: "/proc/cpuinfo: no such file".to_owned() }
        );
    }
}
