//! `oscope count`: what a kernel executes, without noise; two kernels, and the functions that made the difference.

mod kernels;
mod points;
mod table;
mod view;

use crate::arguments::{Count, Form};
use crate::exit::{CliError, Exit, skipped, usage};
use crate::notice::notice;
use crate::{Operations, output};
use count::{Difference, KernelCount};
use kernels::Kernels;

pub fn run(operations: Operations, arguments: &Count) -> anyhow::Result<Exit> {
    let ended = counted(operations, arguments);
    if arguments.bisect { ended.map_err(skipped) } else { ended }
}

fn counted(operations: Operations, arguments: &Count) -> anyhow::Result<Exit> {
    let kernels = Kernels::new(arguments)?;
    let counts = kernels.count(operations, arguments)?;
    let difference = match counts.as_slice() {
        [from, to] => Some(count::difference(from, to)),
        _ => None,
    };
    output::write(&arguments.output, output::marks(arguments.format), |width, style, out| {
        match arguments.format {
            Form::Json => {
                serde_json::to_writer_pretty(&mut *out, &kernels::Counts::new(&counts))?;
                writeln!(out)
            }
            Form::Csv => table::csv(&counts, out),
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
        return Err(CliError(Exit::Nothing, format!("no point could be counted{why}")).into());
    }
    judge(&counts, difference.as_ref(), arguments)
}

/// Ends with the code for findings where a rule is met, and names the points and the functions.
fn judge(counts: &[KernelCount], difference: Option<&Difference>, arguments: &Count) -> anyhow::Result<Exit> {
    let Some(difference) = difference else {
        return match arguments.fail_if.is_empty() {
            true => Ok(Exit::Success),
            false => Err(usage("--fail-if compares two kernels; name another, or --append2")),
        };
    };
    let unfinished = counts.iter().find_map(|count| count.unfinished.as_deref());
    let (mut is_found, mut is_missing) = (false, unfinished.is_some() && arguments.bisect);
    for rule in &arguments.fail_if {
        let met = difference.changed.iter().filter(|point| rule.is_met(point.instructions));
        let mut found: Vec<String> = met.map(view::changed_words).collect();
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
        return Err(CliError(Exit::Nothing, "the kernels have no point in common".to_owned()).into());
    }
    Ok(match (is_found, is_missing) {
        (true, _) => Exit::Findings,
        (false, true) if arguments.bisect => Exit::Skip,
        (false, true) => Exit::Findings,
        (false, false) => Exit::Success,
    })
}
