//! Power: frequency governor, boost, idle states, power source.

use crate::cpus;
use crate::facts::{Facts, Form};
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const FOLDER: &str = "/sys/devices/system/cpu";
const SUPPLIES: &str = "/sys/class/power_supply";

/// A CPU has no more sleep states (the kernel's CPUIDLE_STATE_MAX is 10).
const MOST_STATES: usize = 10;

/// Supplies beyond this many are not read.
const MOST_SUPPLIES: usize = 16;

pub(crate) fn describe(facts: &mut Facts) {
    describe_frequency(facts);
    let tree = facts.tree;
    let cpu = described_cpu(tree);
    facts.file("power.idle_driver", &format!("{FOLDER}/cpuidle/current_driver"), Form::Line);
    facts.file("power.idle_governor", &format!("{FOLDER}/cpuidle/current_governor"), Form::Line);
    facts.list("power.idle_states", &format!("{cpu}/cpuidle"), idle_states(tree, &format!("{cpu}/cpuidle")));
    let throttled = format!("{cpu}/thermal_throttle/core_throttle_count");
    facts.file("power.throttled", &throttled, Form::Number(Unit::One));
    facts.text("power.source", SUPPLIES, source_of_power(tree));
}

/// What sets the frequency of the CPU that is described, and within which limits.
pub(crate) fn describe_frequency(facts: &mut Facts) {
    let tree = facts.tree;
    let cpu = described_cpu(tree);
    let files = [
        ("governor", "cpufreq/scaling_governor", Form::Line),
        ("driver", "cpufreq/scaling_driver", Form::Line),
        ("preference", "cpufreq/energy_performance_preference", Form::Line),
    ];
    facts.files("power", &cpu, &files);
    for (key, file) in
        [("power.frequency_limit_min", "scaling_min_freq"), ("power.frequency_limit_max", "scaling_max_freq")]
    {
        let path = format!("{cpu}/cpufreq/{file}");
        let hertz = tree::number(tree, &path).map(|kilohertz| kilohertz * 1e3);
        facts.number(key, Unit::Hertz, &path, hertz);
    }
    let (source, boost) = boost(tree);
    facts.flag("power.boost", &source, boost);
}

fn described_cpu(tree: &dyn Tree) -> String {
    format!("{FOLDER}/cpu{}", cpus::described(tree))
}

/// Intel's driver reports the inverse.
fn boost(tree: &dyn Tree) -> (String, Found<bool>) {
    let intel = format!("{FOLDER}/intel_pstate/no_turbo");
    match tree::flag(tree, &intel) {
        Ok(off) => (intel, Ok(!off)),
        Err(_) => {
            let path = format!("{FOLDER}/cpufreq/boost");
            let found = tree::flag(tree, &path);
            (path, found)
        }
    }
}

/// Names of the sleep states with the time to leave each.
fn idle_states(tree: &dyn Tree, folder: &str) -> Found<Vec<String>> {
    tree::line(tree, &format!("{folder}/state0/name"))?;
    Ok((0..MOST_STATES)
        .map_while(|index| {
            let name = tree::line(tree, &format!("{folder}/state{index}/name")).ok()?;
            let latency = tree::number(tree, &format!("{folder}/state{index}/latency"));
            Some(latency.map_or_else(|_| name.clone(), |microseconds| format!("{name} ({microseconds} µs)")))
        })
        .collect())
}

/// Mains, battery, or unknown.
fn source_of_power(tree: &dyn Tree) -> Found<String> {
    let names = tree.list(SUPPLIES)?;
    let (mut battery, mut mains) = (false, false);
    for name in names.iter().take(MOST_SUPPLIES) {
        let kind = tree::line(tree, &format!("{SUPPLIES}/{name}/type")).unwrap_or_default();
        match kind.as_str() {
            "Battery" => battery = true,
            "Mains" => mains |= tree::number(tree, &format!("{SUPPLIES}/{name}/online")) == Ok(1.0),
            _ => {}
        }
    }
    match (mains, battery) {
        (true, _) => Ok("mains".to_owned()),
        (false, true) => Ok("battery".to_owned()),
        (false, false) => Err(Absent::silent(SUPPLIES, "lists neither mains nor battery")),
    }
}
