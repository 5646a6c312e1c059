//! The odd machines of a type: a table of all, and of each what it is odd in and what differs.

use super::view::FleetView;
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, Table};
use crate::wording::many;
use fleet::{DifferingFact, OddMachine, Quality, Suspect, TypeSurvey, Whole};
use quantity::{show_percent, show_ratio};

/// With fewer odd points a machine that is odd as a whole is shown as such.
const LEAST_POINTS: usize = 5;
/// Points of a machine that are listed; all where everything is wanted.
const MOST_POINTS: usize = 12;
/// Facts of a machine that are listed at first.
const MOST_FACTS: usize = 8;

/// What is said of the odd machines of a type.
pub(super) fn odd_machines(view: &FleetView<'_>, of: &TypeSurvey) -> Vec<Block> {
    if !of.is_judged {
        return vec![Block::text(
            "too few machines of this type to say which are odd: at least five must have a point",
        )];
    }
    if of.odd.is_empty() {
        return vec![Block::text("no machine of this type is odd")];
    }
    let mut table = Table::new(vec![
        Column::name("machine", 0, 12, 40),
        Column::word("look at", 0),
        Column::number("odd points", 1),
        Column::name("furthest", 2, 20, 60),
        Column::number("costs", 0),
        Column::prose("a sign of", 1, 24, 60),
        Column::prose("differs in", 3, 16, 60),
    ]);
    of.odd.iter().for_each(|odd| table.row(row(view, odd)));
    table.caption = Some(
        "costs: the furthest point, or the median of all points where the machine is odd as a whole, divided by the \
         median machine of the type. Of the machines that are called odd, and of their points, 1 % may be so by chance. What each is odd in: --full"
            .to_owned(),
    );
    let details = of.odd.iter().map(|odd| Block::Folded {
        summary: name(view, odd).to_owned(),
        blocks: details(view, odd),
        is_wanted: view.is_full,
    });
    std::iter::once(Block::Table(table)).chain(details).collect()
}

fn name<'v>(view: &FleetView<'v>, odd: &OddMachine) -> &'v str {
    let machine = view.fleet.machines.get(odd.machine);
    machine.map_or("", |machine| machine.name.as_str())
}

fn point_name(view: &FleetView<'_>, column: usize) -> Cell {
    let column = view.fleet.columns.get(column);
    column.map_or_else(Cell::default, |column| Cell::point(&column.id))
}

fn row(view: &FleetView<'_>, odd: &OddMachine) -> Vec<Cell> {
    let (look, paint) = match odd.suspect {
        Suspect::Machine => ("machine", Paint::Bad),
        Suspect::Measurement { .. } => ("measurement", Paint::Warning),
        Suspect::Run(_) => ("one run", Paint::Warning),
    };
    let whole = odd.whole.filter(|_| odd.points.len() < LEAST_POINTS);
    let furthest = odd.points.first().filter(|_| whole.is_none());
    let ratio = whole.map(|whole| whole.ratio).or(furthest.map(|point| point.ratio));
    let facts: Vec<&str> = odd.facts.iter().map(|fact| fact.key.as_str()).collect();
    let sign = odd.signs.first().map(|sign| sign.says);
    vec![
        Cell::new(name(view, odd), Paint::Strong),
        Cell::new(look, paint),
        Cell::from(match whole {
            Some(_) => "all a little".to_owned(),
            None => odd.points.len().to_string(),
        }),
        furthest.map_or_else(Cell::default, |point| point_name(view, point.column)),
        Cell::from(ratio.map(show_ratio).unwrap_or_default()),
        Cell::from(sign.unwrap_or_default()),
        Cell::from(facts.join(", ")),
    ]
}

fn details(view: &FleetView<'_>, odd: &OddMachine) -> Vec<Block> {
    let mut blocks: Vec<Block> = suspect(view, odd).into_iter().map(Block::text).collect();
    blocks.extend(odd.whole.iter().map(|whole| Block::text(as_whole(whole))));
    let signs = odd.signs.iter().map(|sign| {
        let points = many(sign.points, "point");
        Block::text(format!("{} ({} in the median of {points})", sign.says, show_ratio(sign.ratio)))
    });
    blocks.extend(signs);
    blocks.push(facts(&odd.facts, view.is_full));
    let most = if view.is_full { usize::MAX } else { MOST_POINTS };
    let mut table = Table::new(vec![
        Column::name("odd point", 0, 20, 80),
        Column::number("here", 0),
        Column::number("median machine", 1),
        Column::number("costs", 0),
        Column::number("deviations away", 2),
    ]);
    for point in odd.points.iter().take(most) {
        let Some(column) = view.fleet.columns.get(point.column) else {
            continue;
        };
        let machine = view.fleet.machines.get(odd.machine);
        let level = machine.and_then(|machine| machine.level(point.column));
        let show = |log_cost: f64| quantity::show(column.value(log_cost), None, column.quantity);
        let here = level.map(|level| level.log_cost);
        table.row(vec![
            Cell::point(&column.id),
            Cell::from(here.map(show).unwrap_or_default()),
            Cell::from(here.map(|here| show(here - point.ratio.ln())).unwrap_or_default()),
            Cell::from(show_ratio(point.ratio)),
            Cell::from(format!("{:.0}", point.distance.abs())),
        ]);
    }
    let machine = view.fleet.machines.get(odd.machine);
    if let Some(run) = machine.and_then(|machine| machine.runs.last()) {
        let file = format!("{}/{}", view.folder, run.file);
        blocks.push(Block::text(format!("its own page: oscope report {file} --format html -o page.html")));
    }
    let more = odd.points.len().saturating_sub(most);
    table.caption = (more > 0).then(|| format!("{more} more (--full)"));
    if !odd.points.is_empty() {
        blocks.push(Block::Table(table));
    }
    blocks
}

fn suspect(view: &FleetView<'_>, odd: &OddMachine) -> Option<String> {
    let quality = |quality: Quality| {
        let quiet =
            quality.quiet_share.map(|share| format!(", cores quiet {} of the time", show_percent(share)));
        format!("{} of the points noisy{}", show_percent(quality.noisy_share), quiet.unwrap_or_default())
    };
    match odd.suspect {
        Suspect::Machine => None,
        Suspect::Measurement { own, siblings } => Some(format!(
            "measure it again before you look at the machine: {}; its siblings: {}",
            quality(own),
            quality(siblings)
        )),
        Suspect::Run(run) => {
            let machine = view.fleet.machines.get(odd.machine)?;
            let file = &machine.runs.get(run)?.file;
            Some(format!("one run alone is off, {file}; without it the machine is like its siblings"))
        }
    }
}

fn as_whole(whole: &Whole) -> String {
    format!(
        "as a whole it costs {} in the median point, and {} of its points cost more than on the median machine",
        show_ratio(whole.ratio),
        show_percent(whole.slower)
    )
}

fn facts(facts: &[DifferingFact], is_full: bool) -> Block {
    if facts.is_empty() {
        return Block::text("no fact that is known differs from its siblings'");
    }
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let said = facts
        .iter()
        .map(|fact| format!("{}: {} (siblings: {})", fact.key, value(&fact.here), value(&fact.others)));
    Block::Part(
        "differs from its siblings in".to_owned(),
        vec![Block::List { items: said.collect(), most: if is_full { usize::MAX } else { MOST_FACTS } }],
    )
}
