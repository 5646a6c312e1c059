//! Reading a table: columns in any order and under several names, several layouts, missing cells, odd numbers and units.

use crate::columns::{
    BASE, Columns, DEVIATION, MAXIMUM, MEASURED, MEASURED_SI, MINIMUM, OPERATION, PARAMETER, PER_SECOND,
    PREDICTED, PREDICTED_SI, QUANTITY, REPORT, SECTION, SOFTWARE, TRIAL, TRIALS, UNIT,
};
use crate::error::LintError;
use crate::grid::Grid;
use crate::layout::{Layout, Place, is_counter, is_decimal, is_mostly_one_number, is_naming};
use crate::params::Params;
use crate::table::{Machine, Row, Table};
use crate::{clocks, columns, names};
use csv::StringRecord;
use quantity::{FigureCell, Printed, PublishedUnit, Quantity, Scale, parse_figure, parse_unit};

/// Units in which a table is when it has a column of base units and none of printed ones.
const BASE_UNITS: [(&str, &str); 3] = [("latency", "s"), ("bandwidth", "bytes_per_s"), ("size", "bytes")];

/// Reads a table with a heading. `machines` is what is told of its machines.
///
/// # Errors
/// When there is nothing that could be checked: no text, no column of operations, none of figures, no row, no number.
pub fn read(text: &str, machines: Vec<Machine>) -> Result<Table, LintError> {
    let mut grid = Grid::of(text)?;
    let heading = grid.heading(|record| Columns::of(record).is_known());
    let mut columns = Columns::of(&heading.ok_or_else(|| LintError::Columns("nothing at all".to_owned()))?);
    drop_numbers(&mut columns, &grid);
    let layout = Layout::of(&columns, &grid.rows, grid.decimal_comma);
    let has_figures = [MEASURED, PREDICTED, MEASURED_SI]
        .iter()
        .any(|names| columns.find(names).is_some());
    if layout == Layout::Long && !(columns.find(OPERATION).is_some() && has_figures) {
        return Err(LintError::Columns(columns.listed()));
    }
    let mut table = Table {
        machines,
        ..Table::default()
    };
    (table.used, table.unused) = split(&columns, &layout);
    let mut naming = columns.others();
    naming.retain(|at| is_naming(&grid.rows, *at, grid.decimal_comma));
    for (line, record) in &grid.rows {
        for place in layout.places(&columns, record) {
            let reader = Reader {
                columns: &columns,
                naming: &naming,
                record,
                decimal_comma: grid.decimal_comma,
            };
            table.rows.extend(reader.row(*line, &place));
        }
    }
    if table.rows.is_empty() {
        return Err(LintError::Empty);
    }
    let figures = |row: &Row| {
        let printed = [
            row.measured,
            row.predicted,
            row.base,
            row.minimum,
            row.maximum,
            row.deviation,
        ];
        printed.iter().any(Option::is_some) || row.measured_si.or(row.predicted_si).is_some()
    };
    if !table.rows.iter().any(figures) {
        return Err(LintError::Figures(columns.listed()));
    }
    clocks::find(&mut table);
    Ok(table)
}

/// Takes their meaning from columns of numbers that are called like names: numbers of rows, and times of a `system`.
fn drop_numbers(columns: &mut Columns, grid: &Grid) {
    let counts = |at: &usize| is_counter(&grid.rows, *at);
    let decimal = |at: &usize| is_decimal(&grid.rows, *at, grid.decimal_comma);
    let meant = [
        columns.find(&["id"]).filter(counts),
        columns.find(REPORT).filter(decimal),
    ];
    for at in meant.into_iter().flatten() {
        if let Some(column) = columns.0.get_mut(at) {
            column.told = format!("{} (numbers)", column.told);
            column.name.clear();
        }
    }
    // Beside deviations, an `n` that is mostly the same counts trials; otherwise it is what was swept.
    let count = columns.find(&["n"]).filter(|_| columns.find(DEVIATION).is_some());
    if let Some(at) = count.filter(|at| is_mostly_one_number(&grid.rows, *at))
        && let Some(column) = columns.0.get_mut(at)
    {
        "trials".clone_into(&mut column.name);
    }
}

/// Columns that are used and columns that are not, as the file names them.
fn split(columns: &Columns, layout: &Layout) -> (Vec<String>, Vec<String>) {
    let mut used = columns.known();
    match layout {
        Layout::Long => {}
        Layout::Trials(figures) | Layout::Machines(figures) => used.extend(figures),
        Layout::Operations(label, figures) => used.extend(std::iter::once(label).chain(figures)),
    }
    let named = columns
        .0
        .iter()
        .enumerate()
        .filter(|(_, column)| !column.told.is_empty());
    let (known, unknown): (Vec<_>, Vec<_>) = named.partition(|(at, _)| used.contains(at));
    let told = |all: Vec<(usize, &columns::Column)>| {
        all.into_iter().map(|(_, column)| column.told.clone()).collect()
    };
    (told(known), told(unknown))
}

/// A row of the file, being read.
struct Reader<'r> {
    columns: &'r Columns,
    naming: &'r [usize],
    record: &'r StringRecord,
    decimal_comma: bool,
}

impl<'r> Reader<'r> {
    fn cell(&self, names: &[&str]) -> &'r str {
        self.columns.cell(self.record, names)
    }

    fn figure(&self, at: Option<usize>) -> Option<FigureCell> {
        parse_figure(self.record.get(at?)?, self.decimal_comma)
    }

    fn unit_of(&self, at: Option<usize>) -> Option<&'r str> {
        self.columns.0.get(at?)?.unit.as_deref()
    }

    fn number(&self, names: &[&str]) -> Option<f64> {
        let figure = self.figure(self.columns.find(names))?;
        Some(figure.figure.value)
    }

    /// What a row or its place is called.
    fn name(&self, place: &Place<'r>) -> Option<&'r str> {
        let name = place.operation.unwrap_or_else(|| self.cell(OPERATION));
        Some(name).filter(|name| !name.is_empty())
    }

    /// A row; `None` when it names no operation, or its place holds nothing.
    fn row(&self, line: u64, place: &Place<'r>) -> Option<Row> {
        let name = self.name(place)?;
        let (name, beside_name) = columns::bracketed(name).unwrap_or((name, None));
        let at = place.figure.or_else(|| self.columns.find(MEASURED));
        let mut told = self.figure(at);
        if place.figure.is_some() && told.is_none() {
            return None;
        }
        let said = self.cell(QUANTITY).to_ascii_lowercase();
        let mut unit_text = told.as_ref().and_then(|told| told.unit.clone());
        let beside = || Some(self.cell(UNIT)).filter(|unit| !unit.is_empty());
        unit_text = unit_text
            .or_else(|| beside().or_else(|| self.unit_of(at)).map(str::to_owned))
            .or(beside_name);
        if unit_text.is_none() && told.is_none() {
            unit_text = BASE_UNITS
                .iter()
                .find(|(name, _)| *name == said)
                .map(|(_, unit)| (*unit).to_owned());
            told = self
                .figure(self.columns.find(MEASURED_SI))
                .filter(|_| unit_text.is_some());
        }
        let unit_text = unit_text.unwrap_or_default();
        let unit = parse_unit(&unit_text);
        let measured = told.as_ref().map(|told| told.figure);
        let of = |names: &[&str]| {
            // A trial has no deviation, and another machine not this one's prediction.
            let at = self.columns.find(names).filter(|_| place.figure.is_none())?;
            rescaled(self.figure(Some(at))?, self.unit_of(Some(at)), unit, measured)
        };
        let (operation, params) = names::understood(name.trim(), self.params(place));
        let quantiles = self.columns.quantiles().filter(|_| place.figure.is_none());
        let quantiles = quantiles.filter_map(|(at, share)| {
            let figure = rescaled(self.figure(Some(at))?, self.unit_of(Some(at)), unit, measured)?;
            Some((share, figure))
        });
        let per_second = self.number(PER_SECOND).filter(|_| place.figure.is_none());
        Some(Row {
            line,
            report: place.report.unwrap_or_else(|| self.cell(REPORT)).to_owned(),
            section: self.cell(SECTION).to_owned(),
            operation,
            params,
            unit,
            quantity: quantity_said(&said).or(unit.map(|unit| unit.quantity)),
            base: of(BASE),
            software: of(SOFTWARE),
            predicted: of(PREDICTED),
            measured,
            deviation: of(DEVIATION).or(told.and_then(|told| told.deviation)),
            minimum: of(MINIMUM),
            maximum: of(MAXIMUM),
            quantiles: quantiles.collect(),
            beside: self.beside(),
            per_second,
            measured_si: self.number(MEASURED_SI).filter(|_| place.figure.is_none()),
            predicted_si: self.number(PREDICTED_SI).filter(|_| place.figure.is_none()),
            period: None,
            unit_text,
        })
    }

    /// What the columns that only name something say.
    fn beside(&self) -> Vec<String> {
        let cells = self
            .naming
            .iter()
            .map(|at| self.record.get(*at).unwrap_or_default());
        cells.map(str::to_owned).collect()
    }

    /// The parameters that the cells and the place name.
    fn params(&self, place: &Place<'_>) -> Params {
        let mut params = Params::parse(self.cell(PARAMETER));
        let mut add = |name: &str, value: &str| {
            if params.get(name).is_none() && !value.is_empty() {
                params.insert(name, &value.split_whitespace().collect::<Vec<&str>>().join("_"));
            }
        };
        if let Some(trial) = place.trial {
            add("trial", &trial.to_string());
        }
        for (name, names) in [("trial", TRIAL), ("trials", TRIALS)] {
            add(name, self.cell(names));
        }
        let centre = self.columns.find(MEASURED).and_then(|at| self.columns.0.get(at));
        let is_median = centre.is_some_and(|column| ["median", "typical"].contains(&column.name.as_str()));
        if is_median && place.figure.is_none() {
            add("statistic", "median");
        }
        for (at, name) in self.columns.keys() {
            add(name, self.record.get(at).unwrap_or_default());
        }
        params
    }
}

/// A figure beside the result, in the unit of the result: its own unit may be another, or a percentage of the result.
fn rescaled(
    told: FigureCell,
    heading: Option<&str>,
    unit: Option<PublishedUnit>,
    measured: Option<Printed>,
) -> Option<Printed> {
    let own = told.unit.as_deref().or(heading).and_then(parse_unit);
    let factor = match (own, unit) {
        (Some(own), Some(unit)) if own.quantity == unit.quantity => match (own.scale, unit.scale) {
            (Scale::Times(own), Scale::Times(unit)) => own / unit,
            _ => 1.0,
        },
        (Some(own), Some(_)) if own.quantity == Quantity::Ratio => measured?.value / 100.0,
        // A figure of another kind is none of this result's.
        (Some(_), Some(_)) => return None,
        _ => 1.0,
    };
    let figure = told.figure;
    Some(Printed {
        value: figure.value * factor,
        step: figure.step * factor.abs(),
        place: figure.place * factor.abs(),
        digits: figure.digits,
    })
}

fn quantity_said(said: &str) -> Option<Quantity> {
    let known = [
        Quantity::Latency,
        Quantity::Bandwidth,
        Quantity::Size,
        Quantity::Count,
        Quantity::Ratio,
    ];
    known
        .into_iter()
        .find(|quantity| quantity.contract_name() == said)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn columns_come_in_any_order_and_under_several_names() {
        let text = "typical,junk,id,unit,suspect,point\n12.5,x,clock.read,ns,E09,a=1\n,,empty.row,,,\n";
        let table = read(text, Vec::new()).unwrap();
        let row = &table.rows[0];
        assert_eq!((row.operation.as_str(), row.line), ("clock.read", 2));
        assert!((row.result().unwrap() - 12.5e-9).abs() < 1e-18);
        assert_eq!(table.unused, ["junk", "suspect"]);
        assert_eq!(table.rows[1].measured, None);
    }

    #[test]
    fn what_cannot_be_checked_is_refused_with_what_is_missing() {
        let refused = |text: &str| read(text, Vec::new()).unwrap_err().to_string();
        assert!(refused("a,b\n1,2\n").contains("this one has a, b"));
        assert!(refused("operation,unit\nx,ns\n").contains("measured"));
        assert!(refused("operation,measured\n").contains("no rows"));
        assert!(refused("").contains("nothing can be checked"));
    }

    #[test]
    fn odd_cells_are_survived() {
        let text = "operation,measured,unit,quantity\nx,about 7,parsecs,latency\ny,7\nz,7,ns,latency,more,and more\n";
        let table = read(text, Vec::new()).unwrap();
        assert_eq!(table.rows.len(), 3);
        assert_eq!(table.rows[0].result(), None);
        assert!((table.rows[2].result().unwrap() - 7e-9).abs() < 1e-18);
    }

    #[test]
    fn a_table_in_base_units_alone_is_understood() {
        let text = "operation,quantity,measured_si\nx,latency,1e-6\n";
        assert_eq!(read(text, Vec::new()).unwrap().rows[0].result(), Some(1e-6));
    }

    #[test]
    fn what_others_found_suspect_cannot_reach_a_rule() {
        let with = "operation,measured,unit,suspect,remark\nx,7,ns,E37,a slip\n";
        let without = "operation,measured,unit\nx,7,ns\n";
        let rows = |text: &str| format!("{:?}", read(text, Vec::new()).unwrap().rows);
        assert_eq!(rows(with), rows(without));
    }
}
