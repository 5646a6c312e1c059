//! The counts of a kernel, by `oscope count`.

use crate::command::output;
use anyhow::{Context, Result};
use count::KernelCount;
use std::path::Path;
use std::process::Command;

/// The counts of an image.
pub fn count(oscope: &Path, image: &Path, selection: &[&str]) -> Result<KernelCount> {
    let mut command = Command::new(oscope);
    let text = output(command.arg("count").arg(image).args(selection).args(["--format", "json", "--quiet"]))?;
    let mut counts: serde_json::Value = serde_json::from_str(&text).context("counts")?;
    let kernel = counts.get_mut("kernels").and_then(|kernels| kernels.get_mut(0));
    Ok(serde_json::from_value(kernel.context("no kernel was counted")?.take())?)
}
