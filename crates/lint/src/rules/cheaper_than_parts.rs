//! A whole that costs less than what it is made of.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// System calls in a switch: one actor must sleep and the other be woken, each by a call of its own.
const CALLS: f64 = 2.0;
/// By as much a whole may be below its part without being wrong: the two were measured at different times.
const NOISE: f64 = 0.05;

/// Round trips hold two wake-ups, and by as much these differ with where the actors are.
const WAKING: f64 = 0.15;

pub(crate) const RULE: Rule = Rule {
    id: "cheaper_than_parts",
    code: "E03",
    what: "A switch or a round trip below two system calls of the same report; something over a network below the same \
           thing on this machine; a system call below the emptiest one; creating and ending something below creating \
           it alone; starting a program below `fork` alone, or `fork` below a thread; a connection below half of the \
           round trip to that peer; storage faster than the cache before it.",
    why: "A whole costs at least its parts: it did not happen, or the rows are exchanged.",
    wrong_when: "The part was measured in a dearer way than it occurs in the whole: on another processor, after a rest; \
                 or the two ends have different disks.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = switches(table);
    findings.extend(paths(table));
    findings.extend(remote_files(table));
    findings.extend(super::wholes::find(table));
    findings
}

fn switches(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let Some(row) = telling
            .rows
            .iter()
            .find(|row| (row.belongs("switch") || row.belongs("network.round_trip")) && row.is_time_of_one())
        else {
            continue;
        };
        let cheapest = super::wholes::cheapest_call(table, &row.report);
        let (Some((call, part)), Some(whole)) = (cheapest, row.result().filter(|_| row.params.is_plain()))
        else {
            continue;
        };
        if whole > 0.0 && whole < CALLS * call {
            let text = format!(
                "{} is less than two system calls of {}",
                row.told(row.measured),
                part.told(part.measured)
            );
            let rows: Vec<&Row> = telling.rows.iter().copied().chain([part]).collect();
            findings.push(Finding::new(&rows, text));
        }
    }
    findings
}

/// The same operation with `path=remote` and `path=loopback`: the way to another machine goes through this one.
fn paths(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    let rows = || {
        tellings
            .iter()
            .flat_map(|telling| telling.rows.iter().copied())
            .filter(|row| row.result().is_some())
    };
    let mut findings = Vec::new();
    for far in rows().filter(|row| row.params.get("path") == Some("remote")) {
        let near = rows().find(|near| {
            let same = (&far.report, &far.operation, &far.section, far.quantity)
                == (&near.report, &near.operation, &near.section, near.quantity);
            same && near.params.get("path") == Some("loopback")
                && near.params.essence().without(&["path"]) == far.params.essence().without(&["path"])
        });
        let Some(near) = near else { continue };
        let (Some(remote), Some(local)) = (far.result(), near.result()) else {
            continue;
        };
        let wrong = match far.quantity {
            Some(Quantity::Latency) => remote < local * (1.0 - WAKING),
            Some(Quantity::Bandwidth) => remote > local * (1.0 + NOISE),
            _ => false,
        };
        if wrong {
            let text = format!(
                "{} to another machine, {} to this one",
                far.told(far.measured),
                near.told(near.measured)
            );
            findings.push(Finding::new(&[far, near], text));
        }
    }
    findings
}

/// `file.remote.…` below `file.read.…` of the same kind, at the same point: all the more when only by the last digits,
/// where the network must have cost nothing.
fn remote_files(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    let rows = || {
        tellings
            .iter()
            .filter_map(|telling| telling.rows.first().copied())
    };
    let mut findings = Vec::new();
    for far in rows().filter(|row| row.belongs("file.remote") && row.is_time_of_one()) {
        let kind = far.operation.rsplit('.').next();
        let near = rows().find(|near| {
            near.report == far.report
                && near.belongs("file.read")
                && near.operation.rsplit('.').next() == kind
                && near.params.essence() == far.params.essence()
                && near.is_time_of_one()
        });
        let Some(near) = near else { continue };
        let below = far
            .result()
            .zip(near.result())
            .is_some_and(|(remote, local)| remote < local && remote > 0.0);
        if below {
            let text = format!(
                "{} from another machine, {} from this one",
                far.told(far.measured),
                near.told(near.measured)
            );
            findings.push(Finding::new(&[far, near], text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const HEADING: &str = "operation,parameter,measured,unit\n";

    #[test]
    fn wholes_below_their_parts_are_found() {
        for wrong in [
            "syscall.write,,196,ns\nswitch.thread.semaphore,,262,ns\n",
            "round_trip.tcp,peer=remote,20,us\nround_trip.tcp,peer=loopback,30,us\n",
            "bandwidth.tcp,peer=remote,2.7,GB/s\nbandwidth.tcp,peer=loopback,112,MB/s\n",
            "network.round_trip.udp,path=remote,20,us\nnetwork.round_trip.udp,path=loopback,30,us\n",
            "syscall.getppid,,190,ns\nnetwork.round_trip.unix,,300,ns\n",
            "file.read.lines,file=6KB,43.552,ms\nfile.remote.lines,file=6KB,43.547,ms\n",
        ] {
            assert_eq!(count(&RULE, &format!("{HEADING}{wrong}")), 1, "{wrong}");
        }
    }

    #[test]
    fn wholes_above_their_parts_are_none() {
        let text = "syscall.write,,196,ns\nswitch.thread.pipe,,1100,ns\nround_trip.tcp,peer=remote,200,us\n\
                    round_trip.tcp,peer=loopback,30,us\nfile.read.lines,file=6KB,43,ms\nfile.remote.lines,file=6KB,80,ms\n\
                    bandwidth.tcp,peer=remote,110,MB/s\nbandwidth.tcp,peer=loopback,2.7,GB/s\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
    }
}
