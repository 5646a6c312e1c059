//! Thresholds of the analysis: when a row is noisy, contradicted, drifting, quiet, or different from another.

stats::thresholds! {
    "Intervals" {
        /// Least probability with which the interval of a row covers the median of its trials.
        COVERAGE: f64 = 0.95, "Choice: the usual level.";
        /// Fewest trials that have an interval.
        LEAST_TRIALS: usize = 6,
            "The range of 6 values covers the median with 1 − 2 / 2⁶ = 96.9 %, the range of 5 with 93.8 %.";
        /// Fewest points whose median slow-down on a shared core is that of the machine.
        LEAST_SLOWED: usize = 3, "Choice: the median of fewer is one of them, or lies between them.";
        /// Coverage at which the interval of a point must be narrow enough to stop sampling.
        STOPPING_COVERAGE: f64 = 0.99,
            "Measured in simulated runs (`verdicts/stopping.rs`): of intervals that stopped at 99 %, 94 % covered \
            the truth, at 95 % only 92 %.";
        /// Trials without any result after which a point is given up.
        MOST_RETRIES: usize = 3, "Choice: a single one may be chance.";
    }
    "Noisy" {
        /// Share of the trials that must drift in the same direction.
        SAME_DIRECTION: f64 = 0.5,
            "Choice: most trials. What flips between two states goes up as often as down, and its modes are shown.";
        /// Share of the time that other tasks may have the CPU while tasks share it.
        OTHER_TASKS_SHARE: f64 = 0.05, "Choice: at less, few hand-offs meet another task.";
        /// Share of the trials of a task that sleeps during which other programs may use a CPU.
        BESIDE_PROGRAMS_SHARE: f64 = 0.25,
            "Choice: the median is still one of the quiet trials, below their upper third.";
        /// Share of all CPUs from which on other programs disturb tasks that sleep on any of them.
        BUSY_CPUS_SHARE: f64 = 0.25,
            "Choice: half a CPU of two; where three of four are idle, threads of the kernel find one.";
        /// Share of the batches that may be excluded for their causes.
        EXCLUDED_SHARE: f64 = 0.75,
            "Choice: the rest is a sample of the quiet batches, and its interval says how good it is, as long as it \
            is no small remainder.";
        /// Share of the samples that a second mode must have for the median to be between states.
        SECOND_STATE: f64 = 0.25,
            "Choice: with a smaller share the median stays in the first state from run to run.";
        /// Share of the samples from which on a state is the value of a point that has others.
        MAIN_STATE: f64 = 2.0 / 3.0,
            "With as many the median lies in the middle half of that state; with fewer it may lie between two.";
    }
    "Contradicted" {
        /// More than one trial in this many breaks a witness.
        TOLERATED_BREACHES: usize = 5,
            "Choice: a rare disturbance excludes a trial, a frequent one is what really happens.";
        /// The same for a witness that only shows that nobody disturbed.
        TOLERATED_DISTURBANCES: usize = 2,
            "Choice: while others come and go, the trials without them count; in more than half of the trials they \
            are part of what is measured.";
        /// Fewest trials that can agree that an expectation does not hold.
        LEAST_AGREEING: usize = 3,
            "Choice: with fewer than an interval needs, all of them must, and two agree by chance.";
        /// Share by which the interval must lie beyond a bound.
        BOUND_TOLERANCE: f64 = 0.03, "The bound was measured itself, to the precision of a row (3 %).";
        /// Share of the native cost below which an environment seems to do less, so that its proof must be counted.
        CHEAPER_IN_ENVIRONMENT: f64 = 0.9, "Choice: beyond what two runs of one point differ by.";
        /// Share of the triples in which the longest batch must take longer than the shortest.
        GROWING_SHARE: f64 = 0.75,
            "Choice: a neighbour halves the speed at most, and a batch of four times the work still takes twice as \
            long.";
    }
    "States of processes" {
        /// Fewest trials in which states are looked for.
        TRIALS_FOR_STATES: usize = 12, "Choice: two groups of six, the fewest with an interval each.";
        /// Least share of the trials that a state has.
        STATE_SHARE: f64 = 0.15, "Choice: fewer are outliers, whatever they have in common.";
        /// Fewest trials of a state.
        STATE_TRIALS: usize = 3, "Choice: two may agree by chance.";
        /// States are apart where the gap is this many times as wide as both together.
        STATE_GAP: f64 = 0.5,
            "Simulated: of 1 000 samples of normal, even or exponential noise at most 25 are divided, with outliers \
            at most 150 (test `noise_of_any_shape_is_one_state`).";
        /// … and at least this, divided by the number of trials.
        STATE_GAP_BY_CHANCE: f64 = 18.0,
            "Simulated: of few values that lie evenly, one set in a hundred has such a gap.";
        /// Share of that gap from which states overlap.
        OVERLAPPING_GAP: f64 = 0.7, "Choice: another run might find them apart, or not.";
        /// Least difference between the medians of two states.
        STATE_DISTANCE: f64 = 0.02,
            "Choice: below the precision of a row it does not matter which state was measured.";
        /// Standard deviations by which the largest state leads the next one, at least, to be the value.
        STATE_LEAD: f64 = 1.96,
            "Of two states that are equally frequent, one leads by as much in one run of twenty.";
        /// Factor by which a loop that fills a core is slower beside the same on another CPU from which both are threads of one core.
        SAME_CORE: f64 = 1.3,
            "Choice: measured 1.00 to 1.05 on two cores; two threads that fill the units of one core have half of them each.";
        /// Factor between the times of a cache line between two CPUs that are two placements.
        PLACEMENT_FACTOR: f64 = 1.6,
            "Measured: 50 to 60 ns on one core complex, 330 to 370 ns on two; one placement varies by 1.3.";
        /// Share of the time from a point's first trial to its last without a trial, from which there are two epochs.
        EPOCH_PAUSE: f64 = 0.25, "Choice: rounds that shuffle a point to their beginning and end leave less.";
        /// Share of the early value by which the late one must differ.
        LEAST_EPOCH_CHANGE: f64 = 0.005,
            "Choice: at less, both print alike in three digits, and two runs differ by as much.";
    }
    "The next run: standard deviation between runs, as a share of the value" {
        /// Clocks, loops, calls, arithmetic.
        RUNS_OF_CPU: f64 = 0.0006, "Measured: 95 % of the pairs of runs agree on either of two types of guest (NEXT_RUN).";
        /// System calls.
        RUNS_OF_SYSTEM_CALLS: f64 = 0.003, "Measured: 95 % of the pairs of runs agree on either of two types of guest (NEXT_RUN).";
        /// Signals and threads.
        RUNS_OF_SIGNALS_AND_THREADS: f64 = 0.0022, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Processes, sleeps, all else of the kernel.
        RUNS_OF_PROCESSES: f64 = 0.01, "Measured: 95 % of the pairs of runs agree on either of two types of guest (NEXT_RUN).";
        /// Switches on one CPU, and wake-ups by a timer.
        RUNS_OF_SWITCHES: f64 = 0.012, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Exchanges of messages between processes on one CPU.
        RUNS_OF_MESSAGES: f64 = 0.03, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Hand-offs between CPUs in a controlled idle state.
        RUNS_OF_CONTROLLED_CPUS: f64 = 0.008, "Measured: 95 % of the pairs of runs agree on either of two types of guest (NEXT_RUN).";
        /// Hand-offs between CPUs as they idle, wake-ups of an idle CPU, and what has no class.
        RUNS_OF_TWO_CPUS: f64 = 0.1, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Calls by actors on several CPUs that never sleep, each with an object of its own.
        RUNS_OF_OWN_OBJECTS: f64 = 0.03, "Measured: 95 % of the pairs of five runs of a guest of two CPUs agree (NEXT_RUN).";
        /// The same with a shared object.
        RUNS_OF_SHARED_OBJECTS: f64 = 0.18, "Measured: 95 % of the pairs of the same runs agree; points are in one of several states (NEXT_RUN).";
        /// Memory latency.
        RUNS_OF_LATENCY: f64 = 0.006, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Memory latency through more than a guest has of the last-level cache.
        RUNS_OF_SHARED_MEMORY: f64 = 0.03, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Capacity of a cache that others share: the third level and further ones.
        RUNS_OF_SHARED_CACHE: f64 = 0.15,
            "Measured: 3.9 and 5.3, 6.2 and 6.7 MiB in pairs of runs of guests whose host reports 32 MiB.";
        /// Line size.
        RUNS_OF_LINE_SIZE: f64 = 0.003, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Memory bandwidth.
        RUNS_OF_MEMORY_BANDWIDTH: f64 = 0.018, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// All else of caches and memory.
        RUNS_OF_MEMORY: f64 = 0.03, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Mappings.
        RUNS_OF_MAPPINGS: f64 = 0.009, "Measured: 95 % of the pairs of runs agree on either of two types of guest (NEXT_RUN).";
        /// Page faults of anonymous memory.
        RUNS_OF_ANONYMOUS_FAULTS: f64 = 0.018, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Page faults of files.
        RUNS_OF_FILE_FAULTS: f64 = 0.039, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// All other page faults.
        RUNS_OF_FAULTS: f64 = 0.01, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Network.
        RUNS_OF_NETWORK: f64 = 0.0065, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Names of files: delete, rename.
        RUNS_OF_NAMES: f64 = 0.005, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Creation of files.
        RUNS_OF_CREATION: f64 = 0.017, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Look-ups in directories.
        RUNS_OF_DIRECTORIES: f64 = 0.045, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Direct reads of files.
        RUNS_OF_DIRECT_READS: f64 = 0.07, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// All else of files.
        RUNS_OF_FILES: f64 = 0.06, "Measured: 95 % of the pairs of runs agree (NEXT_RUN).";
        /// Percentiles of iterations, at least.
        RUNS_OF_TAILS: f64 = 0.03,
            "Measured: p50 to p99.9 of three points agree in 94 % of the pairs of five runs of a minute (TAILS).";
        /// Bytes from which memory latency is that of shared memory.
        SHARED_MEMORY: u64 = 4194304, "Choice: half of the last-level cache that the guests had to themselves.";
    }
    "The next run: earlier runs on the machine" {
        /// Fewest earlier runs from which the deviation between runs of a point is estimated.
        LEAST_EARLIER_RUNS: usize = 3, "Choice: two have one degree of freedom.";
        /// Degrees of freedom of the table's deviation when it is pooled with that of earlier runs.
        CLASS_FREEDOM: f64 = 3.0,
            "Measured: within a class, the 95th percentile of the differences of two runs is 2.5 to 9 times their \
            median, in the middle class 4.2; that of Student's distribution with 3 degrees of freedom is 4.2 times, \
            the normal one's 2.9 times (NEXT_RUN).";
    }
    "Quiet cores" {
        /// Quantile of the ratios of a trial that stands for its core at its quietest.
        QUIETEST_QUANTILE: f64 = 0.15, "Choice: the least one could be a misreading.";
        /// Share of the trials whose lowest ratios must agree on a quiet core.
        QUIET_SHARE: f64 = 0.05,
            "Choice: what makes single trials look wider than the core can be (interrupted probes, a changing \
            clock) does so by all amounts.";
        /// Fewest trials that must agree.
        QUIET_TRIALS: usize = 5, "Choice: as above, for short runs.";
        /// Factor within which they agree.
        QUIET_FACTOR: f64 = 1.04,
            "Choice: probes of one quiet core agree within it, misreadings differ by all amounts.";
        /// Share of the limit below which a probe was interrupted and says nothing.
        MISREAD_PROBE: f64 = 0.8, "Choice: no core is that much wider than its quiet self.";
        /// Factor above a quiet core from which a core counts as shared in the account of its time.
        SHARED_FACTOR: f64 = 1.08, "The smallest factor of a gate.";
        /// Fewest trials of each state from which a slow-down is computed.
        SLOWDOWN_TRIALS: usize = 3, "Choice: a median of three is not moved by one.";
        /// Times that a CPU must go to sleep per iteration to count as sleeping.
        SLEEPS_PER_ITERATION: f64 = 0.5,
            "A round trip wakes each end once; half of that is the middle between never and always.";
    }
    "Drifts and clocks" {
        /// Probability by chance below which a trend or a jump is clear.
        CLEAR_DRIFT: f64 = 0.01, "Choice: one trial of a hundred drifts by chance, and most trials must.";
        /// Change of the rate of the time counter during a run that is worth a remark.
        COUNTER_DRIFT: f64 = 1e-4, "Calibration is good to 100 parts in a million.";
        /// Share by which batches may seem longer than their trial.
        BEYOND_TRIAL: f64 = 0.01, "Choice: two clocks time them.";
        /// Least spread of the core clock (first to ninth decile) from which costs are normalised to one clock.
        CLOCK_SPREAD: f64 = 0.004, "The probe of the clock itself is this good.";
        /// Fewest trials from which the dependence on the clock is estimated.
        CLOCK_TRIALS: usize = 8, "Choice: fewer slopes have no useful interval.";
        /// Probability by chance below which a dependence on the clock is clear.
        CLEAR_CLOCK: f64 = 0.01, "Choice: one point of a hundred may be normalised by chance.";
        /// Error up to which a dependence is used, whatever it is.
        KNOWN_CLOCK_SHARE: f64 = 0.35, "Choice: no dependence is a result, too, where it is known this well.";
        /// Clocks that differ by less are the same when two records are compared.
        SAME_CLOCK: f64 = 0.005, "The probe of the clock is good to 0.4 %.";
    }
    "Remarks" {
        /// Step of the clock as a share of a batch.
        COARSE_STEP: f64 = 0.005, "Calibration aims below 0.2 %.";
        /// Difference between mean and median.
        SKEW: f64 = 0.10, "Choice: an outlier moves the mean and not the median.";
        /// Spread between processes against what their samples explain.
        BETWEEN_PROCESSES: f64 = 3.0, "Choice: three standard errors.";
        /// Factor between the limits of a count of switches from which hand-offs may find the other end awake.
        OPTIONAL_SWITCHES: f64 = 1.5,
            "Choice: narrower limits allow only what is lost at the ends of a batch.";
        /// Share by which a count of switches must differ from the least one that is allowed.
        OTHER_SWITCHES: f64 = 0.02, "Choice: within the precision of a row.";
        /// Share of a CPU from which it is full.
        FULL_CPU: f64 = 0.9, "Choice: the accounting of CPU time is not exact.";
        /// Share of its time that a sender must wait for the window or the buffer to be limited by it.
        LIMITED_SHARE: f64 = 0.5, "Choice: most of the time.";
        /// Robust deviations from the median beyond which a trial is far from the others.
        FAR_TRIAL: f64 = 5.0, "One normal value in 1.7 million lies there.";
        /// Factor above the robust deviation from which far trials make the standard deviation.
        DEVIATION_BY_FEW: f64 = 3.0, "Choice: the standard deviation then describes none of the trials.";
    }
    "Comparison of two records" {
        /// Coverage of the interval of a change.
        CHANGE_COVERAGE: f64 = 0.99,
            "Choice: of a hundred points without a change one may be called different, and there may be hundreds.";
        /// Smallest change that counts, as a share.
        LEAST_CHANGE: f64 = 0.01, "Two runs on one machine differ by some tenths of a percent.";
        /// Times the variance of their class that several runs a side must have to be judged by themselves alone.
        LOUDER_THAN_CLASS: f64 = 2.0,
            "Points as loud as their class are so in 14 % of the cases with two runs a side, in 4 % with five. Without it 21 of 200 \
            unchanged points that are ten times as loud were called different.";
        /// Seconds within which all runs of a side are one sample of what lasts for longer.
        MOMENT_S: f64 = 10.0, "Choice: system calls of a guest stay at one level for seconds to minutes (NEXT_RUN).";
        /// Least standard deviation between such sides, as a share of the value.
        RUNS_OF_A_MOMENT: f64 = 0.025,
            "Measured: of eight sides of four runs of a system call within two seconds, one lay 6.9 % beside the others; of forty \
            runs of half a second on another guest, one 2.9 % (NEXT_RUN).";
        /// Widest limit within which two values are called the same, as a share.
        WIDEST_SAME: f64 = 0.05, "Choice: a wider limit would hide changes that users look for.";
    }
    "History" {
        /// Smallest step of a level that is shown, as a share.
        LEAST_STEP: f64 = 0.005, "Choice: half of the smallest change of two records, because a level is known from many runs.";
        /// Runs a day, on average, from which the pattern of the hours is removed before steps are looked for.
        RUNS_OF_A_DAY: usize = 3, "Choice: the median of two hours is no level of a day.";
    }
    "Predictions" {
        /// Factors that differ by less are the same when a likely reason is looked for.
        SAME_FACTOR: f64 = 1.25, "The smaller of the two factors by which predictions are judged.";
        /// Share of a deviation that the difference of two points must have to be its reason.
        EXPLAINED_SHARE: f64 = 0.5, "Choice: the larger part.";
        /// Other points that must need the same factor of an ingredient.
        AGREEING_POINTS: usize = 3, "Choice: two may agree by chance.";
        /// Operations that these points are of.
        AGREEING_OPERATIONS: usize = 2, "Choice: points of one operation share more than the ingredient.";
        /// Share of the other points with the ingredient that must agree.
        AGREEING_SHARE: f64 = 0.75,
            "Choice: most, so that a few points with a cause of their own do not hide it.";
        /// Half width of an interval up to which a point decides about an ingredient.
        DECIDING_HALF_WIDTH: f64 = 0.1, "Choice: well within the factor of 1.25.";
        /// Factor between measured and predicted up to which no reason is looked for.
        NAMED_DEVIATION: f64 = 1.05, "Choice: a little more than the precision of the two rows that it is made of.";
        /// Half width of a part's range beyond which T1 is no better than T0.
        PREDICTING_HALF_WIDTH: f64 = 1.0,
            "Corpus: parts that are known to ± 25 % or worse still predict better than constants; with a limit of \
            25 % ten more points of five machines were off by more than ×3. A part that may be zero predicts nothing.";
        /// Least share of a prediction that an ingredient has to explain a residual.
        INGREDIENT_SHARE: f64 = 0.3,
            "Choice: a smaller one would have to be off by a multiple of the residual.";
    }
    "Causes of slow iterations" {
        /// Share of the delay of an iteration that a counted time must reach to be its cause.
        EXPLAINED: f64 = 0.5, "Choice: more than half; two causes cannot both have it.";
        /// Largest probability with which an event falls into the window of an iteration by chance, and is its cause all the same.
        COINCIDENCE: f64 = 0.1,
            "Choice: of ten iterations with such an event, at most one has it by chance; what is more frequent stays unknown.";
        /// Longest delay in nanoseconds that an interrupt explains, whose length the kernel does not count.
        LONGEST_INTERRUPT_NS: f64 = 500_000.0,
            "Choice: handlers take microseconds to tens of them; of a longer delay they are a part at most.";
        /// Fewest ticks that must have been due while a task had the CPU, where their absence explains a delay.
        LEAST_MISSING_TICKS: f64 = 3.0, "Choice: one may be late and one be merged with the next.";
        /// Largest share of these ticks that may have come.
        MOST_TICKS_LEFT: f64 = 0.34, "Choice: the one that was pending meanwhile comes afterwards, of three that were due.";
        /// Ticks that must have been due in all windows together, half of which came, before their absence says anything.
        USUAL_TICKS: f64 = 20.0, "Choice: with fewer, other expiries of the timer may be what was counted.";
        /// Largest factor of the typical time that a shared core explains.
        MOST_SHARED: f64 = 2.5, "Choice: two hardware threads have at least 40 % of a core each.";
        /// Times the median that a percentile must be for causes to be shown from it on.
        TAIL_STANDS_OUT: f64 = 2.0, "Choice: a delay as long as the iteration itself; below it causes have little to explain.";
    }
    "Highlights, questions and the museum" {
        /// Factor between measured and predicted that stands out.
        HIGHLIGHTED_RATIO: f64 = 1.5, "The larger of the two factors by which predictions are judged.";
        /// Factor that stands out where fewer than three points are off by the one above.
        NOTICED_RATIO: f64 = 1.25, "The smaller of the two factors by which predictions are judged.";
        /// Fewest other machines that a point is held against.
        LEAST_MACHINES: usize = 3, "Choice: two do not show the deviation between machines.";
        /// Share of the time of a load from memory from which a load comes from memory for the most part.
        LIKE_MEMORY: f64 = 0.6, "Choice: more than half, with some room for the levels between.";
        /// Factor of a switch to another CPU that stands out.
        COSTLY_OTHER_CPU: f64 = 5.0, "Choice: a smaller factor surprises nobody.";
        /// Share of the sum of all CPUs below which the bandwidth is limited by what they share.
        SCALING_BANDWIDTH: f64 = 0.75, "Choice: a little less than the sum surprises nobody.";
        /// Nanoseconds that no reading of a clock in user space takes.
        SLOW_CLOCK_NS: f64 = 150.0,
            "Choice: longer than readings in user space, shorter than most system calls.";
        /// Factor within which the TLB reaches of huge and base pages are the same.
        SAME_REACH: f64 = 1.1, "Choice: the reaches of two TLBs differ by much more.";
        /// Error of an exhibit that is noticed.
        VISIBLE_ERROR: f64 = 0.02, "Choice: a smaller one is not noticed beside everything else.";
        /// Interval around 1 that shows that there is no error.
        NARROW_FACTOR: f64 = 0.1, "Choice: a larger error would be worth the name.";
    }
}
