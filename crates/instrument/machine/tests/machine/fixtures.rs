//! Recorded machines and what they are described as.
//!
//! `guest-emerald-rapids` was recorded with the example `dump`; the others are put together after the kernel's
//! documented formats. After a change that is meant: `OSCOPE_BLESS=1 cargo test -p oscope-machine`.

use oscope_machine::{Dump, cpu_classes, describe, describe_core};
use record::{Fact, FactValue, Machine, Unit};
use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn machine(name: &str) -> Machine {
    let text = fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    describe(&Dump::from_json(&text).unwrap())
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".json").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

/// `key = value [source]`.
fn rendered(fact: &Fact) -> String {
    let value = match &fact.value {
        FactValue::Text { text } => text.clone(),
        FactValue::Number { value, unit } => match unit {
            Unit::One => value.to_string(),
            Unit::Bytes => format!("{value} bytes"),
            Unit::Hertz => format!("{value} Hz"),
            Unit::Nanoseconds => format!("{value} ns"),
            Unit::Cycles => format!("{value} cycles"),
            Unit::BytesPerSecond => format!("{value} bytes/s"),
        },
        FactValue::List { items } => format!("({})", items.join(" | ")),
        FactValue::Flag { set } => set.to_string(),
        FactValue::Unknown { reason } => format!("? {reason}"),
    };
    format!("{} = {value} [{}]\n", fact.key, fact.source)
}

#[test]
fn every_fixture_is_described_as_expected() {
    let names = names();
    assert!(names.len() >= 6, "{names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let described: String = machine(&name).facts.iter().map(rendered).collect();
        let path = folder().join(format!("{name}.expected.txt"));
        if std::env::var_os("OSCOPE_BLESS").is_some() {
            fs::write(&path, &described).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        for (got, want) in described.lines().zip(expected.lines()) {
            if got != want {
                wrong.push(format!("{name}:\n  is       {got}\n  expected {want}"));
                break;
            }
        }
        if wrong.is_empty() && described.lines().count() != expected.lines().count() {
            wrong.push(format!("{name}: another number of facts"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn server_with_two_nodes() {
    let machine = machine("server-icelake-2x32");
    assert_eq!(machine.number("cpus.cores"), Some(64.0));
    assert_eq!(machine.number("cpus.packages"), Some(2.0));
    assert_eq!(machine.number("cpus.online"), Some(128.0));
    assert_eq!(machine.number("memory.nodes"), Some(2.0));
    assert_eq!(machine.text("memory.node1.cpus"), Some("32-63,96-127"));
    assert_eq!(machine.number("processor.frequency"), Some(2.6e9));
    assert_eq!(machine.number("processor.frequency_max"), Some(3.4e9));
    assert_eq!(machine.number("cache.last.size"), Some(48.0 * 1024.0 * 1024.0));
    assert_eq!(machine.number("network.eno1.speed"), Some(3.125e9));
    assert_eq!(machine.number("network.eno2.speed"), None);
    assert_eq!(machine.text("storage.nvme0n1.transport"), Some("NVMe"));
    assert_eq!(machine.text("storage.sda.transport"), Some("ATA"));
    assert_eq!(machine.text("family.name"), Some("Intel Ice Lake (server)"));
    assert_eq!(machine.number("hypervisor.exit_ns"), Some(0.0));
    // Buffers and branch history are cleared; barriers on interrupts are no cost of a system call.
    assert_eq!(machine.number("mitigation.syscall_cycles"), Some(250.0 + 110.0));
}

#[test]
fn core_of_another_class_has_a_description_of_its_own() {
    let text = fs::read_to_string(folder().join("board-rk3399.json")).unwrap();
    let dump = Dump::from_json(&text).unwrap();
    assert_eq!(cpu_classes(&dump), [vec![4, 5], vec![0, 1, 2, 3]]);
    let fast = describe(&dump);
    assert!([None, Some(5)].into_iter().all(|cpu| describe_core(&dump, cpu) == fast));
    let slow = describe_core(&dump, Some(2));
    assert_eq!(slow.text("family.name"), Some("Arm Cortex-A53"));
    // The dump was made of the files of the fast cores.
    assert_eq!(slow.number("cache.l2.size"), None);
    assert_eq!(slow.number("processor.frequency_max"), None);
}

#[test]
fn efficiency_core_has_no_family_of_performance_cores() {
    let text = fs::read_to_string(folder().join("laptop-broadwell.json")).unwrap();
    let mut fixture: serde_json::Value = serde_json::from_str(&text).unwrap();
    let files = fixture["files"].as_object_mut().unwrap();
    files.insert("/sys/devices/cpu_core/cpus".to_owned(), "0-1\n".into());
    files.insert("/sys/devices/cpu_atom/cpus".to_owned(), "2-3\n".into());
    let hybrid = Dump::from_json(&fixture.to_string()).unwrap();
    assert_eq!(cpu_classes(&hybrid), [vec![0, 1], vec![2, 3]]);
    let name = |cpu| describe_core(&hybrid, Some(cpu)).text("family.name").map(str::to_owned);
    assert!(name(1).is_some() && name(3).is_none());
}

#[test]
fn board_with_unequal_cores_is_described_by_its_fast_ones() {
    let machine = machine("board-rk3399");
    assert_eq!(machine.text("family.name"), Some("Arm Cortex-A72"));
    assert_eq!(machine.number("processor.frequency"), Some(1.8e9));
    assert_eq!(machine.number("cache.l2.size"), Some(1024.0 * 1024.0));
    assert_eq!(machine.flag("processor.invariant_counter"), Some(true));
    assert_eq!(machine.number("family.cpuid_cycles"), None);
    assert_eq!(machine.text("environment.hypervisor"), Some("none"));
    let classes = machine.get("cpus.classes").unwrap();
    assert_eq!(
        classes.value,
        FactValue::List {
            items: vec!["capacity 1024: cpus 4,5".to_owned(), "capacity 446: cpus 0,1,2,3".to_owned()]
        }
    );
}

#[test]
fn laptop_on_battery() {
    let machine = machine("laptop-broadwell");
    assert_eq!(machine.text("power.source"), Some("battery"));
    assert_eq!(machine.flag("power.boost"), Some(false));
    assert_eq!(machine.text("power.governor"), Some("powersave"));
    assert_eq!(machine.number("processor.frequency"), Some(2.7e9));
    assert_eq!(machine.number("kernel.tick_ns"), Some(1e6));
    assert_eq!(machine.text("family.name"), Some("Intel Broadwell"));
    assert_eq!(machine.number("mitigation.syscall_cycles"), Some(400.0 + 40.0 + 250.0));
    assert!(machine.get("storage.sr0.size").is_none());
}

#[test]
fn container_is_limited_by_its_cgroup() {
    let machine = machine("container-cgroup2");
    assert_eq!(machine.number("limit.memory"), Some(512.0 * 1024.0 * 1024.0));
    assert_eq!(machine.number("limit.cpus"), Some(1.5));
    assert_eq!(machine.number("limit.processes"), Some(256.0));
    assert_eq!(machine.text("environment.seccomp"), Some("filter"));
    assert_eq!(machine.text("environment.container"), Some("some container"));
    assert_eq!(machine.text("environment.hypervisor"), Some("KVM"));
    assert_eq!(machine.number("hypervisor.exit_ns"), Some(1500.0));
    assert_eq!(machine.text("family.name"), Some("AMD Zen 3 (server)"));
}

#[test]
fn nested_guest_has_longer_hypervisor_exits() {
    let machine = machine("guest-emerald-rapids");
    assert_eq!(machine.flag("environment.nested"), Some(true));
    assert_eq!(machine.number("hypervisor.exit_ns"), Some(10_000.0));
    assert_eq!(machine.number("hypervisor.gate_exits"), Some(1.0));
    assert_eq!(machine.text("family.name"), Some("Intel Emerald Rapids"));
}

#[test]
fn unreadable_machine_has_a_reason_for_every_fact() {
    let machine = machine("unreadable");
    let board = machine.get("environment.board").unwrap();
    assert_eq!(
        board.value,
        FactValue::Unknown {
            reason: "/sys/class/dmi/id/board_name: permission denied; readable by root".to_owned()
        }
    );
    for fact in &machine.facts {
        // The one guess that needs nothing.
        if fact.key == "kernel.tick_ns" {
            continue;
        }
        match &fact.value {
            FactValue::Unknown { reason } => assert!(!reason.is_empty(), "{}", fact.key),
            value => panic!("{} is known: {value:?}", fact.key),
        }
    }
}

#[test]
fn features_of_a_guest_override_its_masked_model_number() {
    let corpus =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../reading/reference/data/machines-measured");
    let text = fs::read_to_string(corpus.join("xeon-guest/machine.json")).unwrap();
    let machine = describe(&Dump::from_json(&text).unwrap());
    assert_eq!(machine.text("family.name"), Some("Intel Granite Rapids"));
    assert_eq!(
        machine.text("family.recognized_by"),
        Some(
            "model number 167 of Intel Ice Lake (client), but has AMX and AVX10: taken for Intel Granite Rapids"
        )
    );
    assert_eq!(machine.number("clock.cycle_ns"), Some(1e9 / 3.5e9));
    // Two of its CPUs have two cores' shares of the 480 MiB.
    assert_eq!(machine.number("cache.owned.size"), Some(2.0 * 4032.0 * 1024.0));
    assert!(machine.number("kernel.cycles_per_instruction") > Some(0.5));
}
