//! Operations by an actor on each of several CPUs: time per operation and CPU, which stays the same where nothing is shared.

pub mod actors;
pub mod file;
pub mod memory;
pub mod message;
pub mod task;

use measure::value::Cpus;
use measure::{Actors, Operation, Point, takes};
use quantity::Quantity;
use record::{Gate, Need, Plot};
use workloads::os::scaling::{Scaling, alone, run, sleeps};

/// The points of a card: of a call in a quick run, of calls on objects of their own, and of calls on shared ones. Those on one CPU
/// have an object of their own.
macro_rules! points {
    (quick $quick:literal, own $own:literal, shared $shared:literal $(, $more:literal)*) => {
        &[
            concat!("profile=quick: call=", $quick, " object=own tasks=processes cpus=1|2"),
            concat!("profile=quick: call=", $quick, " object=shared tasks=threads cpus=2"),
            concat!("profile=standard: call=", $own, " object=own tasks=processes cpus=1|2|4|16|64|256|all"),
            concat!("profile=standard: call=", $shared, " object=shared tasks=threads cpus=2|4|16|64|256|all"),
            concat!(
                "profile=thorough: call=",
                $own,
                " object=own tasks=processes cpus=1|2|4|8|16|32|64|128|256|512|1024|all"
            ),
            concat!(
                "profile=thorough: call=",
                $shared,
                " object=shared tasks=threads cpus=2|4|8|16|32|64|128|256|512|1024|all"
            ),
            $($more),*
        ]
    };
}
use points;

/// Common to operations by several actors.
const SCALING: Operation = Operation {
    one_iteration: "one call by the actor of each CPU: time per call and CPU, which stays the same where CPUs do not wait for \
                    each other",
    confounds: "CPUs that are threads of one core share it: actors get a core each while there are some. With more CPUs the \
                core clock may fall. Where actors sleep for a lock or a child, their share of a CPU is not asked for: other programs on these CPUs \
                then make a shared object look less contended.",
    actors: Actors::Children,
    gate_of: Some(|point| match sleeps(point) {
        true => Gate { cpu_share: None, ..Operation::GATE },
        false => Operation::GATE,
    }),
    spend_ns: 8_000_000,
    parameters: takes::<Scaling>,
    needs,
    alone: Some(alone),
    plot: Some(|| Plot::logarithmic("cpus", "CPUs", Quantity::Count)),
    run,
    ..super::COMMON
};

/// What actors on several CPUs need.
fn needs(point: &Point) -> Vec<Need> {
    match point.cpus() {
        Some(Cpus::Count(1)) | None => Vec::new(),
        _ => vec![Need::SecondCpu, Need::Pinning],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Profile;

    #[test]
    fn every_point_has_one_of_a_single_cpu_in_its_profile() {
        for card in [&actors::ACTORS, &file::FILE, &message::MESSAGE, &memory::MEMORY, &task::TASK] {
            for profile in [Profile::Quick, Profile::Standard, Profile::Thorough] {
                let points = card.points_of(profile);
                let lacks: Vec<String> =
                    points.iter().filter(|point| !points.contains(&alone(point))).map(Point::text).collect();
                assert!(lacks.is_empty(), "{}: {lacks:?}", card.id);
            }
        }
    }
}
