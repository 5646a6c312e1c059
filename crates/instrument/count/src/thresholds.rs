//! Thresholds of counts: what the noise floor of a point is, and when two kernels differ.

stats::thresholds! {
    "Noise floors of counts" {
        /// Pairs without an interrupt that are enough to leave out the others.
        LEAST_UNDISTURBED: usize = 2,
            "Choice: what an interrupt costs its victim besides itself (a switch, another path back) is in no other count.";
        /// Pairs of all boots below which they are too few to show their spread.
        ENOUGH_PAIRS: usize = 4, "Choice: forks of a large process have one pair in a boot.";
        /// With fewer pairs, the share of a figure that its floor is at least.
        FEW_PAIRS: f64 = 0.005, "Measured: two kernels of one source differed by 0.05 % in them; ten times as much.";
    }
    "Kernels that differ" {
        /// Times that the floors of both kernels are added: a smaller difference is not shown.
        FLOORS: f64 = 2.0, "Choice: three boots show less than the whole spread.";
        /// Share below which a difference is not shown where batches had other numbers of iterations, and counts are not whole.
        OTHER_BATCH: f64 = 0.01,
            "Choice: ten times the share that one allocation of a slab has in an iteration.";
        /// Instructions of an iteration below which the change of a function is not shown.
        SMALLEST: f64 = 0.05, "Choice: work that happens once in hundreds of iterations.";
        /// Share by which the count of a function may change when it is renamed.
        RENAMED: f64 = 0.25, "Choice: shmem_is_huge grew by 12 % when it was.";
        /// Instructions from which equal counts of two functions make them one that was renamed.
        MIN_EQUAL: f64 = 30.0, "Choice: short functions are equal by chance.";
    }
}
