//! The journal of a run and what the analysis makes of it, line by line.

use crate::notice::notice;
use analysis::Analyst;
use record::{Journal, JournalError, Line, Summary};

/// Longest wait of one trial for a quiet core, in nanoseconds: neighbours come and go within milliseconds, and phases in
/// which they never go last longer than anybody would wait.
pub(super) const LONGEST_WAIT_NS: u64 = 200_000_000;

/// The journal and what the analysis makes of it, line by line.
pub struct Recorder {
    journal: Option<Journal>,
    /// Why the record is not complete, if it is not.
    pub trouble: Option<JournalError>,
    /// What is known so far of what is measured natively.
    pub analyst: Analyst,
    /// What is known so far of each environment.
    pub environments: Vec<Analyst>,
    /// Nanoseconds in a tick as the first trial found it.
    pub first_rate: Option<f64>,
    /// Nanoseconds that workers waited for quiet cores.
    pub waited_ns: u64,
}

impl Recorder {
    /// A recorder that writes to this journal.
    pub fn new(journal: Journal, analyst: Analyst, environments: Vec<Analyst>) -> Self {
        Self { journal: Some(journal), trouble: None, analyst, environments, first_rate: None, waited_ns: 0 }
    }

    /// Appends a line and takes it in. When the file cannot be written any more (a full disk), that is
    /// said once, and the run goes on in memory, so that its table is not lost.
    pub fn append(&mut self, line: &Line) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.append(line)
        {
            notice!("oscope: {error}: the record ends here; the run goes on, and its table will be shown");
            self.trouble = Some(error);
            self.journal = None;
        }
        if let Line::Trial(trial) = line {
            self.first_rate.get_or_insert(trial.ns_per_tick);
            // No trial may wait longer, whatever it says.
            let waited_ns = trial.waited_ns.unwrap_or(0).min(LONGEST_WAIT_NS);
            self.waited_ns = self.waited_ns.saturating_add(waited_ns);
        }
        std::iter::once(&mut self.analyst)
            .chain(&mut self.environments)
            .for_each(|analyst| analyst.add(line));
    }

    /// Appends what the run came to, for whoever reads many records.
    pub fn summarize(&mut self, started: &str) {
        let Some(Ok(at)) = self.journal.as_ref().map(Journal::end) else {
            return;
        };
        let analysis = self.analyst.analysis();
        let summary = Summary::new(started, at, analysis.least_quiet_share(), analysis.summary_rows());
        self.append(&Line::Summary(summary));
    }
}
