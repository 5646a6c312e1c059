//! Lines of evidence: counters, calls, and groups of both.
//!
//! - `[guards:] COUNTER = N (FLAGS): PROVES` and `COUNTER N..M (FLAGS): PROVES`, per iteration. Flags are `quiet` (it
//!   proves that nothing disturbed, not that the work was done), `if consistent` and `noise` (see [`Breach`]);
//! - `[guards:] calls: read 1, write 2`: these system calls by one task and no others; `calls: none`;
//! - `[guards:] calls of both sides: read 2..8, write 2`: the same of two actors together;
//! - `[guards:] GROUP(ARGUMENTS)`: the lines of a group.

use crate::cursor::{Cursor, Mistake};
use crate::definitions::EVIDENCE;
use crate::guard;
use crate::number::{expect_number, filled};
use crate::scope::Scope;
use record::{Breach, Origin, PointId, Witness};

/// What is counted in the rehearsal; all else is counted in each trial.
const REHEARSED: [&str; 3] = ["calls", "instructions", "made"];

/// What must be true of a point, by the lines of its card.
///
/// # Errors
/// When a line cannot be read.
pub fn witnesses(lines: &[&str], point: &PointId) -> Result<Vec<Witness>, Mistake> {
    let scope = Scope::new(point, None);
    let mut all = Vec::new();
    for line in lines {
        read(line, &scope, &mut all)?;
    }
    Ok(all)
}

fn read(line: &str, scope: &Scope<'_>, all: &mut Vec<Witness>) -> Result<(), Mistake> {
    let mut cursor = Cursor::new(line);
    if !guard::holds(&mut cursor, scope.point)? {
        return Ok(());
    }
    if cursor.eat("calls: ") {
        all.extend(calls(&mut cursor, scope, &ONE_TASK)?);
    } else if cursor.eat("calls of both sides: ") {
        all.extend(calls(&mut cursor, scope, &BOTH_SIDES)?);
    } else if let Some((lines, inner)) = crate::group::named(EVIDENCE, &mut cursor, scope)? {
        lines.iter().try_for_each(|line| read(line, &inner, all))?;
    } else {
        all.push(counted(&mut cursor, scope)?);
    }
    Ok(())
}

fn counted(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Witness, Mistake> {
    let start = *cursor;
    let counter = cursor.name();
    if counter.is_empty() {
        return start.mistake("a counter or a group is missing");
    }
    cursor.eat_sign("=");
    let (low, high) = range(cursor, scope)?;
    let (mut positive, mut breach) = (true, Breach::OtherWork);
    if cursor.eat_sign("(") {
        let start = *cursor;
        for flag in cursor.until_closed('(', ')')?.split(',') {
            match flag.trim() {
                "quiet" => positive = false,
                "if consistent" => breach = Breach::IfConsistent,
                "noise" => (positive, breach) = (false, Breach::Noise),
                other => return start.mistake(format!("there is no flag `{other}`")),
            }
        }
    }
    cursor.require(": ")?;
    Ok(Witness {
        counter: counter.to_owned(),
        origin: origin(counter),
        low,
        high,
        positive,
        proves: filled(cursor.rest(), scope)?,
        breach,
    })
}

fn origin(counter: &str) -> Origin {
    let first = counter.split('.').next().unwrap_or_default();
    if REHEARSED.contains(&first) { Origin::Rehearsal } else { Origin::Trial }
}

/// `N`, or `N..M`.
fn range(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<(f64, f64), Mistake> {
    let low = expect_number(cursor, scope)?;
    let high = if cursor.eat("..") { expect_number(cursor, scope)? } else { low };
    if low <= high { Ok((low, high)) } else { cursor.mistake(format!("{low} is more than {high}")) }
}

/// Whose calls are counted.
struct Callers {
    /// How far a count may be off.
    within: f64,
    per: &'static str,
}

const ONE_TASK: Callers = Callers { within: 0.01, per: "iteration" };

/// The last call of one phase of the rehearsal may be counted in the next.
const BOTH_SIDES: Callers = Callers { within: 0.1, per: "round trip, both sides together" };

fn calls(cursor: &mut Cursor<'_>, scope: &Scope<'_>, callers: &Callers) -> Result<Vec<Witness>, Mistake> {
    let witness = |counter: String, (low, high): (f64, f64), positive, proves: String| Witness {
        counter,
        origin: Origin::Rehearsal,
        low: low - callers.within,
        high: high + callers.within,
        positive,
        proves,
        breach: Breach::OtherWork,
    };
    let (mut all, mut total) = (Vec::new(), (0.0, 0.0));
    while !cursor.eat("none") {
        cursor.skip_spaces();
        let name = cursor.name();
        let (low, high) = range(cursor, scope)?;
        total = (total.0 + low, total.1 + high);
        let often = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        let proves = format!("{often} × {name} per {}", callers.per);
        all.push(witness(format!("calls.{name}"), (low, high), true, proves));
        if !cursor.eat_sign(",") {
            break;
        }
    }
    cursor.expect_end()?;
    let none_else = if all.is_empty() { "no system calls" } else { "no other system calls" };
    all.push(witness("calls".to_owned(), total, false, none_else.to_owned()));
    Ok(all)
}
