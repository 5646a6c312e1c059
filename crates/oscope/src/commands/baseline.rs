//! `oscope baseline`: records that others are compared with.

use crate::arguments::Baseline;
use crate::exit::Exit;
use crate::records;
use std::io::Write;

pub fn run(arguments: &Baseline) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    match &arguments.name {
        None => {
            for name in records::baselines() {
                writeln!(out, "{name}")?;
            }
        }
        Some(name) => {
            let record = records::or_newest(arguments.record.clone())?;
            records::read(&record)?;
            let saved = records::save_baseline(name, &record)?;
            writeln!(out, "{} is the baseline {name}: {}", record.display(), saved.display())?;
        }
    }
    Ok(Exit::Success)
}
