//! What two kernels differ by: the paths that changed, and in which functions.

use super::page::{FUNCTIONS, Page};
use super::points::is_approximate;
use super::table::plain;
use crate::arguments::Count;
use count::{Change, ChangedPoint, Difference, KernelCount};
use quantity::show_percent;
use record::PointId;
use report::{Paint, many};
use std::io;

/// Functions of a changed point that are shown unless the user says how many.
const MOST_FUNCTIONS: usize = 6;

/// Changed points that are shown unless the user wants all.
const CHANGED: usize = 40;

/// Points that a sentence names.
const NAMED: usize = 10;

/// Share of a count from which a noise floor is worth a sentence: a change of a twentieth would not be shown.
const WIDE_FLOOR: f64 = 0.05;

/// Writes the difference of two kernels.
pub fn compared(
    arguments: &Count,
    difference: &Difference,
    [from, to]: [&KernelCount; 2],
    page: &mut Page<'_>,
) -> io::Result<()> {
    let [first, second] = names(from, to);
    page.heading(&format!("{first} → {second}"))?;
    page.paragraph(&summary(difference, from, to))?;
    let shown = if arguments.all { usize::MAX } else { CHANGED };
    let most = arguments.functions.unwrap_or(MOST_FUNCTIONS);
    let changed: Vec<&ChangedPoint> = difference.changed.iter().take(shown).collect();
    if !changed.is_empty() {
        let rows: Vec<Vec<String>> = changed.iter().map(|point| changed_row(point, most)).collect();
        match page.is_markdown {
            true => page.table(
                &[("path", 0), ("before", 0), ("after", 0), ("change", 0), ("by", 0), (FUNCTIONS, 0)],
                &rows,
            )?,
            false => changed_lines(&rows, page)?,
        }
    }
    if difference.changed.len() > changed.len() {
        page.paragraph(&format!(
            "{} more changed: --all shows them.",
            difference.changed.len() - changed.len()
        ))?;
    }
    if arguments.all && !difference.within.is_empty() {
        let rows: Vec<Vec<String>> =
            difference.within.iter().map(|(id, floor)| vec![id.to_string(), show_percent(*floor)]).collect();
        page.table(&[("within the noise floor", 0), ("floor", 0)], &rows)?;
    }
    let most = if arguments.all { usize::MAX } else { NAMED };
    for (what, points) in [
        ("Only in the first", &difference.lost),
        ("Only in the second", &difference.added),
        ("Counted by the virtual clock in one and by the plugin in the other", &difference.by_other_means),
    ] {
        if !points.is_empty() {
            page.paragraph(&format!("{what}: {}.", named(points.iter(), most)))?;
        }
    }
    Ok(())
}

/// What the two kernels are called: by release and boot options; where these are equal, by what the user named, or by the build.
fn names(from: &KernelCount, to: &KernelCount) -> [String; 2] {
    let names = [from, to].map(|count| {
        let options = if count.options.is_empty() { String::new() } else { format!(" {}", count.options) };
        format!("Linux {}{options}", count.release)
    });
    let build = |count: &KernelCount| match from.name == to.name {
        true => count.version.clone(),
        false => count.name.clone(),
    };
    let [first, second] = &names;
    match first == second && build(from) != build(to) {
        true => [format!("{first} ({})", build(from)), format!("{second} ({})", build(to))],
        false => names,
    }
}

/// How many paths changed, and how the kernels were counted.
fn summary(difference: &Difference, from: &KernelCount, to: &KernelCount) -> String {
    let largest = difference.within.iter().map(|(_, floor)| *floor).fold(0.0, f64::max);
    let wide = difference.within.iter().filter(|(_, floor)| *floor > WIDE_FLOOR).map(|(id, _)| id);
    let wide: Vec<&PointId> = wide.collect();
    let wide_floors = match wide.len() {
        0 => String::new(),
        1 => format!(" One floor is above {}: {}.", show_percent(WIDE_FLOOR), named(wide.into_iter(), NAMED)),
        more => format!(
            " {more} floors are above {}: {}.",
            show_percent(WIDE_FLOOR),
            named(wide.into_iter(), NAMED)
        ),
    };
    let emulators = match from.emulator == to.emulator {
        true => to.emulator.clone(),
        false => format!("counted by {} / {}", from.emulator, to.emulator),
    };
    let boots = match from.seeds.len() == to.seeds.len() {
        true => many(to.seeds.len(), "boot"),
        false => format!("{} / {}", from.seeds.len(), many(to.seeds.len(), "boot")),
    };
    format!(
        "{} of {} changed; {} equal to the instruction; {} within their noise floor (the largest {}).{wide_floors} {emulators}; {boots}.",
        difference.changed.len(),
        many(difference.compared(), "path"),
        difference.equal,
        difference.within.len(),
        show_percent(largest),
    )
}

/// Points in a sentence: the first ones, and how many more there are.
pub fn named<'a>(points: impl ExactSizeIterator<Item = &'a PointId>, most: usize) -> String {
    let more = points.len().saturating_sub(most);
    let mut names: Vec<String> = points.take(most).map(ToString::to_string).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// Lines of a terminal: a path, and below it the functions. Where the terminal is narrow, numbers have a line of their own.
fn changed_lines(rows: &[Vec<String>], page: &mut Page<'_>) -> io::Result<()> {
    let widths = [0, 1, 2, 3].map(|at| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    });
    for row in rows {
        let [path, before, after, change, by, functions] = row.as_slice() else { continue };
        let [w0, w1, w2, w3] = widths;
        let line = format!("{path:w0$}  {before:>w1$} → {after:>w2$}  {change:>w3$}  {by}");
        match line.chars().count() <= page.width {
            true => writeln!(page.out, "{line}")?,
            false => {
                page.paragraph(path)?;
                writeln!(page.out, "    {before} → {after}  {change}  {by}")?;
            }
        }
        for line in
            report::wrap(functions, page.width.saturating_sub(4)).iter().filter(|line| !line.is_empty())
        {
            writeln!(page.out, "    {}", page.style.paint(line, Paint::Faint))?;
        }
    }
    Ok(())
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", plain(value.abs()))
}

fn share(change: Change) -> String {
    match change.share() {
        share if share.is_finite() => format!("{:+.2} %", share * 100.0).replace('-', "−"),
        _ => "new".to_owned(),
    }
}

fn changed_row(point: &ChangedPoint, most: usize) -> Vec<String> {
    let instructions = point.instructions;
    let is_shown = instructions.is_shown();
    let mut functions: Vec<String> = point
        .functions
        .iter()
        .take(most)
        .map(|(name, change)| {
            let new = if change.from == 0.0 {
                " (new)"
            } else if change.to == 0.0 {
                " (gone)"
            } else {
                ""
            };
            format!("{name} {}{new}", signed(change.by()))
        })
        .collect();
    if point.functions.len() > most {
        functions.push(format!("{} more functions", point.functions.len() - most));
    }
    let others: Vec<String> = point
        .others
        .iter()
        .take(4)
        .map(|(name, change)| format!("{} {}", name.replace('_', " "), signed(change.by())))
        .collect();
    if !others.is_empty() {
        functions.push(format!("[{}]", others.join(", ")));
    }
    if point.by_clock {
        functions.push("by the clock: no functions".to_owned());
    }
    let approximate = if is_approximate(&point.id) { "~" } else { "" };
    vec![
        point.id.to_string(),
        format!("{approximate}{}", plain(instructions.from)),
        format!("{approximate}{}", plain(instructions.to)),
        if is_shown { signed(instructions.by()) } else { "±0".to_owned() },
        if is_shown { share(instructions) } else { String::new() },
        functions.join(", "),
    ]
}

/// A changed point in a few words, with the function that changed most.
pub fn changed_words(point: &ChangedPoint) -> String {
    let function = point.functions.first().map(|(name, change)| format!(", {name} {}", signed(change.by())));
    format!(
        "{} {} ({}){}",
        point.id,
        signed(point.instructions.by()),
        share(point.instructions),
        function.unwrap_or_default()
    )
}
