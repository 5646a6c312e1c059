//! What a message and a hand-off of the CPU should cost: from facts, and from parts measured in the same run.

use crate::os::syscall;
use measure::{Point, core_cycles, term, told_cycles};
use record::{Bound, Formula, Prediction, Side, Term};

/// The calls of one send and one receive by one task, however many actors share them.
pub struct Object {
    /// The operation that measures these calls by one task, where there is one.
    pub part: Option<&'static str>,
    /// System calls in both.
    pub calls: f64,
    /// Cycles of what they do in the kernel, besides entering, dispatching and leaving.
    pub cycles: f64,
    /// What that is.
    pub does: &'static str,
}

impl Object {
    /// T0 and T1 of so many messages.
    pub fn messages(&self, count: f64) -> Prediction {
        let work = || Formula::cited(self.cycles, 1.6, self.does).times(count);
        let mut from_facts = syscall::floors_from_facts(self.calls * count);
        from_facts.push(term(Side::Software, "what the calls do", told_cycles(work())));
        let from_parts = match self.part {
            Some(part) => vec![term(
                Side::Software,
                "the calls of both sides, by one task",
                Formula::part(part, "").times(count),
            )],
            None => vec![
                syscall::floors(self.calls * count),
                term(Side::Software, "what the calls do", core_cycles(work())),
            ],
        };
        Prediction {
            from_facts,
            from_parts,
        }
    }

    /// What `count` messages cannot be cheaper than, since one task alone makes these calls one after another.
    pub fn at_least(&self, count: f64) -> Vec<Bound> {
        let formula = match self.part {
            Some(part) => Formula::part(part, "").times(count),
            None => Formula::part("syscall.floor", "").times(self.calls * count),
        };
        vec![Bound {
            lower: true,
            formula,
            because: "these calls are made one after another".to_owned(),
        }]
    }
}

/// Where the two sides are.
fn placement(point: &Point) -> &str {
    point.get("cpu").unwrap_or("same")
}

/// T1: a hand-off as another operation has it, at the same placement.
pub fn hand_off(point: &Point, operation: &str, count: f64) -> Term {
    let part = Formula::part(operation, &format!("cpu={}", placement(point)));
    let name = if count == 1.0 {
        "a hand-off"
    } else {
        "two hand-offs"
    };
    term(Side::Software, name, part.times(count))
}

/// What a change of address space costs, in core cycles.
pub fn tables() -> Formula {
    Formula::fact("family.address_space_switch_cycles")
}

/// T1: so many changes of address space.
pub fn changes_of_tables(count: f64) -> Term {
    term(
        Side::Hardware,
        "change of address space",
        core_cycles(tables().times(count)),
    )
}

/// A switch that costs less than saving and loading the registers is a control that costs too much.
pub fn least_of_a_switch() -> Vec<Bound> {
    vec![Bound {
        lower: true,
        formula: core_cycles(Formula::exactly(100.0)),
        because: "a switch saves and loads the registers and runs the scheduler".to_owned(),
    }]
}

/// T0 of one hand-off.
pub fn hand_off_from_facts(point: &Point, between_processes: bool) -> Vec<Term> {
    let registers = || {
        Formula::cited(
            100.0,
            2.0,
            "save and restore of callee-saved registers, return stack refill",
        )
    };
    let (name, hardware) = if between_processes {
        ("change of address space", tables())
    } else {
        ("registers and return stack", registers())
    };
    let schedule = Formula::cited(
        1_500.0,
        2.0,
        "block, dequeue, choose, switch, enqueue: some 1 500 instructions",
    );
    let mut terms = vec![
        term(Side::Hardware, name, told_cycles(hardware)),
        term(Side::Software, "scheduler", told_cycles(schedule)),
    ];
    if placement(point) != "same" {
        terms.extend(waking_another_cpu());
    }
    terms
}

fn waking_another_cpu() -> [Term; 2] {
    let idle = Formula::cited(2_000.0, 2.5, "interrupt, idle exit: 1 to 5 µs on bare metal");
    // One for whoever sends the interrupt, one to wake, one to set up the tick again, which an idle CPU has stopped.
    let exits = Formula::fact("hypervisor.exit_ns").times(3.0);
    [
        term(
            Side::Hardware,
            "interrupt to the other CPU and its exit from idle",
            idle,
        ),
        term(
            Side::Software,
            "the hypervisor sends the interrupt, wakes the CPU, sets its timer",
            exits,
        ),
    ]
}

/// T0 of a round trip: two messages and two hand-offs.
pub fn round_trip_from_facts(point: &Point, object: &Object) -> Vec<Term> {
    let twice = |term: Term| Term {
        formula: term.formula.times(2.0),
        ..term
    };
    let mut terms: Vec<Term> = hand_off_from_facts(point, true).into_iter().map(twice).collect();
    terms.extend(object.messages(2.0).from_facts);
    terms
}

/// T0 of a yield, which neither blocks nor wakes.
pub fn yield_from_facts() -> Vec<Term> {
    vec![
        term(Side::Hardware, "change of address space", told_cycles(tables())),
        term(Side::Software, "switch", told_cycles(bare_switch())),
    ]
}

/// Cycles of switching from one runnable task to another, beyond a yield that finds none, which the kernel cuts
/// short.
pub fn bare_switch() -> Formula {
    Formula::cited(
        1_100.0,
        1.6,
        "clock and run time brought up to date twice, deadline moved, one task put into the tree and one taken out, load averages, accounting, perf's hooks, page tables chosen, stacks, restartable sequence: some 1 400 instructions at 1.5 a cycle; 150 cycles for the vector registers, 60 for the return stack",
    )
}

/// Cycles of making a task sleep and of waking it, beyond looking for another to run.
pub fn block_and_wake() -> Formula {
    Formula::cited(
        1_100.0,
        1.6,
        "queue on the word, dequeue from the CPU; find, take off, choose a CPU, enqueue, compare for preemption: some 1 200 instructions at 1.5 a cycle and 14 locked ones of 20 cycles",
    )
}
