//! The contract for scripts: one row per point, in these columns, numbers in base units with all digits.

use crate::{View, cells, cores};
use analysis::{CpuUse, Estimate, Predicted, Row, Verdict};
use quantity::Quantity;
use std::io::{self, Write};

/// The columns, in their order. They are never renamed or re-ordered; new ones would come behind them.
pub const COLUMNS: [&str; 30] = [
    "operation",
    "point",
    "area",
    "method",
    "quantity",
    "unit",
    "verdict",
    "typical",
    "low",
    "high",
    "best",
    "deviation",
    "trials",
    "batches",
    "set_aside",
    "hardware",
    "software",
    "predicted",
    "ratio",
    "reason",
    "user_hardware",
    "user_software",
    "user_predicted",
    "user_ratio",
    "state",
    "quiet_share",
    "slowdown",
    "untriggered",
    "clock_share",
    "core_hz",
];

/// Writes the table, and behind the points how each CPU was used. What is not known is an empty field.
///
/// # Errors
/// When `out` cannot be written.
pub fn csv(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    writer.write_record(COLUMNS).map_err(io_error)?;
    for row in &view.analysis.rows {
        writer.write_record(fields(row)).map_err(io_error)?;
    }
    for usage in &view.analysis.cpus {
        for (property, quantity, value) in usage.results() {
            let fields = cpu_fields(usage, property, quantity, value);
            writer.write_record(fields).map_err(io_error)?;
        }
    }
    writer.flush()
}

/// A result of `noise.shared_core`.
fn cpu_fields(usage: &CpuUse, property: &str, quantity: Quantity, value: f64) -> [String; 30] {
    let mut fields = [const { String::new() }; 30];
    let known = [
        ("operation", cores::OPERATION.to_owned()),
        ("point", format!("cpu={} property={property}", usage.cpu)),
        ("area", "os".to_owned()),
        ("method", "default".to_owned()),
        ("quantity", quantity.contract_name().to_owned()),
        ("unit", quantity.contract_unit().to_owned()),
        ("verdict", Verdict::Measured.word().to_owned()),
        ("typical", number(Some(value))),
    ];
    for (field, column) in fields.iter_mut().zip(COLUMNS) {
        if let Some((_, text)) = known.iter().find(|(name, _)| *name == column) {
            field.clone_from(text);
        }
    }
    fields
}

/// The error below, so that a broken pipe is still seen to be one.
pub(crate) fn io_error(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The shortest decimal that reads back as the same number.
pub(crate) fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
}

fn fields(row: &Row) -> [String; 30] {
    let estimate = row.estimate.as_ref();
    let measured = |part: fn(&Estimate) -> Option<f64>| number(estimate.and_then(part));
    let counted = |count: Option<usize>| count.map_or_else(String::new, |count| count.to_string());
    let predicted = |part: fn(&Predicted) -> f64| number(row.predicted().map(part));
    let quantity = row.quantity();
    let user = row.point.user.as_ref();
    let core = cores::of(row);
    [
        row.point.id.operation.clone(),
        row.point.id.point.clone(),
        row.point.area.clone(),
        cells::method(row).to_owned(),
        quantity.contract_name().to_owned(),
        quantity.contract_unit().to_owned(),
        row.verdict.word().to_owned(),
        measured(|estimate| Some(estimate.typical)),
        measured(|estimate| estimate.interval.map(|(low, _)| low)),
        measured(|estimate| estimate.interval.map(|(_, high)| high)),
        measured(|estimate| Some(estimate.best)),
        measured(|estimate| estimate.deviation),
        counted(Some(estimate.map_or(row.trials.len(), |estimate| estimate.trials))),
        counted(estimate.map(|estimate| estimate.batches)),
        counted(Some(row.set_aside.iter().map(|aside| aside.batches).sum())),
        predicted(|predicted| predicted.hardware.value),
        predicted(|predicted| predicted.software.value),
        predicted(|predicted| predicted.total.value),
        number(row.ratio()),
        crate::reasons::reason(row).unwrap_or_default(),
        number(user.and_then(|user| user.hardware)),
        number(user.and_then(|user| user.software)),
        number(user.map(|user| user.typical)),
        number(row.user_ratio()),
        core.map_or("", |core| core.state.word()).to_owned(),
        number(core.and_then(|core| core.quiet_share)),
        number(core.and_then(|core| core.slowdown)),
        number(core.and_then(|core| core.untriggered)),
        measured(|estimate| estimate.clock_share),
        measured(|estimate| estimate.core_hz),
    ]
}
