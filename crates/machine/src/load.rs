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
    let load = load_word(tree, 0).and_then(|word| number_of(&word));
    facts.number("quiet.load_1min", Unit::One, LOAD, load);
    let running = load_word(tree, 3).and_then(|word| {
        let (running, _) = word.split_once('/').unwrap_or((&word, ""));
        number_of(running)
    });
    facts.number("quiet.running", Unit::One, LOAD, running);
    let tasks =
        load_word(tree, 3).and_then(|word| number_of(word.split_once('/').map_or("", |(_, all)| all)));
    facts.number("quiet.tasks", Unit::One, LOAD, tasks);
    let source = format!("{STAT}: share of all CPU time since boot");
    facts.number("quiet.steal_share", Unit::One, &source, steal_share(tree));
    for resource in ["cpu", "memory", "io"] {
        let path = format!("/proc/pressure/{resource}");
        let found = pressure(tree, &path);
        facts.number(&format!("quiet.pressure_{resource}_percent"), Unit::One, &path, found);
    }
}

fn load_word(tree: &dyn Tree, index: usize) -> Found<String> {
    let line = tree::line(tree, LOAD)?;
    let word = line.split_whitespace().nth(index);
    word.map(str::to_owned).ok_or_else(|| Absent::silent(LOAD, "has fewer words than documented"))
}

fn number_of(word: &str) -> Found<f64> {
    parse::number(word).ok_or_else(|| Absent::silent(LOAD, "is not as documented"))
}

fn steal_share(tree: &dyn Tree) -> Found<f64> {
    let text = tree.read(STAT)?;
    let share = text.lines().find_map(|line| line.strip_prefix("cpu ")).and_then(|line| {
        let times: Option<Vec<f64>> = line.split_whitespace().take(STEAL + 1).map(parse::number).collect();
        let times = times?;
        let steal = times.get(STEAL)?;
        let all: f64 = times.iter().sum();
        (all > 0.0).then_some(steal / all)
    });
    share.ok_or_else(|| Absent::silent(STAT, "has no line 'cpu' with eight numbers"))
}

/// Share of the last ten seconds, in percent, in which some task waited for the resource.
fn pressure(tree: &dyn Tree, path: &str) -> Found<f64> {
    let text = tree.read(path)?;
    let percent = text
        .lines()
        .find_map(|line| line.strip_prefix("some "))
        .and_then(|line| line.split_whitespace().find_map(|word| word.strip_prefix("avg10=")));
    percent.and_then(parse::number).ok_or_else(|| Absent::silent(path, "has no 'some avg10='"))
}
