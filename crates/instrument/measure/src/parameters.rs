//! Parameters: a workload declares them as a struct, a card names the struct, and points are read into it.

use crate::point::plain;
use crate::value::{Cpus, IdleState, Path, Placement};
use crate::{Failure, Point, Result};

/// The parameters of a workload, made by [`parameters!`](crate::parameters!).
pub trait Parameters: Sized {
    /// Their names.
    const NAMES: &'static [&'static str];

    /// Reads those of a point.
    ///
    /// # Errors
    /// When one is missing, or has a value that it cannot have.
    fn read(point: &Point) -> Result<Self>;
}

/// Parameters that the bench reads, whatever the workload: where the second actor, the other end, and further actors are,
/// and what their CPUs do while they are idle.
const OF_THE_BENCH: [&str; 4] = ["cpu", "path", "cpus", "idle"];

/// Whether a point has the parameters of this workload and no others, each with a value that it can have.
///
/// # Errors
/// With the parameter that is wrong.
pub fn takes<P: Parameters>(point: &Point) -> Result<()> {
    let is_known =
        |name: &&str| P::NAMES.iter().any(|own| plain(own) == *name) || OF_THE_BENCH.contains(name);
    if let Some(name) = point.names().find(|name| !is_known(name)) {
        return Err(Failure::failed(format!("{name} is no parameter of this operation")));
    }
    point.optional::<Placement>("cpu")?;
    point.optional::<Path>("path")?;
    point.optional::<Cpus>("cpus")?;
    point.optional::<IdleState>("idle")?;
    P::read(point).map(drop)
}

/// Declares the parameters of a workload: a struct whose fields have the parameters' names; those with a default may be
/// missing from a point.
#[macro_export]
macro_rules! parameters {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$doc:meta])* $field:ident: $type:ty $(= $default:expr)?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $name { $($(#[$doc])* pub $field: $type),* }

        impl $crate::parameters::Parameters for $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            fn read(_point: &$crate::Point) -> $crate::Result<Self> {
                Ok(Self { $($field: $crate::parameters!(@ _point, $field $(, $default)?)),* })
            }
        }
    };
    (@ $point:ident, $field:ident) => { $point.required(stringify!($field))? };
    (@ $point:ident, $field:ident, $default:expr) => {
        $point.optional(stringify!($field))?.unwrap_or($default)
    };
}

parameters! {
    /// An operation whose points differ in nothing but where their actors are.
    pub struct None {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use quantity::Bytes;

    choice! {
        /// An order.
        enum Order { Up = "up", Down = "down" }
    }

    parameters! {
        /// All forms of parameters.
        struct Walk {
            /// Required.
            order: Order,
            /// Required.
            bytes: Bytes,
            /// With a default.
            laps: u64 = 7,
            /// May be missing.
            limit: Option<Bytes> = None,
        }
    }

    fn read(text: &str) -> Result<Walk, String> {
        let point = Point::parse(text).unwrap();
        takes::<Walk>(&point).and_then(|()| Walk::read(&point)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn points_are_read_into_structs() {
        let bytes = Bytes::from_bytes(65_536);
        let walk = Walk { order: Order::Up, bytes, laps: 7, limit: None };
        assert_eq!(read("order=up bytes=64KiB cpu=same cpus=all"), Ok(walk));
        let all = Walk { order: Order::Down, laps: 2, limit: Some(bytes), ..walk };
        assert_eq!(read("limit=64KiB laps=2 bytes=64KiB order=down"), Ok(all));
    }

    #[test]
    fn unknown_parameters_and_values_are_errors() {
        for (text, error) in [
            ("order=up", "the point has no parameter bytes (a size such as 64KiB)"),
            ("order=sideways bytes=1B", "order=sideways: it can be up|down"),
            ("order=up bytes=many", "bytes=many: it can be a size such as 64KiB"),
            ("order=up bytes=1B laps=-1", "laps=-1: it can be a whole number"),
            ("order=up bytes=1B ordre=up", "ordre is no parameter of this operation"),
            ("order=up bytes=1B cpu=another", "cpu=another: it can be same|other|sibling|node"),
            ("order=up bytes=1B cpus=0", "cpus=0: it can be a number of CPUs or all"),
            ("order=up bytes=1B idle=asleep", "idle=asleep: it can be busy|polling"),
        ] {
            assert_eq!(read(text), Err(error.to_owned()));
        }
    }
}
