//! What `oscope count` shows: the figures of a kernel, or what two differ by.

use super::points::is_approximate;
use super::table::plain;
use crate::arguments::{Count, Form, LIMITS};
use count::{Change, ChangedPoint, Difference, KernelCount, PointCount, Skipped, missing_features};
use quantity::show_percent;
use report::{Cell, Column, Paint, Style, Table, printable};
use std::io::{self, Write};

/// What is shown.
pub struct View<'a> {
    pub counts: &'a [KernelCount],
    pub difference: Option<&'a Difference>,
    pub arguments: &'a Count,
}

/// Functions of a changed point that are shown unless the user says how many.
const FUNCTIONS: usize = 6;

/// Changed points that are shown unless the user wants all.
const CHANGED: usize = 40;

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
        (Some(difference), [from, to]) => compared(view, difference, [from, to], page)?,
        (_, counts) => {
            for count in counts {
                one(view, count, page)?;
            }
        }
    }
    match view.counts {
        // What neither kernel counted is said once.
        [from, to] if from.skipped == to.skipped => {
            incomplete(from, page)?;
            incomplete(to, page)?;
            not_counted("Both kernels", &from.skipped, view.arguments.all, page)?;
        }
        counts => {
            for count in counts {
                incomplete(count, page)?;
                not_counted(&format!("Linux {}", count.release), &count.skipped, view.arguments.all, page)?;
            }
        }
    }
    limits(view.counts, page)
}

/// Where a view is written to.
struct Page<'a> {
    is_markdown: bool,
    width: usize,
    style: Style,
    out: &'a mut dyn Write,
}

impl Page<'_> {
    fn heading(&mut self, text: &str) -> io::Result<()> {
        match self.is_markdown {
            true => writeln!(self.out, "# oscope: {}\n", printable(text)),
            false => writeln!(self.out, "{}", self.style.paint(&printable(text), Paint::Strong)),
        }
    }

    fn paragraph(&mut self, text: &str) -> io::Result<()> {
        match self.is_markdown {
            true => writeln!(self.out, "{}\n", printable(text)),
            false => report::wrap(&printable(text), self.width)
                .iter()
                .try_for_each(|line| writeln!(self.out, "{line}")),
        }
    }

    fn table(&mut self, headings: &[(&str, u8)], rows: &[Vec<String>]) -> io::Result<()> {
        if self.is_markdown {
            let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
            writeln!(self.out, "{}", line(headings.iter().map(|(name, _)| (*name).to_owned()).collect()))?;
            let rule =
                headings.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "---:" }.to_owned());
            writeln!(self.out, "{}", line(rule.collect()))?;
            for row in rows {
                writeln!(
                    self.out,
                    "{}",
                    line(row.iter().map(|cell| printable(cell).replace('|', "\\|")).collect())
                )?;
            }
            return writeln!(self.out);
        }
        let columns = headings.iter().enumerate().map(|(at, (name, priority))| match at {
            0 => Column::name((*name).to_owned(), 0, 24, 60),
            _ => Column::number((*name).to_owned(), *priority),
        });
        let mut table = Table::new(columns.collect());
        for row in rows {
            table.row(row.iter().map(|cell| Cell::from(printable(cell).into_owned())).collect());
        }
        crate::output::table(&table, self.width, self.style, self.out)
    }
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
    let approximate = if is_approximate(&point.id) { "~" } else { "" };
    let figure =
        |name: &str| point.figures.get(name).map_or_else(|| "-".to_owned(), |figure| plain(figure.value));
    let mut cells =
        vec![point.id.to_string(), format!("{approximate}{}", figure("instructions")), plain(floor(point))];
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

fn compared(
    view: &View<'_>,
    difference: &Difference,
    [from, to]: [&KernelCount; 2],
    page: &mut Page<'_>,
) -> io::Result<()> {
    let name = |count: &KernelCount| {
        let options = if count.options.is_empty() { String::new() } else { format!(" {}", count.options) };
        format!("Linux {}{options}", count.release)
    };
    page.heading(&format!("{} → {}", name(from), name(to)))?;
    let largest = difference.within.iter().map(|(_, floor)| *floor).fold(0.0, f64::max);
    page.paragraph(&format!(
        "{} of {} changed; {} equal to the instruction; {} within their noise floor (the largest {}). {}; {}.",
        difference.changed.len(),
        report::many(difference.compared(), "path"),
        difference.equal,
        difference.within.len(),
        show_percent(largest),
        to.emulator,
        report::many(to.seeds.len(), "boot"),
    ))?;
    let shown = if view.arguments.all { usize::MAX } else { CHANGED };
    let most = view.arguments.functions.unwrap_or(FUNCTIONS);
    let changed: Vec<&ChangedPoint> = difference.changed.iter().take(shown).collect();
    if !changed.is_empty() {
        let rows: Vec<Vec<String>> = changed.iter().map(|point| changed_row(point, most)).collect();
        match page.is_markdown {
            true => page.table(
                &[("path", 0), ("before", 0), ("after", 0), ("change", 0), ("by", 0), ("functions", 0)],
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
    if view.arguments.all && !difference.within.is_empty() {
        let rows: Vec<Vec<String>> =
            difference.within.iter().map(|(id, floor)| vec![id.to_string(), show_percent(*floor)]).collect();
        page.table(&[("within the noise floor", 0), ("floor", 0)], &rows)?;
    }
    if !difference.lost.is_empty() {
        let lost: Vec<String> = difference.lost.iter().map(ToString::to_string).collect();
        page.paragraph(&format!("In one of the two only: {}.", lost.join(", ")))?;
    }
    Ok(())
}

/// Lines of a terminal: a path, and below it the functions.
fn changed_lines(rows: &[Vec<String>], page: &mut Page<'_>) -> io::Result<()> {
    let widths = [0, 1, 2, 3].map(|at| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    });
    for row in rows {
        let [path, before, after, change, by, functions] = row.as_slice() else { continue };
        let [w0, w1, w2, w3] = widths;
        writeln!(page.out, "{path:w0$}  {before:>w1$} → {after:>w2$}  {change:>w3$}  {by}")?;
        for line in report::wrap(functions, page.width.saturating_sub(4)) {
            writeln!(page.out, "    {}", page.style.paint(&line, Paint::Faint))?;
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
    vec![
        point.id.to_string(),
        plain(instructions.from),
        plain(instructions.to),
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

/// Why a kernel has totals only, or fewer points than it was to have.
fn incomplete(count: &KernelCount, page: &mut Page<'_>) -> io::Result<()> {
    if let Some(why) = &count.totals_only {
        page.paragraph(&format!("Linux {}: totals only, by the virtual clock: {why}.", count.release))?;
    }
    if let Some(why) = &count.unfinished {
        page.paragraph(&format!("Linux {}: {why}.", count.release))?;
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
