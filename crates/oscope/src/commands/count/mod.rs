//! `oscope count`: what a kernel executes, without noise; two kernels, and the functions that made the difference.

mod compared;
mod counts;
mod kernels;
mod named;
mod page;
mod points;
mod table;
mod view;

use crate::arguments::{Count, Form};
use crate::exit::{Exit, nothing, of_bisection, of_revision};
use crate::notice::notice;
use crate::{Operations, output};
use count::{Difference, KernelCount};
use kernels::Kernels;

pub fn run(operations: Operations, arguments: &Count) -> anyhow::Result<Exit> {
    let ended = counted(operations, arguments);
    if arguments.bisect { ended.map_err(of_bisection) } else { ended }
}

fn counted(operations: Operations, arguments: &Count) -> anyhow::Result<Exit> {
    let kernels = Kernels::new(operations, arguments)?;
    output::check(&arguments.output, output::marks(arguments.format))?;
    let counts = kernels.count(operations, arguments)?;
    let difference = match counts.as_slice() {
        [from, to] => Some(count::difference(from, to)),
        _ => None,
    };
    output::write(&arguments.output, output::marks(arguments.format), |width, style, out| {
        match arguments.format {
            Form::Json => {
                serde_json::to_writer_pretty(&mut *out, &counts::Counts::new(&counts, difference.as_ref()))?;
                writeln!(out)
            }
            Form::Csv => table::csv(&counts, difference.as_ref(), out),
            form => view::write(
                &view::View { counts: &counts, difference: difference.as_ref(), arguments },
                form,
                width,
                style,
                out,
            ),
        }
    })?;
    if counts.iter().all(|count| count.points.is_empty()) {
        let why = counts.iter().flat_map(|count| &count.skipped).map(|skipped| &skipped.why.reason).next();
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        return Err(of_revision(nothing(format!("no point could be counted{why}"))));
    }
    judge(&counts, difference.as_ref(), arguments)
}

/// Ends with the code for findings where a rule is met, and names the points and the functions.
fn judge(counts: &[KernelCount], difference: Option<&Difference>, arguments: &Count) -> anyhow::Result<Exit> {
    let Some(difference) = difference else { return Ok(Exit::Success) };
    let unfinished = counts.iter().find_map(|count| count.unfinished.as_deref());
    let (mut is_found, mut is_missing) = (false, unfinished.is_some() && arguments.bisect);
    for rule in &arguments.fail_if {
        let met = difference.changed.iter().filter(|point| rule.is_met(point.instructions));
        let mut found: Vec<String> = met.map(compared::changed_words).collect();
        is_found |= !found.is_empty();
        if rule.is_of_lost() && !(difference.lost.is_empty() && unfinished.is_none()) {
            is_missing = true;
            found.extend(difference.lost.iter().map(|id| format!("{id} (lost)")));
            found.extend(unfinished.map(str::to_owned));
        }
        if !found.is_empty() {
            notice!("oscope: {rule}: {}", found.join(", "));
        }
    }
    if difference.compared() == 0 {
        return Err(of_revision(nothing("the kernels have no point in common")));
    }
    Ok(match (is_found, is_missing) {
        (true, _) => Exit::Findings,
        (false, true) if arguments.bisect => Exit::Skip,
        (false, true) => Exit::Findings,
        (false, false) => Exit::Success,
    })
}
