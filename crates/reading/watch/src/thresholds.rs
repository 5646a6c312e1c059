//! Thresholds of a watch: when a channel has changed, when a condition of the machine is an event, what is too much pressure.

stats::thresholds! {
    "A channel has changed" {
        /// Readings of a channel before its level is known.
        LEAST_LEVEL: usize = 8, "Choice: the range of eight values covers their median with 99 %.";
        /// Readings that lie beyond the threshold on one side, one after the other.
        CONSECUTIVE: usize = 3, "Choice: one reading may meet a single interrupt; three in a row are a state.";
        /// Seconds after which a channel that may have changed is read again.
        URGENT_AFTER_S: f64 = 1.0, "Choice: longer than what a timer, a page or a burst of packets delays.";
        /// Robust deviations of the level that a reading must exceed, besides the threshold that the user sets.
        DEVIATIONS: f64 = 5.0,
            "Simulated (`quiet_weeks_have_few_false_alarms`): readings with exponential tails exceed it three times in a \
            row less than once in a week of eight channels.";
        /// Seconds after which a changed channel is taken for its new level.
        ADOPTED_AFTER_S: f64 = 3600.0, "Choice: what lasts for an hour is how the machine is now.";
        /// Seconds after which a channel that became better is taken for its new level.
        BETTER_AFTER_S: f64 = 300.0, "Choice: a level that was found beside a neighbour is not the usual one.";
        /// Share by which the core clock beside the readings must differ from its level.
        CLOCK_CHANGE: f64 = 0.05, "Choice: the probe of the clock is good to 1 %; turbo steps are 3 % each.";
    }
    "What is usual" {
        /// Hours of which readings are kept, from which on they say what is usual.
        USUAL_HOURS: usize = 24, "Choice: a whole day, because the hours of a day differ.";
        /// Share of the readings below the usual range, and above it.
        USUAL_OUTSIDE: f64 = 0.05, "Choice: of twenty minutes one.";
    }
    "A condition is an event" {
        /// Share of a CPU's time that others use.
        OTHER_SHARE: f64 = 0.25, "Choice: a task that takes a quarter of a CPU delays every second wake-up of a millisecond.";
        /// Share of a CPU's time that is stolen.
        STEAL_SHARE: f64 = 0.05, "Choice: as in a run (`MachineMonitor`).";
        /// Share of the periods of a quota in which the group was stopped.
        THROTTLED_SHARE: f64 = 0.05, "Choice: as in a run (`MachineMonitor`).";
        /// Share of a CPU's time in interrupts.
        INTERRUPT_SHARE: f64 = 0.1, "Choice: a timer at 1 000 Hz takes a hundredth of it.";
        /// Pages per second that tasks reclaim themselves.
        RECLAIM_RATE: f64 = 100.0, "Choice: direct reclaim is absent on a machine with free memory.";
        /// Share of the time that some task waited for a disk.
        DISK_WAIT_SHARE: f64 = 0.2, "Choice: the channel itself waits for a hundredth of the time at most.";
        /// Milliseconds that a request of the disk takes, from which on the disk is slow.
        DISK_SLOW_MS: f64 = 20.0, "Choice: beyond the seek of a rotating disk, and far beyond any flash.";
        /// Seconds by which the wall clock is set.
        CLOCK_STEP_S: f64 = 0.5, "Choice: slewing corrects 0.5 ms in a second at most.";
        /// Seconds for which the machine or the watch stood still.
        PAUSE_S: f64 = 2.0, "Choice: above every delay that a loaded machine shows.";
        /// Seconds that a condition stays absent before its event ends, and for which it explains a change.
        NEAR_S: f64 = 15.0, "Choice: longer than the time from one reading of a channel to its third.";
    }
    "A channel is read" {
        /// How much more a channel's age counts if the kernel counts nothing that shows what disturbs it.
        UNCOUNTED: f64 = 3.0,
            "Choice: a neighbour, a quota and steal are seen in the counters within a second; a queue and a slow disk in these channels \
             only.";
    }
    "A watch holds back" {
        /// Share of the time that some task waited for a CPU, above which the budget is divided.
        CPU_PRESSURE: f64 = 0.25, "Choice: then a program waits for the CPU that a worker uses.";
        /// What the budget is divided by.
        HELD_BACK: f64 = 4.0, "Choice: readings still come, so that the end of the pressure is seen.";
        /// Seconds after which a channel is read although the budget is used up.
        LONGEST_SILENCE_S: f64 = 20.0, "Choice: nine channels are then read within three minutes, for some 0.2 % of a CPU.";
        /// Share of the time of pressure on memory or disk above which their channels rest.
        OTHER_PRESSURE: f64 = 0.2, "Choice: a trial would add to what others wait for.";
        /// Bytes per second that channels may touch in memory.
        TOUCHED_RATE: f64 = 4_194_304.0, "Choice: 64 MiB each 16 s; a cache of 32 MiB is refilled in some milliseconds.";
        /// Bytes per second that channels may write.
        WRITTEN_RATE: f64 = 65_536.0, "Choice: 5.7 GB in a day, a small part of what a disk endures.";
    }
}
