//! Results and predictions beyond what the hardware can do.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// A figure beyond its bound by less is rounding, or a clock that is nominal.
const OVER: f64 = 0.02;
/// A disk's shortest seek is a third to a quarter of its mean one: results that far below a base that is told for a
/// seek are honest, farther below they did not go there.
const SEEK: f64 = 5.0;
/// Rates of devices are rated roughly, and some caches help: results above the rate by less are honest.
const DEVICE: f64 = 0.15;
/// Bytes per second that no single disk that turns gives.
const FASTEST_DISK: f64 = 3.5e8;
/// How many times faster than memory caches are, and bytes per second that no core copies.
const CACHES: f64 = 10.0;
const FASTEST_COPY: f64 = 2e11;
/// Nobody rates hardware to more digits: such a base was computed from something that was measured, and is no bound.
const RATED: u32 = 7;
/// The smallest block of a file that is ever asked for.
const SMALLEST_BLOCK: f64 = 512.0;

pub(crate) const RULE: Rule = Rule {
    id: "faster_than_hardware",
    code: "E35",
    what: "A rate above that of the machine's link, its storage, or the base that the row itself tells; a first cache \
           faster than its own latency; or a time less than a fifth of the device's.",
    why: "The bytes were counted wrongly, the clock started late, or something else answered.",
    wrong_when: "The base is no bound but somebody's expectation, in no more digits than a rating has.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let verdicts: Vec<(&Row, String)> = telling
            .rows
            .iter()
            .filter_map(|row| Some((*row, judge(table, row)?)))
            .collect();
        let rows: Vec<&Row> = verdicts.iter().map(|(row, _)| *row).collect();
        findings.extend(
            verdicts
                .first()
                .map(|(_, text)| Finding::new(&rows, text.clone())),
        );
    }
    findings
}

fn judge(table: &Table, row: &Row) -> Option<String> {
    if row.is(Quantity::Bandwidth) {
        return above_link(table, row)
            .or_else(|| above_storage(table, row))
            .or_else(|| above_memory(table, row))
            .or_else(|| above_base(row));
    }
    if row.unit_text.ends_with("/block") {
        return above_link(table, row).or_else(|| above_storage(table, row));
    }
    let (time, base) = (row.result().filter(|_| row.is_time_of_one())?, row.si(row.base)?);
    let device = row.belongs("fault") || row.belongs("file");
    let nearest = row.belongs("memory.latency") && row.params.get("level") == Some("L1");
    let told = (row.told(row.measured), row.told(row.base));
    if nearest && row.in_cycles() && time < base * (1.0 - OVER) {
        return Some(format!(
            "{} is less than the {} that the core needs",
            told.0, told.1
        ));
    }
    (device && time * SEEK < base && time > 0.0).then(|| {
        format!(
            "{} is less than a fifth of the {} that the device needs",
            told.0, told.1
        )
    })
}

/// A rate over a network above that of the link.
fn above_link(table: &Table, row: &Row) -> Option<String> {
    let link = table.machine(&row.report)?.link?;
    let rate = rate(row).filter(|_| is_remote(row))?;
    let told = row.told(row.measured);
    (rate > link * (1.0 + OVER)).then(|| format!("{told} is more than the link carries, {} MB/s", link / 1e6))
}

/// The rate of a row; where it tells the time of a block, the least that this can mean.
fn rate(row: &Row) -> Option<f64> {
    let block = row.params.bytes("block").unwrap_or(SMALLEST_BLOCK);
    let result = row.result()?;
    Some(if row.is(Quantity::Bandwidth) {
        result
    } else {
        block / result
    })
}

/// Whether a row is of something that goes over a network.
fn is_remote(row: &Row) -> bool {
    let path = row.params.get("path");
    let far = path.is_some_and(|path| path != "loopback" && path != "local");
    far || (row.belongs("file.remote") && path.is_none())
}

/// Whether a row is of what storage gives.
fn is_stored(row: &Row) -> bool {
    ["file.read.uncached", "file.read.direct", "file.read.disk"]
        .iter()
        .any(|id| row.belongs(id))
}

/// A rate of storage above what the machine's gives.
fn above_storage(table: &Table, row: &Row) -> Option<String> {
    let machine = table.machine(&row.report).filter(|_| is_stored(row))?;
    let turns = machine.turns.then_some(FASTEST_DISK);
    let limit = machine.storage.map(|rate| rate * (1.0 + DEVICE)).or(turns)?;
    let told = row.told(row.measured);
    (rate(row)? > limit).then(|| {
        let least = machine.storage.unwrap_or(limit);
        format!("{told} is more than the storage gives, {} MB/s", least / 1e6)
    })
}

/// A rate of copies that the caches of no machine give.
fn above_memory(table: &Table, row: &Row) -> Option<String> {
    let copies = ["network.bandwidth", "file.read.cached"]
        .iter()
        .any(|id| row.belongs(id));
    let rates = table
        .of(&row.report)
        .filter(|other| other.belongs("memory.bandwidth"));
    let memory = rates
        .filter(|other| other.is(Quantity::Bandwidth))
        .filter_map(Row::result);
    let limit = (CACHES * memory.fold(0.0, f64::max)).max(FASTEST_COPY);
    let told = row.told(row.measured);
    (copies && row.result()? > limit)
        .then(|| format!("{told} is more than caches give, {} GB/s", limit / 1e9))
}

/// A rate, or its prediction, above the base hardware performance of the same row.
fn above_base(row: &Row) -> Option<String> {
    let told = row.base.filter(|base| base.digits <= RATED)?;
    let base = Some(told.value).filter(|base| *base > 0.0)?;
    let memory = row.belongs("memory");
    if !memory && !is_stored(row) && !is_remote(row) {
        return None;
    }
    let over = if memory { OVER } else { DEVICE };
    let beyond =
        |figure: Option<quantity::Printed>| figure.is_some_and(|figure| figure.value > base * (1.0 + over));
    if beyond(row.measured) {
        return Some(format!(
            "{} is more than the hardware's {}",
            row.told(row.measured),
            row.told(row.base)
        ));
    }
    // Overhead of software takes away from a rate; added to it, it makes the prediction faster than the hardware.
    let added = row.software.is_some_and(|software| software.value > 0.0);
    ((added || !memory) && beyond(row.predicted)).then(|| {
        let told = (row.told(row.predicted), row.told(row.base));
        let why = if added {
            ": overhead was added to a rate"
        } else {
            ""
        };
        format!(
            "the prediction of {} is more than the hardware's {}{why}",
            told.0, told.1
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rules::testing::count;
    use crate::{Machine, read};

    const HEADING: &str =
        "operation,parameter,base_hardware,software_overhead,predicted,measured,unit,measured_si\n";

    #[test]
    fn beyond_the_base_is_found() {
        for wrong in [
            "memory.bandwidth.read,,10,,,12,GB/s,",
            "memory.bandwidth.read,,12,0.8,12.8,1.7,GB/s,",
            "memory.latency.list,level=L1,4,,4,3.8,cycles,1.4e-9",
            "fault.file.major,,0.24,,,0.001,ms,",
            "file.read.direct,,7,,,9.44,GB/s,",
            "bandwidth.tcp,peer=remote,1250,,1475,1160,MB/s,",
        ] {
            assert_eq!(count(&RULE, &format!("{HEADING}{wrong}\n")), 1, "{wrong}");
        }
    }

    #[test]
    fn beyond_the_link_is_found_when_the_machine_is_known() {
        let text = "operation,parameter,measured,unit\nbandwidth.tcp,peer=remote,22.5,MB/s\nbandwidth.tcp,peer=loopback,900,MB/s\n";
        let machine = Machine {
            link: Some(18e6),
            ..Machine::default()
        };
        assert_eq!(check(&read(text, vec![machine]).unwrap()).len(), 1);
        assert!(check(&read(text, Vec::new()).unwrap()).is_empty());
    }

    #[test]
    fn beyond_the_storage_is_found_when_the_machine_is_known() {
        let text = "operation,parameter,measured,unit\nfile.read.uncached,order=sequential,1380,MB/s\n\
                    file.read.cached,,1380,MB/s\nfile.remote.nfs,,24.2,MB/s\nfile.remote.nfs,order=random,2.1,us/block\n";
        let machine = |turns, storage| Machine {
            link: Some(12.5e6),
            turns,
            storage,
            ..Machine::default()
        };
        assert_eq!(check(&read(text, vec![machine(true, None)]).unwrap()).len(), 3);
        assert_eq!(
            check(&read(text, vec![machine(false, Some(1.3e9))]).unwrap()).len(),
            2
        );
    }

    #[test]
    fn copies_faster_than_caches_are_found() {
        let text = "operation,parameter,measured,unit\nbandwidth.tcp,peer=loopback,21060,Gb/s\n\
                    bandwidth.tcp,peer=loopback streams=8,352,Gb/s\nmemory.bandwidth.read,,12,GB/s\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn slower_than_the_base_and_expectations_are_none() {
        let text = "memory.bandwidth.read,,12,,11,10,GB/s,\nmemory.latency.list,level=L1,4,,4,4.1,cycles,1.6e-9\n\
                    file.read.direct,order=random,13.3,,13.3,4.0,ms,\nsyscall.x,,1000,,1000,150,ns,\n\
                    memory.bandwidth.copy,,11277692322.4,,11277692322.4,17876381651.6,bytes_per_s,\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
    }
}
