//! The odd machines of a type: a table of all, and of each what it is odd in and what differs.

use super::signs;
use super::view::FleetView;
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns};
use crate::wording::many;
use fleet::{DifferingFact, OddMachine, OddPoint, OddRun, Suspect, TypeSurvey, Whole};
use quantity::{show, show_percent, show_ratio};

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
    let columns = Columns::new(Column::name("machine", 0, 12, 40), |odd: &&OddMachine| {
        Cell::new(name(view, odd), Paint::Strong)
    })
    .with(Column::word("look at", 0), |odd| to_examine(odd))
    .with(Column::number("odd points", 1), |odd| match whole(odd) {
        Some(_) => "all a little".to_owned(),
        None => odd.points.len().to_string(),
    })
    .with(Column::name("furthest", 2, 20, 60), |odd| {
        furthest(odd).map_or_else(Cell::default, |point| point_name(view, point.column))
    })
    .with(Column::number("costs", 0), |odd| {
        let ratio = whole(odd).map(|whole| whole.ratio).or(furthest(odd).map(|point| point.ratio));
        ratio.map(show_ratio).unwrap_or_default()
    })
    .with(Column::prose("a sign of", 1, 24, 60), |odd| {
        odd.signs.first().map(signs::sentence).unwrap_or_default()
    })
    .with(Column::prose("differs in", 3, 16, 60), |odd| {
        odd.facts.iter().map(|fact| fact.key.as_str()).collect::<Vec<_>>().join(", ")
    });
    let table = columns.table_of(&of.odd).captioned(
        "costs: the furthest point, or the median of all points where the machine is odd as a whole, divided by the \
         median machine of the type. Of all machines and runs that this report calls odd, at most 1 % is expected to be so by \
         chance; the tests share it. What each is odd in: --full",
    );
    let details = of.odd.iter().map(|odd| Block::Folded {
        summary: name(view, odd).to_owned(),
        blocks: details(view, odd),
        is_wanted: view.is_full,
    });
    std::iter::once(Block::Table(table)).chain(details).collect()
}

/// What to look at: the machine, the measurement, or one run.
fn to_examine(odd: &OddMachine) -> Cell {
    match odd.suspect {
        // Faster is worth a look, and no alarm.
        Suspect::Machine if odd.is_only_faster() => Cell::from("machine (faster)"),
        Suspect::Machine => Cell::new("machine", Paint::Bad),
        Suspect::Measurement { .. } => Cell::new("measurement", Paint::Warning),
        Suspect::Run(_) if odd.is_only_faster() => Cell::from("one run (faster)"),
        Suspect::Run(_) => Cell::new("one run", Paint::Warning),
    }
}

/// The runs that are not like the other runs of their machine.
pub(super) fn odd_runs(view: &FleetView<'_>, of: &TypeSurvey) -> Option<Block> {
    let columns = Columns::new(Column::name("run", 0, 20, 60), |odd: &&OddRun| {
        let run = view.fleet.machines.get(odd.machine).and_then(|machine| machine.runs.get(odd.run));
        let file = run.map_or("", |run| run.file.as_str());
        Cell::new(file, if odd.is_only_faster() { Paint::Strong } else { Paint::Warning })
    })
    .with(Column::number("odd points", 0), |odd| odd.points.len().to_string())
    .with(Column::name("furthest", 1, 20, 60), |odd| {
        odd.points.first().map_or_else(Cell::default, |point| point_name(view, point.column))
    })
    .with(Column::number("costs", 0), |odd| {
        odd.points.first().map(|point| show_ratio(point.ratio)).unwrap_or_default()
    });
    let table = columns.table_of(&of.odd_runs).if_any()?.captioned(
        "runs that are further from the other runs of their machine than those are from each other; costs: divided by the \
         median run. Repeat such a run before you examine the machine",
    );
    Some(Block::Table(table))
}

fn name<'v>(view: &FleetView<'v>, odd: &OddMachine) -> &'v str {
    let machine = view.fleet.machines.get(odd.machine);
    machine.map_or("", |machine| machine.name.as_str())
}

fn point_name(view: &FleetView<'_>, column: usize) -> Cell {
    let column = view.fleet.columns.get(column);
    column.map_or_else(Cell::default, |column| Cell::point(&column.id))
}

/// What is said of a machine that is odd as a whole and in few points.
fn whole(odd: &OddMachine) -> Option<Whole> {
    odd.whole.filter(|_| odd.points.len() < LEAST_POINTS)
}

/// The point that is furthest off, of a machine that is not odd as a whole.
fn furthest(odd: &OddMachine) -> Option<&OddPoint> {
    odd.points.first().filter(|_| whole(odd).is_none())
}

fn details(view: &FleetView<'_>, odd: &OddMachine) -> Vec<Block> {
    let mut blocks: Vec<Block> = suspect(view, odd).into_iter().map(Block::text).collect();
    blocks.extend(odd.whole.iter().map(|whole| Block::text(as_whole(whole))));
    let signs = odd.signs.iter().map(|sign| {
        let points = many(sign.points, "point");
        Block::text(format!(
            "{} ({} in the median of {points})",
            signs::sentence(sign),
            show_ratio(sign.ratio)
        ))
    });
    blocks.extend(signs);
    blocks.push(facts(&odd.facts, view.is_full));
    let most = if view.is_full { usize::MAX } else { MOST_POINTS };
    let machine = view.fleet.machines.get(odd.machine);
    let rows = odd.points.iter().take(most).filter_map(|point| {
        let level = machine.and_then(|machine| machine.level(point.column));
        Some((view.fleet.columns.get(point.column)?, level.map(|level| level.log_cost), point))
    });
    let mut table = point_columns().table_of(rows);
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

/// The columns of points: each with the logarithm of its cost here.
fn point_columns<'v>() -> Columns<'static, (&'v fleet::Column, Option<f64>, &'v OddPoint)> {
    let name = Column::name("odd point", 0, 20, 80);
    Columns::new(name, |(column, ..): &(&fleet::Column, Option<f64>, &OddPoint)| Cell::point(&column.id))
        .with(Column::number("here", 0), |(column, here, _)| value(column, *here))
        .with(Column::number("median machine", 1), |(column, here, point)| {
            value(column, here.map(|here| here - point.ratio.ln()))
        })
        .with(Column::number("costs", 0), |(.., point)| show_ratio(point.ratio))
        .with(Column::number("deviations away", 2), |(.., point)| format!("{:.0}", point.distance.abs()))
}

fn value(column: &fleet::Column, log_cost: Option<f64>) -> String {
    log_cost.map(|log_cost| show(column.value(log_cost), None, column.quantity)).unwrap_or_default()
}

fn suspect(view: &FleetView<'_>, odd: &OddMachine) -> Option<String> {
    match odd.suspect {
        Suspect::Machine => None,
        Suspect::Measurement { own, siblings } => {
            let [own, siblings] = [own, siblings].map(|quality| {
                let (noisy, quiet) =
                    (show_percent(quality.noisy_share), quality.quiet_share.map(show_percent));
                let quiet = quiet.map(|share| format!(", cores quiet {share} of the time"));
                format!("{noisy} of the points noisy{}", quiet.unwrap_or_default())
            });
            Some(format!(
                "repeat the measurement before you examine the machine: {own}; its siblings: {siblings}"
            ))
        }
        Suspect::Run(run) => {
            let machine = view.fleet.machines.get(odd.machine)?;
            let file = &machine.runs.get(run)?.file;
            Some(format!("one run alone is off, {file}; without it the machine is like its siblings"))
        }
    }
}

fn as_whole(whole: &Whole) -> String {
    let (ratio, share) = (show_ratio(whole.ratio), show_percent(whole.slower));
    format!(
        "as a whole it costs {ratio} in the median point, and {share} of its points cost more than on the median machine"
    )
}

fn facts(facts: &[DifferingFact], is_full: bool) -> Block {
    if facts.is_empty() {
        return Block::text("no known fact differs from its siblings'");
    }
    let said = facts.iter().map(|fact| {
        let [here, others] = values(fact);
        format!("{}: {here} (siblings: {others})", fact.key)
    });
    Block::Part(
        "differs from its siblings in".to_owned(),
        vec![Block::List { items: said.collect(), most: if is_full { usize::MAX } else { MOST_FACTS } }],
    )
}

/// The value of a fact here and on the others.
pub(super) fn values(fact: &DifferingFact) -> [String; 2] {
    [&fact.here, &fact.others].map(|value| value.clone().unwrap_or_else(|| "unknown".to_owned()))
}
