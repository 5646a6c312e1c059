//! Ratios and differences in the text that the tables do not give.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;

/// "About ten" for 8.7 is how people write; farther off is another figure.
const ROUGHLY: f64 = 0.15;

/// A name may mean so many operations; a row is wrong when it agrees with none.
const MOST_MEANT: usize = 3;

pub(crate) const RULE: Rule = Rule {
    id: "derived",
    code: "E49",
    what: "A row that names what it is the ratio or difference of (`ratio=process/thread`, `difference=remote-local`) \
           and is more than 15 % off from what the rows that it names give.",
    why: "Text and tables are of different figures.",
    wrong_when: "The name means other rows than the ones that fit it best.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    // What a row can be derived from: everything with a result, by its first telling and as the mean of its trials.
    let sources: Vec<&Row> = tellings
        .iter()
        .flat_map(|telling| telling.rows.iter().copied())
        .filter(|row| !row.params.is_derived() || row.params.get("per").is_some())
        .collect();
    let derived = table.rows.iter().filter(|row| !row.params.is_trial());
    derived.filter_map(|row| judge(row, &sources)).collect()
}

fn judge(row: &Row, sources: &[&Row]) -> Option<Finding> {
    let (sign, text) = [("ratio", '/'), ("difference", '-')]
        .into_iter()
        .find_map(|(name, sign)| Some((sign, row.params.get(name)?)))?;
    let told = row.measured?.value;
    let (left, right) = text.split_once(sign)?;
    let ratio = sign == '/';
    let factor = if ratio {
        if row.unit_text == "%" { 0.01 } else { 1.0 }
    } else {
        row.factor()?
    };
    let told = told * factor;
    let mut given: Vec<(f64, &Row, &Row)> = Vec::new();
    for (a, left_row) in resolve(row, left, right, sources) {
        for (b, right_row) in resolve(row, right, left, sources) {
            let alike = left_row.quantity == right_row.quantity
                && (left_row.operation != right_row.operation
                    || comparable(left_row, right_row, left, right));
            if alike && b != 0.0 {
                given.push((if ratio { a / b } else { a - b }, left_row, right_row));
            }
        }
    }
    // A row may mean any of those that it fits; it is wrong when it agrees with none.
    let off = |value: f64| (told / value - 1.0).abs();
    // Text speaks of sizes, not of signs or of which way a rate goes.
    let nearest = |value: f64| {
        off(value)
            .min(off(-value))
            .min(if ratio { off(1.0 / value) } else { f64::INFINITY })
    };
    let best = given
        .into_iter()
        .min_by(|a, b| nearest(a.0).total_cmp(&nearest(b.0)))?;
    if nearest(best.0) <= ROUGHLY {
        return None;
    }
    let value = if ratio {
        format!("{:.3}", best.0 / factor)
    } else {
        format!("{:.4}", best.0 / factor)
    };
    let text = format!(
        "{} for {left} {sign} {right}, where the tables give {value}",
        row.told(row.measured)
    );
    Some(Finding::new(&[row, best.1, best.2], text))
}

/// Two ends of one sweep, or the two columns of one row.
fn comparable(a: &Row, b: &Row, left: &str, right: &str) -> bool {
    let columns = |name: &str| name == "measured" || name == "predicted";
    let without = |row: &Row, value: &str| {
        row.params
            .essence()
            .pairs()
            .iter()
            .filter(|(_, known)| known != value)
            .cloned()
            .collect::<Vec<_>>()
    };
    (columns(left) && columns(right) && a.line == b.line) || without(a, left) == without(b, right)
}

/// The rows that a name can mean, with their value in base units.
fn resolve<'t>(row: &Row, name: &str, other: &str, sources: &[&'t Row]) -> Vec<(f64, &'t Row)> {
    let near: Vec<&Row> = sources
        .iter()
        .copied()
        .filter(|source| source.report == row.report)
        .collect();
    if name == "measured" || name == "predicted" {
        let own = near
            .into_iter()
            .filter(|source| source.operation == row.operation && fits(source, row));
        return own
            .filter_map(|source| {
                let figure = if name == "measured" {
                    source.measured
                } else {
                    source.predicted
                };
                // Both columns of one row, or neither.
                let both = source.measured.is_some() && source.predicted.is_some();
                Some((source.si(figure.filter(|_| both))?, source))
            })
            .collect();
    }
    let value = |source: &&'t Row| Some((source.result()?, *source));
    let by_value: Vec<&Row> = near
        .iter()
        .copied()
        .filter(|source| {
            source.operation == row.operation && source.params.pairs().iter().any(|(_, known)| known == name)
        })
        .collect();
    if !by_value.is_empty() {
        return by_value.iter().filter_map(value).collect();
    }
    let meant = best_named(row, name, other, &near);
    let of = near
        .iter()
        .copied()
        .filter(|source| meant.contains(&source.operation.as_str()) && fits(source, row));
    of.filter(|source| !source.params.is_extreme())
        .filter_map(|source| value(&source))
        .collect()
}

/// Whether a source has all the parameters by which the derived row narrows what it means.
fn fits(source: &Row, row: &Row) -> bool {
    let narrowed = row
        .params
        .essence()
        .without(&["ratio", "difference", "statistic"]);
    source.params.contains_all(&narrowed) && (source.params.is_plain() || !narrowed.pairs().is_empty())
}

/// The operations whose id has this name in it (one word or several) and most words in common with the row's own. A
/// name that no id has, such as `local` beside `remote`, is the sibling that has not the other name.
fn best_named<'t>(row: &Row, name: &str, other: &str, near: &[&'t Row]) -> Vec<&'t str> {
    let words = |text: &str| format!(".{}.", text.replace('_', "."));
    let named = |id: &str, name: &str| words(id).contains(&words(name));
    let mut ids: Vec<&'t str> = near.iter().map(|source| source.operation.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let has: Vec<&str> = ids.iter().copied().filter(|id| named(id, name)).collect();
    let candidates = if has.is_empty() && !named(&row.operation, other) {
        return Vec::new();
    } else if has.is_empty() {
        let sibling = ids
            .into_iter()
            .filter(|id| !named(id, other) && differ_in_one_word(id, &row.operation));
        sibling.collect()
    } else {
        has
    };
    if candidates.contains(&row.operation.as_str()) {
        return candidates.into_iter().filter(|id| *id == row.operation).collect();
    }
    let words = |id: &'t str| id.split(['.', '_']);
    let common = |id: &&'t str| {
        let own = || row.operation.split(['.', '_']);
        words(id).filter(|word| own().any(|one| one == *word)).count()
    };
    let most = candidates.iter().map(common).max();
    let best = candidates.into_iter().filter(|id| Some(common(id)) == most);
    let best: Vec<&str> = best.collect();
    // Of more than a few, one agrees with any figure.
    if best.len() > MOST_MEANT { Vec::new() } else { best }
}

fn differ_in_one_word(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('.').collect(), b.split('.').collect());
    a.len() == b.len() && a.iter().zip(&b).filter(|(x, y)| x != y).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const ROWS: &str = "operation,parameter,measured,predicted,unit,quantity\nprocess.create.fork,,12567,,us,latency\n\
                        thread.create.raw,,28,,us,latency\nfile.read.lines,file=1,220,,us,latency\n\
                        file.remote.lines,file=1,4460,,us,latency\nswitch.pipe,,6625,6000,ns,latency\n\
                        net,peer=loopback,4500,,MB/s,bandwidth\nnet,peer=remote,300,,MB/s,bandwidth\n";

    #[test]
    fn what_the_tables_do_not_give_is_found() {
        for wrong in [
            "process.create.fork,ratio=process/thread,40,,ratio,count",
            "file.remote.lines,file=1 difference=remote-local,13,,us,latency",
            "switch.pipe,difference=measured-predicted,1000,,ns,latency",
            "net,ratio=loopback/remote,30,,ratio,count",
        ] {
            assert_eq!(count(&RULE, &format!("{ROWS}{wrong}\n")), 1, "{wrong}");
        }
    }

    #[test]
    fn what_they_give_and_what_cannot_be_resolved_are_none() {
        for right in [
            "process.create.fork,ratio=process/thread,450,,ratio,count",
            "file.remote.lines,file=1 difference=remote-local,4240,,us,latency",
            "switch.pipe,difference=measured-predicted,600,,ns,latency",
            "net,ratio=loopback/remote,15,,ratio,count",
            "net,ratio=measured/link,77,,%,count",
            "net,ratio=,77,,%,count",
        ] {
            assert_eq!(count(&RULE, &format!("{ROWS}{right}\n")), 0, "{right}");
        }
    }
}
