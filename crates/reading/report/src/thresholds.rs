//! Thresholds of the views: when a run is trusted, a prediction holds, and a difference has words.

stats::thresholds! {
    "How far a run is trusted" {
        /// Share of the points that are measured from which on a run is good.
        GOOD_SHARE: f64 = 0.9, "Choice: one point in ten may be disturbed.";
        /// Share of the tried points that are measured from which on a run is fair.
        FAIR_SHARE: f64 = 0.6, "Choice: below, a reader meets a noisy row as often as a measured one.";
        /// Ratio of costs on shared cores to those on quiet ones from which on sharing costs something.
        SLOWER_WHEN_SHARED: f64 = 1.02, "Choice: the median over points is not known better.";
        /// Share of a span that must be quiet for the cores not to count as shared in it.
        QUIET_SPAN: f64 = 0.9, "Choice: the rest of a span is then shorter than most disturbances.";
        /// Share by which the clock was lower at times, from which on the clock of the values is said.
        MOVED_CLOCK: f64 = 0.01, "Choice: a third of the precision to which most points are measured.";
        /// Share of a run's time from which on it is said that workers wait for a quiet core.
        MUCH_WAITING: f64 = 0.05, "Choice: less is not noticed.";
        /// Half width, as a share of the value, beyond which a factor is said in two digits or as a range.
        MOST_FOR_THREE_DIGITS: f64 = 0.1, "Choice: the third digit, and the second of many factors, is then unknown.";
        /// Fewest of which a part is a percentage.
        LEAST_FOR_PERCENT: usize = 10, "Choice: of fewer, one more or less is over 10 %, and their number says it all.";
        /// Half width of an interval, as a share of the value, beyond which it is no ±.
        MOST_HALF_WIDTH: f64 = 1.0, "The lower end of the interval is below zero.";
    }
    "A prediction holds" {
        /// Factor within which a prediction holds.
        HOLDS: f64 = 1.5, "Choice: as the uncertainty of most predictions from measured parts.";
        /// Factor from which on two things are of different kinds.
        OF_OTHER_KIND: f64 = 1000.0, "Choice: as a call and a disk.";
        /// Factor below which points of one operation are alike.
        ALIKE: f64 = 1.05, "Choice: more than most half widths, less than what a parameter does.";
        /// Factor from which on a point that is off its prediction has a name in the plot.
        NAMED: f64 = 1.25, "Choice: with less, names cover each other.";
        /// Factor between a reported and a found size from which on both are given.
        OTHER_SIZE: f64 = 1.25, "The measured sizes of caches that are there differ by less.";
        /// Half width, as a share, to which the bandwidth of a bus is given.
        BUS_HALF_WIDTH: f64 = 0.03, "The bus has at most the bandwidth that is reached.";
    }
    "A difference has words" {
        /// Departure of the common factor of two runs from 1 from which on it is mentioned.
        QUIET_COMMON: f64 = 0.01, "Two runs of one machine differ by as much.";
        /// Share of a difference from which on a term of the prediction is shown.
        LEAST_TERM: f64 = 0.02, "Choice: fifty such terms would make the whole.";
        /// Factor from which on an error of a flawed method is given as a factor.
        AS_FACTOR: f64 = 2.0, "Choice: below, percent are read more easily.";
    }
}
