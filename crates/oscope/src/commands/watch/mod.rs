//! `oscope watch`: reads a few points all the time within a budget, and shows what happens: on a screen, as lines, as metrics.

mod exporter;
mod keys;
mod observer;
mod ring;
mod scene;
mod usual;
mod views;

use super::run::{Outline, outline};
use crate::Operations;
use crate::arguments::{Run, Watch as Arguments};
use crate::exit::{CliError, Exit, usage};
use crate::notice::notice;
use crate::select::{CHANNELS, Selected, select};
use crate::supervisor::{Interrupt, Workers};
use exporter::Exporter;
use keys::{Keys, has_screen};
use machine::{Live, mount_of};
use observer::{Observer, used};
use record::{Machine, Need, PlannedPoint, Profile, Trigger};
use ring::Ring;
use scene::LiveScene;
use std::fs::create_dir_all;
use std::path::PathBuf;
use usual::usual;
use views::Views;
use watch::{ChannelSpec, Needs, Scene, Watch, WatchSettings, drive};

/// Most channels: what does not fit on a screen nobody watches.
const MOST_CHANNELS: usize = 64;

pub fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    check(arguments)?;
    let workers = Workers::new(Interrupt::catch()?);
    let words = match arguments.selection.as_slice() {
        [] => &[CHANNELS.to_owned()],
        words => words,
    };
    let selected = select(operations, words, Profile::Standard, false)?;
    let run = Run {
        selection: words.to_vec(),
        cpu: arguments.cpu,
        peer_cpu: arguments.peer_cpu,
        dir: arguments.dir.clone(),
        // Workers of a watch do not wait for a quiet core: it shows what a program meets.
        trigger: Trigger::Off,
        ..Run::default()
    };
    let mut outline = outline(operations, &run, &selected)?;
    let skipped = outline.plan.points.extract_if(.., |point| point.skip.is_some());
    for (id, skip) in skipped.filter_map(|point| Some((point.id, point.skip?))) {
        notice!("oscope: {id} is not watched: {} ({})", skip.reason, skip.remedy);
    }
    let used_before_ns = used().cpu_ns;
    let kept = kept_in(arguments);
    let usual = kept.as_ref().map(|folder| usual(folder, &outline)).unwrap_or_default();
    // What reading the ring costs, once, is not what the watch costs.
    let unbudgeted_ns = used().cpu_ns - used_before_ns;
    let specs: Vec<ChannelSpec> = outline
        .plan
        .points
        .iter()
        .map(|point| ChannelSpec { usual: usual.get(&point.id).copied(), ..spec(point, &selected) })
        .collect();
    if specs.is_empty() {
        return Err(CliError(Exit::Nothing, "nothing can be watched here".to_owned()).into());
    }
    if specs.len() > MOST_CHANNELS {
        return Err(usage(format!(
            "{} points are meant, and a watch reads {MOST_CHANNELS} at most: name fewer",
            specs.len()
        )));
    }
    let exporter =
        Exporter::start(arguments.listen, arguments.textfile.as_deref(), labels(&outline.machine))?;
    let ring = kept.as_ref().map(|folder| {
        let boot = super::run::boot();
        Ring::new(folder, arguments.keep_size.bytes(), (boot, &outline.machine, &outline.plan))
    });
    let ring = ring.transpose()?;
    let keys = if arguments.format.is_none() { Keys::of_terminal() } else { Keys::none() };
    let observer = Observer::new(disk(&outline));
    let views = Views::new(arguments, keys.is_screen(), keys.are_read(), exporter);
    watch_channels(
        specs,
        LiveScene::new(workers, outline, (observer, unbudgeted_ns), keys, ring),
        views,
        arguments,
    )
}

/// Where trials are kept: where the user says; beside a screen, whose channels need a history, in the state directory.
fn kept_in(arguments: &Arguments) -> Option<PathBuf> {
    let is_default = arguments.format.is_none() && !arguments.no_keep && has_screen();
    match &arguments.keep {
        Some(folder) => Some(folder.clone()),
        // A directory that cannot be made is an error only where the user named it.
        None if is_default => {
            Some(crate::records::folder()?.join("watch")).filter(|folder| create_dir_all(folder).is_ok())
        }
        None => None,
    }
}

/// Watches until it is over.
fn watch_channels(
    specs: Vec<ChannelSpec>,
    mut scene: LiveScene,
    mut views: Views,
    arguments: &Arguments,
) -> anyhow::Result<Exit> {
    let settings = WatchSettings { budget: arguments.budget_cpu, threshold: arguments.threshold };
    let mut watch = Watch::new(specs, settings, scene.now());
    let lasting_s = arguments.lasting.map_or(f64::INFINITY, |lasting| lasting.as_secs_f64());
    drive(&mut watch, &mut scene, &mut views, lasting_s);
    drop(scene);
    views.finish()?;
    Ok(Exit::Success)
}

fn check(arguments: &Arguments) -> anyhow::Result<()> {
    if !(0.0001..=1.0).contains(&arguments.budget_cpu) {
        return Err(usage("--budget-cpu must be between 0.01% and 100% of one CPU, for example 1%"));
    }
    if !(0.01..=100.0).contains(&arguments.threshold) {
        return Err(usage("--threshold must be at least 1%, for example 20%"));
    }
    if arguments.interval.as_secs_f64() < 1.0 {
        return Err(usage("--interval must be at least one second, for example 10s"));
    }
    Ok(())
}

/// What a channel is.
fn spec(point: &PlannedPoint, selected: &[Selected]) -> ChannelSpec {
    let of = selected.iter().find(|(operation, at)| operation.point_id(at) == point.id);
    let label = of.and_then(|(operation, at)| {
        let text = operation.point_id(at).point;
        operation.channels.iter().find(|(own, _)| *own == text).map(|(_, label)| (*label).to_owned())
    });
    let needs = of.map(|(operation, at)| operation.all_needs(at)).unwrap_or_default();
    let touched = needs.iter().map(|need| if let Need::Memory { bytes } = need { *bytes } else { 0 });
    ChannelSpec {
        id: point.id.clone(),
        label: label.unwrap_or_else(|| point.id.to_string()),
        quantity: point.quantity,
        area: point.area.clone(),
        needs: Needs {
            touched_bytes: touched.sum::<u64>() as f64,
            disk: needs.contains(&Need::Directory),
            uncounted: ["network", "file"].contains(&point.area.as_str()),
        },
        usual: None,
    }
}

/// The numbers of the device on which files are read and written.
fn disk(outline: &Outline) -> Option<String> {
    let directory = outline.plan.settings.directory.as_ref()?;
    Some(mount_of(&Live::machine(), directory)?.device_numbers().to_owned())
}

fn labels(machine: &Machine) -> Vec<(&'static str, String)> {
    let known = report::machine_labels(machine).map(|(label, text)| (label, text.to_owned()));
    [("program", env!("CARGO_PKG_VERSION").to_owned())].into_iter().chain(known).collect()
}
