//! An operation at one set of parameters, and its name.

use crate::renamed;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The parameters of a point, in the order of their declaration.
pub type Parameters = Vec<(String, String)>;

/// An operation at one set of parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointId {
    /// The operation's id: `switch.process.pipe`.
    pub operation: String,
    /// The parameters as `name=value`, separated by one space; empty when there are none.
    #[serde(default)]
    pub point: String,
    /// The environment in which it is measured; `None` natively. Analyses are of one environment each, and their points
    /// name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

impl<'de> Deserialize<'de> for PointId {
    /// By its current names, whatever names the line has.
    fn deserialize<D: serde::Deserializer<'de>>(line: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Written {
            operation: String,
            #[serde(default)]
            point: String,
            #[serde(default)]
            environment: Option<String>,
        }
        let Written { operation, point, environment } = Written::deserialize(line)?;
        let written = Self::new(&operation, &point);
        let text = written.to_string();
        let current = match renamed::current(&text) {
            Cow::Borrowed(_) => written,
            Cow::Owned(text) => {
                let (operation, point) = text.split_once(' ').unwrap_or((&text, ""));
                Self::new(operation, point)
            }
        };
        Ok(Self { environment, ..current })
    }
}

impl PointId {
    /// A point of an operation.
    pub fn new(operation: &str, point: &str) -> Self {
        Self { operation: operation.to_owned(), point: point.to_owned(), environment: None }
    }

    /// The same point in this environment; natively where there is none.
    #[must_use]
    pub fn within(&self, environment: Option<&str>) -> Self {
        Self { environment: environment.map(str::to_owned), ..self.clone() }
    }

    /// Its parameters, each as `name=value`.
    pub fn pairs(&self) -> impl Iterator<Item = &str> {
        self.point.split(' ').filter(|pair| !pair.is_empty())
    }

    /// Whether it has a parameter of this value: `cpu=same`.
    pub fn has(&self, pair: &str) -> bool {
        self.pairs().any(|own| own == pair)
    }

    /// The value of one parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.pairs().find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    /// The operation and its other parameters.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let is_other = |pair: &&str| pair.split_once('=').is_none_or(|(own, _)| own != name);
        let others: Vec<&str> = self.pairs().filter(is_other).collect();
        Self { point: others.join(" "), ..self.clone() }
    }

    /// The first word of the id; the area of an operation is in the plan.
    pub fn family(&self) -> &str {
        self.operation.split('.').next().unwrap_or_default()
    }
}

impl fmt::Display for PointId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.operation)?;
        if !self.point.is_empty() {
            write!(out, " {}", self.point)?;
        }
        match &self.environment {
            Some(environment) => write!(out, " ({environment})"),
            None => Ok(()),
        }
    }
}
