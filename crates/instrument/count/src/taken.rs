//! The counts of a kernel: what `oscope count` shows, compares and writes.

use crate::boot::{Boot, Booted};
use crate::emulator::{Emulator, PluginUse};
use crate::figures::{self, PointCount, Skipped};
use measure::counting::Counted;
use record::PointId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a file of counts begins.
pub const FORMAT: &str = "oscope-count";

/// The version of a file's form; fields are added with a default.
pub const SCHEMA: u32 = 1;

/// The counts of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelCount {
    /// [`FORMAT`].
    pub format: String,
    /// [`SCHEMA`].
    pub schema: u32,
    /// What the user named.
    pub name: String,
    /// The kernel's release and version.
    pub release: String,
    /// Number of the build, and the date.
    pub version: String,
    /// Its architecture.
    pub architecture: String,
    /// The emulator and the processor that it emulates.
    pub emulator: String,
    /// Features of the emulated processor.
    pub features: String,
    /// Boot options of the user.
    pub options: String,
    /// CPUs of the machine.
    pub cpus: u32,
    /// Seeds of the boots.
    pub seeds: Vec<u32>,
    /// Why functions are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals_only: Option<String>,
    /// Why not all points were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
    /// The points.
    pub points: Vec<PointCount>,
    /// Points that were not counted.
    pub skipped: Vec<Skipped>,
}

/// The counts of a kernel from its boots.
pub fn counted(boot: &Boot<'_>, emulator: &Emulator, seeds: &[u32], booted: &[Booted]) -> KernelCount {
    let rows: Vec<BTreeMap<&PointId, &Counted>> =
        booted.iter().map(|one| one.said.rows.iter().map(|row| (&row.id, &row.counted)).collect()).collect();
    let (mut points, mut skipped) = (Vec::new(), Vec::new());
    for (index, request) in boot.job.requests.iter().enumerate() {
        let of_boots: Vec<_> = rows
            .iter()
            .zip(booted)
            .map(|(rows, booted)| (rows.get(&request.id).copied(), &booted.windows))
            .collect();
        match figures::point(index, &request.id, &of_boots) {
            Ok(point) => points.push(point),
            Err(why) => skipped.push(*why),
        }
    }
    let greeting = booted.first().map(|booted| &booted.said.greeting);
    let text = |of: fn(&crate::console::Greeting) -> &String| greeting.map(of).cloned().unwrap_or_default();
    let without_symbols = greeting.and_then(|greeting| greeting.symbols.as_ref().err().cloned());
    let totals_only = match &emulator.plugin {
        PluginUse::Unused(why) => Some(why.clone()),
        PluginUse::Used => without_symbols,
    };
    KernelCount {
        format: FORMAT.to_owned(),
        schema: SCHEMA,
        name: boot.image.name.clone(),
        release: text(|greeting| &greeting.release),
        version: text(|greeting| &greeting.version),
        architecture: boot.image.architecture.name().to_owned(),
        emulator: format!("QEMU {}, {}", emulator.version, emulator.processor()),
        features: text(|greeting| &greeting.features),
        options: boot.options.to_owned(),
        cpus: boot.cpus,
        seeds: seeds.to_vec(),
        totals_only,
        unfinished: booted.iter().find_map(|booted| booted.unfinished.clone()),
        points,
        skipped,
    }
}
