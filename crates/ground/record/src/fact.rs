//! What is known about a machine: facts, each with its source or the reason why it is unknown.

use crate::Range;
use serde::{Deserialize, Serialize};

/// The unit of a numeric fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A plain number.
    One,
    /// Bytes.
    Bytes,
    /// Events per second.
    Hertz,
    /// Nanoseconds.
    Nanoseconds,
    /// Core cycles.
    Cycles,
    /// Bytes per second.
    BytesPerSecond,
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FactValue {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A number with its unit.
    Number {
        /// The number, in `unit`.
        value: f64,
        /// Its unit.
        unit: Unit,
    },
    /// Several words.
    List {
        /// The words, in the order of their source.
        items: Vec<String>,
    },
    /// Yes or no.
    Flag {
        /// Yes or no.
        set: bool,
    },
    /// Nobody here can tell.
    Unknown {
        /// Why, in a sentence, and where known what would make it known.
        reason: String,
    },
}

/// One fact about a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// Dotted name, its first part the group: `processor.model`.
    pub key: String,
    /// What is known.
    #[serde(flatten)]
    pub value: FactValue,
    /// Where it was read: a path, an instruction, a system call, or a publication.
    pub source: String,
    /// Factor by which a number may be off either way, where it is no reading but a publication or a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Whether the number is an assumption, or follows from one: no publication gives it. Older records lack this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
}

/// All facts about one machine, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// The facts; keys are unique.
    pub facts: Vec<Fact>,
}

impl Machine {
    /// The fact of this name.
    pub fn get(&self, key: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.key == key)
    }

    /// The value of a numeric fact, in its own unit.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)?.value {
            FactValue::Number { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The value of a numeric fact with its uncertainty.
    pub fn range(&self, key: &str) -> Option<Range> {
        let (value, within) = (self.number(key)?, self.get(key)?.within.unwrap_or(1.0));
        Some(Range { low: value / within, value, high: value * within })
    }

    /// Whether the number of a fact is an assumption.
    pub fn is_assumed(&self, key: &str) -> bool {
        self.get(key).is_some_and(|fact| fact.assumed)
    }

    /// The words of a text fact.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.value {
            FactValue::Text { text } => Some(text),
            _ => None,
        }
    }

    /// A yes-or-no fact.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)?.value {
            FactValue::Flag { set } => Some(set),
            _ => None,
        }
    }
}
