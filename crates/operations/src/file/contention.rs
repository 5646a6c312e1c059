//! Contention: one reader among others that read or write at the same time.

use super::DEVICE;
use super::workloads::contention::{self, MOST};
use measure::{Actors, Operation, Point, Reference};
use quantity::Quantity;
use record::{Fit, Plot, Profile, Scale};

const CONTENTION: Operation = Operation {
    actors: Actors::Children,
    spend_ns: 30_000_000,
    confounds: "The processor may be what is short, not the device: with more readers than CPUs each read also waits for \
                a CPU. Nobody is pinned. Below the device nothing is emptied.",
    sources: &[
        (
            "R0",
            "0 to 15 competitors in four cases; the main reader times a whole file, others may have ended (E47)",
        ),
        ("R2", "1 to 8 readers"),
        ("R3", "1 to 10 readers, O_DIRECT, each of a file of its own"),
        ("fio", "numjobs=1 to 16, group reporting apart"),
    ],
    evidence: &[
        "answers = 1: every block of the main reader held what was written to it",
        "from the device(1.001)",
        "actors.overlap = {competitors} (if consistent): every competitor was at work before the window \
         began and after it ended",
        "actors.processes = {competitors + 1}: main reader and competitors were processes, all there at once",
    ],
    plot: Some(|| Plot {
        scale: Scale::Linear,
        ..Plot::logarithmic("competitors", "competitors", Quantity::Count)
    }),
    ..DEVICE
};

/// The time of a block.
pub static TIME: Operation = Operation {
    id: "file.contention",
    title: "read of 4 KiB with O_DIRECT while others read or write",
    one_iteration: "one read of a block with O_DIRECT by the main reader, its first and last word compared, while \
                    each competitor is at work",
    method: "Each reader has 8 MiB of one file for itself, each writer a file of 1 MiB, all with O_DIRECT. \
             Competitors are processes; when each has done a block (a barrier), a window of 30 ms is agreed upon, \
             and all go on until it is over. Only blocks that begin and end within it count. Each competitor must \
             have been at work before it began and after it ended. A value is the mean time of the main reader's \
             blocks in a sixth of the window. others=same: in the order of the main reader; mixed: half of them in \
             order, half in random order; write: all write.",
    points: |profile| points(profile, true),
    predict: &["read among others"],
    fit: Some(|| Fit {
        parameter: "competitors".to_owned(),
        unit: 1,
        per_unit: false,
        slope: "one more competitor".to_owned(),
        intercept: "alone".to_owned(),
    }),
    headline: &[(
        "access=random others=same competitors=3",
        "O_DIRECT read, 3 competitors",
    )],
    run: contention::block_times,
    ..CONTENTION
};

/// What all get together.
pub static TOTAL: Operation = Operation {
    id: "file.contention.total",
    title: "bytes that all readers get together",
    one_iteration: "one window of 30 ms in which the main reader and its competitors read blocks",
    quantity: Quantity::Bandwidth,
    method: "As file.contention: the blocks of all readers within the window, divided by its length.",
    points: |profile| points(profile, false),
    predict: &[
        "hardware t0 a block for each reader in its time = {4096e9 * (1 + competitors) / max(70000, 10000 * \
         (1 + competitors))} bytes/s (×2.5: a read of 4 KiB in 70 µs for each reader, to 100 000 a second \
         for all together)",
        "hardware t1 a block for each reader in its time = {4096 * (1 + competitors)} bytes × 1e9 ns/s / \
         slowest_of_readers",
    ],
    bounds: &[
        "< {1024 * 4096} bytes × 1e9 ns/s / [syscall.floor]: no reader gets a block in less than a system \
         call, and there are no thousand CPUs",
    ],
    run: contention::total_rate,
    ..CONTENTION
};

/// How evenly it is shared.
pub static FAIRNESS: Operation = Operation {
    id: "file.contention.fairness",
    title: "the share of the slowest reader, of an even share",
    one_iteration: "one window of 30 ms in which the main reader and its competitors read blocks",
    quantity: Quantity::Ratio,
    method: "As file.contention: the blocks of the reader that got the fewest within the window, divided by the mean \
             of all.",
    points: |profile| {
        let all = points(profile, false).into_iter();
        all.filter(|point| !matches!(point.get("competitors"), Some("0" | "1")))
            .collect()
    },
    predict: &[
        "software t0 nearly even = 0.85 (×1.4: equal shares, less the luck of a window that holds some \
         hundred reads of each)",
    ],
    bounds: &["< 1: the least of several numbers is not above their mean"],
    run: contention::least_share,
    plot: None,
    ..CONTENTION
};

/// R0's way: whoever comes, comes.
pub static NO_WINDOW: Operation = Operation {
    id: "file.contention.no_window",
    title: "read of 4 KiB while others were started, and may not have begun or have ended",
    one_iteration: "one read of a block with O_DIRECT by the main reader",
    method: "Seven competitors are started and read 64 blocks each; the main reader reads 512 blocks from that \
             moment on, without waiting for anybody, and the mean of all its blocks is the result.",
    reference: Some(Reference {
        wrong: "competitors that have not begun, or have ended, compete with nobody, and their blocks count all the \
                same (E47)",
        right: ("file.contention", "access=random others=same competitors=7"),
    }),
    points: |_| Point::all("access=random competitors=7"),
    predict: &["read among others"],
    evidence: &["blocks from the device(1.001)"],
    plot: None,
    run: contention::without_window,
    ..CONTENTION
};

/// Competitors by profile; `all_cases` for those that do otherwise than the main reader, too.
fn points(profile: Profile, all_cases: bool) -> Vec<Point> {
    let point = |access: &str, others: &str, count: u64| {
        Point::only()
            .with("access", access)
            .with("others", others)
            .with("competitors", count)
    };
    let (same, other): (Vec<u64>, Vec<u64>) = match profile {
        Profile::Quick => (vec![0, 7], Vec::new()),
        Profile::Standard => (vec![0, 1, 3, 7, 15], vec![3, 15]),
        Profile::Thorough => ((0..=MOST).collect(), (1..=MOST).collect()),
    };
    let patterns: &[&str] = match (profile, all_cases) {
        (Profile::Quick, _) | (_, false) => &["random"],
        _ => &["sequential", "random"],
    };
    let mut all = Vec::new();
    for access in patterns {
        all.extend(same.iter().map(|&count| point(access, "same", count)));
        if all_cases {
            all.extend(other.iter().map(|&count| point(access, "mixed", count)));
        }
    }
    if all_cases {
        all.extend(other.iter().map(|&count| point("random", "write", count)));
    }
    all
}
