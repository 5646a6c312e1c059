//! What the runs came to, as text, JSON and CSV.

use super::executor::CommandRun;
use super::judgement::{Cause, Judgement, Typical};
use crate::arguments::{Form, Gate as Arguments};
use crate::output::Mark;
use quantity::{Quantity, show, show_cycles, show_half_width, show_percent};
use report::{many, printable};
use serde_json::{Value, json};
use std::io::{self, Write};

/// What is shown.
pub(super) struct View<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) cpu: u32,
    pub(super) runs: &'a [CommandRun],
    pub(super) judgement: &'a Judgement,
}

/// How a result in this form begins.
pub(super) fn marks(form: Form) -> &'static [Mark] {
    match form {
        Form::Json => &[Mark { begins: "{\n  \"format\": \"oscope-gate\",", holds: &[] }],
        Form::Csv => &[Mark { begins: CSV_BEGIN, holds: &[] }],
        _ => &[],
    }
}

const CSV_BEGIN: &str = "gate,unit,value,low,high,variation,cycles,clock_hz,runs\n";

impl View<'_> {
    pub(super) fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Judgement { gated, all, .. } = self.judgement;
        writeln!(out, "{} on CPU {}", self.title(), self.cpu)?;
        match gated {
            Some(gated) => {
                let cycles = gated
                    .cycles
                    .map_or_else(String::new, |cycles| format!("   {}", show_cycles(cycles, None)));
                writeln!(out, "  gated     {}{cycles}", self.typical(&gated.typical))?;
            }
            None => writeln!(out, "  gated     no value: too few quiet runs")?,
        }
        if let Some(all) = all {
            writeln!(out, "  ungated   {}", self.typical(all))?;
        }
        let [wide, narrow] = [all.as_ref(), gated.as_ref().map(|gated| &gated.typical)]
            .map(|typical| typical.and_then(|typical| typical.variation).map(show_percent));
        if let (Some(wide), Some(narrow)) = (wide, narrow) {
            writeln!(out, "  variation {narrow} gated, {wide} ungated (standard deviation by mean)")?;
        }
        writeln!(out, "  excluded  {}", self.excluded())?;
        writeln!(out, "  clock     {}", self.clock())?;
        Ok(())
    }

    /// What was measured.
    fn title(&self) -> String {
        let words: Vec<String> = self
            .arguments
            .command
            .iter()
            .map(|word| printable(&word.to_string_lossy()).into_owned())
            .collect();
        let what = match &self.arguments.value {
            Some(regex) => format!("'{}' of", printable(regex.as_str())),
            None => "wall time of".to_owned(),
        };
        format!("{what} {}", words.join(" "))
    }

    fn typical(&self, typical: &Typical) -> String {
        let runs = many(typical.runs, "run");
        let Some(interval) = typical.interval else {
            return format!("{} ({runs})", self.value(typical.value, None));
        };
        let half = (interval.high - interval.low) / 2.0;
        let [low, high] = [interval.low, interval.high].map(|end| self.value(end, Some(half)));
        format!(
            "{} ± {}   {low} to {high}   {runs}",
            self.value(typical.value, Some(half)),
            show_half_width(half / typical.value)
        )
    }

    /// A value with its unit, as the user named it unless it is a time.
    fn value(&self, value: f64, half: Option<f64>) -> String {
        match &self.arguments.unit {
            None if self.arguments.value.is_none() => show(value, half, Quantity::Latency),
            None => show(value, half, Quantity::Count),
            Some(unit) if unit.meaning.quantity == Quantity::Latency => show(value, half, Quantity::Latency),
            Some(unit) => {
                let scale = unit.scale();
                let number = show(value / scale, half.map(|half| half / scale), Quantity::Count);
                format!("{number} {}", printable(&unit.name))
            }
        }
    }

    fn excluded(&self) -> String {
        let all = self.judgement.verdicts.len();
        let causes = Cause::ALL.map(|cause| (self.judgement.excluded(cause), cause.words()));
        let words: Vec<String> = causes
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, words)| format!("{count} {words}"))
            .collect();
        let count: usize = causes.iter().map(|(count, _)| count).sum();
        let others = match self.runs.iter().any(|run| run.others.is_some()) {
            true => "",
            false => {
                " (time of other tasks is not counted: the command has several tasks, or the kernel shows none)"
            }
        };
        match words.is_empty() {
            true => format!("0 of {}{others}", many(all, "run")),
            false => format!("{count} of {}: {}{others}", many(all, "run"), words.join(", ")),
        }
    }

    fn clock(&self) -> String {
        let hz = self
            .judgement
            .clock_hz
            .map_or_else(|| "unknown".to_owned(), |hz| show(hz, None, Quantity::Frequency));
        match self.judgement.gated.as_ref().map(|gated| gated.carried) {
            Some(Some(carried)) => {
                format!("normalised to {hz}: {} of the cost follows the clock", show_percent(carried.share))
            }
            Some(None) => format!("{hz}; not normalised: no clear dependence on the clock in these runs"),
            None => hz,
        }
    }

    /// The name of the base unit.
    fn unit(&self) -> &str {
        match (&self.arguments.unit, &self.arguments.value) {
            (Some(unit), _) if unit.meaning.quantity == Quantity::Latency => "ns",
            (Some(unit), _) => &unit.name,
            (None, Some(_)) => "1",
            (None, None) => "ns",
        }
    }

    /// A value in that unit.
    fn number(&self, value: f64) -> f64 {
        match &self.arguments.unit {
            Some(unit) if unit.meaning.quantity != Quantity::Latency => value / unit.scale(),
            _ => value,
        }
    }

    pub(super) fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let gated = self.judgement.gated.as_ref();
        let carried = gated.and_then(|gated| gated.carried);
        let words: Vec<_> = self.arguments.command.iter().map(|word| word.to_string_lossy()).collect();
        let causes: serde_json::Map<String, Value> = Cause::ALL
            .iter()
            .filter_map(|cause| {
                let name = serde_json::to_value(cause).ok()?.as_str()?.to_owned();
                Some((name, json!(self.judgement.excluded(*cause))))
            })
            .collect();
        let runs = self.runs.iter().zip(&self.judgement.verdicts).map(|(run, verdict)| {
            json!({
                "value": self.number(run.value), "wall_ns": run.wall_ns, "clock_hz": run.clock_hz,
                "other_tasks": run.others, "steal": run.stolen, "looks_during": run.during.len(),
                "excluded": verdict,
            })
        });
        let runs: Vec<Value> = runs.collect();
        let parts: [(&str, Value); 12] = [
            ("format", json!("oscope-gate")),
            ("schema", json!(1)),
            ("command", json!(words)),
            ("cpu", json!(self.cpu)),
            ("value", json!(self.arguments.value.as_ref().map(|regex| regex.as_str()))),
            ("unit", json!(self.unit())),
            ("clock_hz", json!(self.judgement.clock_hz)),
            ("clock_share", json!(carried.map(|carried| carried.share))),
            ("gated", json!(gated.map(|gated| self.part(&gated.typical, gated.cycles)))),
            ("ungated", json!(self.judgement.all.as_ref().map(|all| self.part(all, None)))),
            ("excluded", Value::Object(causes)),
            ("runs", json!(runs)),
        ];
        writeln!(out, "{{")?;
        for (at, (name, value)) in parts.iter().enumerate() {
            let comma = if at + 1 < parts.len() { "," } else { "" };
            let text = serde_json::to_string_pretty(value)?.replace('\n', "\n  ");
            writeln!(out, "  \"{name}\": {text}{comma}")?;
        }
        writeln!(out, "}}")
    }

    fn part(&self, typical: &Typical, cycles: Option<f64>) -> Value {
        let ends = typical.interval.map(|interval| [interval.low, interval.high].map(|end| self.number(end)));
        json!({
            "value": self.number(typical.value), "interval": ends, "variation": typical.variation,
            "cycles": cycles, "runs": typical.runs,
        })
    }

    pub(super) fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(CSV_BEGIN.as_bytes())?;
        let gated = self.judgement.gated.as_ref();
        let rows = [
            ("gated", gated.map(|gated| &gated.typical), gated.and_then(|gated| gated.cycles)),
            ("ungated", self.judgement.all.as_ref(), None),
        ];
        for (name, typical, cycles) in rows {
            let ends = typical.and_then(|typical| typical.interval).map(|interval| interval.ends());
            let clock = self.judgement.clock_hz.filter(|_| name == "gated");
            let columns = [
                typical.map(|typical| self.number(typical.value)),
                ends.map(|(low, _)| self.number(low)),
                ends.map(|(_, high)| self.number(high)),
                typical.and_then(|typical| typical.variation),
                cycles,
                clock,
            ];
            let columns = columns.map(|number| number.map_or_else(String::new, |number| number.to_string()));
            let runs = typical.map_or(0, |typical| typical.runs);
            writeln!(out, "{name},{},{},{runs}", report::csv_field(self.unit()), columns.join(","))?;
        }
        Ok(())
    }
}
