//! What the trials, the witnesses and the bounds of a point come to, before it is compared with its prediction.

use crate::estimates::estimate::estimate;
use crate::estimates::selection::Selection;
use crate::rows::core_use::CoreUse;
use crate::rows::reason::{QuotaUse, Reason};
use crate::rows::row::{Estimate, TrialValue, Verdict};
use crate::verdicts::{bounds, verdict};
use record::{Lookup, Range, Settings};

/// The result of a point: what the stopping rule and the formulas of other points need of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct PointResult {
    /// What may be said.
    pub(crate) verdict: Verdict,
    /// Why it is not simply measured.
    pub(crate) reasons: Vec<Reason>,
    /// The numbers; `None` where the verdict allows none, as for the next two.
    pub(crate) estimate: Option<Estimate>,
    /// Each trial that counts.
    pub(crate) trials: Vec<TrialValue>,
    /// How the cores of its actors were used.
    pub(crate) core: Option<CoreUse>,
}

impl PointResult {
    /// Judges a point by its selected samples; bounds are evaluated by `lookup`.
    pub(crate) fn judge(
        selection: &Selection<'_>,
        reference_hz: Option<f64>,
        settings: &Settings,
        quota: QuotaUse,
        lookup: &dyn Lookup,
    ) -> Self {
        let estimate = estimate(selection, reference_hz);
        let (mut verdict, mut reasons) = verdict::judge(selection, estimate.as_ref(), settings, quota);
        let estimate = estimate.filter(|_| verdict.has_number());
        if let Some(estimate) = &estimate
            && let Some(reason) = bounds::broken(&selection.history.point, estimate, lookup)
        {
            (verdict, reasons) = (Verdict::Contradicted, vec![reason]);
        }
        if !verdict.has_number() || estimate.is_none() {
            return Self { verdict, reasons, ..Self::default() };
        }
        let trials = selection.summaries.iter().map(|summary| summary.value).collect();
        Self { verdict, reasons, estimate, trials, core: selection.core }
    }

    /// The typical value with its interval, or with the range of its trials where they are too few for one.
    pub(crate) fn range(&self) -> Option<Range> {
        let estimate = self.estimate.as_ref()?;
        Some(estimate.range().unwrap_or_else(|| estimate.range_of(&self.trials)))
    }
}
