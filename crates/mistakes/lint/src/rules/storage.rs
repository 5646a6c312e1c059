//! Rules for files and storage: caches that answered, times and rates that do not fit the bytes.

use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::table::{Row, Table, grouped};
use quantity::Quantity;

/// Seconds. The fastest block device ever sold answers after 7 µs; fault and copy come on top.
const FASTEST_STORAGE: f64 = 5e-6;
/// Seconds. An exception into the kernel, the handler and the return; twice the shortest system call.
const FASTEST_FAULT: f64 = 4e-8;
/// Seconds. A disk rotates below its head: half a rotation takes 2 ms at 15 000 rpm, and a track that was read ahead is
/// not a random block.
const FASTEST_ROTATION: f64 = 1e-3;
/// Words in ids of reads that storage must answer, and of those that it need not.
const FROM_STORAGE: [&str; 3] = ["major", "uncached", "direct"];
const NOT_FROM_STORAGE: [&str; 4] = ["cached", "sparse", "minor", "fault_around"];
/// Words in parameters for storage that is memory.
const IN_MEMORY: [&str; 5] = ["pmem", "dax", "nvdimm", "ram", "tmpfs"];

/// Bytes per second that no memory of one machine moves.
const FASTEST_MEMORY: f64 = 1e12;

/// Parameters that are the block size of a device test.
const BLOCKS: [&str; 4] = ["bs", "block", "blocksize", "block_size"];
/// Kilobytes of 1000 and 1024 bytes in the block and megabytes of both in the bandwidth make less than this.
const OFF: f64 = 0.1;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "axis_unit",
        code: "E19",
        what: "Times for whole files that would mean more bytes per second than the memory of the same report gives.",
        example: "operation,parameter,measured,unit\nfile.read,file=256MB,44,us\n",
        why: "The time is that of a block or a byte, and the table gives it for the file.",
        wrong_when: "The parameter `file` names the file in which one block was read; a parameter `block` or a unit per \
                     block says so.",
        checks: &[Check::Table(axis_unit)],
    },
    Rule {
        id: "faster_than_storage",
        code: "E20",
        what: "A page fault below 40 ns; a major fault below 5 µs, or below 1 ms at a random page of a hard disk.",
        example: "operation,measured,unit\nfault.file.major,1.765,us\n",
        why: "No storage answers so fast: the page was in memory, and the fault was a minor one. No kernel does: the page was \
              mapped, and there was no fault.",
        wrong_when: "The storage is persistent memory that is mapped directly, and nothing says so; or the time is per byte.",
        checks: &[Check::Operations(faster_than_storage)],
    },
    Rule {
        id: "answered_by_cache",
        code: "E22",
        what: "An uncached or direct read below 5 µs; or a read of a random block of a hard disk, alone or with \
               competitors, below 1 ms.",
        example: "operation,parameter,measured,unit\nfile.read.direct,access=random,2,us\n",
        why: "No storage answers so fast: a cache that was not dropped did.",
        wrong_when: "The storage is persistent memory that is mapped directly, and nothing says so; or the file fits into \
                     the cache of the disk.",
        checks: &[Check::Operations(answered_by_cache)],
    },
    Rule {
        id: "rate_of_blocks",
        code: "E37",
        what: "Operations per second times block size that is more than 10 % off from the bandwidth in the same row.",
        example: "device,test,bs,iops,bw_MBps\nnvme0n1,randread,4k,312000,3120\n",
        why: "Each operation moves one block: one of the three values is in another unit, or of another run.",
        wrong_when: "Blocks of several sizes were mixed, and the row names one.",
        checks: &[Check::Points(rate_of_blocks)],
    },
];

fn axis_unit(context: &Context<'_>) -> Vec<Finding> {
    let files = context.table.rows.iter().filter(|row| {
        let read = row.params.bytes("file").zip(row.time());
        is_time_of_file(row)
            && read.is_some_and(|(bytes, time)| {
                bytes / time > context.table.memory_rate(&row.report).unwrap_or(FASTEST_MEMORY)
            })
    });
    let keyed =
        files.map(|row| ((&row.report, &row.operation, row.params.essence().without(&["file"])), row));
    let sweeps = grouped(keyed).into_iter();
    let found = sweeps.filter_map(|(_, rows)| {
        let last = rows.last()?;
        let file = last.params.get("file").unwrap_or_default();
        let text = format!("{file} in {} is faster than memory: the time is that of one block", last.shown());
        Some(Finding::new(&rows, text))
    });
    found.collect()
}

/// A time for a file of a given size, and not per block.
fn is_time_of_file(row: &Row) -> bool {
    let per_file = row.unit.is_some_and(|unit| !unit.per_part) && !row.params.has("block");
    row.is_time_of_one() && row.belongs("file") && per_file && row.params.is_plain()
}

fn faster_than_storage(context: &Context<'_>, row: &Row) -> Option<String> {
    let mapped_together = row.has_word("fault_around") || row.params.has("pages") || row.params.has("stride");
    let per_part = row.unit.is_none_or(|unit| unit.per_part) || mapped_together;
    if row.belongs("fault")
        && !per_part
        && row.params.is_plain()
        && row.time().is_some_and(|time| time < FASTEST_FAULT)
    {
        return Some(format!(
            "{} is less than an exception takes: the page was mapped, there was no fault",
            row.shown()
        ));
    }
    let found = row.has_word("major") && beats_storage(context.table, row);
    found.then(|| format!("{} is less than any storage takes: the page was in memory", row.shown()))
}

fn answered_by_cache(context: &Context<'_>, row: &Row) -> Option<String> {
    let found = row.belongs("file") && beats_storage(context.table, row);
    found.then(|| format!("{} is less than the storage takes: a cache answered", row.shown()))
}

/// Whether something that storage must answer takes less time than storage needs.
fn beats_storage(table: &Table, row: &Row) -> bool {
    let access = row.params.access();
    let [names_storage, names_other] =
        [&FROM_STORAGE[..], &NOT_FROM_STORAGE].map(|words| words.iter().any(|word| row.has_word(word)));
    let machine = table.machine(&row.report);
    let rotates = machine.is_some_and(|machine| machine.rotates) && access == Some("random");
    let competes = rotates && row.belongs("file.contention");
    let from_storage = (competes || names_storage) && !names_other;
    // A random block is read by one access, a byte by part of one.
    let by_block = row.unit_text.ends_with("/block") && access == Some("random");
    let per_part = row.unit.is_none_or(|unit| unit.per_part) && !by_block;
    // A sequential file is read ahead, many blocks at a time.
    let read_ahead = row.belongs("file") && access == Some("sequential");
    let named = row.params.text().to_ascii_lowercase();
    let in_memory = machine.is_some_and(|machine| machine.stores_in_memory)
        || IN_MEMORY.iter().any(|word| named.contains(word));
    let fastest = if rotates { FASTEST_ROTATION } else { FASTEST_STORAGE };
    let too_fast = row.time().is_some_and(|time| time < fastest);
    from_storage && !per_part && !in_memory && !read_ahead && too_fast
}

fn rate_of_blocks(_: &Context<'_>, row: &Row) -> Option<String> {
    let block = BLOCKS.iter().find_map(|name| row.params.bytes(name))?;
    let measured = row.result().filter(|_| row.is(Quantity::Bandwidth));
    let (per_second, bandwidth) = (row.per_second?, row.bandwidth.or(measured)?);
    let expected = per_second * block;
    let (expected_mb, given_mb) = (expected / 1e6, bandwidth / 1e6);
    let found = bandwidth > 0.0 && (expected / bandwidth - 1.0).abs() > OFF;
    found.then(|| format!("{per_second} blocks of {block} bytes per second are {expected_mb:.1} MB/s, not {given_mb:.1} MB/s"))
}

#[cfg(test)]
mod tests {
    use crate::Machine;
    use crate::rules::testing::{HEADING, expect, expect_on};

    #[test]
    fn file_faster_than_memory_is_found_once_per_sweep() {
        let text = "memory.bandwidth.read,,10,GB/s\nfile.read,file=16MB,50,us\nfile.read,file=256MB,44,us\n";
        let right = "file.read,file=256MB,44,us/block\nfile.read,file=256MB block=4KB,44,us\nfile.read,file=256MB,90,ms\n";
        expect("axis_unit", HEADING, &[text], &[right]);
    }

    #[test]
    fn major_fault_of_two_microseconds_is_found() {
        let right = "fault.file.major,,80,us\nfault.file.minor,,0.25,us\nfault.file.major.cached,,0.5,us\n\
                     fault.file.major,,2,us/byte\n";
        let right = format!(
            "{right}fault.file.fault_around,,21,ns\nfault.anonymous,pages=16,21,ns\npage fault,,300,ns\n"
        );
        let found = [
            "fault.file.major,stride=1MB,1.765,us\n",
            "page fault,,20,ns\n",
            "fault.anonymous.write,,20,ns\n",
        ];
        expect("faster_than_storage", HEADING, &found, &[&right]);
    }

    #[test]
    fn random_block_of_a_hard_disk_takes_part_of_a_rotation() {
        let text = "file.read.uncached,order=random,58,us/block\nfile.contention,competitors=1 access=random,31,us\n\
                    file.read.uncached,order=sequential,0.6,us\nfile.read.uncached,order=random,9,ms\n";
        let disk = Machine { rotates: true, ..Machine::default() };
        expect_on(&disk, "answered_by_cache", [2, 0], HEADING, text);
    }

    #[test]
    fn direct_read_of_two_microseconds_is_found_unless_storage_is_memory() {
        let (found, right) = ("file.read.direct,order=random,2,us\n", "file.read.direct,device=pmem,1,us\n");
        expect("answered_by_cache", HEADING, &[found], &[right]);
        let memory = Machine { stores_in_memory: true, ..Machine::default() };
        expect_on(&memory, "answered_by_cache", [0, 1], HEADING, "file.read.direct,,1,us\n");
    }

    #[test]
    fn bandwidth_must_be_iops_times_block_size() {
        let found =
            ["read,4k,1,12411,484,79.9\n", "read,128k,8,25120,401,318\n", "read,4KB,32,312000,127.8,102.4\n"];
        let right = "read,4k,1,12411,48.5,79.9\nread,128k,8,25120,3140,318\nread,4KB,32,312000,1278,102.4\nread,,1,12,500,3\n";
        expect("rate_of_blocks", "test,bs,iodepth,iops,bw (MiB/s),lat_avg_us\n", &found, &[right]);
        let (found, right) = ("a,64KiB,1000,655.36,MB/s\n", "a,64KiB,1000,65.536,MB/s\n");
        expect("rate_of_blocks", "name,block_size,iops,bandwidth,unit\n", &[found], &[right]);
    }
}
