//! Repeated claims: rows without a trial that report the same quantity of the same operation at the same point.

use crate::params::Params;
use crate::table::{Row, Table, grouped};

/// Rows of one report for the same quantity of the same operation at the same parameters.
#[derive(Debug)]
pub(crate) struct Claim<'t> {
    pub essence: Params,
    pub rows: Vec<&'t Row>,
}

impl<'t> Claim<'t> {
    /// All pairs of rows.
    pub fn pairs(&self) -> Vec<(&'t Row, &'t Row)> {
        let each = self.rows.iter().enumerate();
        each.flat_map(|(at, a)| self.rows.iter().skip(at + 1).map(|b| (*a, *b))).collect()
    }

    /// Pairs of rows with the same labels.
    pub fn comparable(&self) -> Vec<(&'t Row, &'t Row)> {
        self.pairs().into_iter().filter(|(a, b)| a.labels == b.labels).collect()
    }
}

/// All claims. A row that leaves parameters out joins the only claim that it can mean.
pub(crate) fn claims(table: &Table) -> Vec<Claim<'_>> {
    let rows = table.rows.iter().filter(|row| !row.params.is_trial());
    let keyed = rows
        .map(|row| ((row.params.essence(), row.report.clone(), row.operation.clone(), row.quantity), row));
    let groups = grouped(keyed).into_iter();
    let mut claims: Vec<Claim<'_>> = groups.map(|((essence, ..), rows)| Claim { essence, rows }).collect();
    let targets: Vec<Option<usize>> = (0..claims.len()).map(|at| only_longer(&claims, at)).collect();
    for (at, target) in targets.iter().enumerate() {
        let Some(to) = target.filter(|to| targets.get(*to) == Some(&None)) else {
            continue;
        };
        let rows = claims.get_mut(at).map(|claim| std::mem::take(&mut claim.rows));
        if let Some(claim) = claims.get_mut(to) {
            claim.rows.extend(rows.unwrap_or_default());
            claim.rows.sort_by_key(|row| row.line);
        }
    }
    claims.retain(|claim| !claim.rows.is_empty());
    claims
}

/// A summary often leaves out what is always the same: `peer=remote` for `transfer=5GB peer=remote`. The only claim with
/// all of its parameters and more, where it is a single row that repeats in another section what that claim says.
fn only_longer(claims: &[Claim<'_>], at: usize) -> Option<usize> {
    let short = claims.get(at)?;
    let [row] = short.rows.as_slice() else { return None };
    let mut longer = claims.iter().enumerate().filter(|(other, long)| {
        let same = long.rows.first().is_some_and(|first| first.same_quantity(row));
        *other != at && same && long.essence.contains_all(&short.essence)
    });
    let (to, long) = longer.next().filter(|_| longer.next().is_none())?;
    let elsewhere = long.rows.iter().all(|other| other.section != row.section);
    // A slope is not what it is a slope of, nor is a maximum the mean.
    let (a, b) = (&long.essence, &short.essence);
    let same_kind = a.is_derived() == b.is_derived() && a.get("statistic") == b.get("statistic");
    (elsewhere && same_kind).then_some(to)
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn summary_joins_the_only_claim_it_can_mean() {
        let text = "section,operation,parameter,measured,unit\n1,a,size=1 peer=x,1,ns\n1,a,size=1 peer=y,2,ns\n\
                    7,a,peer=x,1,ns\n7,a,,3,ns\n1,b,fit=slope,1,ns\n7,b,,2,ns\n1,c,size=1,1,ns\n1,c,,2,ns\n";
        let table = read(text, Vec::new()).unwrap();
        let sizes: Vec<usize> = super::claims(&table).iter().map(|claim| claim.rows.len()).collect();
        assert_eq!(sizes, [2, 1, 1, 1, 1, 1, 1]);
    }
}
