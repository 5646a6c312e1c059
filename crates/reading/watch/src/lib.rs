//! The state of a watch: what its channels read, what happens around them, what that costs, and the views of all this.
//!
//! [`drive`] is the loop. Everything that it touches is behind [`Scene`] (the machine and its clocks) and [`Output`], so
//! that tests run days of it in simulated time.
//!
//! **Invariant:** no clock, no file, no process: a watch knows what its scene gives it.
//! **Invariant:** its memory is bounded, however long it runs.
//! **Invariant:** a reason is a counted condition of the machine; where none was counted, the event says so.
#![forbid(unsafe_code)]

mod budget;
mod channel;
mod columns;
mod condition;
mod cost;
mod drive;
mod event;
mod exposition;
mod level;
mod lines;
mod moment;
mod screen;
mod state;
mod thresholds;
mod usual;

pub use budget::Budget;
pub use channel::{Channel, ChannelSpec, Needs, NoReading, Reading, TrialVerdict, WindowStatistics};
pub use condition::{Condition, Conditions, DiskUse, OtherShare, Reason};
pub use cost::Used;
pub use drive::{Action, Output, Scene, drive};
pub use event::{Effect, Event};
pub use exposition::exposition;
pub use lines::{json_event, json_interval, plain_event, plain_interval};
pub use moment::Moment;
pub use screen::{ScreenSettings, TIME_BASES_S, screen};
pub use state::{Change, Watch, WatchSettings};
pub use thresholds::GROUPS as THRESHOLDS;
pub use usual::Usual;
