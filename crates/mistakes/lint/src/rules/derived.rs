//! The rule for ratios and differences that do not follow from the rows that they name.

use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::table::Row;

/// "About ten" for 8.7 is how people write; farther off is another value.
const ROUGHLY: f64 = 0.15;
/// Of more operations that a name may mean, one agrees with any value.
const MOST_MEANT: usize = 3;

pub(crate) const RULES: &[Rule] = &[Rule {
    id: "derived",
    code: "E49",
    what: "A row that names what it is the ratio or difference of (`ratio=process/thread`, `difference=remote-local`) and \
           is more than 15 % off from what the named rows give.",
    example: "operation,parameter,measured,unit,quantity\nprocess.create.fork,,12567,us,latency\n\
              thread.create.raw,,28,us,latency\nprocess.create.fork,ratio=process/thread,40,ratio,count\n",
    why: "Text and tables are of different values.",
    wrong_when: "The name means other rows than those that fit it best.",
    checks: &[Check::Table(derived)],
}];

fn derived(context: &Context<'_>) -> Vec<Finding> {
    // What a row can be derived from: everything with a result that is not derived itself.
    let sources: Vec<&Row> =
        context.claimed().filter(|row| !row.params.is_derived() || row.params.has("per")).collect();
    let rows = context.table.rows.iter().filter(|row| !row.params.is_trial());
    rows.filter_map(|row| contradicted(row, &sources)).collect()
}

fn contradicted(row: &Row, sources: &[&Row]) -> Option<Finding> {
    let (is_ratio, sign) = if row.params.has("ratio") { (true, '/') } else { (false, '-') };
    let name = if is_ratio { "ratio" } else { "difference" };
    let (left, right) = row.params.get(name)?.split_once(sign)?;
    let factor = match (is_ratio, row.unit_text.as_str()) {
        (true, "%") => 0.01,
        (true, _) => 1.0,
        (false, _) => row.factor()?,
    };
    let given = row.measured?.value * factor;
    let sources: Vec<&Row> = sources.iter().copied().filter(|source| source.report == row.report).collect();
    // The row may mean any of the pairs that it fits; it is wrong when it agrees with none.
    let mut best: Option<(f64, &Row, &Row)> = None;
    for (a, left_row) in named(row, left, right, &sources) {
        for (b, right_row) in named(row, right, left, &sources) {
            let other_operation = left_row.operation != right_row.operation;
            let comparable = other_operation || is_comparable(left_row, right_row, left, right);
            let value = if is_ratio { a / b } else { a - b };
            let nearer = best
                .is_none_or(|(best, ..)| distance(given, value, is_ratio) < distance(given, best, is_ratio));
            if b != 0.0 && left_row.quantity == right_row.quantity && comparable && nearer {
                best = Some((value, left_row, right_row));
            }
        }
    }
    let (value, left_row, right_row) =
        best.filter(|(value, ..)| distance(given, *value, is_ratio) > ROUGHLY)?;
    let (shown, digits) = (row.shown(), if is_ratio { 3 } else { 4 });
    let text =
        format!("{shown} for {left} {sign} {right}, which is {:.digits$} by the named rows", value / factor);
    Some(Finding::new(&[row, left_row, right_row], text))
}

/// How far the given value is from a computed one. Text does not say which way a rate goes, and a difference has no sign.
fn distance(given: f64, value: f64, is_ratio: bool) -> f64 {
    let inverse = is_ratio.then_some(1.0 / value);
    let meant = [value, -value].into_iter().chain(inverse);
    meant.map(|value| (given / value - 1.0).abs()).fold(f64::INFINITY, f64::min)
}

/// Whether a name is that of a column.
fn is_column(name: &str) -> bool {
    name == "measured" || name == "predicted"
}

/// Two points of one sweep, or two columns of one row.
fn is_comparable(a: &Row, b: &Row, left: &str, right: &str) -> bool {
    if is_column(left) && is_column(right) && a.line == b.line {
        return true;
    }
    let [left, right] = [(a, left), (b, right)].map(|(row, value)| {
        let essence = row.params.essence();
        let rest = essence.pairs().iter().filter(|(_, known)| *known != value);
        rest.map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
    });
    left == right
}

/// The rows that a name can mean, with their value in base units.
fn named<'t>(row: &Row, name: &str, other: &str, sources: &[&'t Row]) -> Vec<(f64, &'t Row)> {
    let of_operation = sources.iter().copied().filter(|source| source.operation == row.operation);
    if is_column(name) {
        // Both columns of one row, or neither.
        let both = of_operation.filter(|source| source.measured.is_some() && source.predicted.is_some());
        let values = both.filter(|source| fits(source, row)).filter_map(|source| {
            let figure = if name == "measured" { source.measured } else { source.predicted };
            Some((source.si(figure)?, source))
        });
        return values.collect();
    }
    let mut meant: Vec<&'t Row> =
        of_operation.filter(|source| source.params.pairs().values().any(|known| known == name)).collect();
    if meant.is_empty() {
        let ids = best_named(row, name, other, sources);
        let of_ids = sources.iter().copied().filter(|source| ids.contains(&source.operation.as_str()));
        meant = of_ids.filter(|source| fits(source, row) && !source.params.is_extreme()).collect();
    }
    meant.into_iter().filter_map(|source| Some((source.result()?, source))).collect()
}

/// Whether a source has all parameters by which the derived row narrows what it means.
fn fits(source: &Row, row: &Row) -> bool {
    let narrowed = row.params.essence().without(&["ratio", "difference", "statistic"]);
    source.params.contains_all(&narrowed) && (source.params.is_plain() || !narrowed.pairs().is_empty())
}

/// The operations whose id includes this name (one word or several) and most words of the row's own id. A name that no
/// id has, such as `local` beside `remote`, is the sibling without the other name.
fn best_named<'t>(row: &Row, name: &str, other: &str, sources: &[&'t Row]) -> Vec<&'t str> {
    let mut ids: Vec<&'t str> = sources.iter().map(|source| source.operation.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let has_name = ids.iter().any(|id| includes(id, name));
    ids.retain(|id| {
        if has_name {
            includes(id, name)
        } else {
            includes(&row.operation, other) && !includes(id, other) && differ_in_one_word(id, &row.operation)
        }
    });
    if ids.contains(&row.operation.as_str()) {
        ids.retain(|id| *id == row.operation);
        return ids;
    }
    let own: Vec<&str> = row.operation.split(['.', '_']).collect();
    let common = |id: &str| id.split(['.', '_']).filter(|word| own.contains(word)).count();
    let most = ids.iter().map(|id| common(id)).max();
    ids.retain(|id| Some(common(id)) == most);
    if ids.len() > MOST_MEANT { Vec::new() } else { ids }
}

/// Whether an id includes a name, as whole words.
fn includes(id: &str, name: &str) -> bool {
    let [id, name] = [id, name].map(|text| format!(".{}.", text.replace('_', ".")));
    id.contains(&name)
}

fn differ_in_one_word(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('.').collect(), b.split('.').collect());
    a.len() == b.len() && a.iter().zip(&b).filter(|(x, y)| x != y).count() == 1
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::expect;

    const ROWS: &str = "operation,parameter,measured,predicted,unit,quantity\nprocess.create.fork,,12567,,us,latency\n\
                        thread.create.raw,,28,,us,latency\nfile.read.lines,file=1,220,,us,latency\n\
                        file.remote.lines,file=1,4460,,us,latency\nswitch.pipe,,6625,6000,ns,latency\n\
                        net,peer=loopback,4500,,MB/s,bandwidth\nnet,peer=remote,300,,MB/s,bandwidth\n";

    #[test]
    fn ratios_and_differences_that_do_not_follow_are_found() {
        let found = [
            "process.create.fork,ratio=process/thread,40,,ratio,count\n",
            "file.remote.lines,file=1 difference=remote-local,13,,us,latency\n",
            "switch.pipe,difference=measured-predicted,1000,,ns,latency\n",
            "net,ratio=loopback/remote,30,,ratio,count\n",
        ];
        let right = [
            "process.create.fork,ratio=process/thread,450,,ratio,count\n",
            "file.remote.lines,file=1 difference=remote-local,4240,,us,latency\n",
            "switch.pipe,difference=measured-predicted,600,,ns,latency\n",
            "net,ratio=loopback/remote,15,,ratio,count\n",
            "net,ratio=measured/link,77,,%,count\n",
            "net,ratio=,77,,%,count\n",
        ];
        expect("derived", ROWS, &found, &right);
    }
}
