//! Rules for operations of the kernel: entries that did not happen, zeros, counted switches, waits for a peer.

use crate::context::Context;
use crate::finding::{Check, Rule};
use crate::table::{Row, Table};
use quantity::Quantity;

/// Cycles. Entering and leaving the kernel takes some 60 to 100 on every processor of the last twenty years; the work of
/// the call comes on top.
const ENTRY_CYCLES: f64 = 65.0;
/// Seconds, where the clock is unknown: as many cycles at 4 GHz.
const ENTRY: f64 = 16e-9;
/// A call of the C library takes at least this share of the same call made raw, if it enters the kernel.
const OF_RAW: f64 = 0.5;

/// Parameters that say how much work there is.
const AMOUNTS: &str = "file bytes size transfer block n iterations count entries";
/// Operations that take time everywhere.
const TAKES_TIME: [&str; 7] = ["syscall", "switch", "process", "thread", "network", "fault", "ipc"];
/// Trials of more clock steps than this are not limited by the clock.
const MOST_STEPS: f64 = 5.0;

/// A round trip between two actors has two switches, one way has one.
const MOST_SWITCHES: f64 = 2.5;
const FEWEST_SWITCHES: f64 = 0.9;

/// A connection needs two or three round trips to the peer; more than this many are a wait.
const ROUND_TRIPS: f64 = 100.0;
/// Seconds, where no round trip is given. The first retransmission of a lost packet comes after one second.
const LONG: f64 = 0.5;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "no_kernel_entry",
        code: "E01",
        what: "A system call below 65 cycles, or below 16 ns where the clock is unknown; or a call of the C library below \
               half of the same call made raw.",
        example: "operation,measured,unit\nsyscall.getpid.raw,90,ns\nsyscall.getpid.libc,3.1,ns\n",
        why: "Entering and leaving the kernel alone takes longer: the C library returned a cached value.",
        wrong_when: "A future processor enters its kernel faster than today's.",
        checks: &[Check::Operations(no_kernel_entry)],
    },
    Rule {
        id: "clamped_zero",
        code: "E05",
        what: "A time or rate of exactly zero where other values of the same operation are above zero, for an operation of \
               the kernel, with other figures of the row that are zero as well, or with no other result in the table.",
        example: "operation,measured,unit\nsyscall.getpid,0,ns\n",
        why: "Every operation takes time: the subtracted overhead exceeded the result, which was clamped at zero.",
        wrong_when: "There was no work at that point (an empty file), and no parameter says so.",
        checks: &[Check::Points(clamped_zero)],
    },
    Rule {
        id: "switches",
        code: "E39",
        what: "A count of context switches per operation above two, or below one, for an operation that is a switch.",
        example: "operation,parameter,measured,unit\nswitch.process.pipe,statistic=voluntary_switches,6,switches\n",
        why: "The cost is divided by an assumed number of switches, not by the counted one.",
        wrong_when: "The operation is a ring of more than two actors, or the count is of a whole run.",
        checks: &[Check::Points(switches)],
    },
    Rule {
        id: "connection_wait",
        code: "E40",
        what: "Connecting, accepting or closing that takes over a hundred round trips to the same peer, and over half a \
               second.",
        example: "operation,parameter,measured,unit\nnetwork.connection.accept,path=loopback,2.4,s\n",
        why: "The interval includes the wait for the peer to start, or for a person.",
        wrong_when: "Packets were lost and retransmitted.",
        checks: &[Check::Points(connection_wait)],
    },
];

fn no_kernel_entry(context: &Context<'_>, row: &Row) -> Option<String> {
    let is_call = row.belongs("syscall") && !row.params.is_trial() && !stays_in_user_space(row);
    let time = row.time().filter(|_| is_call)?;
    let raw = raw_call(context.table, row).unwrap_or(0.0);
    (time < kernel_entry(context.table, row) || time < OF_RAW * raw).then(|| {
        let shown = row.shown();
        format!("{shown} is less than entering and leaving the kernel takes: no system call was made")
    })
}

/// What entering and leaving the kernel takes at least on the machine of a row, in seconds.
pub(super) fn kernel_entry(table: &Table, row: &Row) -> f64 {
    table.cycle(row).map_or(ENTRY, |cycle| ENTRY_CYCLES * cycle)
}

/// The system call of a report that takes least, of those that entered the kernel and for which this holds.
pub(super) fn least_call<'t>(
    table: &'t Table,
    report: &'t str,
    holds: impl Fn(&Row) -> bool,
) -> Option<(f64, &'t Row)> {
    table.least(report, |row| {
        let is_call = row.belongs("syscall") && !stays_in_user_space(row) && holds(row);
        is_call && row.result().is_some_and(|time| time >= kernel_entry(table, row))
    })
}

/// Calls that are meant to do without the kernel: in the vDSO, and an uncontended POSIX semaphore.
pub(super) fn stays_in_user_space(row: &Row) -> bool {
    row.has_word("vdso") || row.belongs("syscall.posix_semaphore")
}

/// Whether the C library makes the call.
pub(super) fn is_library(row: &Row) -> bool {
    row.has_word("libc") || row.params.get("method") == Some("libc")
}

/// What the same report gives for the same call made raw, in seconds.
fn raw_call(table: &Table, row: &Row) -> Option<f64> {
    let stem = row.operation.strip_suffix(".libc").unwrap_or(&row.operation);
    let suffixed = format!("{stem}.raw");
    let least = table
        .least(&row.report, |other| {
            other.belongs(&suffixed) || (other.operation == stem && other.params.get("method") == Some("raw"))
        })
        .filter(|_| is_library(row));
    least.map(|(time, _)| time)
}

fn clamped_zero(context: &Context<'_>, row: &Row) -> Option<String> {
    let is_zero = row.is_timed() && !row.params.is_derived() && row.measured?.value == 0.0;
    let mut amounts =
        AMOUNTS.split(' ').filter_map(|name| row.params.number(name).or(row.params.bytes(name)));
    if !is_zero || amounts.any(|amount| amount == 0.0) {
        return None;
    }
    let takes_time = !row.params.is_trial() && row.is(Quantity::Latency) && row.belongs_to_any(&TAKES_TIME);
    if is_all_zero(row) || is_table_of_zeros(context, row) {
        return Some(
            "every figure is exactly 0: nothing was measured, or it took less than the digits show"
                .to_owned(),
        );
    }
    let mut rows = context.table.rows.iter();
    let has_other = rows
        .any(|other| other.same_quantity(row) && other.measured.is_some_and(|measured| measured.value > 0.0));
    let found = takes_time || (has_other && !is_trial_in_steps(context, row));
    found.then(|| "exactly 0: clamped at zero, or shorter than the resolution of the clock".to_owned())
}

/// Whether a row is a trial of a series whose values are steps of a clock.
fn is_trial_in_steps(context: &Context<'_>, row: &Row) -> bool {
    let mut all = context.series();
    let series = all.find(|series| series.rows.iter().any(|trial| trial.line == row.line));
    series.is_some_and(|series| are_steps(&series.values, series.place))
}

/// Whether a row has a summary, and all of it is zero.
fn is_all_zero(row: &Row) -> bool {
    let quantiles = row.quantiles.iter().map(|(_, figure)| *figure);
    let mut figures = [row.minimum, row.maximum, row.deviation].into_iter().flatten().chain(quantiles);
    row.maximum.or(row.deviation).is_some() && figures.all(|figure| figure.value == 0.0)
}

/// Whether this row begins a report of which every time and rate is zero, two or more.
fn is_table_of_zeros(context: &Context<'_>, row: &Row) -> bool {
    let rows = context.table.rows_of(&row.report);
    let results: Vec<&Row> = rows.filter(|row| row.is_timed() && row.measured.is_some()).collect();
    results.first().is_some_and(|first| first.line == row.line)
        && results.len() > 1
        && results.iter().all(|row| row.measured.is_some_and(|measured| measured.value == 0.0))
}

/// Whether the trials are none, one or a few steps of a coarse clock: then a zero is the clock's, not a subtraction's.
fn are_steps(values: &[f64], place: f64) -> bool {
    let above = values.iter().copied().filter(|value| *value > 0.0);
    let step = above.clone().fold(f64::INFINITY, f64::min);
    above.count() > 1
        && values.iter().all(|value| {
            let steps = (value / step).round();
            (value - steps * step).abs() <= 0.51 * place * (1.0 + steps) && steps <= MOST_STEPS
        })
}

fn switches(_: &Context<'_>, row: &Row) -> Option<String> {
    let named = row.params.get("statistic").is_some_and(|word| word.contains("switches"));
    let is_count = (named || row.unit_text == "switches") && row.belongs("switch");
    let (least, most) = (row.minimum.or(row.measured)?.value, row.maximum.or(row.measured)?.value);
    let wrong = least > MOST_SWITCHES || most < FEWEST_SWITCHES;
    let counted = if least == most { least.to_string() } else { format!("{least} to {most}") };
    (is_count && wrong && !row.params.has("processes"))
        .then(|| format!("{counted} switches counted per operation, 1 or 2 expected"))
}

fn connection_wait(context: &Context<'_>, row: &Row) -> Option<String> {
    let is_connection = row.belongs("network.connection") && row.is_time_of_one();
    let path = row.params.get("path");
    let trips = context
        .table
        .rows_of(&row.report)
        .filter(|other| other.belongs("network.round_trip") && other.params.get("path") == path)
        .filter_map(Row::result);
    let most = trips.reduce(f64::max).map_or(LONG, |trip| trip * ROUND_TRIPS).max(LONG);
    let time = row.result().or(row.si(row.minimum)).filter(|_| is_connection)?;
    let shown = row.figure(row.measured.or(row.minimum));
    (time > most).then(|| format!("{shown} includes a wait for the peer or a person"))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{HEADING, expect, expect_count, trials};

    #[test]
    fn library_call_without_kernel_entry_is_found() {
        let found = [
            "syscall.getpid.raw,,430,ns\nsyscall.getpid.libc,,25,ns\n",
            "syscall.getpid,method=raw,430,ns\nsyscall.getpid,method=libc,25,ns\n",
            "syscall.a,,12,ns\nsyscall.a,statistic=mean,12.3,ns\n",
        ];
        let right = "syscall.a,,54,ns\nclock.read,,12,ns\nsyscall.b,fit=slope,2,ns\nsyscall.c.vdso,,9,ns\n\
                     syscall.d.raw,,18.4,ns\nsyscall.d.libc,,18.1,ns\nsyscall.posix_semaphore.self,,6,ns\n";
        expect("no_kernel_entry", HEADING, &found, &[right]);
    }

    #[test]
    fn zero_is_found_unless_the_clock_or_no_work_explains_it() {
        let found = ["call,trial=1,5.3,ns\ncall,trial=2,0,ns\n", "connection.close,peer=remote,0,us\n"];
        let idle = "read,file=0KB,0,s\nread,file=1KB,0.1,s\nloss,,0,%\nloss,n=2,1,%\nx,,0,ns\n";
        expect("clamped_zero", HEADING, &found, &[idle]);
        expect_count("clamped_zero", 1, HEADING, "copy,,0,GB/s\nfill,,0,GB/s\n");
        let heading = "command,mean,stddev,median,user,system,min,max\n";
        expect(
            "clamped_zero",
            heading,
            &["./x,0,0,0,0,0.0002,0,0\n"],
            &["./x,0.001,0.001,0.001,0,0.0002,0,0.004\n"],
        );
        expect_count("clamped_zero", 0, "", &trials("clock", "ns", "41.67 0 41.67 83.33 0", ""));
    }

    #[test]
    fn six_switches_are_found_and_two_are_not() {
        let text = "operation,parameter,minimum,maximum,measured,unit\nswitch.pipe,statistic=voluntary_switches,6,8,,switches\n\
                    switch.a,statistic=voluntary_switches,,,2,switches\nswitch.b,statistic=switches processes=8,,,8,1\n";
        expect_count("switches", 1, "", text);
    }

    #[test]
    fn accept_that_waits_for_the_peer_is_found_and_slow_links_are_not() {
        let text = "round_trip.tcp,peer=far,20,ms\nround_trip.tcp,peer=loopback,30,us\nconnection.accept,peer=loopback,2.4,s\n\
                    connection.connect,peer=far,0.7,s\nconnection.close,peer=loopback,13,us\n";
        expect_count("connection_wait", 1, HEADING, text);
        let own = "network.connection.connect,path=loopback cpu=same,0.7,s\n";
        expect_count("connection_wait", 1, "operation,point,typical,unit\n", own);
    }
}
