//! Formulas with their units.

use crate::cursor::{Cursor, Mistake};
use crate::unit::{Unit, same};
use record::Formula;

/// A formula and its unit; no unit fits any.
#[derive(Debug, Clone)]
pub struct Typed {
    pub formula: Formula,
    pub unit: Option<Unit>,
}

impl Typed {
    pub fn joined(
        self,
        other: Self,
        unit: fn(Unit, Unit) -> Unit,
        join: fn(Formula, Formula) -> Formula,
    ) -> Self {
        Self {
            formula: join(self.formula, other.formula),
            unit: self.unit.zip(other.unit).map(|(a, b)| unit(a, b)),
        }
    }

    pub fn added(
        self,
        other: Self,
        cursor: &Cursor<'_>,
        join: fn(Formula, Formula) -> Formula,
    ) -> Result<Self, Mistake> {
        Ok(Self { unit: same(self.unit, other.unit, cursor)?, formula: join(self.formula, other.formula) })
    }
}
