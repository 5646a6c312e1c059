//! `oscope baseline`: records that others are compared with.

use crate::arguments::Baseline;
use crate::baselines::{self, RunFacts, Saved};
use crate::exit::Exit;
use crate::{output, records};
use report::{Cell, Column, Table};
use std::io::Write;

pub fn run(arguments: &Baseline) -> anyhow::Result<Exit> {
    let Some(name) = &arguments.name else {
        return list();
    };
    let records = match arguments.records.as_slice() {
        [] => vec![records::newest()?],
        named => named.to_vec(),
    };
    let Saved { path, runs, replaced } = baselines::save(name, &records)?;
    let replaced = match replaced {
        None => String::new(),
        Some(Ok(facts)) => format!("; it replaces {facts}"),
        Some(Err(error)) => format!("; it replaces a record that could not be read ({error:#})"),
    };
    let files: Vec<String> = records.iter().map(|record| record.display().to_string()).collect();
    let mut out = std::io::stdout().lock();
    writeln!(out, "baseline {name} is {}: {runs}{replaced}", files.join(", "))?;
    writeln!(out, "{}", path.display())?;
    Ok(Exit::Success)
}

fn list() -> anyhow::Result<Exit> {
    let mut table = Table::new(vec![
        Column::word("baseline", 0),
        Column::word("date", 2),
        Column::name("kernel", 1, 8, 40),
        Column::name("processor", 3, 12, 60),
        Column::number("points", 4),
        Column::number("records", 5),
    ]);
    for name in baselines::names() {
        let cells = match baselines::saved(&name).and_then(|records| RunFacts::read(&records)) {
            Ok(RunFacts { date, kernel, processor, points, records }) => {
                [name, date, kernel, processor, points.to_string(), records.to_string()].map(Cell::from)
            }
            Err(_) => [&name, "", "", "cannot be read: see 'oscope report'", "", ""].map(Cell::from),
        };
        table.row(cells.to_vec());
    }
    let is_empty = baselines::names().is_empty();
    output::show(|width, style, out| match is_empty {
        true => writeln!(out, "no baseline is saved; 'oscope baseline NAME [RECORD…]' saves one"),
        false => output::table(&table, width, style, out),
    })?;
    Ok(Exit::Success)
}
