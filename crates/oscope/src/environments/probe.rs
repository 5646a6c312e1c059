//! Before the first round: can workers be started in an environment, and what do they see there that they do not see
//! natively?

use super::Versus;
use crate::exit::usage;
use crate::supervisor::{Executor, Outcome, Workers};
use record::{AttributeChange, Attributes, Environment, PointId, Purpose, Reply, Request, Skip};

/// Workers that are asked, natively and in each environment: what differs between two of one kind proves nothing.
const ASKED: usize = 2;

/// The environments as they go into the plan; workers know their prefixes from now on.
///
/// # Errors
/// When words that the user wrote cannot be run, or two environments have one name.
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

fn one(versus: &Versus, native: &[Attributes], workers: &mut Workers) -> anyhow::Result<Environment> {
    let program = workers.program().to_owned();
    let (prefix, found) = match versus.prefix(&program) {
        Err(skip) => (Vec::new(), Err(skip)),
        Ok(prefix) => {
            workers.add(&versus.name, &prefix);
            let seen = seen(workers, Some(&versus.name));
            if let (Err(why), true) = (&seen, versus.is_by_hand()) {
                return Err(usage(format!(
                    "--versus {}: no worker runs behind '{}': {why}",
                    versus.name,
                    prefix.join(" ")
                )));
            }
            let remedy = format!("try it by hand: {} true", prefix.join(" "));
            (prefix, seen.map_err(|reason| Skip { reason, remedy }))
        }
    };
    let (differs, skip) = match found {
        Ok(there) => (differences(native, &there), None),
        Err(skip) => (Vec::new(), Some(skip)),
    };
    Ok(Environment {
        name: versus.name.clone(),
        title: versus.title.clone(),
        prefix,
        differs,
        skip,
    })
}

/// What workers see of themselves, one after the other.
fn seen(workers: &mut Workers, environment: Option<&str>) -> Result<Vec<Attributes>, String> {
    let request = Request {
        with_attributes: true,
        ..measure::worker::request(Purpose::Attributes, PointId::new("", ""))
    };
    let one = |_| match workers.perform(environment, &request) {
        Outcome::Reply(Reply::Attributes(attributes)) => Ok(attributes),
        Outcome::Broken(reason) => Err(reason),
        Outcome::Reply(_) => Err("the worker did not describe itself".to_owned()),
        Outcome::Abandoned => Err("it was interrupted".to_owned()),
    };
    (0..ASKED).map(one).collect()
}

/// The attributes that are one value in all native workers, and another in every worker of the environment.
fn differences(native: &[Attributes], there: &[Attributes]) -> Vec<AttributeChange> {
    let value = |of: &Attributes, name: &str| of.get(name).cloned().unwrap_or_default();
    let Some((first, rest)) = native.split_first() else {
        return Vec::new();
    };
    let mut names: Vec<&String> = native.iter().chain(there).flat_map(Attributes::keys).collect();
    names.sort_unstable();
    names.dedup();
    let change = |name: &String| {
        let natively = value(first, name);
        let is_one = rest.iter().all(|other| value(other, name) == natively);
        let is_other = there.iter().all(|seen| value(seen, name) != natively);
        (is_one && is_other).then(|| AttributeChange {
            name: name.clone(),
            native: natively,
            environment: there.first().map_or_else(String::new, |seen| value(seen, name)),
        })
    };
    names.into_iter().filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(all: &[(&str, &str)]) -> Attributes {
        let pairs = all
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
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
