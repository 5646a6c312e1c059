//! Numbers that carry their unit. Private inside; only meaningful arithmetic.

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $from:ident, $get:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
        pub struct $name($inner);

        impl $name {
            /// The value, whose unit is in the name of this function.
            pub const fn $from(value: $inner) -> Self {
                Self(value)
            }

            /// The value in the unit that this function names.
            pub const fn $get(self) -> $inner {
                self.0
            }
        }

        impl std::ops::Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl std::ops::Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
    };
}

unit!(/// A time in nanoseconds; may be negative when it is a difference.
    Nanos, f64, from_nanos, nanos);
unit!(/// An amount of memory or storage.
    Bytes, u64, from_bytes, bytes);
unit!(/// Events in one second.
    Hertz, f64, from_hertz, hertz);

impl Nanos {
    /// The number of cycles a core with this clock goes through in this time.
    pub fn to_cycles(self, clock: Hertz) -> f64 {
        self.0 * clock.0 * 1e-9
    }
}

impl Hertz {
    /// The duration of one period.
    pub fn period(self) -> Nanos {
        Nanos(1e9 / self.0)
    }
}
