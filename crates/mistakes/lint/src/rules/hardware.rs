//! The rule for results and predictions beyond the limits of the hardware.

use crate::claims::Claim;
use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::table::{Row, Table};
use quantity::Quantity;

/// A value beyond its limit by less is rounding, or a nominal clock.
const OVER: f64 = 0.02;
/// A disk's shortest seek is a third to a quarter of its mean one; a result farther below a seek did not seek.
const SEEK: f64 = 5.0;
/// Rates of devices are rated roughly, and some caches help: results above the rate by less are possible.
const DEVICE: f64 = 0.15;
/// Bytes per second that no single hard disk gives.
const FASTEST_DISK: f64 = 3.5e8;
/// How many times faster than memory caches are, and bytes per second that no core copies.
const CACHES: f64 = 10.0;
const FASTEST_COPY: f64 = 2e11;
/// Bytes per second that the memory behind one CPU never gives, and those that no memory and no caches of one machine give.
const FASTEST_OF_ONE_CPU: f64 = 2.5e11;
const FASTEST_MEMORY: f64 = 4e12;
const FASTEST_ANYTHING: f64 = 2e14;
/// Seconds: a fifteenth of the shortest cycle. No core does more operations in a cycle than that.
const SHORTEST: f64 = 1e-11;
/// Parameters that count CPUs.
const CPUS: [&str; 4] = ["cpus", "threads", "cores", "processes"];
/// Ratings of hardware have no more digits: a longer base was computed from a measurement, and is not a limit.
const RATED_DIGITS: u32 = 7;
/// The smallest block of a file.
const SMALLEST_BLOCK: f64 = 512.0;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "faster_than_hardware",
        code: "E35",
        what: "A rate above that of the machine's link, its storage, or the base hardware performance of the row; an L1 cache \
               faster than its own latency; or a time below a fifth of the device's.",
        example: "operation,base_hardware,measured,unit\nmemory.bandwidth.read,10,12,GB/s\n",
        why: "Bytes were miscounted, the clock started late, or a cache answered.",
        wrong_when: "The base is an expectation instead of a limit, in no more digits than a rating has.",
        checks: &[Check::WholeClaims(faster_than_hardware)],
    },
    Rule {
        id: "faster_than_any_machine",
        code: "E35",
        what: "Under any name, a time below 0.01 ns or a rate above 200 TB/s; of memory, a rate above 4 TB/s, and above \
               250 GB/s of one CPU.",
        example: "benchmark,measured,unit\nfill a page,16000,TB/s\n",
        why: "The work was removed by the compiler, the clock did not move, or the unit is wrong.",
        wrong_when: "One operation of the name is a small part of an instruction; or the memory is that of an accelerator.",
        checks: &[Check::Points(faster_than_any_machine)],
    },
];

fn faster_than_any_machine(_: &Context<'_>, row: &Row) -> Option<String> {
    let causes = "the work was removed, the clock did not move, or the unit is wrong";
    let is_judged_elsewhere = row.belongs_to_any(&["loop", "call", "memory"]);
    if row.time().is_some_and(|time| time < SHORTEST) && !is_judged_elsewhere {
        return Some(format!("{} is less than a tenth of a cycle of any core: {causes}", row.shown()));
    }
    let result = row.result().filter(|_| row.is(Quantity::Bandwidth));
    let rate = result.into_iter().chain(row.bandwidth).reduce(f64::max)?;
    let named = format!("{} {}", row.operation, row.params.text()).to_lowercase();
    let is_memory = row.belongs("memory.bandwidth") || named.contains("memory");
    let is_cached = row.params.get("level").is_some_and(|level| !level.eq_ignore_ascii_case("memory"));
    let is_of_one = CPUS.iter().any(|name| row.params.number(name) == Some(1.0)) && !is_cached;
    let (most, of) = match (is_memory, is_of_one) {
        (true, true) => (FASTEST_OF_ONE_CPU, "the memory gives one CPU"),
        (true, false) => (FASTEST_MEMORY, "the memory of any machine gives"),
        (false, _) => (FASTEST_ANYTHING, "any machine moves"),
    };
    let gigabytes = rate / 1e9;
    (rate > most).then(|| format!("{gigabytes:.0} GB/s is more than {of}: {causes}"))
}

fn faster_than_hardware(context: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    Finding::in_rows(claim.rows.iter().filter_map(|row| Some((*row, beyond(context.table, row)?))))
}

fn beyond(table: &Table, row: &Row) -> Option<String> {
    let is_rate = row.is(Quantity::Bandwidth);
    if is_rate || row.unit_text.ends_with("/block") {
        let of_device = above_link(table, row).or_else(|| above_storage(table, row));
        return match is_rate {
            true => of_device.or_else(|| above_caches(table, row)).or_else(|| above_base(row)),
            false => of_device,
        };
    }
    let (time, base) = (row.time()?, row.si(row.base)?);
    let is_rated = row.base.is_some_and(|base| base.digits <= RATED_DIGITS);
    let is_device = row.belongs_to_any(&["fault", "file"]) && is_rated;
    let is_l1 = row.belongs("memory.latency") && row.params.get("level") == Some("L1");
    let (shown, limit) = (row.shown(), row.figure(row.base));
    if is_l1 && row.in_cycles() && time < base * (1.0 - OVER) {
        return Some(format!("{shown} is less than the {limit} of the cache"));
    }
    (is_device && time * SEEK < base)
        .then(|| format!("{shown} is less than a fifth of the {limit} of the device"))
}

/// A rate over a network above that of the link.
fn above_link(table: &Table, row: &Row) -> Option<String> {
    let link = table.machine(&row.report)?.link?;
    let rate = rate(row).filter(|_| is_remote(row))?;
    let (shown, limit) = (row.shown(), link / 1e6);
    (rate > link * (1.0 + OVER)).then(|| format!("{shown} is more than the {limit} MB/s of the link"))
}

/// The rate of a row; for the time of a block, the least that it can mean.
fn rate(row: &Row) -> Option<f64> {
    let block = row.params.bytes("block").unwrap_or(SMALLEST_BLOCK);
    let result = row.result()?;
    Some(if row.is(Quantity::Bandwidth) { result } else { block / result })
}

/// Whether the bytes of a row go over a network.
fn is_remote(row: &Row) -> bool {
    match row.params.get("path") {
        Some(path) => path != "loopback" && path != "local",
        None => row.belongs("file.remote"),
    }
}

/// Whether the bytes of a row come from storage.
fn is_stored(row: &Row) -> bool {
    row.belongs_to_any(&["file.read.uncached", "file.read.direct", "file.read.disk"])
}

/// A rate of storage above the machine's.
fn above_storage(table: &Table, row: &Row) -> Option<String> {
    let machine = table.machine(&row.report).filter(|_| is_stored(row))?;
    let disk = machine.rotates.then_some(FASTEST_DISK);
    let most = machine.storage.map(|rate| rate * (1.0 + DEVICE)).or(disk)?;
    let (shown, limit) = (row.shown(), machine.storage.unwrap_or(most) / 1e6);
    (rate(row)? > most).then(|| format!("{shown} is more than the {limit} MB/s of the storage"))
}

/// A rate of copies above that of any cache.
fn above_caches(table: &Table, row: &Row) -> Option<String> {
    let copies = row.belongs_to_any(&["network.bandwidth", "file.read.cached"]);
    let memory = table
        .rows_of(&row.report)
        .filter(|other| other.belongs("memory.bandwidth") && other.is(Quantity::Bandwidth))
        .filter_map(Row::result);
    let most = (CACHES * memory.fold(0.0, f64::max)).max(FASTEST_COPY);
    let (shown, limit) = (row.shown(), most / 1e9);
    (copies && row.result()? > most).then(|| format!("{shown} is more than the {limit} GB/s of caches"))
}

/// A rate, or its prediction, above the base hardware performance of the same row.
fn above_base(row: &Row) -> Option<String> {
    let rated = row.base.filter(|base| base.digits <= RATED_DIGITS && base.value > 0.0)?;
    let memory = row.belongs("memory");
    if !memory && !is_stored(row) && !is_remote(row) {
        return None;
    }
    let most = rated.value * (1.0 + if memory { OVER } else { DEVICE });
    let [result_exceeds, prediction_exceeds] =
        [row.measured, row.predicted].map(|figure| figure.is_some_and(|figure| figure.value > most));
    let limit = row.figure(row.base);
    if result_exceeds {
        return Some(format!("{} is more than the {limit} of the hardware", row.shown()));
    }
    // Overhead reduces a rate; added to it, it makes the prediction faster than the hardware.
    let added = row.software.is_some_and(|software| software.value > 0.0);
    let why = if added { ": overhead was added to a rate" } else { "" };
    let shown = row.figure(row.predicted);
    ((added || !memory) && prediction_exceeds)
        .then(|| format!("the prediction of {shown} is more than the {limit} of the hardware{why}"))
}

#[cfg(test)]
mod tests {
    use crate::Machine;
    use crate::rules::testing::{HEADING, expect, expect_count, expect_on};

    const RULE: &str = "faster_than_hardware";

    #[test]
    fn results_beyond_the_base_are_found() {
        let heading =
            "operation,parameter,base_hardware,software_overhead,predicted,measured,unit,measured_si\n";
        let found = [
            "memory.bandwidth.read,,10,,,12,GB/s,\n",
            "memory.bandwidth.read,,12,0.8,12.8,1.7,GB/s,\n",
            "memory.latency.list,level=L1,4,,4,3.8,cycles,1.4e-9\n",
            "fault.file.major,,0.24,,,0.001,ms,\n",
            "file.read.direct,,7,,,9.44,GB/s,\n",
            "bandwidth.tcp,peer=remote,1250,,1475,1160,MB/s,\n",
        ];
        let right = "memory.bandwidth.read,,12,,11,10,GB/s,\nmemory.latency.list,level=L1,4,,4,4.1,cycles,1.6e-9\n\
                     file.read.direct,order=random,13.3,,13.3,4.0,ms,\nsyscall.x,,1000,,1000,150,ns,\n\
                     memory.bandwidth.copy,,11277692322.4,,11277692322.4,17876381651.6,bytes_per_s,\n\
                     fault.huge,,613790.3220268962,,613790.3220268962,71755.4430457035,ns,\n";
        expect(RULE, heading, &found, &[right]);
    }

    #[test]
    fn what_no_machine_does_is_found_under_any_name() {
        let heading = "name,parameter,measured,unit,bytes_per_second\n";
        let found = [
            "BM_fill/8,,0.0003,ns,\n",
            "BM_fill/8,,3,ns,1.6e16\n",
            "x,,900000,GB/s,\n",
            "local memory random,,9000000,MB/s,\n",
            "memory.bandwidth.read,threads=1,900,GB/s,\n",
        ];
        let right = "BM_fill/8,,0.02,ns,4e11\nmemory.bandwidth.read,threads=64,900,GB/s,\nx,,0,ns,\n\
                     memory.bandwidth.read,threads=1 level=L1,400,GB/s,\nmemory.bandwidth.read,threads=1,80,GB/s,\n";
        expect("faster_than_any_machine", heading, &found, &[right]);
    }

    #[test]
    fn rates_beyond_the_link_and_the_storage_of_the_machine_are_found() {
        let text = "bandwidth.tcp,peer=remote,22.5,MB/s\nbandwidth.tcp,peer=loopback,900,MB/s\n";
        let machine = Machine { link: Some(18e6), ..Machine::default() };
        expect_on(&machine, RULE, [1, 0], HEADING, text);
        let text = "file.read.uncached,order=sequential,1380,MB/s\nfile.read.cached,,1380,MB/s\nfile.remote.nfs,,24.2,MB/s\n\
                    file.remote.nfs,order=random,2.1,us/block\n";
        let link = Some(12.5e6);
        let disk = Machine { link, rotates: true, ..Machine::default() };
        let ssd = Machine { link, storage: Some(1.3e9), ..Machine::default() };
        expect_on(&disk, RULE, [3, 0], HEADING, text);
        expect_on(&ssd, RULE, [2, 0], HEADING, text);
    }

    #[test]
    fn copies_faster_than_caches_are_found() {
        let text = "bandwidth.tcp,peer=loopback,21060,Gb/s\nbandwidth.tcp,peer=loopback streams=8,352,Gb/s\n\
                    memory.bandwidth.read,,12,GB/s\n";
        expect_count(RULE, 1, HEADING, text);
    }
}
