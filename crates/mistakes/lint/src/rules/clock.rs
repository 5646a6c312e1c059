//! Rules for the clock: steps that are too coarse, drift, deviations of zero.

use crate::context::{Context, ENOUGH_TRIALS};
use crate::finding::{Check, Finding, Rule};
use crate::series::Series;
use crate::statistics::{ends, median};
use crate::table::{Row, grouped};

/// The chance below which it is no accident that all trials are multiples of a step, all steps tried taken together.
const CHANCE: f64 = 1e-6;
/// A step above this share of the result shows in it: a good batch keeps the step below 0.1 %.
const COARSE: f64 = 0.02;
/// More steps than this in a value do not differ from a fine clock's.
const MOST_STEPS: f64 = 1e6;

/// Quanta are searched between these multiples of the last place.
const QUANTA: (f64, f64) = (3.0, 50.0);
/// How near to a multiple, in units of the last place: half of one is rounding, the rest is left by the search.
const NEAR: f64 = 0.53;
/// The next quantum, as a share of the last; and the most steps in a value, so that the search never jumps over the
/// right quantum: 1e-5 × 1000 steps is a hundredth of it.
const NEXT: f64 = 1.00001;
const MOST_QUANTA: f64 = 1000.0;
/// The share of values that may be off: misprints, and means among the trials.
const STRAY: f64 = 0.05;

/// A crystal is stable to some parts per million; more than this is another clock, or another length of the trial.
const DRIFT: f64 = 0.01;
/// Fewer trials show no drift.
const FEWEST: usize = 3;

/// A deviation that was rounded to zero may be half of its last place. Repeated measurements vary by this share of the
/// result at least.
const LEAST_SPREAD: f64 = 1e-3;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "quantised",
        code: "E08",
        what: "Trials that are all multiples of a step above 2 % of them: of 500 ns, or of a whole nanosecond where others \
               have decimals.",
        example: "operation,unit,run1,run2,run3,run4,run5,run6,run7,run8\n\
                  syscall.read,ns,5500,7500,6500,6000,8500,7000,6500,6000\n",
        why: "The step is the resolution of the clock: the spread and the deviation are the clock's.",
        wrong_when: "The values were rounded for print only, and others in the same unit were not.",
        checks: &[Check::Series(ENOUGH_TRIALS, quantised)],
    },
    Rule {
        id: "common_quantum",
        code: "E08",
        what: "Short times that are all multiples of one quantum, such as 41.67 ns or that divided by the iterations.",
        example: "operation,unit,run1,run2,run3,run4,run5,run6,run7,run8,run9,run10,run11,run12\n\
                  call.procedure,ns,7.04,6.58,6.96,7.29,7.08,5.92,6.25,5.08,12.71,15.29,14.12,16.83\n\
                  loop.iteration,ns,17.33,9.42,11.50,9.50,11.04,10.67,12.79,13.00,10.04,11.79,13.46,8.29\n",
        why: "The quantum is the step of a coarse clock, and the batches are too short for it.",
        wrong_when: "The times are counted cycles, converted at the core's clock.",
        checks: &[Check::Table(common_quantum)],
    },
    Rule {
        id: "zero_deviation",
        code: "E08",
        what: "A time or rate with a deviation of exactly zero over several runs.",
        example: "operation,measured,deviation,unit\nswitch.process.pipe,2231.4,0,ns\n",
        why: "Repeated measurements never agree to the last digit: the clock is too coarse, or one value was repeated.",
        wrong_when: "The deviation was rounded to fewer places than the result.",
        checks: &[Check::Claims(zero_deviation)],
    },
    Rule {
        id: "infinite",
        code: "E08",
        what: "A figure that is an infinity, or not a number.",
        example: "operation,measured,unit\nmemory copy,inf,MB/s\n",
        why: "Bytes were divided by a time of zero: the clock did not move during the test.",
        wrong_when: "The word stands for a limit that was not reached.",
        checks: &[Check::Points(infinite)],
    },
    Rule {
        id: "clock_drift",
        code: "E10",
        what: "Trials of the frequency of a clock that differ by more than 1 %.",
        example: "operation,unit,run1,run2,run3\nclock.frequency,GHz,2.300,2.301,2.581\n",
        why: "Values that were converted by that clock are off by as much.",
        wrong_when: "The changes of the core's clock were what was measured.",
        checks: &[Check::Series(FEWEST, clock_drift)],
    },
];

fn quantised(context: &Context<'_>, series: &Series<'_>) -> Option<String> {
    let (values, place, first) = (&series.values, series.place, series.first);
    let steps: Vec<u64> = values.iter().filter_map(|value| whole_steps(value / place)).collect();
    let distinct = steps.iter().any(|step| Some(step) != steps.first());
    if steps.len() != values.len() || !distinct || !first.is_time_of_one() {
        return None;
    }
    let common = steps.iter().copied().fold(0, greatest_common_divisor);
    let step = common as f64 * place;
    // Of whole numbers, one in `common` is a multiple of it.
    let by_chance = (common as f64).powi(1 - i32::try_from(values.len()).ok()?);
    let multiple = common > 1 && by_chance < CHANCE;
    // Whole units: a time has decimals unless the clock has none.
    let whole = common >= 1 && place == 1.0 && !first.in_cycles();
    let decimal = (step.log10() - step.log10().round()).abs() < 1e-9;
    let rounded = decimal && !has_finer(context, series);
    let found = (multiple || whole) && !rounded && step >= COARSE * median(values);
    let (count, unit) = (values.len(), &first.unit_text);
    found.then(|| {
        format!("all {count} trials are multiples of {step} {unit}: that is the resolution of the clock")
    })
}

/// Whether other trials in the same unit have more decimals and more digits, and are no smaller: then these were not
/// rounded for print. Programs that print three significant digits give large values fewer decimals.
fn has_finer(context: &Context<'_>, series: &Series<'_>) -> bool {
    context.series().any(|other| {
        let no_smaller = median(&other.values) >= median(&series.values);
        let same = series.unit() == other.unit() && series.first.report == other.first.report && no_smaller;
        same && other.place < 0.5 * series.place && digits(other) > digits(series)
    })
}

/// The digits that the values of a series have above its last place.
fn digits(series: &Series<'_>) -> f64 {
    (median(&series.values).abs() / series.place).log10().floor()
}

fn whole_steps(steps: f64) -> Option<u64> {
    let rounded = steps.round();
    ((0.0..MOST_STEPS).contains(&rounded) && (steps - rounded).abs() < 1e-3).then_some(rounded as u64)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    // The larger at least halves every two iterations.
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn common_quantum(context: &Context<'_>) -> Vec<Finding> {
    let short = context.series().filter(|series| is_short(series));
    let keyed =
        short.map(|series| ((series.first.report.clone(), series.unit().to_owned(), series.place), series));
    let found = grouped(keyed).into_iter().filter_map(|((_, unit, place), all)| {
        let mut values: Vec<f64> = all.iter().flat_map(|series| series.values.clone()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Some(by_operation(&all, quantum(&values, place)?, &unit))
    });
    found.flatten().collect()
}

/// Whether the times of a series are short enough to show a quantum.
fn is_short(series: &Series<'_>) -> bool {
    let longest = MOST_QUANTA * QUANTA.0 * series.place;
    let short = series.values.iter().all(|&value| value > 0.0 && value < longest);
    short && series.first.is_time_of_one() && !series.first.in_cycles()
}

/// The quantum of which all values are multiples to the last place, if that is no accident.
fn quantum(values: &[f64], place: f64) -> Option<f64> {
    let tries = ((QUANTA.1 / QUANTA.0).ln() / NEXT.ln()).ceil();
    let allowed = (STRAY * values.len() as f64) as usize;
    let mut quantum = QUANTA.1 * place;
    for _ in 0..tries as usize {
        let chance = |strays: usize| by_chance(values.len(), strays, place / quantum) * tries;
        // From here on even a perfect fit would be no more than chance.
        if chance(0) >= CHANCE {
            return None;
        }
        let strays = values.iter().filter(|value| {
            let steps = *value / quantum;
            (steps - steps.round()).abs() * quantum > NEAR * place
        });
        let strays = strays.take(allowed + 1).count();
        if strays <= allowed && chance(strays) < CHANCE {
            // Decimal steps are rounding, which is another rule's.
            let decimal = (quantum / place).round() * place;
            let mut off = values.iter().map(|value| ((value / decimal).round() * decimal - value).abs());
            let is_decimal = off.all(|off| off < 0.01 * place);
            return (!is_decimal).then_some(quantum);
        }
        quantum /= NEXT;
    }
    None
}

/// The chance that all but `strays` of the values are near a multiple, for all choices of the strays.
fn by_chance(count: usize, strays: usize, place_of_quantum: f64) -> f64 {
    let share = 2.0 * NEAR * place_of_quantum;
    let choices: f64 = (0..strays).map(|at| (count - at) as f64 / (at + 1) as f64).product();
    choices * share.powi(i32::try_from(count - strays).unwrap_or(i32::MAX))
}

fn by_operation(series: &[&Series<'_>], quantum: f64, unit: &str) -> Vec<Finding> {
    let rows = series.iter().flat_map(|one| one.rows.iter().copied());
    let operations = grouped(rows.map(|row| (&row.operation, row))).into_iter();
    operations
        .map(|(_, rows)| {
            let trials = format!("all {} trials are multiples of {quantum:.5} {unit}", rows.len());
            Finding::new(&rows, format!("{trials}, the step of the clock per iteration"))
        })
        .collect()
}

fn zero_deviation(context: &Context<'_>, row: &Row) -> Option<String> {
    let (measured, deviation) = (row.measured?, row.deviation.filter(|deviation| deviation.value == 0.0)?);
    let several = row.params.number("trials").is_none_or(|trials| trials > 1.0);
    // What trials beside the row show about its deviation is another rule's.
    let hidden = 0.5 * deviation.place.max(measured.place);
    let rounded = deviation.place <= measured.place && hidden >= LEAST_SPREAD * measured.value.abs();
    // The step of a clock is the same every time.
    let meant =
        row.is_timed() && !row.params.is_derived() && !row.has_word("quantum") && measured.value != 0.0;
    let shown = row.shown();
    (meant && several && !rounded && !context.has_trials_of(row)).then(|| {
        format!("{shown} with a deviation of exactly 0: the clock is too coarse, or one value was repeated")
    })
}

fn infinite(_: &Context<'_>, row: &Row) -> Option<String> {
    row.has_infinity
        .then(|| "an infinite figure: it was divided by a time of zero, the clock did not move".to_owned())
}

fn clock_drift(_: &Context<'_>, series: &Series<'_>) -> Option<String> {
    let ((low, high), centre) = (ends(&series.values), median(&series.values));
    let percent = 100.0 * (high - low) / centre;
    let drifts = low > 0.0 && (high - low) > DRIFT * centre;
    (drifts && series.first.belongs("clock.frequency"))
        .then(|| format!("the trials differ by {percent:.1} %"))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{expect, expect_count, expect_trials, trials};

    #[test]
    fn multiples_of_a_coarse_step_are_found() {
        for (count, unit, values, finer) in [
            (1, "ns", "5500 7500 6500 6000 8500 7000 6500 6000", ""),
            (1, "us", "27 29 25 31 24", "191.4 192.7 190.8 191.1 193.9"),
            (0, "us", "27 29 25 31 24", "1.914 1.927 1.908 1.911 1.939"),
            (1, "cycles", "72 72 60 72 84 72 60 72 72 84", ""),
            // Rounded for print, decimals, large numbers, cycles, one value.
            (0, "us", "12 13 12 14 12", "1.6 1.7 1.6 1.5 1.6"),
            (0, "ns", "27.13 29.71 25.02 31.44 24.90", ""),
            (0, "ns", "255 253 260 257 265", ""),
            (0, "cycles", "20 21 20 22 20", ""),
            (0, "ns", "20 20 20 20 20", ""),
        ] {
            let finer: String = finer
                .split_whitespace()
                .enumerate()
                .map(|(at, value)| format!("b,trial={at},us,{value},\n"))
                .collect();
            expect_trials("quantised", count, unit, values, &finer);
        }
    }

    #[test]
    fn common_quantum_is_a_twenty_fourth_and_none_in_random_times() {
        let steps = [
            169, 158, 167, 175, 170, 142, 150, 122, 305, 367, 339, 404, 416, 226, 276, 228, 265, 256, 307,
            312, 241, 283, 323,
        ];
        let values = steps.map(|steps| format!("{:.2}", f64::from(steps) / 24.0)).join(" ");
        expect_trials("common_quantum", 1, "ns", &values, "");
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..5 {
            let values: Vec<String> = (0..28).map(|_| format!("{:.2}", 5.0 + 10.0 * random.f64())).collect();
            expect_trials("common_quantum", 0, "ns", &values.join(" "), "");
        }
    }

    #[test]
    fn deviation_of_exactly_zero_is_found() {
        let found = [
            "switch.process.pipe,3.1,0,ns,\n",
            "a,3.1,0,ns,12\n",
            "a,4127,0.0,ns,5\n",
            "b,1.25 ± 0,,GB/s,\n",
        ];
        let right = [
            "a,3.1,0.2,ns,\n",
            "a,3.1,0,ns,1\n",
            "a,61,0,ns,\n",
            "a,0.33,0.00,ns,\n",
            "a,12,0,%,\n",
            "clock.quantum,41.67,0,ns,9\n",
        ];
        expect("zero_deviation", "operation,measured,deviation,unit,trials\n", &found, &right);
    }

    #[test]
    fn infinite_figures_are_found() {
        let heading = "test,Avg (MB/s),Max (MB/s)\n";
        expect(
            "infinite",
            heading,
            &["a,inf,inf\n", "a,4100.5,inf\n", "a,NaN,7\n"],
            &["a,4100.5,4200.1\n", "inf,4100.5,\n"],
        );
    }

    #[test]
    fn drifting_clock_is_found_and_a_stable_one_is_not() {
        let drifting = "22999873011 22999880402 25810441200 22999871920";
        let stable = "22667474081 22667487880 22667476230 22667480001";
        for (count, operation, values) in
            [(1, "clock.frequency", drifting), (0, "clock.frequency", stable), (0, "a", drifting)]
        {
            expect_count("clock_drift", count, "", &trials(operation, "counts", values, ""));
        }
    }
}
