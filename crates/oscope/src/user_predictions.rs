//! A user's own predictions, made before the run: read from a TOML file and checked against the operations.

use crate::Operations;
use crate::exit::{file_error, unusable, usage};
use crate::operation_list::operation;
use crate::records::now;
use crate::suggest::{did_you_mean, like};
use blake2::{Blake2b512, Digest};
use measure::Point;
use quantity::{Quantity, example, parse_value};
use record::renamed::meant;
use record::{Plan, PlannedPoint, PointId, PredictionsFile, Profile, UserPrediction};
use std::path::Path;
use toml_span::value::{Table, Value};

/// What a prediction may say.
const FIELDS: [&str; 4] = ["typical", "hardware", "software", "because"];
/// A sum of parts may differ from its total by this share: both are rounded.
const ROUNDED: f64 = 0.01;

/// One entry of the file.
#[derive(Debug, Default)]
struct Entry {
    /// An operation's id, or that of one of its points.
    name: String,
    /// Where it begins, for messages.
    at: usize,
    /// The values of its fields, in their order.
    fields: [Option<String>; 4],
}

impl Entry {
    /// Whether it says anything: a row of a template may be blank.
    fn is_filled(&self) -> bool {
        self.fields.iter().flatten().any(|field| !field.trim().is_empty())
    }

    fn is_of(&self, id: &PointId) -> bool {
        self.name == id.operation || self.name == id.to_string()
    }
}

/// What a file predicts, as text: what kind a value has is known only with its operation.
#[derive(Debug)]
pub struct Predictions {
    path: String,
    text: String,
    entries: Vec<Entry>,
    file: PredictionsFile,
}

impl Predictions {
    /// Reads a file, and checks that it names what oscope measures and that every value is of its kind.
    pub fn read(path: &Path, operations: Operations) -> anyhow::Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| file_error(path, error))?;
        let text = String::from_utf8(bytes).map_err(|_| unusable(path, "it is not UTF-8"))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let b2sum: String = Blake2b512::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        let file = PredictionsFile { name, b2sum, read: now(), points: 0, earlier: Vec::new() };
        let mut this = Self { path: path.display().to_string(), entries: Vec::new(), file, text };
        this.entries = this.parse()?;
        for entry in &mut this.entries {
            entry.name = meant(&entry.name).into_owned();
        }
        this.entries.iter().try_for_each(|entry| this.check(entry, operations))?;
        Ok(this)
    }

    fn parse(&self) -> anyhow::Result<Vec<Entry>> {
        let value = toml_span::parse(&self.text)
            .map_err(|error| self.wrong(error.span.start, &format!("not valid TOML: {error}")))?;
        let mut entries = Vec::new();
        if let Some(table) = value.as_table() {
            self.flatten(table, "", &mut entries)?;
        }
        entries.sort_by_key(|entry| entry.at);
        Ok(entries)
    }

    /// Bare keys with dots are tables in tables; an id is all of them together.
    fn flatten(&self, table: &Table<'_>, above: &str, out: &mut Vec<Entry>) -> anyhow::Result<()> {
        for (key, value) in table {
            let at = key.span.start;
            let name = match above {
                "" => key.name.to_string(),
                id if key.name.contains('=') => format!("{id} {}", key.name),
                id => format!("{id}.{}", key.name),
            };
            let field = FIELDS.iter().position(|field| *field == key.name).filter(|_| !above.is_empty());
            match (value.as_table(), text(value), field) {
                (Some(table), _, _) => self.flatten(table, &name, out)?,
                (None, Some(text), None) => self.set(out, &name, at, 0, text)?,
                (None, Some(text), Some(field)) => self.set(out, above, at, field, text)?,
                (None, None, _) => {
                    let why = format!("`{}` is neither a value with its unit nor a table", key.name);
                    return Err(self.wrong(at, &why));
                }
            }
        }
        Ok(())
    }

    fn set(
        &self,
        out: &mut Vec<Entry>,
        name: &str,
        at: usize,
        field: usize,
        text: String,
    ) -> anyhow::Result<()> {
        let index = out.iter().position(|entry| entry.name == name).unwrap_or_else(|| {
            out.push(Entry { name: name.to_owned(), at, ..Entry::default() });
            out.len() - 1
        });
        let slot = out.get_mut(index).and_then(|entry| entry.fields.get_mut(field));
        match slot {
            Some(slot @ None) => *slot = Some(text),
            _ => return Err(self.wrong(at, &format!("{name} is predicted twice"))),
        }
        Ok(())
    }

    /// An error at a place of the file.
    fn wrong(&self, at: usize, why: &str) -> anyhow::Error {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        usage(format!("{}:{line}: {why}", self.path))
    }

    /// Checks that an entry is of an operation or a point that there is, and that its values are of their kind.
    fn check(&self, entry: &Entry, operations: Operations) -> anyhow::Result<()> {
        let (id, text) = entry.name.split_once(' ').unwrap_or((&entry.name, ""));
        let Some(operation) = operation(operations, id) else {
            return Err(self.wrong(entry.at, &unknown(&entry.name, id, operations)));
        };
        let profiles = [Profile::Standard, Profile::Quick, Profile::Thorough];
        let points: Vec<Point> =
            profiles.into_iter().flat_map(|profile| operation.points_of(profile)).collect();
        let meant = points.iter().filter(|point| text.is_empty() || point.text() == text);
        if meant.clone().next().is_none() {
            let near = like(text, points.iter().map(Point::text)).map(|near| format!("`{id} {near}`"));
            return Err(self.wrong(entry.at, &format!("{id} has no point `{text}`{}", did_you_mean(near))));
        }
        for point in meant {
            self.prediction(entry, operation.planned(point).quantity)?;
        }
        Ok(())
    }

    /// What an entry predicts of a point of this kind; `None` where its values are left blank.
    fn prediction(&self, entry: &Entry, quantity: Quantity) -> anyhow::Result<Option<UserPrediction>> {
        let wrong = |why: &str| self.wrong(entry.at, &format!("{}: {why}", entry.name));
        let [typical, hardware, software, because] =
            entry.fields.each_ref().map(|text| text.as_deref().unwrap_or_default().trim());
        let value = |text: &str| match text {
            "" => Ok(None),
            text => parse_value(text, quantity).map(Some).map_err(|error| wrong(&error.0)),
        };
        let (typical, hardware, software) = (value(typical)?, value(hardware)?, value(software)?);
        let parts: Vec<f64> = hardware.into_iter().chain(software).collect();
        if !parts.is_empty() && quantity != Quantity::Latency {
            return Err(wrong("`hardware` and `software` are for times only; give `typical`"));
        }
        let total = match (typical, hardware, software) {
            (None, None, None) => return Ok(None),
            (Some(total), ..) => total,
            (None, Some(hardware), Some(software)) => hardware + software,
            _ => return Err(wrong("give `typical` too, or both `hardware` and `software`")),
        };
        if parts.iter().any(|part| *part > total * (1.0 + ROUNDED)) {
            return Err(wrong("a part is more than `typical`, which is the total"));
        }
        if parts.len() == 2 && (parts.iter().sum::<f64>() - total).abs() > ROUNDED * total {
            return Err(wrong("`hardware` and `software` do not add up to `typical`"));
        }
        if total <= 0.0 && quantity != Quantity::Count {
            return Err(wrong(&format!("it must be greater than zero, for example {}", example(quantity))));
        }
        let rest = |part: Option<f64>| part.map(|part| (total - part).max(0.0));
        Ok(Some(UserPrediction {
            typical: total,
            hardware: hardware.or(rest(software)),
            software: software.or(rest(hardware)),
            because: because.to_owned(),
        }))
    }

    /// Puts the predictions into a plan, for points that have none: the first one stands. An entry for a point goes before
    /// one for its operation.
    pub fn apply(&self, plan: &mut Plan) -> anyhow::Result<Applied> {
        let mut applied = Applied::default();
        for point in &mut plan.points {
            let Some(prediction) = self.of(point)? else {
                continue;
            };
            match point.user {
                Some(_) => applied.again += 1,
                None => {
                    point.user = Some(prediction);
                    applied.points += 1;
                }
            }
        }
        if applied.points == 0 && !self.entries.iter().any(Entry::is_filled) {
            return Err(usage(format!("{}: all rows are blank", self.path)));
        }
        if applied.points == 0 {
            let kind = if applied.again > 0 { "still to be predicted" } else { "measured here" };
            let why = format!("none of its predictions is of a point that is {kind}");
            return Err(usage(format!("{}: {why}", self.path)));
        }
        applied.unused = self
            .entries
            .iter()
            .filter(|entry| entry.is_filled() && !plan.points.iter().any(|point| entry.is_of(&point.id)))
            .count();
        let mut earlier = Vec::new();
        if let Some(mut before) = plan.user_predictions.take() {
            earlier.append(&mut before.earlier);
            earlier.push(before);
        }
        plan.user_predictions =
            Some(PredictionsFile { points: applied.points, earlier, ..self.file.clone() });
        Ok(applied)
    }

    fn of(&self, point: &PlannedPoint) -> anyhow::Result<Option<UserPrediction>> {
        let mut found: Vec<&Entry> = self.entries.iter().filter(|entry| entry.is_of(&point.id)).collect();
        found.sort_by_key(|entry| std::cmp::Reverse(entry.name.len()));
        for entry in found {
            if let Some(prediction) = self.prediction(entry, point.quantity)? {
                return Ok(Some(prediction));
            }
        }
        Ok(None)
    }
}

/// What became of the predictions.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// Points that have one now.
    pub points: usize,
    /// Points that had one before, which stands.
    pub again: usize,
    /// Entries of points that are not measured.
    pub unused: usize,
}

/// A value as text: a text, or a plain number.
fn text(value: &Value<'_>) -> Option<String> {
    let number = value.as_integer().map(|number| number.to_string());
    let number = number.or_else(|| value.as_float().map(|number| number.to_string()));
    value.as_str().map(str::to_owned).or(number)
}

/// Why a name means nothing.
fn unknown(name: &str, id: &str, operations: Operations) -> String {
    if let Some((above, field)) = name.rsplit_once('.')
        && operation(operations, above.split(' ').next().unwrap_or_default()).is_some()
    {
        return format!("{above}: unknown field `{field}`; a prediction has {}", FIELDS.join(", "));
    }
    let near = like(id, operations.iter().map(|operation| operation.id.to_owned()));
    format!("nothing is called `{name}`{} ('oscope list' shows every id)", did_you_mean(near))
}

/// A file to fill in, which does not tell what oscope predicts.
pub fn template(plan: &Plan) -> String {
    let mut out = String::from(
        "# Your predictions, to be made before you measure: oscope run --predictions THIS_FILE\n\
         #\n\
         # Leave a value blank to skip it. `typical` is the total; for a time you may give base hardware performance\n\
         # and software overhead instead: hardware = \"100 ns\" and software = \"2 µs\".\n\
         # One entry can stand for all points of an operation: [\"memory.latency\"].\n",
    );
    let mut before = "";
    for point in &plan.points {
        if point.id.operation != before {
            before = &point.id.operation;
            let says =
                [point.title.as_str(), &point.one_iteration].map(|text| text.replace(['\n', '\r'], " "));
            out.push_str(&format!("\n# {}\n# One iteration: {}.\n", says[0], says[1]));
        }
        out.push_str(&format!(
            "[\"{}\"]\ntypical = \"\"  # {}\nbecause = \"\"\n",
            point.id,
            example(point.quantity).replace('"', "'")
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Predictions> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        Predictions::read(&path, flawed::all_operations())
    }

    fn plan() -> Plan {
        let wanted = ["syscall.floor", "loop.known_cost", "memory.bandwidth.read"];
        let all = flawed::all_operations().iter().filter(|operation| wanted.contains(&operation.id));
        let points = all.flat_map(|operation| {
            let points = operation.points_of(Profile::Standard);
            points.into_iter().map(move |point| operation.planned(&point)).collect::<Vec<_>>()
        });
        Plan {
            settings: crate::commands::predict::nothing_measured(Profile::Standard),
            points: points.collect(),
            ..Plan::default()
        }
    }

    fn of<'p>(plan: &'p Plan, id: &str) -> &'p UserPrediction {
        let point = plan.points.iter().find(|point| point.id.to_string() == id).unwrap();
        point.user.as_ref().unwrap()
    }

    #[test]
    fn every_way_of_writing_means_the_same() {
        for text in [
            "\"syscall.floor\" = \"90 ns\"",
            "syscall.floor = \"0.09 µs\"",
            "[\"syscall.floor\"]\ntypical = \"90 ns\"",
            "[syscall.floor]\nhardware = \"60 ns\"\nsoftware = \"30 ns\"",
            "[syscall.floor]\nhardware = \"60 ns\"\ntypical = \"90 ns\"",
        ] {
            let mut plan = plan();
            let applied = read(text).unwrap().apply(&mut plan).unwrap();
            assert_eq!(applied, Applied { points: 1, ..Applied::default() });
            assert!((of(&plan, "syscall.floor").typical - 90.0).abs() < 1e-9, "{text}");
        }
    }

    #[test]
    fn a_point_goes_before_its_operation_and_what_is_empty_is_not_predicted() {
        let text = "[\"loop.known_cost\"]\ntypical = \"4 ns\"\nbecause = \"a guess\"\n\
            [\"loop.known_cost adds=20\"]\ntypical = \"8 ns\"\n\
            [\"syscall.floor\"]\ntypical = \"\"\n[\"sleep.poll\"]\ntypical = \"1 ms\"\n";
        let mut plan = plan();
        let applied = read(text).unwrap().apply(&mut plan).unwrap();
        assert_eq!((of(&plan, "loop.known_cost adds=10").typical, applied.unused), (4.0, 1));
        assert_eq!(of(&plan, "loop.known_cost adds=10").because, "a guess");
        assert_eq!(of(&plan, "loop.known_cost adds=20").typical, 8.0);
        let file = plan.user_predictions.unwrap();
        assert_eq!((file.name.as_str(), file.b2sum.len()), ("mine.toml", 128));
        assert!(
            plan.points.iter().all(|point| point.id.operation != "syscall.floor" || point.user.is_none())
        );
    }

    #[test]
    fn a_second_file_stands_behind_the_first() {
        let mut plan = plan();
        read("\"syscall.floor\" = \"90 ns\"").unwrap().apply(&mut plan).unwrap();
        let second = "\"syscall.floor\" = \"50 ns\"\n\"loop.known_cost adds=10\" = \"4 ns\"";
        let applied = read(second).unwrap().apply(&mut plan).unwrap();
        assert_eq!((applied.points, applied.again), (1, 1));
        let last = plan.user_predictions.as_ref().unwrap();
        let points: Vec<usize> = last.earlier.iter().chain([last]).map(|file| file.points).collect();
        assert_eq!((points, of(&plan, "syscall.floor").typical), (vec![1, 1], 90.0));
    }

    #[test]
    fn blank_rows_predict_nothing_and_are_not_counted() {
        let blank = "[\"sleep.poll\"]\ntypical = \"\"  # 1 ms\nbecause = \"\"\n";
        let said = read(blank).unwrap().apply(&mut plan()).unwrap_err().to_string();
        assert!(said.ends_with("all rows are blank"), "{said}");
        let some = format!("{blank}[\"syscall.floor\"]\ntypical = \"90 ns\"\n");
        let applied = read(&some).unwrap().apply(&mut plan()).unwrap();
        assert_eq!(applied, Applied { points: 1, ..Applied::default() });
    }

    #[test]
    fn refusals_name_the_line_and_what_helps() {
        for (text, says) in [
            (
                "\n\"syscall.flor\" = \"1 ns\"",
                ":2: nothing is called `syscall.flor`; did you mean syscall.floor?",
            ),
            ("\"loop.known_cost adds=11\" = \"1 ns\"", "did you mean `loop.known_cost adds=1"),
            ("\"syscall.floor\" = \"1 GB/s\"", "is a rate"),
            ("\"syscall.floor\" = 100", "has no unit"),
            ("\"syscall.floor\" = \"fast\"", "does not begin with a number"),
            ("[syscall.floor]\ntipical = \"1 ns\"", "unknown field `tipical`"),
            ("[syscall.floor]\nhardware = \"1 ns\"", "give `typical` too"),
            (
                "[syscall.floor]\nhardware = \"1 ns\"\nsoftware = \"1 ns\"\ntypical = \"3 ns\"",
                "do not add up",
            ),
            ("[syscall.floor]\nsoftware = \"5 ns\"\ntypical = \"3 ns\"", "more than `typical`"),
            ("[syscall.floor]\ntypical = [1]", "neither a value"),
            ("\"syscall.floor\" = \"1 ns\"\nsyscall.floor = \"2 ns\"", "predicted twice"),
            ("\"syscall.floor\" = \"0 ns\"", "greater than zero"),
            ("[\"memory.bandwidth.read\"]\nhardware = \"1 GB/s\"", "for times only"),
            ("[syscall.floor", "not valid TOML"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let mut plan = plan();
        let error = read("\"sleep.poll\" = \"1 ms\"").unwrap().apply(&mut plan).unwrap_err();
        assert!(error.to_string().contains("none of its predictions"));
    }

    #[test]
    fn a_template_is_read_and_hides_what_is_predicted() {
        let mut plan = plan();
        let text = template(&plan);
        assert!(text.contains("[\"loop.known_cost adds=10\"]") && !text.contains("T0"));
        let empty = read(&text).unwrap();
        assert!(empty.apply(&mut plan).is_err(), "nothing is filled in");
        let filled = text.replacen("typical = \"\"", "typical = \"70 ns\"", 1);
        assert_eq!(read(&filled).unwrap().apply(&mut plan).unwrap().points, 1);
    }
}
