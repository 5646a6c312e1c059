//! Lines of a prediction: terms, groups of terms, and definitions of the card's own.
//!
//! - `[guards:] hardware|software [t0|t1] NAME = FORMULA`: a term of that tier, or of both;
//! - `[guards:] [t0|t1] GROUP(ARGUMENTS)`: the lines of a group, of that tier or of both;
//! - `[guards:] let [t0|t1] NAME(PARAMETERS) = FORMULA`: a definition for the lines below.

use crate::cursor::{Cursor, Mistake};
use crate::definitions::TERMS;
use crate::formula::expression_in;
use crate::guard;
use crate::number::filled;
use crate::scope::{Definition, Parts, Scope, Tier};
use crate::unit::Unit;
use quantity::Quantity;
use record::{PointId, Prediction, Term, TermSide};

/// What a point should cost, by the lines of its card.
///
/// # Errors
/// When a line cannot be read, names what does not exist, or does not come out in the quantity.
pub fn prediction(
    lines: &[&str],
    point: &PointId,
    quantity: Quantity,
    parts: Option<Parts<'_>>,
) -> Result<Prediction, Mistake> {
    let tier = |tier| {
        let mut card = Card { tier, unit: Unit::of_quantity(quantity), own: Vec::new(), terms: Vec::new() };
        let scope = Scope::new(point, parts).with_tier(tier);
        lines.iter().try_for_each(|line| card.line(line, &scope))?;
        Ok(card.terms)
    };
    Ok(Prediction { from_facts: tier(Tier::Facts)?, from_parts: tier(Tier::Parts)? })
}

/// One tier of a card, as far as it has been read.
struct Card {
    tier: Tier,
    unit: Unit,
    own: Vec<String>,
    terms: Vec<Term>,
}

impl Card {
    fn line(&mut self, line: &str, scope: &Scope<'_>) -> Result<(), Mistake> {
        let mut cursor = Cursor::new(line);
        if !guard::holds(&mut cursor, scope.point)? {
            return Ok(());
        }
        if cursor.eat("let ") {
            if Definition::read(cursor.rest()).is_none() {
                return cursor.mistake("` = ` and a formula are missing");
            }
            self.own.push(cursor.rest().to_owned());
            return Ok(());
        }
        let side = if cursor.eat("hardware ") {
            Some(TermSide::Hardware)
        } else {
            cursor.eat("software ").then_some(TermSide::Software)
        };
        if Tier::read(&mut cursor).is_some_and(|tier| tier != self.tier) {
            return Ok(());
        }
        match side {
            Some(side) => self.term(side, cursor, scope),
            None => self.group(cursor, scope),
        }
    }

    fn term(&mut self, side: TermSide, mut cursor: Cursor<'_>, scope: &Scope<'_>) -> Result<(), Mistake> {
        let start = cursor;
        let Some(name) = cursor.until(" = ") else {
            return start.mistake("` = ` and a formula are missing");
        };
        let name = filled(name.trim(), scope)?;
        if self.terms.iter().any(|term| term.name == name) {
            return start.mistake(format!("two terms of one tier are called `{name}`"));
        }
        let own = std::mem::take(&mut self.own);
        let scope = Scope { own: &own, ..scope.clone() };
        let formula = expression_in(&mut cursor, &scope, self.unit)?;
        cursor.expect_end()?;
        self.own = own;
        self.terms.push(Term { name, side, formula });
        Ok(())
    }

    fn group(&mut self, mut cursor: Cursor<'_>, scope: &Scope<'_>) -> Result<(), Mistake> {
        let start = cursor;
        match crate::group::named(TERMS, &mut cursor, scope)? {
            Some((lines, inner)) => lines.iter().try_for_each(|line| self.line(line, &inner)),
            None => start.mistake("a term begins with hardware or software, and there is no such group"),
        }
    }
}
