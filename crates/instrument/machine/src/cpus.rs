//! CPUs: online and allowed ones, and how they share cores and packages.

use crate::facts::{Facts, Form};
use crate::parse::{self, MOST_CPUS};
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;
use std::collections::{BTreeMap, HashSet};

const FOLDER: &str = "/sys/devices/system/cpu";
const STATUS: &str = "/proc/self/status";

/// Lists of performance and efficiency cores of hybrid x86 processors.
const HYBRID: [(&str, &str); 3] = [
    ("performance cores", "/sys/devices/cpu_core/cpus"),
    ("efficiency cores", "/sys/devices/cpu_atom/cpus"),
    ("low-power efficiency cores", "/sys/devices/cpu_lowpower/cpus"),
];

pub(crate) fn describe(facts: &mut Facts) {
    describe_usable(facts);
    let tree = facts.tree;
    let online = online(tree);
    topology(facts, &online);
    let (source, classes) = classes(tree, &online);
    facts.list("cpus.classes", &source, classes);
    for (key, file) in [("cpus.isolated", "isolated"), ("cpus.without_tick", "nohz_full")] {
        let path = format!("{FOLDER}/{file}");
        let found = tree.read(&path).map(|text| text.trim().to_owned());
        // Kernels that could do without the tick, and were not asked to, print a null pointer.
        let found =
            found.map(|list| if list.is_empty() || &list == "(null)" { "none".to_owned() } else { list });
        facts.text(key, &path, found);
    }
}

/// Which CPUs are online and which of them this process may use.
pub(crate) fn describe_usable(facts: &mut Facts) {
    let path = format!("{FOLDER}/online");
    facts.file("cpus.online_list", &path, Form::Line);
    let count = online(facts.tree).map(|cpus| cpus.len() as f64);
    facts.number("cpus.online", Unit::One, &path, count);
    allowed(facts);
    facts.file("cpus.smt", &format!("{FOLDER}/smt/control"), Form::Line);
}

pub(crate) fn online(tree: &dyn Tree) -> Found<Vec<usize>> {
    tree::cpu_list(tree, &format!("{FOLDER}/online"))
}

fn allowed(facts: &mut Facts) {
    let source = format!("{STATUS} Cpus_allowed_list");
    let list = tree::value(facts.tree, STATUS, "Cpus_allowed_list");
    let count = list.clone().and_then(|list| {
        let cpus = parse::cpu_list(&list);
        cpus.map(|cpus| cpus.len() as f64)
            .ok_or_else(|| Absent::silent(STATUS, "Cpus_allowed_list is not a list of CPUs"))
    });
    facts.text("cpus.allowed_list", &source, list);
    facts.number("cpus.allowed", Unit::One, &source, count);
}

/// Cores and packages are counted by reading one CPU of each: its list names the others.
fn topology(facts: &mut Facts, online: &Found<Vec<usize>>) {
    let tree = facts.tree;
    let source = format!("{FOLDER}/cpu*/topology");
    let [cores, packages] =
        [["core_cpus_list", "thread_siblings_list"], ["package_cpus_list", "core_siblings_list"]]
            .map(|names| groups(tree, online.as_ref().map_err(Clone::clone)?, names));
    let first = cores.clone().and_then(|cores| {
        cores.first().map(|cpus| join(cpus)).ok_or_else(|| Absent::silent(&source, "lists no core"))
    });
    let widest =
        |groups: Groups| groups.map(|groups| groups.iter().map(Vec::len).max().unwrap_or_default() as f64);
    let core_count = cores.clone().map(|cores| cores.len() as f64);
    facts.number("cpus.cores", Unit::One, &source, core_count);
    facts.number("cpus.packages", Unit::One, &source, packages.map(|packages| packages.len() as f64));
    facts.number("cpus.threads_per_core", Unit::One, &source, widest(cores));
    facts.text("cpus.first_core", &source, first);
}

/// CPUs that share something.
type Groups = Found<Vec<Vec<usize>>>;

/// The groups into which the lists of `names` (the kernel's newer and older name) divide the CPUs.
fn groups(tree: &dyn Tree, online: &[usize], names: [&str; 2]) -> Groups {
    let mut seen = HashSet::new();
    let mut groups = Vec::new();
    for cpu in online {
        if seen.contains(cpu) {
            continue;
        }
        let [newer, older] = names.map(|name| format!("{FOLDER}/cpu{cpu}/topology/{name}"));
        let mut group = tree::cpu_list(tree, &newer).or_else(|_| tree::cpu_list(tree, &older))?;
        group.retain(|member| online.contains(member));
        seen.extend(group.iter().copied());
        seen.insert(*cpu);
        groups.push(group);
    }
    Ok(groups)
}

fn join(cpus: &[usize]) -> String {
    let words: Vec<String> = cpus.iter().map(usize::to_string).collect();
    words.join(",")
}

/// Capacity of each CPU relative to the most capable one, 1024; only kernels that schedule by it report it.
fn capacities(tree: &dyn Tree, online: &[usize]) -> Found<BTreeMap<usize, Vec<usize>>> {
    let mut capacities: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for cpu in online.iter().take(MOST_CPUS) {
        // An x86 kernel without the file on its first CPU has it on none.
        let capacity = tree::number(tree, &format!("{FOLDER}/cpu{cpu}/cpu_capacity"))?;
        capacities.entry(capacity.max(0.0) as usize).or_default().push(*cpu);
    }
    Ok(capacities)
}

/// The CPU whose facts describe the machine: the one that is asked for, else the first of the most capable ones, 0 where this is
/// unknown.
pub(crate) fn described(tree: &dyn Tree) -> usize {
    tree.described_cpu().or_else(|| Some(*cpu_classes(tree).first()?.first()?)).unwrap_or_default()
}

/// CPUs by the class of their cores, the most capable first; all in one class where cores are alike or this is unknown.
pub fn cpu_classes(tree: &dyn Tree) -> Vec<Vec<usize>> {
    let hybrid: Vec<Vec<usize>> = HYBRID
        .iter()
        .filter_map(|(_, path)| tree::cpu_list(tree, path).ok())
        .filter(|cpus| !cpus.is_empty())
        .collect();
    if !hybrid.is_empty() {
        return hybrid;
    }
    let online = online(tree).unwrap_or_default();
    match capacities(tree, &online) {
        Ok(classes) if !classes.is_empty() => classes.into_values().rev().collect(),
        _ => vec![online],
    }
}

/// The first CPU of this one's class, unless that is the most capable.
pub(crate) fn unlike_the_most_capable(tree: &dyn Tree, cpu: usize) -> Option<usize> {
    let classes = cpu_classes(tree);
    let class = classes.iter().skip(1).find(|cpus| cpus.contains(&cpu))?;
    class.first().copied()
}

/// Whether the described CPU is an efficiency core of a hybrid x86 processor: it has the signature of the performance cores.
pub(crate) fn describes_efficiency_core(tree: &dyn Tree) -> bool {
    let cpu = described(tree);
    HYBRID
        .iter()
        .skip(1)
        .filter_map(|(_, path)| tree::cpu_list(tree, path).ok())
        .any(|cpus| cpus.contains(&cpu))
}

/// Classes of unequal cores; one class when all are alike. In the order of [`cpu_classes`].
pub(crate) fn classes(tree: &dyn Tree, online: &Found<Vec<usize>>) -> (String, Found<Vec<String>>) {
    let hybrid: Vec<String> = HYBRID
        .iter()
        .filter_map(|(name, path)| Some(format!("{name}: cpus {}", tree::line(tree, path).ok()?)))
        .collect();
    if !hybrid.is_empty() {
        return ("/sys/devices/cpu_core, /sys/devices/cpu_atom".to_owned(), Ok(hybrid));
    }
    let found = online.clone().and_then(|online| {
        let classes = capacities(tree, &online)?;
        let name =
            |(capacity, cpus): (&usize, &Vec<usize>)| format!("capacity {capacity}: cpus {}", join(cpus));
        Ok(classes.iter().rev().map(name).collect())
    });
    (format!("{FOLDER}/cpu*/cpu_capacity"), found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;
    use crate::tree::testing::Texts;

    /// A server of many CPUs, two threads a core.
    fn server(cpus: usize) -> Texts<impl Fn(&str) -> Option<String>> {
        Texts::new(move |path| {
            let rest = path.strip_prefix("/sys/devices/system/cpu/cpu");
            let cpu: Option<usize> = rest.and_then(|rest| rest.split('/').next()?.parse().ok());
            let (half, all) = (cpus / 2, format!("0-{}\n", cpus - 1));
            match (cpu, path.rsplit('/').next()) {
                (None, Some("online")) | (Some(_), Some("package_cpus_list")) => Some(all),
                (Some(cpu), Some("core_cpus_list")) => {
                    Some(format!("{},{}\n", cpu % half, cpu % half + half))
                }
                _ => None,
            }
        })
    }

    #[test]
    fn one_cpu_of_each_core_is_read() {
        let server = server(512);
        let mut facts = Facts::below(&server);
        describe(&mut facts);
        let machine = facts.into_machine();
        assert_eq!(machine.number("cpus.cores"), Some(256.0));
        assert_eq!(machine.number("cpus.packages"), Some(1.0));
        assert_eq!(machine.number("cpus.threads_per_core"), Some(2.0));
        assert_eq!(machine.text("cpus.first_core"), Some("0,256"));
        assert!(server.reads.get() < 300, "{} files", server.reads.get());
    }

    #[test]
    fn reads_are_bounded_on_many_cpus() {
        let server = server(100_000);
        describe(&mut Facts::below(&server));
        assert!(server.reads.get() < 3 * MOST_CPUS, "{} files", server.reads.get());
    }

    #[test]
    fn missing_list_is_the_reason() {
        let nothing = crate::Dump::default();
        assert_eq!(online(&nothing).unwrap_err().reason, Reason::Missing);
        assert_eq!(described(&nothing), 0);
    }
}
