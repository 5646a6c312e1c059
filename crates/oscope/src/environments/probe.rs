//! Before the first round: can workers be started in an environment, and what do they see there that they do not see
//! natively?

use super::versus::Versus;
use crate::exit::usage;
use crate::supervisor::{Executor, Outcome, Workers};
use record::{
    AttributeChange, Attributes, Environment, FreshProcess, PointId, Purpose, Reply, Request, Skip,
};
use std::time::Instant;

/// Workers that are asked, natively and in each environment: what differs between two of one kind proves nothing.
const ASKED: usize = 2;

/// Time to start a worker from which an environment is started once for all points of a round: as long as most trials.
const LONG_START_NS: u64 = 30_000_000;

/// What workers saw of themselves, and the shortest time from the start of one to its end.
struct SelfReports {
    attributes: Vec<Attributes>,
    shortest_ns: u64,
}

/// The environments as they go into the plan; workers know their prefixes from now on.
/// Fails when words that the user wrote cannot be run, or two environments have one name.
pub fn planned(all: &[Versus], workers: &mut Workers) -> anyhow::Result<Vec<Environment>> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let native = seen(workers, None).map_err(usage)?;
    let mut planned: Vec<Environment> = Vec::new();
    for versus in all {
        if planned.iter().any(|environment| environment.name == versus.name) {
            return Err(usage(format!("two environments are called '{}'", versus.name)));
        }
        planned.push(one(versus, &native, workers)?);
    }
    Ok(planned)
}

fn one(versus: &Versus, native: &SelfReports, workers: &mut Workers) -> anyhow::Result<Environment> {
    let mut environment =
        Environment { name: versus.name.clone(), title: versus.title.clone(), ..Environment::default() };
    match versus.prefix(&workers.program) {
        Err(skip) => return Ok(Environment { skip: Some(skip), ..environment }),
        Ok(prefix) => environment.prefix = prefix,
    }
    workers.add(&environment);
    match seen(workers, Some(&versus.name)) {
        Ok(there) => {
            environment.differs = differences(&native.attributes, &there.attributes);
            let start_ns = there.shortest_ns.saturating_sub(native.shortest_ns);
            environment.start_ns = Some(start_ns);
            if start_ns >= LONG_START_NS {
                environment.started_by_round = by_round(&mut environment, &there, workers);
            }
        }
        Err(why) if versus.is_by_hand => {
            return Err(usage(format!(
                "--versus {}: no worker runs behind '{}': {why}",
                versus.name,
                environment.prefix.join(" ")
            )));
        }
        Err(reason) => {
            let remedy = format!("try it by hand: {} true", environment.prefix.join(" "));
            environment.skip = Some(Skip { reason, remedy });
        }
    }
    Ok(environment)
}

/// How an environment that stays makes processes that see what workers see for which it was started; `None` where it can not.
fn by_round(
    environment: &mut Environment,
    there: &SelfReports,
    workers: &mut Workers,
) -> Option<FreshProcess> {
    [FreshProcess::Executed, FreshProcess::Forked].into_iter().find(|fresh| {
        environment.started_by_round = Some(*fresh);
        workers.add(environment);
        let kept = seen(workers, Some(&environment.name));
        kept.is_ok_and(|kept| differences(&there.attributes, &kept.attributes).is_empty())
    })
}

/// What workers see of themselves, one after the other.
fn seen(workers: &mut Workers, environment: Option<&str>) -> Result<SelfReports, String> {
    let request = Request {
        with_attributes: true,
        ..measure::worker::request(Purpose::Attributes, PointId::new("", ""))
    };
    let mut seen = SelfReports { attributes: Vec::new(), shortest_ns: u64::MAX };
    for _ in 0..ASKED {
        let begun = Instant::now();
        let outcome = workers.perform(environment, &request);
        let took_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        seen.shortest_ns = seen.shortest_ns.min(took_ns);
        seen.attributes.push(match outcome {
            Outcome::Reply(Reply::Attributes(attributes)) => attributes,
            Outcome::Broken(reason) => return Err(reason),
            Outcome::Reply(_) => return Err("the worker did not describe itself".to_owned()),
            Outcome::Abandoned => return Err("it was interrupted".to_owned()),
        });
    }
    Ok(seen)
}

/// The attributes that are one value in all native workers, and another in every worker of the environment.
fn differences(native: &[Attributes], there: &[Attributes]) -> Vec<AttributeChange> {
    let Some((first, rest)) = native.split_first() else {
        return Vec::new();
    };
    let mut names: Vec<&String> = native.iter().chain(there).flat_map(Attributes::keys).collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter_map(|name| {
            let natively = attribute(first, name);
            let is_one = rest.iter().all(|other| attribute(other, name) == natively);
            let is_other = there.iter().all(|seen| attribute(seen, name) != natively);
            (is_one && is_other).then(|| AttributeChange {
                name: name.clone(),
                native: natively,
                environment: there.first().map_or_else(String::new, |seen| attribute(seen, name)),
            })
        })
        .collect()
}

/// An attribute's value; nothing where it was not read.
fn attribute(attributes: &Attributes, name: &str) -> String {
    attributes.get(name).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(all: &[(&str, &str)]) -> Attributes {
        let pairs = all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        pairs.collect()
    }

    #[test]
    fn what_changes_by_itself_proves_nothing() {
        let native = [
            attributes(&[("same", "1"), ("filters", "0"), ("by_itself", "1")]),
            attributes(&[("same", "1"), ("filters", "0"), ("by_itself", "2")]),
        ];
        let there = [
            attributes(&[("same", "1"), ("filters", "1"), ("by_itself", "3"), ("new", "x")]),
            attributes(&[("same", "1"), ("filters", "1"), ("by_itself", "4"), ("new", "y")]),
        ];
        let found = differences(&native, &there);
        let names: Vec<&str> = found.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["filters", "new"]);
        assert!(differences(&native, &native).is_empty());
    }
}
