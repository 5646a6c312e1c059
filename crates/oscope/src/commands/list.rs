//! `oscope list`: the operations, from their declarations.

use crate::Operations;
use crate::arguments::List;
use crate::exit::Exit;
use crate::output;
use crate::select::select_operations;
use measure::{Operation, Point};
use report::{Cell, Column, Table};
use std::io::Write;

pub fn run(operations: Operations, arguments: &List) -> anyhow::Result<Exit> {
    let meant = select_operations(operations, &arguments.selection)?;
    if arguments.form.is_json() {
        let listed: Vec<serde_json::Value> =
            meant.iter().map(|(operation, points)| as_json(operation, points)).collect();
        writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&listed)?)?;
        return Ok(Exit::Success);
    }
    let mut table = Table::new(vec![
        Column::name("operation", 0, 16, 40),
        Column::number("points", 2),
        Column::name("", 1, 12, 100),
    ]);
    for (operation, points) in meant {
        let mark = if flawed::method(operation.id).is_some() { " (flawed method)" } else { "" };
        table.row(vec![
            Cell::from(operation.id.to_owned()),
            Cell::from(points.len().to_string()),
            Cell::from(format!("{}{mark}", operation.title)),
        ]);
    }
    output::show(|width, style, out| output::table(&table, width, style, out))?;
    Ok(Exit::Success)
}

/// The JSON form of an operation with these points.
fn as_json(operation: &Operation, points: &[Point]) -> serde_json::Value {
    let points: Vec<String> = points.iter().map(Point::text).collect();
    serde_json::json!({
        "id": operation.id,
        "area": operation.area.name(),
        "title": operation.title,
        "one_iteration": operation.one_iteration,
        "quantity": operation.quantity.contract_name(),
        "unit": operation.quantity.contract_unit(),
        "revision": operation.revision,
        "flaw": flawed::method(operation.id).map(|method| method.wrong),
        "points": points,
    })
}
