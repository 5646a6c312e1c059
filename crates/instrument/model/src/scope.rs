//! What names mean where a line stands: the point, the tier, arguments and definitions.

use crate::cursor::{Cursor, Mistake};
use crate::definitions::FORMULAS;
use crate::typed::Typed;
use quantity::Quantity;
use record::PointId;

/// The quantity of a point that exists; `None` for others.
pub type Parts<'a> = &'a dyn Fn(&PointId) -> Option<Quantity>;

/// A definition may use others so deep; one that uses itself is found by this.
const DEEPEST: u8 = 16;

/// Which tier a formula belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// T0: from facts and constants.
    Facts,
    /// T1: from parts of the same run; bounds, too.
    Parts,
}

impl Tier {
    /// A tier's name at this place of a line.
    pub fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        if cursor.eat("t0 ") {
            return Some(Self::Facts);
        }
        cursor.eat("t1 ").then_some(Self::Parts)
    }
}

/// What an argument stands for.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A formula, which may be a number.
    Formula(Typed),
    /// Words.
    Text(String),
}

/// What names mean.
#[derive(Clone)]
pub struct Scope<'a> {
    pub point: &'a PointId,
    pub tier: Tier,
    /// `None` where parts need not exist.
    pub parts: Option<Parts<'a>>,
    /// Whether units are checked: a formula as it is printed has none.
    pub has_units: bool,
    pub arguments: Vec<(String, Argument)>,
    /// The card's own definitions, as lines.
    pub own: &'a [String],
    pub depth: u8,
}

impl<'a> Scope<'a> {
    pub fn new(point: &'a PointId, parts: Option<Parts<'a>>) -> Self {
        Self { point, tier: Tier::Parts, parts, has_units: true, arguments: Vec::new(), own: &[], depth: 0 }
    }

    pub fn with_tier(&self, tier: Tier) -> Self {
        Self { tier, ..self.clone() }
    }

    /// The same place of the card within a definition, which sees its arguments and nothing of its caller's.
    pub fn within(&self, arguments: Vec<(String, Argument)>, cursor: &Cursor<'_>) -> Result<Self, Mistake> {
        if self.depth >= DEEPEST {
            return cursor.mistake("the definition uses itself");
        }
        Ok(Self { arguments, depth: self.depth + 1, ..self.clone() })
    }

    pub fn argument(&self, name: &str) -> Option<&Argument> {
        let found = self.arguments.iter().find(|(known, _)| known == name);
        found.map(|(_, argument)| argument)
    }

    /// The definition of a formula's name in this tier: the card's own before those of all.
    pub fn definition(&self, name: &str) -> Option<Definition<'_>> {
        let own = self.own.iter().rev().map(String::as_str);
        let lines = own.chain(FORMULAS.iter().copied().flatten().copied());
        lines
            .filter_map(Definition::read)
            .find(|one| one.header.name == name && one.tier.is_none_or(|tier| tier == self.tier))
    }
}

/// A name with its parameters: `path(instructions, locked)`.
pub struct Header<'a> {
    pub name: &'a str,
    pub parameters: Vec<&'a str>,
}

impl<'a> Header<'a> {
    pub fn read(text: &'a str) -> Self {
        let (name, list) = text.split_once('(').unwrap_or((text, ""));
        let list = list.trim_end_matches(')').split(',').map(str::trim);
        Self { name: name.trim(), parameters: list.filter(|parameter| !parameter.is_empty()).collect() }
    }

    /// The parameters with their arguments.
    pub fn bind(
        &self,
        arguments: Vec<Argument>,
        cursor: &Cursor<'_>,
    ) -> Result<Vec<(String, Argument)>, Mistake> {
        if arguments.len() != self.parameters.len() {
            let (has, name) = (self.parameters.len(), self.name);
            return cursor.mistake(format!("`{name}` takes {has} arguments, {} given", arguments.len()));
        }
        let names = self.parameters.iter().map(|&name| name.to_owned());
        Ok(names.zip(arguments).collect())
    }
}

/// A defined formula: `[t0|t1] NAME(PARAMETERS) = FORMULA`.
pub struct Definition<'a> {
    tier: Option<Tier>,
    pub header: Header<'a>,
    pub body: Cursor<'a>,
}

impl<'a> Definition<'a> {
    pub fn read(line: &'a str) -> Option<Self> {
        let mut cursor = Cursor::new(line);
        let tier = Tier::read(&mut cursor);
        let header = Header::read(cursor.until(" = ")?);
        Some(Self { tier, header, body: cursor })
    }
}
