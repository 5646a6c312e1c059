//! A word of a selection: a name, and conditions on the parameters of points.

use super::declared::{ALL, SETS, Set, any_points};
use crate::Operations;
use crate::exit::usage;
use crate::operation_list::operation;
use crate::suggest::nothing_is;
use analysis::Row;
use glob::Pattern;
use measure::{Area, Operation, Point};
use record::PointId;
use record::renamed::meant;

/// A word of a selection.
pub(super) struct Term {
    pub(super) text: String,
    /// What it names, without its conditions.
    pub(super) name: String,
    pub(super) conditions: Vec<Condition>,
    /// It is the id of one point, and means no other that has further parameters.
    is_point: bool,
    set: Option<Set>,
    /// Its name is an operation's id, and means this one, not those whose ids begin like it.
    is_id: bool,
    glob: Pattern,
}

impl Term {
    pub(super) fn new(typed: &str, operations: Operations) -> anyhow::Result<Self> {
        let text = meant(typed).into_owned();
        let (name, conditions) = text.split_once(' ').unwrap_or((&text, ""));
        let name = name.to_owned();
        let operation = operation(operations, &name);
        let conditions = conditions
            .split_whitespace()
            .map(|word| match (Condition::new(word)?, operation) {
                (Some(condition), _) => Ok(condition),
                (None, Some(_)) => Err(usage(format!(
                    "'{word}' is not a condition: write PARAMETER=VALUE, such as '{name} cpu=same'"
                ))),
                (None, None) => Err(usage(nothing_is(&text, operations))),
            })
            .collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Self {
            is_point: !conditions.is_empty()
                && operation.is_some_and(|operation| {
                    any_points(operation).iter().any(|point| operation.point_id(point).to_string() == text)
                }),
            set: SETS.iter().find(|(set, _)| *set == name).map(|(_, set)| *set),
            is_id: operation.is_some(),
            glob: pattern(&name)?,
            conditions,
            name,
            text,
        })
    }

    /// Whether it means a point of an operation.
    pub(super) fn is_for_point(&self, operation: &Operation, point: &Point) -> bool {
        self.is_for(Some(operation), &operation.point_id(point), operation.area.name())
    }

    /// Whether it names an operation, or means a point of it.
    pub(super) fn is_for_operation(&self, operation: &Operation) -> bool {
        (self.conditions.is_empty() && self.names_operation(operation))
            || any_points(operation).iter().any(|point| self.is_for_point(operation, point))
    }

    /// Whether it means a row of a record, whose operation may be one of an older program.
    pub(super) fn is_for_row(&self, row: &Row, operations: Operations) -> bool {
        let id = &row.point.id;
        self.is_for(operation(operations, &id.operation), id, &row.point.area)
    }

    /// Whether it means a point that was counted, perhaps by an older program.
    pub(super) fn is_for_id(&self, id: &PointId, operations: Operations) -> bool {
        let operation = operation(operations, &id.operation);
        let area = operation.map_or("", |operation| operation.area.name());
        id.to_string() == self.text || self.is_for(operation, id, area)
    }

    fn is_for(&self, operation: Option<&Operation>, id: &PointId, area: &str) -> bool {
        if self.is_point {
            return id.to_string() == self.text;
        }
        let mut conditions = self.conditions.iter();
        self.names(operation, id, area) && conditions.all(|condition| condition.is_met_by(&id.point))
    }

    /// Whether it names operations, not their area or a set of points.
    pub(super) fn is_of_operations(&self) -> bool {
        self.set.is_none() && Area::ALL.into_iter().all(|area| area.name() != self.name)
    }

    /// Whether it names a point, whatever its conditions.
    pub(super) fn names(&self, operation: Option<&Operation>, id: &PointId, area: &str) -> bool {
        match self.set {
            Some(_) if self.name == ALL => true,
            Some(has) => operation.is_some_and(|operation| has(operation, &id.point)),
            None => self.names_id(&id.operation, area),
        }
    }

    /// Whether it names the point of a row, whatever its conditions.
    pub(super) fn names_row(&self, row: &Row, operations: Operations) -> bool {
        let id = &row.point.id;
        self.names(operation(operations, &id.operation), id, &row.point.area)
    }

    /// Whether it names an operation: by its id, and not by a set of points.
    pub(super) fn names_operation(&self, operation: &Operation) -> bool {
        self.set.is_none() && self.names_id(operation.id, operation.area.name())
    }

    /// An area, an id or its beginning up to a dot, or a glob over ids.
    fn names_id(&self, id: &str, area: &str) -> bool {
        if self.is_id {
            return id == self.name;
        }
        let begins = id.strip_prefix(&self.name).is_some_and(|rest| rest.starts_with('.'));
        begins || area == self.name || self.glob.matches(id)
    }

    /// Takes it as the id of one point where a row has this id: an older program had the point.
    pub(super) fn or_point_of<'a>(&mut self, mut rows: impl Iterator<Item = &'a Row>) {
        self.is_point |= !self.conditions.is_empty() && rows.any(|row| row.point.id.to_string() == self.text);
    }
}

/// A condition on a parameter: one of these values. Each may be a glob.
pub(super) struct Condition {
    pub(super) text: String,
    pub(super) parameter: String,
    values: Vec<Pattern>,
}

impl Condition {
    /// `NAME=VALUE` or `NAME=VALUE|VALUE`; `None` for other words.
    fn new(text: &str) -> anyhow::Result<Option<Self>> {
        let Some((parameter, values)) = text.split_once('=') else {
            return Ok(None);
        };
        let values = values.split('|').map(pattern).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Some(Self { text: text.to_owned(), parameter: parameter.to_owned(), values }))
    }

    /// Whether a point with these parameters has the parameter with one of the values.
    pub(super) fn is_met_by(&self, point: &str) -> bool {
        self.values_in(point).any(|value| self.values.iter().any(|glob| glob.matches(value)))
    }

    /// The value of its parameter in a point that has it.
    pub(super) fn values_in<'a>(&'a self, point: &'a str) -> impl Iterator<Item = &'a str> {
        pairs(point).filter(|(name, _)| *name == self.parameter).map(|(_, value)| value)
    }
}

/// The parameters of a point with their values.
pub(super) fn pairs(point: &str) -> impl Iterator<Item = (&str, &str)> {
    point.split(' ').filter_map(|pair| pair.split_once('='))
}

fn pattern(text: &str) -> anyhow::Result<Pattern> {
    Pattern::new(text).map_err(|error| usage(format!("'{text}' is not an id, area or glob: {error}")))
}
