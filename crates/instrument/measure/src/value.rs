//! Values of parameters.

use quantity::Bytes;
use std::time::Duration;

/// A value of a parameter.
pub trait Value: Sized {
    /// Reads it as it stands in a point; `None` for other texts.
    fn parse(text: &str) -> Option<Self>;

    /// What may stand there, for messages.
    fn expected() -> String;
}

impl Value for u64 {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn expected() -> String {
        "a whole number".to_owned()
    }
}

impl Value for Bytes {
    fn parse(text: &str) -> Option<Self> {
        quantity::parse_bytes(text).ok()
    }

    fn expected() -> String {
        "a size such as 64KiB".to_owned()
    }
}

impl Value for Duration {
    fn parse(text: &str) -> Option<Self> {
        quantity::parse_duration(text).ok()
    }

    fn expected() -> String {
        "a time such as 100us".to_owned()
    }
}

impl<T: Value> Value for Option<T> {
    fn parse(text: &str) -> Option<Self> {
        T::parse(text).map(Some)
    }

    fn expected() -> String {
        T::expected()
    }
}

/// Declares a parameter with named values: an enum.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// Every value, in the order in which they are shown.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in a point.
            $vis const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }

        impl $crate::value::Value for $name {
            fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == text)
            }

            fn expected() -> String {
                [$($text),*].join("|")
            }
        }
    };
}

choice! {
    /// Where the second actor of an operation is.
    pub enum Placement {
        /// On the CPU of the first.
        Same = "same",
        /// On another CPU, of another core where there is one.
        Other = "other",
        /// On the other hardware thread of the same core.
        Sibling = "sibling",
        /// On a CPU of another memory node.
        Node = "node",
    }
}

choice! {
    /// What the actors' CPUs do while they have nothing to do; without this parameter what they do by themselves.
    pub enum IdleState {
        /// They run a task of the lowest priority that spins: a wake-up needs an interrupt and a switch, but no exit from
        /// idle.
        Busy = "busy",
        /// Their idle loops poll: a wake-up needs no interrupt.
        Polling = "polling",
    }
}

choice! {
    /// The path between the two ends of a network measurement.
    pub enum Path {
        /// Within this machine.
        Loopback = "loopback",
        /// To the peer that the user named.
        Remote = "remote",
    }
}

/// How many CPUs have an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cpus {
    /// As many.
    Count(u32),
    /// All that the program may use.
    All,
}

impl Value for Cpus {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            count => count.parse().ok().filter(|&count| count > 0).map(Self::Count),
        }
    }

    fn expected() -> String {
        "a number of CPUs or all".to_owned()
    }
}
