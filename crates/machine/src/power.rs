//! Power: frequency governor, boost, idle states, power source.

use crate::cpus;
use crate::facts::Facts;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const FOLDER: &str = "/sys/devices/system/cpu";
const SUPPLIES: &str = "/sys/class/power_supply";

/// A CPU has no more sleep states (the kernel's CPUIDLE_STATE_MAX is 10).
const MOST_STATES: usize = 10;

/// Supplies beyond this many are not read.
const MOST_SUPPLIES: usize = 16;

pub(crate) fn describe(facts: &mut Facts) {
    let tree = facts.tree;
    let cpu = format!("{FOLDER}/cpu{}", cpus::described(tree));
    for (key, file) in [
        ("power.governor", "scaling_governor"),
        ("power.driver", "scaling_driver"),
        ("power.preference", "energy_performance_preference"),
    ] {
        facts.line(key, &format!("{cpu}/cpufreq/{file}"));
    }
    let (source, boost) = boost(tree);
    facts.flag("power.boost", &source, boost);
    facts.line("power.idle_driver", &format!("{FOLDER}/cpuidle/current_driver"));
    facts.line("power.idle_governor", &format!("{FOLDER}/cpuidle/current_governor"));
    facts.list("power.idle_states", &format!("{cpu}/cpuidle"), idle_states(tree, &format!("{cpu}/cpuidle")));
    facts.amount("power.throttled", Unit::One, &format!("{cpu}/thermal_throttle/core_throttle_count"));
    let source = source_of_power(tree);
    facts.text("power.source", SUPPLIES, source);
}

/// Intel's driver reports the inverse.
fn boost(tree: &dyn Tree) -> (String, Found<bool>) {
    let intel = format!("{FOLDER}/intel_pstate/no_turbo");
    match tree::number(tree, &intel) {
        Ok(off) => (intel, Ok(off == 0.0)),
        Err(_) => {
            let path = format!("{FOLDER}/cpufreq/boost");
            let found = tree::number(tree, &path).map(|on| on != 0.0);
            (path, found)
        }
    }
}

/// Names of the sleep states with the time to leave each.
fn idle_states(tree: &dyn Tree, folder: &str) -> Found<Vec<String>> {
    let mut states = Vec::new();
    for index in 0..MOST_STATES {
        let path = format!("{folder}/state{index}");
        let name = match tree::line(tree, &format!("{path}/name")) {
            Ok(name) => name,
            Err(absent) if index == 0 => return Err(absent),
            Err(_) => break,
        };
        let latency = tree::number(tree, &format!("{path}/latency"));
        states.push(match latency {
            Ok(microseconds) => format!("{name} ({microseconds} µs)"),
            Err(_) => name,
        });
    }
    Ok(states)
}

/// Mains, battery, or unknown.
fn source_of_power(tree: &dyn Tree) -> Found<String> {
    let names = tree.list(SUPPLIES)?;
    let mut battery = false;
    let mut mains = false;
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
