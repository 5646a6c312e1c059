//! The same thing told more than once: rows without a trial that mean one measurement.

use crate::params::Params;
use crate::table::{Row, Table};

/// Rows of one report that tell the same quantity of the same operation at the same parameters.
#[derive(Debug)]
pub(crate) struct Telling<'t> {
    pub essence: Params,
    pub rows: Vec<&'t Row>,
}

/// Everything that is told, once or more. A row that leaves parameters out joins the only row set that it can mean.
pub(crate) fn all(table: &Table) -> Vec<Telling<'_>> {
    let mut tellings: Vec<Telling<'_>> = Vec::new();
    let rows = || table.rows.iter().filter(|row| !row.params.is_trial());
    for row in rows() {
        let essence = row.params.essence();
        match tellings
            .iter_mut()
            .find(|telling| telling.essence == essence && alike(telling, row))
        {
            Some(telling) => telling.rows.push(row),
            None => tellings.push(Telling {
                essence,
                rows: vec![row],
            }),
        }
    }
    join_shortened(tellings)
}

fn alike(telling: &Telling<'_>, row: &Row) -> bool {
    telling.rows.first().is_some_and(|first| {
        (&first.report, &first.operation, first.quantity) == (&row.report, &row.operation, row.quantity)
    })
}

/// A summary often leaves out what is always the same: `peer=remote` for `transfer=5GB peer=remote`. Where only one
/// telling has all of its parameters and more, it is that one.
fn join_shortened(tellings: Vec<Telling<'_>>) -> Vec<Telling<'_>> {
    let mut joined: Vec<Telling<'_>> = Vec::new();
    let mut moved: Vec<(usize, Vec<&Row>)> = Vec::new();
    let mut place = Vec::new();
    for (at, telling) in tellings.iter().enumerate() {
        let Some(row) = telling.rows.first() else { continue };
        let mut longer = tellings.iter().enumerate().filter(|(other, candidate)| {
            *other != at && alike(candidate, row) && candidate.essence.contains_all(&telling.essence)
        });
        match (longer.next(), longer.next()) {
            (Some((to, target)), None) if shortens(telling, target) => {
                moved.push((to, telling.rows.clone()));
            }
            _ => {
                place.push(at);
                joined.push(Telling {
                    essence: telling.essence.clone(),
                    rows: telling.rows.clone(),
                });
            }
        }
    }
    for (to, rows) in moved {
        let target = place
            .iter()
            .position(|&at| at == to)
            .and_then(|at| joined.get_mut(at));
        if let Some(target) = target {
            target.rows.extend(rows);
            target.rows.sort_by_key(|row| row.line);
        }
    }
    joined
}

/// Whether a telling is a single row that repeats, in another section, what a longer one tells.
fn shortens(short: &Telling<'_>, long: &Telling<'_>) -> bool {
    let elsewhere = |row: &Row| long.rows.iter().all(|other| other.section != row.section);
    let single = matches!(short.rows.as_slice(), [row] if elsewhere(row));
    single && same_kind(&long.essence, &short.essence)
}

/// A slope is not what it is a slope of, nor is a maximum the mean.
fn same_kind(a: &Params, b: &Params) -> bool {
    a.is_derived() == b.is_derived() && a.essence().get("statistic") == b.essence().get("statistic")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::read;

    #[test]
    fn a_summary_joins_the_only_row_that_it_can_mean() {
        let text = "section,operation,parameter,measured,unit\n1,a,size=1 peer=x,1,ns\n1,a,size=1 peer=y,2,ns\n\
                    7,a,peer=x,1,ns\n7,a,,3,ns\n1,b,fit=slope,1,ns\n7,b,,2,ns\n1,c,size=1,1,ns\n1,c,,2,ns\n";
        let table = read(text, Vec::new()).unwrap();
        let sizes: Vec<usize> = super::all(&table)
            .iter()
            .map(|telling| telling.rows.len())
            .collect();
        assert_eq!(sizes, [2, 1, 1, 1, 1, 1, 1]);
    }
}
