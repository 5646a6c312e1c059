//! The document of a fleet.

use super::view::FleetView;
use super::{machines, problems};
use crate::cells;
use crate::document::{Block, Heat, HeatRow};
use crate::table::{Cell, Column, Columns, Shares, ShownIn};
use crate::tables::records_blocks;
use crate::wording::many;
use fleet::{Component, Spread, Suspect, TypeChange, TypeSurvey, designs};
use quantity::{show, show_percent, show_ratio};

/// Problems that a terminal lists before the rest is only counted.
const MOST_PROBLEMS: usize = 10;
/// Machines of a picture, at most: the odd ones first.
const MOST_DRAWN: usize = 120;
/// The picture of a spread reaches this factor to either side of the median machine.
const REACH: f64 = 1.25;

pub(super) fn document(view: &FleetView<'_>) -> Vec<Block> {
    let title = format!("machines in {}", view.folder);
    let mut blocks = vec![Block::Title(title), Block::lead(answer(view))];
    let said: Vec<String> = view.problems.iter().map(problems::sentence).collect();
    if !said.is_empty() {
        let list = Block::List { items: said, most: if view.is_full { usize::MAX } else { MOST_PROBLEMS } };
        blocks.push(Block::Part("problems with the records".to_owned(), vec![list]));
    }
    blocks.extend(view.survey.types.iter().map(|of| one_type(view, of)));
    // The table of a class says who predicted best.
    let has_users = view.class.iter().any(|record| cells::has_user(&record.view.analysis.rows));
    if has_users {
        blocks.extend(Block::part("the reports' table", records_blocks(view.class)));
    }
    blocks
}

/// The sentence that a reader looks for.
fn answer(view: &FleetView<'_>) -> String {
    let runs: usize = view.fleet.machines.iter().map(|machine| machine.runs.len()).sum();
    let types = &view.survey.types;
    let odd = types.iter().flat_map(|of| &of.odd);
    let again = odd.clone().filter(|odd| odd.suspect != Suspect::Machine).count();
    let judged = types.iter().any(|of| of.is_judged);
    let runs_off: usize = types.iter().map(|of| of.odd_runs.len()).sum();
    let found = match (judged, odd.count() - again, again) {
        (false, ..) => "too few machines of a type to call one odd".to_owned(),
        (_, 0, 0) => "none is odd".to_owned(),
        (_, 0, again) => format!("no machine is odd, {} to be repeated", many(again, "measurement")),
        (_, 1, 0) => "1 machine is odd".to_owned(),
        (_, odd, 0) => format!("{odd} machines are odd"),
        (_, odd, again) => {
            format!("{} odd, {} to be repeated", many(odd, "machine"), many(again, "measurement"))
        }
    };
    let found = match runs_off {
        0 => found,
        _ => format!("{found}; {} unlike the others of its machine", many(runs_off, "run")),
    };
    let (machines, types) = (many(view.fleet.machines.len(), "machine"), many(types.len(), "type"));
    format!("{machines} of {types}, {}: {found}", many(runs, "run"))
}

fn one_type(view: &FleetView<'_>, of: &TypeSurvey) -> Block {
    let mut blocks: Vec<Block> = divided(of).into_iter().map(Block::text).collect();
    blocks.extend(machines::odd_machines(view, of));
    blocks.extend(machines::odd_runs(view, of));
    blocks.extend(picture(view, of));
    blocks.extend(spread_table(view, of));
    blocks.extend(change_table(view, of));
    Block::Part(format!("{} ({})", of.of.name, many(of.of.machines.len(), "machine")), blocks)
}

/// Why machines of equal facts are two types.
fn divided(of: &TypeSurvey) -> Option<String> {
    let (points, facts) = of.of.divided.as_ref()?;
    let facts = facts.iter().map(|fact| {
        let [here, there] = machines::values(fact);
        format!("{} ({here}, there {there})", fact.key)
    });
    let facts: Vec<String> = facts.collect();
    let differs = match facts.is_empty() {
        true => "no known fact distinguishes them".to_owned(),
        false => format!("they differ in {}", facts.join("; ")),
    };
    Some(format!(
        "a type by its results: {} divide machines of the same processor into two groups; {differs}",
        many(*points, "point")
    ))
}

/// The columns to show with their names: those of the headline in its order, or all.
fn shown(view: &FleetView<'_>) -> Vec<(usize, Cell)> {
    let columns = view.fleet.columns.iter().enumerate();
    let headline = view.labels.iter().filter_map(|label| {
        let mut columns = columns.clone();
        let (place, _) = columns.find(|(_, column)| label.is_of(&column.id))?;
        Some((place, Cell::from(label.label)))
    });
    let headline: Vec<(usize, Cell)> = headline.collect();
    if view.is_full || headline.is_empty() {
        return columns.map(|(place, column)| (place, Cell::point(&column.id))).collect();
    }
    headline
}

/// Machines by points: what each costs more or less than the median machine.
fn picture(view: &FleetView<'_>, of: &TypeSurvey) -> Option<Block> {
    let columns = shown(view);
    let medians = columns.iter().map(|(place, _)| {
        let spread = of.spreads.iter().find(|spread| spread.column == *place)?;
        Some(view.fleet.columns.get(*place)?.log_cost(spread.median))
    });
    let medians: Vec<Option<f64>> = medians.collect();
    let odd = of.odd.iter().map(|odd| odd.machine);
    let others = of.of.machines.iter().copied();
    let others = others.filter(|machine| of.odd.iter().all(|odd| odd.machine != *machine));
    let rows = odd.chain(others).filter_map(|index| {
        let machine = view.fleet.machines.get(index)?;
        let ratios = columns
            .iter()
            .zip(&medians)
            .map(|((place, _), median)| Some((machine.level(*place)?.log_cost - (*median)?).exp()));
        Some(HeatRow { name: machine.name.clone(), ratios: ratios.collect() })
    });
    let rows: Vec<HeatRow> = rows.take(MOST_DRAWN).collect();
    (of.is_judged && !rows.is_empty()).then(|| {
        Block::Heat(Heat {
            columns: columns.iter().map(|(_, name)| name.text.clone()).collect(),
            left_out: of.of.machines.len() - rows.len(),
            rows,
        })
    })
}

/// A deviation with its interval.
fn deviation(component: Option<Component>) -> Cell {
    let text = component.map(|found| {
        let [deviation, low, high] = [found.deviation, found.low, found.high].map(show_percent);
        format!("{deviation} ({low} to {high})")
    });
    Cell::from(text.unwrap_or_default())
}

fn spread_table(view: &FleetView<'_>, of: &TypeSurvey) -> Option<Block> {
    let precision = show_percent(view.precision);
    let value = |spread: &Spread, value: f64| {
        let column = view.fleet.columns.get(spread.column);
        column.map(|column| show(value, None, column.quantity)).unwrap_or_default()
    };
    let most = Column::word("95 % of machines", 0).drawn().only_in(ShownIn::Documents);
    let needed = Column::number(format!("machines for ± {precision}"), 2);
    let columns = Columns::new(Column::name("point", 0, 20, 60), |(name, _): &(Cell, &Spread)| name.clone())
        .with(Column::number("median machine", 0), |(_, spread)| value(spread, spread.median))
        .with(most, |(_, spread)| most_machines(spread))
        .with(Column::number("between machines", 0), |(_, spread)| {
            deviation(spread.components.and_then(|found| found.between_groups))
        })
        .with(Column::number("between runs", 1), |(_, spread)| {
            deviation(spread.components.and_then(|found| found.between_members))
        })
        .with(Column::number("within a run", 3), |(_, spread)| {
            spread.components.map(|found| show_percent(found.within)).unwrap_or_default()
        })
        .with(Column::number("least to most", 4), |(_, spread)| {
            format!("{} to {}", value(spread, spread.range.0), value(spread, spread.range.1))
        })
        .with(needed, |(_, spread)| {
            let found = spread.components.and_then(|found| designs(&found, view.precision));
            found.map(|designs| designs.map(|one| one.machines.to_string()).join(", ")).unwrap_or_default()
        });
    let shown = shown(view).into_iter().filter_map(|(place, name)| {
        let spread = of.spreads.iter().find(|spread| spread.column == place)?;
        Some((name, spread))
    });
    let mut table = columns.table_of(shown).if_any()?;
    table.scale = Some(["÷ 1.25", "median machine", "× 1.25"].map(str::to_owned));
    Some(Block::Table(table.captioned(format!(
        "standard deviations as shares of the value, with intervals of 95 %, of machines that are not odd in the point; \
         machines for a mean within {precision} at 95 %, with 1, 3 and 10 runs on each"
    ))))
}

/// Where nine of ten machines lie.
fn most_machines(spread: &Spread) -> Cell {
    let (low, high) = spread.most_machines;
    let [from, to] = [low, high].map(|ratio| (ratio.ln() / REACH.ln() / 2.0 + 0.5).clamp(0.0, 1.0));
    let says = format!("nine of ten machines: {} to {}", show_ratio(low), show_ratio(high));
    let shares = Shares { interval: (from, to), value: 0.5, says: says.clone() };
    Cell { drawn: Some(shares), ..Cell::from(says) }
}

/// What each point costs on this type, beside the first.
fn change_table(view: &FleetView<'_>, of: &TypeSurvey) -> Option<Block> {
    let first = view.survey.types.first()?;
    let columns =
        Columns::new(Column::name("point", 0, 20, 60), |(name, _): &(Cell, &TypeChange)| name.clone())
            .with(Column::number("costs", 0), |(_, change)| show_ratio(change.ratio))
            .with(Column::number("interval", 1), |(_, change)| {
                format!("{} to {}", show_ratio(change.interval.0), show_ratio(change.interval.1))
            })
            .with(Column::word("decision", 0), |(_, change)| decision(change));
    let shown = shown(view).into_iter().filter_map(|(place, name)| {
        let change = of.changes.iter().find(|change| change.column == place)?;
        Some((name, change))
    });
    let table = columns.table_of(shown).if_any()?.captioned("intervals of 99 %, over machines");
    Some(Block::Part(format!("against {}", first.of.name), vec![Block::Table(table)]))
}

fn decision(change: &TypeChange) -> &'static str {
    match change.interval {
        (low, _) if low > 1.0 => "slower",
        (_, high) if high < 1.0 => "faster",
        _ => "undecided",
    }
}
