//! CPUs that do nothing, and actors that share one: what the witnesses of operations on several CPUs must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Result, Work};
use std::time::Duration;
use sys::process::{Actor, getppid};
use sys::usage::CpuClock;
use workloads::os::scaling::many::run_awake;
use workloads::os::scaling::{Sharing, run_on};

/// The work of one actor; the second is on this CPU and sleeps. Of the two, `working` are claimed to have worked.
fn one_works(bench: &mut Bench<'_>, second: Option<u32>, working: f64) -> Result<()> {
    let parent = getppid();
    let mut work = |n: u64| Ok((0..n).map(|_| u64::from(getppid() == parent)).sum());
    if bench.is_rehearsal() {
        return bench.slope(&mut work);
    }
    // It is killed at the end.
    let idle = Actor::spawn(second, || {
        std::thread::sleep(Duration::from_secs(60));
        0
    })?;
    bench.batches(Work { cpu: vec![CpuClock::THREAD], ..Work::new(&mut work) })?;
    drop(idle);
    bench.count("cpus.working", working, 2.0);
    Ok(())
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.scaling.one_works",
        of: "scaling.task call=getppid object=own tasks=processes cpus=2",
        mistake: "the second of two actors does nothing, and both are counted",
        caught_by: Caught::By("cpus.working"),
        second_cpu: true,
        run: |bench| {
            let own = bench.cpu();
            let other = sys::cpu::allowed_before_pinning()?.into_iter().find(|&cpu| Some(cpu) != own);
            one_works(bench, other, 1.0)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.scaling.one_cpu",
        of: "scaling.task call=getppid object=own tasks=processes cpus=2",
        mistake: "both actors are on one CPU",
        caught_by: Caught::By("actors.cpus"),
        second_cpu: true,
        run: |bench| {
            let own = bench.cpu();
            one_works(bench, own, 2.0)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.scaling.own_files",
        of: "scaling.file call=lock object=shared tasks=processes cpus=2",
        mistake: "each actor locks a byte of a file of its own",
        caught_by: Caught::By("objects"),
        second_cpu: true,
        run: |bench| run_on(bench, Sharing::Own),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.scaling.one_file",
        of: "scaling.file call=lock object=own tasks=processes cpus=2",
        mistake: "all actors lock bytes of one file",
        caught_by: Caught::By("objects.each"),
        second_cpu: true,
        run: |bench| run_on(bench, Sharing::Shared),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.scaling.one_begins",
        of: "scaling.actors call=getppid object=own tasks=processes cpus=1 actors=4",
        mistake: "all actors of a CPU but one make one call and sleep, and all are said to share the CPU",
        caught_by: Caught::By("tasks.working"),
        run: |bench| run_awake(bench, 1),
        ..Sabotage::NEW
    },
];
