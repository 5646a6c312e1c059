//! Lines of bounds: `[guards:] > FORMULA: BECAUSE` for what no result is below, `<` for what none is above.

use crate::cursor::{Cursor, Mistake};
use crate::definitions::BOUNDS;
use crate::formula::expression_in;
use crate::guard;
use crate::number::filled;
use crate::scope::{Parts, Scope};
use crate::unit::Unit;
use quantity::Quantity;
use record::{Bound, PointId};

/// What no result of a point can pass, by the lines of its card.
///
/// # Errors
/// When a line cannot be read, names what does not exist, or does not come out in the quantity.
pub fn bounds(
    lines: &[&str],
    point: &PointId,
    quantity: Quantity,
    parts: Option<Parts<'_>>,
) -> Result<Vec<Bound>, Mistake> {
    let (unit, scope) = (Unit::of_quantity(quantity), Scope::new(point, parts));
    let mut all = Vec::new();
    for line in lines {
        read(line, &scope, unit, &mut all)?;
    }
    Ok(all)
}

fn read(line: &str, scope: &Scope<'_>, unit: Unit, all: &mut Vec<Bound>) -> Result<(), Mistake> {
    let mut cursor = Cursor::new(line);
    if !guard::holds(&mut cursor, scope.point)? {
        return Ok(());
    }
    let lower = cursor.eat(">");
    if !lower && !cursor.eat("<") {
        let start = cursor;
        return match crate::group::named(BOUNDS, &mut cursor, scope)? {
            Some((lines, inner)) => lines.iter().try_for_each(|line| read(line, &inner, unit, all)),
            None => start.mistake("a bound begins with > or <, and there is no such group"),
        };
    }
    let formula = expression_in(&mut cursor, scope, unit)?;
    cursor.require(": ")?;
    all.push(Bound { lower, formula, because: filled(cursor.rest(), scope)? });
    Ok(())
}
