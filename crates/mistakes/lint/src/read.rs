//! Reading a table: columns in any order and by several names, several layouts, missing cells, units in many places.

use crate::aggregates;
use crate::columns::{
    BANDWIDTH, BASE, Columns, DEVIATION, MAXIMUM, MEASURED, MEASURED_SI, MINIMUM, OPERATION, PARAMETER,
    PER_SECOND, PREDICTED, PREDICTED_SI, QUANTITY, REPORT, SECTION, SOFTWARE, TEST_TIME, TRIAL, TRIALS, UNIT,
    bracketed,
};
use crate::error::LintError;
use crate::formats;
use crate::grid::Grid;
use crate::layout::{Cell, Layout};
use crate::names;
use crate::params::Params;
use crate::table::{Machine, Row, Table};
use csv::StringRecord;
use quantity::{FigureCell, Printed, PublishedUnit, Quantity, Scale, parse_figure, parse_unit};

/// Units of a table that has a column of base units and none of printed ones.
const BASE_UNITS: [(&str, &str); 3] = [("latency", "s"), ("bandwidth", "bytes_per_s"), ("size", "bytes")];
/// What a column `source` names where it does not name machines: parts of the output of one program.
const PARTS_OF_OUTPUT: [&str; 8] =
    ["summary", "samples", "sample", "total", "text", "table", "log", "average"];
/// Letters behind a number in a column whose heading has the unit, as lmbench writes `0.4K` microseconds.
const MULTIPLES: [(char, f64); 5] = [('K', 1e3), ('k', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12)];
/// What programs print after a division by zero.
const INFINITIES: [&str; 7] = ["inf", "+inf", "-inf", "infinity", "nan", "-nan", "∞"];
const QUANTITIES: [Quantity; 5] =
    [Quantity::Latency, Quantity::Bandwidth, Quantity::Size, Quantity::Count, Quantity::Ratio];

/// Reads tables with a heading, or the output of a program whose form is known, measured on these machines.
///
/// # Errors
/// When nothing can be checked: no text, no column of operations, none of figures, no row, no number.
pub fn read(text: &str, machines: Vec<Machine>) -> Result<Table, LintError> {
    let mut table = Table { machines, ..Table::default() };
    let grids = match formats::converted(text) {
        Some((format, grid)) => {
            table.format = Some(format);
            vec![grid]
        }
        None => Grid::parse(text)?.tables(|record| Columns::parse(record).is_known()),
    };
    let mut refused = None;
    for grid in grids {
        // One table of several may be of another kind.
        refused = read_grid(grid, &mut table).err().or(refused);
    }
    match refused {
        Some(error) if table.rows.is_empty() => return Err(error),
        Some(error) => table.notes.push(format!("one of the tables was not read: {error}")),
        None => {}
    }
    aggregates::join_spreads(&mut table.rows);
    table.set_periods();
    Ok(table)
}

/// Reads the rows below a heading.
fn read_grid(mut grid: Grid, table: &mut Table) -> Result<(), LintError> {
    let begins_with_numbers = grid.begins_with_numbers();
    let heading = grid.heading(|record| Columns::parse(record).is_known());
    let mut columns =
        Columns::parse(&heading.ok_or_else(|| LintError::Columns("nothing at all".to_owned()))?);
    if begins_with_numbers && !columns.is_known() {
        return Err(LintError::NoHeading);
    }
    correct_names(&mut columns, &grid);
    let layout = Layout::detect(&columns, &grid);
    let has_figures = [MEASURED, PREDICTED, MEASURED_SI].iter().any(|names| columns.has(names));
    if layout == Layout::Long && !(columns.has(OPERATION) && has_figures) {
        return Err(LintError::Columns(columns.listed()));
    }
    let (used, unused) = split(&columns, &layout);
    table.used.extend(used);
    table.unused.extend(unused);
    let mut labels = columns.others();
    let figures = layout.columns();
    labels.retain(|at| grid.has_names(*at) && !figures.contains(at));
    let (columns, labels, decimal_comma) = (&columns, &labels, grid.decimal_comma);
    let mut rows: Vec<Row> = Vec::new();
    for (line, record) in &grid.rows {
        for cell in layout.cells(columns, record) {
            let reader = Reader { columns, labels, record, cell, decimal_comma };
            rows.extend(reader.row(*line));
        }
    }
    if rows.is_empty() {
        return Err(LintError::Empty);
    }
    let has_figures = rows.iter().any(|row| {
        let printed = [row.measured, row.predicted, row.base, row.minimum, row.maximum, row.deviation];
        printed.iter().any(Option::is_some)
            || row.measured_si.or(row.predicted_si).is_some()
            || row.has_infinity
    });
    if !has_figures {
        return Err(LintError::Figures(columns.listed()));
    }
    if matches!(layout, Layout::Operations(..)) {
        aggregates::number_repetitions(&mut rows);
    }
    table.rows.extend(rows);
    Ok(())
}

/// Corrects what columns are called: numbers of rows and times of a `system` are not names; an `n` beside deviations
/// that is mostly the same counts trials, and is not a sweep; parts of one program's output are not machines; operations
/// per second are the result where there is no other; and the first column of words names the operations.
fn correct_names(columns: &mut Columns, grid: &Grid) {
    let id = columns.find("id").filter(|at| grid.has_whole_numbers(*at));
    let report = columns.find(REPORT).filter(|at| grid.has_decimals(*at));
    for at in [id, report].into_iter().flatten() {
        if let Some(column) = columns.0.get_mut(at) {
            column.heading = format!("{} (numbers)", column.heading);
            column.name.clear();
        }
    }
    let count = columns.find("n").filter(|at| columns.has(DEVIATION) && grid.has_mostly_one_number(*at));
    if let Some(column) = count.and_then(|at| columns.0.get_mut(at)) {
        "trials".clone_into(&mut column.name);
    }
    let parts = columns.find("source").filter(|at| grid.has_only(*at, &PARTS_OF_OUTPUT));
    columns.rename(parts, "section");
    if ![MEASURED, PREDICTED, MEASURED_SI, MINIMUM].iter().any(|names| columns.has(names)) {
        let rate = columns.find(PER_SECOND).filter(|at| grid.has_figures(*at));
        if let Some(column) = rate.and_then(|at| columns.0.get_mut(at)) {
            "rate".clone_into(&mut column.name);
            column.heading.push_str(" (rate)");
            column.unit.get_or_insert_with(|| "op/s".to_owned());
        }
    }
    let has_result = [MEASURED, PREDICTED, MEASURED_SI].iter().any(|names| columns.has(names));
    if has_result && !columns.has(OPERATION) {
        columns.rename(grid.first_words(), "operation");
    }
    if columns.is_of_hyperfine() {
        columns
            .0
            .iter_mut()
            .filter(|column| column.unit.is_none())
            .for_each(|column| column.unit = Some("s".to_owned()));
    }
}

/// Headings of the columns that are read and of those that are not.
fn split(columns: &Columns, layout: &Layout) -> (Vec<String>, Vec<String>) {
    let (known, figures) = (columns.known(), layout.columns());
    let named = columns.0.iter().enumerate().filter(|(_, column)| !column.heading.is_empty());
    let (used, unused): (Vec<_>, Vec<_>) =
        named.partition(|(at, _)| known.contains(at) || figures.contains(at));
    let [used, unused] =
        [used, unused].map(|columns| columns.into_iter().map(|(_, column)| column.heading.clone()).collect());
    (used, unused)
}

/// A row of the file, being read.
struct Reader<'r> {
    columns: &'r Columns,
    labels: &'r [usize],
    record: &'r StringRecord,
    cell: Cell<'r>,
    decimal_comma: bool,
}

impl<'r> Reader<'r> {
    fn text(&self, names: &str) -> &'r str {
        self.columns.cell(self.record, names)
    }

    fn figure(&self, at: Option<usize>) -> Option<FigureCell> {
        let cell = self.record.get(at?)?;
        parse_figure(cell, self.decimal_comma).or_else(|| self.multiple(cell))
    }

    /// A number with a letter for thousands, millions… behind it.
    fn multiple(&self, cell: &str) -> Option<FigureCell> {
        let (_, factor) = MULTIPLES.iter().find(|(letter, _)| cell.ends_with(*letter))?;
        let mut figure = parse_figure(cell.get(..cell.len() - 1)?, self.decimal_comma)?;
        figure.figure = scaled(figure.figure, *factor);
        Some(figure)
    }

    /// Whether a cell of figures holds an infinity instead.
    fn has_infinity(&self) -> bool {
        let cells = [MEASURED, MINIMUM, MAXIMUM].iter().filter_map(|names| self.find(names));
        let mut words = cells.filter_map(|at| self.record.get(at)).map(str::to_ascii_lowercase);
        words.any(|word| INFINITIES.contains(&word.as_str()))
    }

    fn unit_of(&self, at: Option<usize>) -> Option<&'r str> {
        self.columns.0.get(at?)?.unit.as_deref()
    }

    /// The place of a column that is of the row as a whole: a trial has no deviation, and a machine not the prediction
    /// of another.
    fn find(&self, names: &str) -> Option<usize> {
        self.columns.find(names).filter(|_| self.cell.figure.is_none())
    }

    fn number(&self, names: &str) -> Option<f64> {
        Some(self.figure(self.find(names))?.figure.value)
    }

    /// Bytes per second, in a column beside the result.
    fn bandwidth(&self) -> Option<f64> {
        let at = self.find(BANDWIDTH);
        let figure = self.figure(at)?;
        let by_name =
            at.and_then(|at| self.columns.0.get(at)).filter(|column| column.name == "bytes_per_second");
        let unit = figure.unit.as_deref().or(self.unit_of(at)).or(by_name.map(|_| "bytes_per_s"));
        match parse_unit(unit?)? {
            PublishedUnit { quantity: Quantity::Bandwidth, scale: Scale::Times(factor), .. } => {
                Some(figure.figure.value * factor)
            }
            _ => None,
        }
    }

    /// A row; `None` when it names no operation, or its cell is empty.
    fn row(&self, line: u64) -> Option<Row> {
        let name = self.cell.operation.unwrap_or_else(|| self.text(OPERATION));
        let (name, unit_of_name) = bracketed(name).unwrap_or((name, None));
        let at = self.cell.figure.or_else(|| self.columns.find(MEASURED));
        let mut figure = self.figure(at);
        if name.is_empty() || (self.cell.figure.is_some() && figure.is_none()) {
            return None;
        }
        let quantity = self.text(QUANTITY).to_ascii_lowercase();
        let unit_column = Some(self.text(UNIT)).filter(|unit| !unit.is_empty());
        let mut unit_text = figure
            .as_ref()
            .and_then(|figure| figure.unit.clone())
            .or_else(|| unit_column.or_else(|| self.unit_of(at)).map(str::to_owned))
            .or(unit_of_name);
        if unit_text.is_none() && figure.is_none() {
            let base = BASE_UNITS.iter().find(|(name, _)| *name == quantity);
            unit_text = base.map(|(_, unit)| (*unit).to_owned());
            figure = self.figure(self.columns.find(MEASURED_SI)).filter(|_| unit_text.is_some());
        }
        let unit_text = unit_text.unwrap_or_default();
        let unit = parse_unit(&unit_text);
        let measured = figure.as_ref().map(|figure| figure.figure);
        let rescaled_at =
            |at: usize| rescaled(self.figure(Some(at))?, self.unit_of(Some(at)), unit, measured);
        let rescaled_in = |names: &str| self.find(names).and_then(rescaled_at);
        let (operation, params) = names::resolved(name.trim(), self.params());
        let quantiles = self.columns.quantiles().filter(|_| self.cell.figure.is_none());
        let stated = QUANTITIES.into_iter().find(|known| known.contract_name() == quantity);
        Some(Row {
            line,
            report: self.cell.report.unwrap_or_else(|| self.text(REPORT)).to_owned(),
            section: self.text(SECTION).to_owned(),
            operation,
            params,
            unit,
            quantity: stated.or(unit.map(|unit| unit.quantity)),
            base: rescaled_in(BASE),
            software: rescaled_in(SOFTWARE),
            predicted: rescaled_in(PREDICTED),
            measured,
            deviation: rescaled_in(DEVIATION).or(figure.and_then(|figure| figure.deviation)),
            minimum: rescaled_in(MINIMUM),
            maximum: rescaled_in(MAXIMUM),
            quantiles: quantiles.filter_map(|(at, share)| Some((share, rescaled_at(at)?))).collect(),
            labels: self
                .labels
                .iter()
                .map(|at| self.record.get(*at).unwrap_or_default().to_owned())
                .collect(),
            per_second: self.number(PER_SECOND),
            test_time: self.number(TEST_TIME).filter(|_| self.find(TEST_TIME) != self.find(MEASURED)),
            name: name.trim().to_owned(),
            has_infinity: self.has_infinity(),
            bandwidth: self.bandwidth(),
            measured_si: self.number(MEASURED_SI),
            predicted_si: self.number(PREDICTED_SI),
            period: None,
            unit_text,
        })
    }

    /// The parameters of the row and the cell.
    fn params(&self) -> Params {
        let mut params = Params::parse(self.text(PARAMETER));
        if let Some(condition) = self.cell.condition {
            params.insert(condition, "");
        }
        let mut add = |name: &str, value: &str| {
            if !params.has(name) && !value.is_empty() {
                params.insert(name, &value.split_whitespace().collect::<Vec<&str>>().join("_"));
            }
        };
        add("trial", &self.cell.trial.map(|trial| trial.to_string()).unwrap_or_default());
        add("trial", self.text(TRIAL));
        add("trials", self.text(TRIALS));
        // Beside a mean, what was measured is another centre: oscope's own table has both.
        let centre = self.find(MEASURED).and_then(|at| self.columns.0.get(at));
        let is_median = centre.is_some_and(|column| match column.name.as_str() {
            "median" | "typical" => true,
            "measured" => self.columns.has("mean"),
            _ => false,
        });
        if is_median {
            add("statistic", "median");
        }
        for (at, name) in self.columns.parameters() {
            let value = self.record.get(at).unwrap_or_default();
            // The default is what other rows mean that do not say.
            add(name, if value == "default" { "" } else { value });
        }
        params
    }
}

/// A figure beside the result, in the unit of the result: its own unit may be another, or a percentage of the result.
fn rescaled(
    cell: FigureCell,
    heading: Option<&str>,
    unit: Option<PublishedUnit>,
    measured: Option<Printed>,
) -> Option<Printed> {
    let own = cell.unit.as_deref().or(heading).and_then(parse_unit);
    let factor = match (own, unit) {
        (Some(own), Some(unit)) if own.quantity == unit.quantity => match (own.scale, unit.scale) {
            (Scale::Times(own), Scale::Times(unit)) => own / unit,
            _ => 1.0,
        },
        (Some(own), Some(_)) if own.quantity == Quantity::Ratio => measured?.value / 100.0,
        // A figure of another quantity does not belong to this result.
        (Some(_), Some(_)) => return None,
        _ => 1.0,
    };
    Some(scaled(cell.figure, factor))
}

fn scaled(figure: Printed, factor: f64) -> Printed {
    let [step, place] = [figure.step, figure.place].map(|size| size * factor.abs());
    Printed { value: figure.value * factor, step, place, digits: figure.digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_any_order_and_by_several_names() {
        let text = "typical,junk,id,unit,suspect,point\n12.5,x,clock.read,ns,E09,a=1\n,,empty.row,,,\n";
        let table = read(text, Vec::new()).unwrap();
        let row = &table.rows[0];
        assert_eq!((row.operation.as_str(), row.line), ("clock.read", 2));
        assert!((row.result().unwrap() - 12.5e-9).abs() < 1e-18);
        assert_eq!(table.unused, ["junk", "suspect"]);
        assert_eq!(table.rows[1].measured, None);
    }

    #[test]
    fn refusal_names_what_is_missing() {
        for (text, missing) in [
            ("a,b\n1,2\n", "this one has a, b"),
            ("operation,unit\nx,ns\n", "measured"),
            ("operation,measured\n", "no rows"),
            ("", "nothing can be checked"),
        ] {
            assert!(read(text, Vec::new()).unwrap_err().to_string().contains(missing));
        }
    }

    #[test]
    fn malformed_cells_are_empty() {
        let text = "operation,measured,unit,quantity\nx,about 7,parsecs,latency\ny,7\nz,7,ns,latency,more,and more\n";
        let table = read(text, Vec::new()).unwrap();
        assert_eq!(table.rows.len(), 3);
        assert_eq!(table.rows[0].result(), None);
        assert!((table.rows[2].result().unwrap() - 7e-9).abs() < 1e-18);
    }

    #[test]
    fn base_units_need_no_unit() {
        let text = "operation,quantity,measured_si\nx,latency,1e-6\n";
        assert_eq!(read(text, Vec::new()).unwrap().rows[0].result(), Some(1e-6));
    }

    #[test]
    fn opinions_are_not_read() {
        let with = "operation,measured,unit,suspect,remark\nx,7,ns,E37,a slip\n";
        let without = "operation,measured,unit\nx,7,ns\n";
        let [with, without] =
            [with, without].map(|text| format!("{:?}", read(text, Vec::new()).unwrap().rows));
        assert_eq!(with, without);
    }
}
