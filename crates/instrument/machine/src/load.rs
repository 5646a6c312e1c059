//! The load of the machine at this moment: tasks, steal time, pressure.

use crate::facts::Facts;
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const LOAD: &str = "/proc/loadavg";
const STAT: &str = "/proc/stat";

/// Which number of the `cpu` line of `/proc/stat` is steal (`proc_stat(5)`: user, nice, system, idle,
/// iowait, irq, softirq, steal; guest times are in user already).
const STEAL: usize = 7;

pub(crate) fn describe(facts: &mut Facts) {
    let tree = facts.tree;
    // The fourth word is `running/all`.
    let parts: [(&str, usize, Part); 3] = [
        ("quiet.load_1min", 0, |word| Some(word)),
        ("quiet.running", 3, |word| word.split('/').next()),
        ("quiet.tasks", 3, |word| Some(word.split_once('/')?.1)),
    ];
    for (key, index, part) in parts {
        let found = load_word(tree, index).and_then(|word| {
            let number = part(&word).and_then(parse::number);
            number.ok_or_else(|| Absent::silent(LOAD, "is not as documented"))
        });
        facts.number(key, Unit::One, LOAD, found);
    }
    let source = format!("{STAT}: share of all CPU time since boot");
    let steal = tree::parsed(tree.read(STAT), STAT, "has no line 'cpu' with eight numbers", steal_share);
    facts.number("quiet.steal_share", Unit::One, &source, steal);
    for resource in ["cpu", "memory", "io"] {
        let path = format!("/proc/pressure/{resource}");
        let found = tree::parsed(tree.read(&path), &path, "has no 'some avg10='", pressure);
        facts.number(&format!("quiet.pressure_{resource}_percent"), Unit::One, &path, found);
    }
}

/// The part of a word that holds a number.
type Part = fn(&str) -> Option<&str>;

fn load_word(tree: &dyn Tree, index: usize) -> Found<String> {
    tree::parsed(tree::line(tree, LOAD), LOAD, "has fewer words than documented", |line| {
        line.split_whitespace().nth(index).map(str::to_owned)
    })
}

fn steal_share(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let times: Option<Vec<f64>> = line.split_whitespace().take(STEAL + 1).map(parse::number).collect();
    let times = times?;
    let (steal, all) = (times.get(STEAL)?, times.iter().sum::<f64>());
    (all > 0.0).then_some(steal / all)
}

/// Share of the last ten seconds, in percent, in which some task waited for the resource.
fn pressure(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    line.split_whitespace().find_map(|word| word.strip_prefix("avg10=")).and_then(parse::number)
}
