//! What is wrong with the records of a fleet, and what was done about it.

/// Something about the records that whoever reads the result must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A file is no record, or cannot be read: it was left out.
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// A run did not end by itself: what it measured counts.
    Unfinished {
        /// The file.
        file: String,
    },
    /// Nothing was measured: the file was left out.
    Empty {
        /// The file.
        file: String,
    },
    /// Two files hold the same run: the second was left out.
    Duplicate {
        /// The file.
        file: String,
        /// The one that counts.
        of: String,
    },
    /// Runs of one name are of two machines: they get a number behind the name.
    OneName {
        /// The name.
        name: String,
        /// The name that the other machine has here.
        renamed: String,
        /// The fact in which they differ most plainly: `boot` where two boots were up at the same time.
        fact: String,
    },
    /// Machines of several names ran in one boot: they are one machine.
    OneBoot {
        /// The names.
        names: Vec<String>,
        /// Whether their runs count as those of the first; else they ran at the same time, or with other settings.
        is_joined: bool,
    },
    /// Runs of one name were made at the same time.
    Overlap {
        /// The name.
        name: String,
        /// Two files of them.
        files: [String; 2],
        /// Whether it is known that they ran in one boot.
        is_one_boot: bool,
    },
    /// Runs of these names were made in different boots, one after the other: each counts as one machine.
    Boots {
        /// The names.
        names: Vec<String>,
    },
    /// The clock of a machine was wrong when a run began: its place in the order of runs is not known.
    Clock {
        /// The file.
        file: String,
        /// When it says that it began.
        started: String,
    },
    /// The runs are of several versions of the program.
    Programs {
        /// Each with its number of runs, the most frequent first.
        versions: Vec<(String, usize)>,
    },
    /// Runs measured another revision of a point than most, which may not be compared: their numbers were left out.
    Revision {
        /// The point.
        point: String,
        /// In how many runs.
        runs: usize,
    },
    /// A machine changed between its runs: those before it are left out.
    Changed {
        /// The machine.
        name: String,
        /// What changed: the key of the fact.
        fact: String,
        /// From what.
        from: String,
        /// To what.
        to: String,
        /// How many runs were left out.
        runs: usize,
    },
}
