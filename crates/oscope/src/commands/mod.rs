//! The subcommands, one file each.

pub mod compare;
pub mod completions;
pub mod describe;
pub mod dry_run;
pub mod dump;
pub mod explain;
pub mod keeper;
pub mod lint;
pub mod list;
pub mod museum;
pub mod predict;
pub mod reference;
pub mod report;
pub mod run;
pub mod serve;
pub mod worker;
