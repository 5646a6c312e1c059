//! The corpus of measured machines: how far today's predictions are from what was measured on each.

mod add;
mod evaluation;
mod figures;
mod page;

pub use add::add;
pub use evaluation::{Evaluated, evaluate_all};
pub use figures::{FIGURES, figures, refuse_worse};
pub use page::{PAGE, page};

use analysis::{Predicted, Row};
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
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.5}"));
        let total = |predicted: &Option<Predicted>| number(predicted.as_ref().map(|one| one.total.value));
        let ratio = |predicted: &Option<Predicted>| {
            let ratio = predicted.as_ref().and_then(|one| one.ratio(row));
            ratio.map_or_else(String::new, |ratio| format!("{ratio:.3}"))
        };
        println!(
            "{:>12} {:>12} {:>7} {:>12} {:>7}  {}{}",
            number(row.estimate.as_ref().map(|estimate| estimate.typical)),
            total(&row.from_facts),
            ratio(&row.from_facts),
            total(&row.from_parts),
            ratio(&row.from_parts),
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
