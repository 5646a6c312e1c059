//! Thresholds of the comparison of machines: when a machine or a run is odd, and when machines are of two types.

stats::thresholds! {
    "Odd machines and runs" {
        /// Expected share of false ones among all that are called odd in a fleet, and among their points.
        FALSE_SHARE: f64 = 0.01, "Choice: of a hundred machines that are named, one is named in vain.";
        /// Fewest machines, or runs, of which one can be odd.
        LEAST_SIBLINGS: usize = 5, "Choice: the scale of fewer values says nothing of one of them.";
        /// Least factor between a point and the median machine for the point to be odd.
        ODD_RATIO: f64 = 1.01, "Choice: a smaller difference matters to nobody, however sure it is.";
        /// Least standard deviation of costs over machines, as a share.
        LEAST_DEVIATION: f64 = 5e-4, "Choice: no costs lie closer together, whatever the few at hand say.";
        /// Least share of the points that a machine must have to be compared as a whole.
        WHOLE_SHARE: f64 = 0.8, "Choice: the distances of two machines must be of nearly the same points.";
        /// Fewest points of a whole.
        WHOLE_POINTS: usize = 20, "Choice: a distribution of fewer distances is too coarse.";
        /// Share of noisy or shared points above that of the siblings from which the measurement is suspected.
        WORSE_QUALITY: f64 = 0.15, "Choice: smaller differences are taken for chance.";
        /// … and at least this many deviations of the siblings.
        WORSE_DEVIATIONS: f64 = 4.0, "Choice: one normal value in thirty thousand.";
        /// Without a suspected run, the distance from the siblings is this many times smaller.
        DISTANCE_BY_RUN: f64 = 5.0, "Choice: the run then explains four fifths of what is odd.";
    }
    "Types of machines" {
        /// Factor within which the memory of machines of one type lies.
        SAME_MEMORY: f64 = 1.06, "A kernel keeps a part of the memory for itself.";
        /// Fewest machines of equal facts that are divided by their results.
        LEAST_DIVIDED: usize = 8, "Choice: among fewer, two groups are found by chance.";
        /// Least share of the machines that a part has.
        LEAST_PART: f64 = 0.15, "Choice: a few machines that differ are odd, not a type.";
        /// Fewest machines of a part.
        PART_MACHINES: usize = 3, "Choice: as above, for small types.";
        /// Gap between two parts, in deviations of the wider one.
        PART_GAP: f64 = 4.0, "Choice: a gap that normal values do not have.";
        /// Least factor between the costs of two parts.
        PART_RATIO: f64 = 1.02, "Choice: parts that cost nearly the same are one type for every user.";
        /// Fewest points that divide the machines in the same way.
        LEAST_VOTES: usize = 3, "Choice: two may do so by chance.";
        /// … and their least share of all points.
        LEAST_VOTES_SHARE: f64 = 0.03, "Choice: the more points there are, the more often chance divides.";
        /// Share of the machines with one value of a fact for it to be usual.
        USUAL_SHARE: f64 = 0.8, "Choice: most, so that a few odd machines do not hide it.";
    }
    "Signs and intervals" {
        /// Factor within which a group of points costs what it costs elsewhere.
        STEADY_GROUP: f64 = 1.03, "Choice: the precision of a row (3 %).";
        /// Share of a pattern (a logarithm) that a lower clock must explain to be its cause.
        EXPLAINED_SHARE: f64 = 0.5, "Choice: most of it.";
        /// Coverage of the intervals between machines, runs and samples.
        SPREAD_COVERAGE: f64 = 0.95, "Choice: the usual level.";
        /// Coverage of the intervals between two types.
        TYPE_COVERAGE: f64 = 0.99, "The level of `oscope compare`.";
    }
}
