//! The subcommands, one file each.

pub mod ab;
pub mod baseline;
pub mod cleanup;
pub mod compare;
pub mod completions;
pub mod count;
pub mod describe;
pub mod dry_run;
pub mod dump;
pub mod explain;
pub mod export;
pub mod fleet;
pub mod gate;
pub mod help;
pub mod history;
pub mod lint;
pub mod list;
pub mod lmbench;
pub mod museum;
pub mod predict;
pub mod reference;
pub mod report;
pub mod run;
pub mod selftest;
pub mod serve;
pub mod watch;
pub mod worker;

use crate::exit::Exit;
use std::io::Write;

/// The commands that matter, for who types the name of the program alone.
const WELCOME: &str = "\
oscope measures what the basic services of this machine and its kernel cost, and compares them with predictions.

  oscope run                  measure the headline: some 40 points, one minute
  oscope run all              measure everything: some 740 points, seven minutes
  oscope report               show the newest result again; --full shows all of it, --format html a page
  oscope explain fork         how a point is measured and predicted, and what was found
  oscope compare A B          what became slower or faster between two records

oscope run syscall, oscope run memory … measure a part; oscope help lists all commands and topics.
";

/// Prints the version, and how the program was built.
pub fn version(is_verbose: bool) -> anyhow::Result<Exit> {
    let mut text = format!("oscope {}\n", env!("CARGO_PKG_VERSION"));
    if is_verbose {
        text += &format!(
            "commit: {}\ntarget: {}\nbuild: {}, {}\nfeatures: {}\nprocessor features: {}\nrecord schema: {}\n",
            option_env!("OSCOPE_COMMIT").unwrap_or("unknown"),
            env!("OSCOPE_TARGET"),
            env!("OSCOPE_PROFILE"),
            if env!("OSCOPE_FEATURES").contains("crt-static") { "static" } else { "dynamic" },
            if cfg!(feature = "parquet") { "parquet" } else { "none" },
            env!("OSCOPE_FEATURES"),
            record::SCHEMA,
        );
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Success)
}

/// Prints the commands that matter.
pub fn welcome() -> anyhow::Result<Exit> {
    std::io::stdout().write_all(WELCOME.as_bytes())?;
    Ok(Exit::Success)
}
