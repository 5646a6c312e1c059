//! An open in a sandbox that a program makes for itself: Landlock.

use super::CARD;
use measure::{Operation, takes};
use workloads::os::landlock::{Restricted, open_restricted};

/// Open and close under nested rulesets.
pub static LANDLOCK: Operation = Operation {
    id: "syscall.open_close.landlock",
    title: "open for reading + close of /dev/null under nested Landlock rulesets",
    one_iteration: "one open of /dev/null, which every ruleset must allow, and one close",
    method: "The thread puts itself under rulesets= rulesets, one in the other, that handle the reading of files and allow it below \
             the root. Then open and close of the C library, in a loop. Afterwards further rulesets are nested until the kernel refuses \
             the seventeenth: their number shows how many were in force.",
    confounds: "The kernel walks from the file to the root and searches each directory among the rules of all rulesets, which are merged: \
                a deeper path and more rules cost more. Rulesets of a sandbox around the run count as well.",
    sources: &[("Linux selftests", "landlock/fs_test.c: nested layers; no times")],
    parameters: takes::<Restricted>,
    points: &["rulesets=0|1|4|16"],
    predict: &[
        "t0 floors(2)",
        "software t0 open and close = kernel({counted[syscall.open_close.read] - 2 * counted[syscall.floor]})",
        "t0 C library(2)",
        "software t1 open and close = [syscall.open_close.read]",
        "rulesets!=0: software path walked to the root, rules searched = path(350, 2) (×1.8: two directories and a mount, a search in a \
         tree for each, a mask for the file and one for its truncation) × cycle_ns",
        "rulesets!=0: software masks of the rulesets = {rulesets} × 30 cycles (×2: a mask set, tested and cleared for each kind of \
         access) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every open gave the same descriptor, so every close freed it",
        "landlock.rulesets = {rulesets}: as many rulesets were nested",
        "calls: openat 1, close 1",
        "undisturbed loop",
    ],
    bounds: &["floors(2)"],
    run: open_restricted,
    ..CARD
};
