//! What `oscope count` shows: the figures of a kernel, or what two differ by.

use super::compared::{compared, named};
use super::page::Page;
use super::points::is_approximate;
use super::table::plain;
use crate::arguments::{Count, Form, LIMITS};
use count::{Difference, KernelCount, PointCount, Skipped, missing_features};
use record::PointId;
use report::Style;
use std::io::{self, Write};

/// What is shown.
pub struct View<'a> {
    pub counts: &'a [KernelCount],
    pub difference: Option<&'a Difference>,
    pub arguments: &'a Count,
}

/// Points that a sentence names.
const NAMED: usize = 10;

/// The columns of figures: heading, figure, priority on narrow terminals.
const COLUMNS: [(&str, &str, u8); 16] = [
    ("instr.", "instructions", 0),
    ("user", "user", 4),
    ("calls", "calls", 5),
    ("indirect", "indirect_calls", 5),
    ("locked", "locked", 2),
    ("serial.", "serialising", 3),
    ("loads", "loads", 4),
    ("stores", "stores", 4),
    ("string B", "string_bytes", 2),
    ("data lines", "data_lines", 6),
    ("code lines", "code_lines", 6),
    ("pages", "data_pages", 7),
    ("entries", "syscalls", 7),
    ("faults", "exceptions", 7),
    ("CR3", "cr3_writes", 8),
    ("deferred", "deferred", 6),
];

/// Writes the view as text or as Markdown.
pub fn write(view: &View<'_>, form: Form, width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page { is_markdown: form == Form::Markdown, width, style, out };
    match (view.difference, view.counts) {
        (Some(difference), [from, to]) => compared(view.arguments, difference, [from, to], page)?,
        (_, counts) => {
            for count in counts {
                one(view, count, page)?;
            }
        }
    }
    let named = |count: &KernelCount| format!("Linux {}", count.release);
    match view.counts {
        // What holds for both is said once.
        [from, to] => {
            let both = |is: bool| {
                if is {
                    vec![("Both kernels".to_owned(), from)]
                } else {
                    vec![(named(from), from), (named(to), to)]
                }
            };
            for (whose, count) in both(from.totals_only == to.totals_only && from.unfinished == to.unfinished)
            {
                incomplete(&whose, count, page)?;
            }
            for (whose, count) in both(from.skipped == to.skipped) {
                not_counted(&whose, &count.skipped, view.arguments.all, page)?;
            }
        }
        counts => {
            for count in counts {
                incomplete(&named(count), count, page)?;
                not_counted(&named(count), &count.skipped, view.arguments.all, page)?;
            }
        }
    }
    limits(view.counts, page)
}

/// One kernel in words: what was booted, and how.
fn words(count: &KernelCount) -> String {
    let options = if count.options.is_empty() { String::new() } else { format!(", {}", count.options) };
    let cpus = report::many(count.cpus as usize, "CPU");
    let boots = report::many(count.seeds.len(), "boot");
    format!("Linux {} ({}{options}), {}, {cpus}, {boots}", count.release, count.architecture, count.emulator)
}

fn one(view: &View<'_>, count: &KernelCount, page: &mut Page<'_>) -> io::Result<()> {
    page.heading(&words(count))?;
    let exact = count.points.iter().filter(|point| floor(point) == 0.0).count();
    page.paragraph(&format!(
        "{} counted, {exact} with a noise floor of 0.",
        report::many(count.points.len(), "point")
    ))?;
    let headings: Vec<(&str, u8)> = [("point", 0)]
        .into_iter()
        .chain(COLUMNS.iter().take(1).map(|(heading, _, priority)| (*heading, *priority)))
        .chain([("±", 1)])
        .chain(COLUMNS.iter().skip(1).map(|(heading, _, priority)| (*heading, *priority)))
        .collect();
    let rows: Vec<Vec<String>> = count.points.iter().map(row).collect();
    page.table(&headings, &rows)?;
    let by_clock: Vec<&PointId> =
        count.points.iter().filter(|point| point.by_clock).map(|point| &point.id).collect();
    if count.totals_only.is_none() && !by_clock.is_empty() {
        let points = report::many(by_clock.len(), "point");
        let most = if view.arguments.all { usize::MAX } else { NAMED };
        let named = named(by_clock.into_iter(), most);
        page.paragraph(&format!("{points} by the clock, so without functions and other figures: {named}."))?;
    }
    if let Some(most) = view.arguments.functions {
        for point in &count.points {
            functions(point, most, page)?;
        }
    }
    Ok(())
}

fn floor(point: &PointCount) -> f64 {
    point.figures.get("instructions").map_or(0.0, |figure| figure.floor)
}

fn row(point: &PointCount) -> Vec<String> {
    let floor = match floor(point) {
        // A floor of 0 means equal to the instruction.
        floor if floor > 0.0 && plain(floor) == "0" => "< 0.01".to_owned(),
        floor => plain(floor),
    };
    let approximate = if is_approximate(&point.id) { "~" } else { "" };
    let figure =
        |name: &str| point.figures.get(name).map_or_else(|| "-".to_owned(), |figure| plain(figure.value));
    let mut cells = vec![point.id.to_string(), format!("{approximate}{}", figure("instructions")), floor];
    cells.extend(COLUMNS.iter().skip(1).map(|(_, name, _)| figure(name)));
    cells
}

/// The functions of a point with the most instructions.
fn functions(point: &PointCount, most: usize, page: &mut Page<'_>) -> io::Result<()> {
    let mut functions: Vec<_> = point.functions.iter().collect();
    functions.sort_by(|(_, a), (_, b)| b.columns[0].total_cmp(&a.columns[0]));
    let rows: Vec<Vec<String>> = functions
        .iter()
        .take(most)
        .map(|(name, count)| {
            let [instructions, called, ..] = count.columns;
            vec![
                (*name).clone(),
                plain(instructions),
                plain(called),
                plain(count.columns[4]),
                plain(count.columns[10]),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(page.out)?;
    page.paragraph(&point.id.to_string())?;
    page.table(&[("function", 0), ("instr.", 0), ("called", 0), ("locked", 1), ("string B", 1)], &rows)
}

/// Why a kernel has totals only, or fewer points than it was to have.
fn incomplete(whose: &str, count: &KernelCount, page: &mut Page<'_>) -> io::Result<()> {
    let totals = count.totals_only.as_ref().map(|why| format!("totals only, by the virtual clock: {why}"));
    for why in totals.iter().chain(&count.unfinished) {
        page.paragraph(&format!("{whose}: {why}."))?;
    }
    Ok(())
}

/// Failed points that are shown without `--all`.
const MOST_FAILED: usize = 10;

/// What was not counted, and why.
fn not_counted(whose: &str, skipped: &[Skipped], is_all: bool, page: &mut Page<'_>) -> io::Result<()> {
    let most = if is_all { usize::MAX } else { MOST_FAILED };
    let shown: Vec<&Skipped> = skipped.iter().filter(|skipped| is_all || skipped.failed).take(most).collect();
    for skipped in &shown {
        let remedy =
            if skipped.why.remedy.is_empty() { String::new() } else { format!("; {}", skipped.why.remedy) };
        page.paragraph(&format!("{} was not counted: {}{remedy}.", skipped.id, skipped.why.reason))?;
    }
    let hidden = report::many(skipped.len() - shown.len(), "point");
    if skipped.len() > shown.len() {
        page.paragraph(&format!("{whose}: {hidden} not counted; --all gives the reasons."))?;
    }
    Ok(())
}

/// What the counts are not.
fn limits(counts: &[KernelCount], page: &mut Page<'_>) -> io::Result<()> {
    let of_host = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let host = of_host.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        matches!(name.trim(), "flags" | "Features").then_some(value)
    });
    let missing = counts
        .first()
        .filter(|count| count.architecture == std::env::consts::ARCH)
        .map_or_else(Vec::new, |count| missing_features(host.unwrap_or_default(), &count.features));
    let missing = if missing.is_empty() {
        String::new()
    } else {
        format!(" (this machine has {}, the emulated one not)", missing.join(", "))
    };
    let approximate = match counts.iter().any(|count| count.cpus > 1) {
        true => {
            " Counts of two CPUs (~) are approximate: the CPUs take long turns, so nothing spins and no lock is contended."
        }
        false => "",
    };
    page.paragraph(&format!("{LIMITS}{missing}.{approximate}"))
}
