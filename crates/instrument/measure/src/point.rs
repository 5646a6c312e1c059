//! A point: an operation's parameters at one setting.

use crate::value::{Cpus, IdleState, Path, Placement};
use crate::{Failure, Result, Value};
use record::Parameters;

/// The name of a parameter whose field is called by a keyword of Rust.
pub(crate) fn plain(field: &str) -> &str {
    field.strip_prefix("r#").unwrap_or(field)
}

/// The parameters of several points, each with its values.
type Family = Vec<(String, Vec<String>)>;

/// Whether two have the same parameters, with the same values of all but the one at this place.
fn differ_only_at(place: usize, one: &Family, other: &Family) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .enumerate()
            .all(|(at, (one, other))| one.0 == other.0 && (at == place || one.1 == other.1))
}

/// The parameters of a point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Point(Parameters);

impl Point {
    /// The only point of an operation without parameters.
    pub fn only() -> Self {
        Self::default()
    }

    /// This point with one more parameter.
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.0.push((name.to_owned(), value.to_string()));
        self
    }

    /// The point that this text, made by [`Point::text`], stands for; `None` for other texts.
    pub fn parse(text: &str) -> Option<Self> {
        let pairs = text.split(' ').filter(|pair| !pair.is_empty());
        let parsed = pairs.map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        parsed.collect::<Option<Parameters>>().map(Self)
    }

    /// The parameters as `name=value`, separated by one space.
    pub fn text(&self) -> String {
        let pairs: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join(" ")
    }

    /// The texts of points, one for those that differ in the values of their parameters only: `cpu=same|other bytes=4KiB|64KiB`.
    pub fn families(points: &[Self]) -> Vec<String> {
        let all_of = |point: &Self| -> Family {
            point.0.iter().map(|(name, value)| (name.clone(), vec![value.clone()])).collect()
        };
        let mut families: Vec<Family> = points.iter().map(all_of).collect();
        let longest = families.iter().map(Vec::len).max().unwrap_or_default();
        for place in (0..longest).rev() {
            let mut joined: Vec<Family> = Vec::new();
            for family in families {
                let own = family.get(place).map(|(_, values)| values.clone());
                let other = joined.iter_mut().find(|other| differ_only_at(place, other, &family));
                match (other.and_then(|other| other.get_mut(place)), own) {
                    (Some((_, values)), Some(own)) => values.extend(own),
                    _ => joined.push(family),
                }
            }
            families = joined;
        }
        let text = |(name, values): &(String, Vec<String>)| format!("{name}={}", values.join("|"));
        families.iter().map(|family| family.iter().map(text).collect::<Vec<_>>().join(" ")).collect()
    }

    /// The names of its parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The value of a parameter that may be missing.
    ///
    /// # Errors
    /// When it has a value that it cannot have.
    pub fn optional<T: Value>(&self, name: &str) -> Result<Option<T>> {
        let name = plain(name);
        let Some((_, text)) = self.0.iter().find(|(key, _)| key == name) else { return Ok(None) };
        let value = T::parse(text);
        value.map(Some).ok_or_else(|| Failure::failed(format!("{name}={text}: it can be {}", T::expected())))
    }

    /// The value of a parameter that must be there.
    ///
    /// # Errors
    /// When it is missing, or has a value that it cannot have.
    pub fn required<T: Value>(&self, name: &str) -> Result<T> {
        self.optional(name)?
            .ok_or_else(|| Failure::failed(format!("the point has no parameter {name} ({})", T::expected())))
    }

    /// Whether every CPU has an actor (`cpus=all`).
    pub fn on_all_cpus(&self) -> bool {
        self.cpus() == Some(Cpus::All)
    }

    /// How many CPUs have an actor, if the point says so.
    pub fn cpus(&self) -> Option<Cpus> {
        self.optional("cpus").ok()?
    }

    /// The path to the other end (`path=loopback|remote`), if the point says so.
    pub fn path(&self) -> Option<Path> {
        self.optional("path").ok()?
    }

    /// What its actors' CPUs do while they are idle, if the point says so.
    pub fn idle_state(&self) -> Option<IdleState> {
        self.optional("idle").ok()?
    }

    /// Whether the second actor has a CPU of its own.
    pub fn has_two_cpus(&self) -> bool {
        self.placement().is_some_and(|placement| placement != Placement::Same)
    }

    /// Where the second actor is, if the point says so.
    pub fn placement(&self) -> Option<Placement> {
        self.optional("cpu").ok()?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn point_round_trips_through_text() {
        let point = Point::only().with("counter", "register").with("iterations", 16);
        assert_eq!(point.text(), "counter=register iterations=16");
        assert_eq!(Point::parse(&point.text()), Some(point));
        assert_eq!(Point::parse(""), Some(Point::only()));
        assert_eq!(Point::parse("nonsense"), None);
    }

    #[test]
    fn points_that_differ_in_values_are_one_family_and_no_point_is_lost_or_made_up() {
        let parse = |text: &str| Point::parse(text).unwrap();
        let texts = ["a=1 b=x", "a=1 b=y", "a=2 b=x", "a=2 b=y", "a=3 b=x", "c=1"];
        assert_eq!(Point::families(&texts.map(parse)), ["a=1|2 b=x|y", "a=3 b=x", "c=1"]);
        assert_eq!(Point::families(&[Point::only()]), [""]);
    }

    #[test]
    fn paths_are_read_back() {
        for &path in Path::ALL {
            assert_eq!(Point::only().with("path", path.name()).path(), Some(path));
        }
        assert_eq!(Point::only().with("path", "scenic").path(), None);
        assert_eq!(Point::only().path(), None);
    }

    #[test]
    fn placements_are_read_back() {
        for &placement in Placement::ALL {
            assert_eq!(Point::only().with("cpu", placement.name()).placement(), Some(placement));
        }
    }
}
