//! A point: an operation's parameters at one setting.

use crate::Failure;
use record::Parameters;

/// Where the second actor of an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// On the CPU of the first.
    Same,
    /// On another CPU, of another core where there is one.
    Other,
    /// On the other hardware thread of the same core.
    Sibling,
    /// On a CPU of another memory node.
    Node,
}

impl Placement {
    /// Every placement, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Same, Self::Other, Self::Sibling, Self::Node];

    /// Its name as a parameter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Other => "other",
            Self::Sibling => "sibling",
            Self::Node => "node",
        }
    }
}

/// The path between the two ends of a network measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Within this machine.
    Loopback,
    /// To the peer that the user named.
    Remote,
}

impl Path {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Loopback, Self::Remote];

    /// Its name as a parameter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
            Self::Remote => "remote",
        }
    }
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

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter that must be there and be a whole number.
    ///
    /// # Errors
    /// When it is missing or no number.
    pub fn number(&self, name: &str) -> Result<u64, Failure> {
        let value = self.get(name).and_then(|text| text.parse().ok());
        value.ok_or_else(|| Failure::failed(format!("the point needs a parameter {name}=NUMBER")))
    }

    /// The value of a parameter that must be there and be a size, in bytes.
    ///
    /// # Errors
    /// When it is missing or no size.
    pub fn size(&self, name: &str) -> Result<u64, Failure> {
        let size = quantity::parse_bytes(self.get(name).unwrap_or_default());
        size.map(quantity::Bytes::bytes)
            .map_err(|_| Failure::failed(format!("the point needs a size {name}=64KiB")))
    }

    /// Whether every CPU has an actor (`cpus=all`).
    pub fn on_all_cpus(&self) -> bool {
        self.get("cpus") == Some("all")
    }

    /// The path to the other end (`path=loopback|remote`), if the point says so.
    pub fn path(&self) -> Option<Path> {
        let name = self.get("path")?;
        Path::ALL.into_iter().find(|path| path.name() == name)
    }

    /// Whether the second actor has a CPU of its own.
    pub fn has_two_cpus(&self) -> bool {
        self.placement().is_some_and(|placement| placement != Placement::Same)
    }

    /// Where the second actor is, if the point says so.
    pub fn placement(&self) -> Option<Placement> {
        let name = self.get("cpu")?;
        Placement::ALL.into_iter().find(|placement| placement.name() == name)
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
    fn numbers_and_sizes() {
        let point = Point::only().with("iterations", 16).with("bytes", "64KiB");
        assert_eq!(point.number("iterations").ok(), Some(16));
        assert_eq!(point.size("bytes").ok(), Some(65_536));
        assert!(point.size("resident").is_err());
    }

    #[test]
    fn paths_are_read_back() {
        for path in Path::ALL {
            assert_eq!(Point::only().with("path", path.name()).path(), Some(path));
        }
        assert_eq!(Point::only().with("path", "scenic").path(), None);
        assert_eq!(Point::only().path(), None);
    }

    #[test]
    fn placements_are_read_back() {
        for placement in Placement::ALL {
            assert_eq!(Point::only().with("cpu", placement.name()).placement(), Some(placement));
        }
    }
}
