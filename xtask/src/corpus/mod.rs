//! The corpus of measured machines: how far today's predictions are from what was measured on each.

mod add;
mod evaluation;
mod figures;
mod page;

pub use add::add;
pub use evaluation::{Evaluated, evaluate_all};
pub use figures::{FIGURES, figures, refuse_worse};
pub use page::{PAGE, page};

use analysis::Row;
use anyhow::{Context, Result};

/// Prints the figures of all machines.
///
/// # Errors
/// When a machine of the corpus cannot be read.
pub fn print() -> Result<bool> {
    print!("{}", page(&evaluate_all()?));
    Ok(true)
}

/// Prints every point of one machine with its predictions: what was measured, T0 and T1 with measured / predicted.
///
/// # Errors
/// When there is no such machine, or it cannot be read.
pub fn print_machine(name: &str) -> Result<bool> {
    let all = evaluate_all()?;
    let names: Vec<&str> = all.iter().map(|one| one.name).collect();
    let machine = all
        .iter()
        .find(|one| one.name == name)
        .with_context(|| format!("no machine `{name}` in the corpus, only {}", names.join(", ")))?;
    println!("{:>12} {:>12} {:>7} {:>12} {:>7}  point", "measured", "T0", "ratio", "T1", "ratio");
    for row in &machine.rows {
        let measured = row.estimate.as_ref().map(|estimate| format!("{:.5}", estimate.typical));
        let [(total_0, ratio_0), (total_1, ratio_1)] = [&row.from_facts, &row.from_parts].map(|predicted| {
            let total = predicted.as_ref().map(|one| format!("{:.5}", one.total.value));
            let ratio = predicted.as_ref().and_then(|one| one.ratio(row)).map(|ratio| format!("{ratio:.3}"));
            (total.unwrap_or_default(), ratio.unwrap_or_default())
        });
        println!(
            "{:>12} {total_0:>12} {ratio_0:>7} {total_1:>12} {ratio_1:>7}  {}{}",
            measured.unwrap_or_default(),
            row.point.id,
            remark(row)
        );
    }
    Ok(true)
}

fn remark(row: &Row) -> String {
    let same = row.same_as().map(|part| format!("  (same as {part})"));
    same.unwrap_or_else(|| format!("  ({})", row.verdict.word()))
}
