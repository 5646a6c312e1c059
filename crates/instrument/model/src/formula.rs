//! Formulas: the text of an expression becomes one, with its unit.

use crate::build::{product, quotient, sum};
use crate::cursor::{Cursor, Mistake, Sign, chain};
use crate::number::{expect_number, filled, number};
use crate::scope::{Argument, Scope, Tier};
use crate::typed::Typed;
use crate::unit::{Unit, same};
use record::{Formula, PointId};

/// The formula that is printed as this text. Numbers have no citations then, and units are not checked.
///
/// # Errors
/// When no formula is printed so.
pub fn parse(text: &str) -> Result<Formula, Mistake> {
    let nowhere = PointId::new("", "");
    let scope = Scope { has_units: false, ..Scope::new(&nowhere, None) };
    whole(&mut Cursor::new(text), &scope).map(|typed| typed.formula)
}

/// A formula that reaches to the end of the line.
pub fn whole(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Typed, Mistake> {
    let typed = expression(cursor, scope)?;
    cursor.expect_end()?;
    Ok(typed)
}

/// A formula in the unit of what it stands for.
pub fn expression_in(cursor: &mut Cursor<'_>, scope: &Scope<'_>, unit: Unit) -> Result<Formula, Mistake> {
    cursor.skip_spaces();
    let start = *cursor;
    let typed = expression(cursor, scope)?;
    match typed.unit {
        Some(other) if other != unit => start.mistake(format!("this is {other} and should be {unit}")),
        _ => Ok(typed.formula),
    }
}

fn expression(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Typed, Mistake> {
    let signs: [Sign<Typed>; 2] = [
        (&["+"], |a, b, sign| a.added(b, sign, sum)),
        (&["−", "-"], |a, b, sign| a.added(b, sign, Formula::minus)),
    ];
    chain(cursor, &signs, |cursor| term(cursor, scope))
}

fn term(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Typed, Mistake> {
    let signs: [Sign<Typed>; 2] = [
        (&["×", "*"], |a, b, _| Ok(a.joined(b, Unit::times, product))),
        (&["/"], |a, b, _| Ok(a.joined(b, Unit::over, quotient))),
    ];
    chain(cursor, &signs, |cursor| factor(cursor, scope))
}

fn factor(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Typed, Mistake> {
    cursor.skip_spaces();
    if let Some(value) = number(cursor, scope)? {
        return with_unit(value, cursor, scope);
    }
    if cursor.eat("[") {
        return part(cursor, scope);
    }
    if cursor.eat("(") {
        return list(cursor, scope, "or else", |of| Formula::First { of });
    }
    if cursor.eat("max(") {
        return list(cursor, scope, ",", |of| Formula::Maximum { of });
    }
    if cursor.eat("min(") {
        return list(cursor, scope, ",", |of| Formula::Minimum { of });
    }
    let start = *cursor;
    let name = cursor.name();
    if name.is_empty() {
        return start.mistake("a number, a fact, a part or a definition is missing");
    }
    if let Some(Argument::Formula(typed)) = scope.argument(name) {
        return Ok(typed.clone());
    }
    if name.contains('.') {
        *cursor = start;
        let key = cursor.while_true(|letter| letter.is_ascii_alphanumeric() || "_.{}".contains(letter));
        return fact(&filled(key, scope)?, scope, &start);
    }
    called(name, &start, cursor, scope)
}

fn with_unit(value: f64, cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Typed, Mistake> {
    let unit = Unit::read(cursor);
    let formula = match citation(cursor, scope)? {
        Some((within, source)) => Formula::cited(value, within, &source),
        None => Formula::exactly(value),
    };
    let fits_any = !scope.has_units || (unit.is_none() && value == 0.0);
    Ok(Typed { formula, unit: (!fits_any).then(|| unit.unwrap_or_default()) })
}

/// `(×1.5: descriptor, lock (two))`: a factor of uncertainty, and a source in which parentheses match.
fn citation(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Option<(f64, String)>, Mistake> {
    if !cursor.eat_sign("(×") {
        return Ok(None);
    }
    let start = *cursor;
    let within = expect_number(cursor, scope)?;
    cursor.require(":")?;
    let source = filled(cursor.until_closed('(', ')')?.trim(), scope)?;
    if within < 1.0 {
        return start.mistake("a factor of uncertainty is at least 1");
    }
    if source.len() <= 8 {
        return start.mistake("a source is missing behind the factor");
    }
    Ok(Some((within, source)))
}

fn part(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Typed, Mistake> {
    let start = *cursor;
    let text = filled(cursor.until_closed('[', ']')?, scope)?;
    if scope.tier == Tier::Facts {
        return start.mistake(format!("[{text}] is measured: T0 is made of facts"));
    }
    let (operation, point) = text.split_once(' ').unwrap_or((&text, ""));
    let id = PointId::new(operation, point);
    let unit = match scope.parts.map(|parts| parts(&id)) {
        None => None,
        Some(Some(quantity)) => Some(Unit::of_quantity(quantity)),
        Some(None) => return start.mistake(format!("there is no point [{text}]")),
    };
    Ok(Typed { formula: Formula::Part { point: id }, unit })
}

fn fact(key: &str, scope: &Scope<'_>, start: &Cursor<'_>) -> Result<Typed, Mistake> {
    let unit = Unit::of_fact(key);
    if scope.has_units && unit.is_none() {
        return start.mistake(format!("there is no fact `{key}`"));
    }
    Ok(Typed { formula: Formula::fact(key), unit: unit.filter(|_| scope.has_units) })
}

/// What stands in parentheses: one expression, or several of one unit that are joined.
fn list(
    cursor: &mut Cursor<'_>,
    scope: &Scope<'_>,
    between: &str,
    join: fn(Vec<Formula>) -> Formula,
) -> Result<Typed, Mistake> {
    let mut first = expression(cursor, scope)?;
    let mut of = vec![first.formula.clone()];
    while cursor.eat_sign(between) {
        let sign = *cursor;
        let next = expression(cursor, scope)?;
        first.unit = same(first.unit, next.unit, &sign)?;
        of.push(next.formula);
    }
    cursor.require(")")?;
    if of.len() > 1 {
        first.formula = join(of);
    }
    Ok(first)
}

/// A definition, with its arguments and the citation behind it.
fn called(
    name: &str,
    start: &Cursor<'_>,
    cursor: &mut Cursor<'_>,
    scope: &Scope<'_>,
) -> Result<Typed, Mistake> {
    let Some(definition) = scope.definition(name) else {
        return start.mistake(format!("`{name}` is not defined"));
    };
    let given = if definition.header.parameters.is_empty() {
        Vec::new()
    } else {
        cursor.require("(")?;
        arguments(cursor, scope)?
    };
    let mut bound = definition.header.bind(given, start)?;
    if let Some((within, source)) = citation(cursor, scope)? {
        let within = Typed { formula: Formula::exactly(within), unit: None };
        bound.push(("within".to_owned(), Argument::Formula(within)));
        bound.push(("source".to_owned(), Argument::Text(source)));
    }
    let inner = scope.within(bound, start)?;
    whole(&mut definition.body.clone(), &inner)
}

/// Arguments up to the closing parenthesis.
pub fn arguments(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Vec<Argument>, Mistake> {
    let mut all = Vec::new();
    loop {
        all.push(Argument::Formula(expression(cursor, scope)?));
        if !cursor.eat_sign(",") {
            cursor.require(")")?;
            return Ok(all);
        }
    }
}
