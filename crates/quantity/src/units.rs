//! Numbers that carry their unit, where two units meet: text of a size, and of a time as cycles at a clock. Private inside.

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $from:ident, $get:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
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
    };
}

unit!(
    /// A time in nanoseconds; may be negative when it is a difference.
    ///
    /// A time is not a frequency, so the two cannot be exchanged:
    ///
    /// ```
    /// use quantity::{Hertz, Nanos, show_cycles};
    /// assert_eq!(show_cycles(Nanos::from_nanos(10.0), None, Hertz::from_hertz(2.5e9)), "25.0 cyc");
    /// ```
    /// ```compile_fail,E0308
    /// use quantity::{Hertz, Nanos, show_cycles};
    /// show_cycles(Hertz::from_hertz(2.5e9), None, Nanos::from_nanos(10.0));
    /// ```
    /// ```compile_fail,E0308
    /// quantity::show_bytes(quantity::Nanos::from_nanos(10.0));
    /// ```
    Nanos, f64, from_nanos, nanos
);
unit!(
    /// An amount of memory or storage.
    Bytes, u64, from_bytes, bytes
);
unit!(
    /// Events in one second.
    Hertz, f64, from_hertz, hertz
);

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
