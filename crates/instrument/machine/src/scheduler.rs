//! The batch system that started the program, by the variables of the environment that it sets.
//!
//! They name machines, so a dump holds none of them: they are asked for apart from a description.

use crate::facts::Facts;
use crate::live::Live;
use record::Fact;

/// A batch system: its name, the variable that it sets for all that it starts, and the facts that variables hold.
type Scheduler = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Slurm: sbatch(1), "Output environment variables". PBS: qsub(1). LSF: bsub's "Environment variables". Kubernetes sets
/// the mark in every pod and the index in those of an indexed job; the node is there by the downward API alone.
const SCHEDULERS: [Scheduler; 4] = [
    (
        "Slurm",
        "SLURM_JOB_ID",
        &[
            ("job", "SLURM_JOB_ID"),
            ("task", "SLURM_ARRAY_TASK_ID"),
            ("node", "SLURMD_NODENAME"),
            ("partition", "SLURM_JOB_PARTITION"),
            ("topology", "SLURM_TOPOLOGY_ADDR"),
        ],
    ),
    ("PBS", "PBS_JOBID", &[("job", "PBS_JOBID"), ("task", "PBS_ARRAY_INDEX"), ("partition", "PBS_QUEUE")]),
    ("LSF", "LSB_JOBID", &[("job", "LSB_JOBID"), ("task", "LSB_JOBINDEX"), ("partition", "LSB_QUEUE")]),
    (
        "Kubernetes",
        "KUBERNETES_SERVICE_HOST",
        &[("job", "JOB_NAME"), ("task", "JOB_COMPLETION_INDEX"), ("node", "NODE_NAME")],
    ),
];

/// Facts about the batch system that started this program, `scheduler.name` and what else it says; none without one.
/// `variable` looks up a variable of the environment.
pub fn describe_scheduler(variable: &dyn Fn(&str) -> Option<String>) -> Vec<Fact> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let Some((name, mark, variables)) = SCHEDULERS.iter().find(|(_, mark, _)| set(mark).is_some()) else {
        return Vec::new();
    };
    let nothing = Live::machine();
    let mut facts = Facts::below(&nothing);
    facts.text("scheduler.name", mark, Ok((*name).to_owned()));
    for (key, name) in *variables {
        if let Some(value) = set(name) {
            facts.text(&format!("scheduler.{key}"), name, Ok(value));
        }
    }
    facts.into_machine().facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Machine;

    fn described(set: &[(&str, &str)]) -> Machine {
        Machine {
            facts: describe_scheduler(&|name| {
                set.iter().find(|(one, _)| *one == name).map(|(_, value)| *value).map(str::to_owned)
            }),
        }
    }

    #[test]
    fn without_a_scheduler_there_are_no_facts() {
        assert!(described(&[]).facts.is_empty());
        // These alone are set by hand.
        let by_hand = [("NODE_NAME", "n1"), ("JOB_NAME", "x"), ("SLURM_JOB_ID", " ")];
        assert!(described(&by_hand).facts.is_empty());
    }

    #[test]
    fn every_scheduler_is_known_by_its_variables() {
        let slurm = described(&[
            ("SLURM_JOB_ID", "7"),
            ("SLURM_ARRAY_TASK_ID", "2"),
            ("SLURMD_NODENAME", "n4"),
            ("SLURM_JOB_PARTITION", "long"),
            ("SLURM_TOPOLOGY_ADDR", "s0.s1.n4"),
        ]);
        let facts = slurm.facts.iter().map(|fact| (fact.key.as_str(), fact.source.as_str()));
        let expected = [
            ("scheduler.name", "SLURM_JOB_ID"),
            ("scheduler.job", "SLURM_JOB_ID"),
            ("scheduler.task", "SLURM_ARRAY_TASK_ID"),
            ("scheduler.node", "SLURMD_NODENAME"),
            ("scheduler.partition", "SLURM_JOB_PARTITION"),
            ("scheduler.topology", "SLURM_TOPOLOGY_ADDR"),
        ];
        assert_eq!(facts.collect::<Vec<_>>(), expected);
        assert_eq!(slurm.text("scheduler.name"), Some("Slurm"));
        assert_eq!(slurm.text("scheduler.topology"), Some("s0.s1.n4"));
        let pod = described(&[("KUBERNETES_SERVICE_HOST", "10.96.0.1"), ("NODE_NAME", "worker-3")]);
        assert_eq!(
            (pod.text("scheduler.name"), pod.text("scheduler.node")),
            (Some("Kubernetes"), Some("worker-3"))
        );
        for (set, queue) in [
            ([("PBS_JOBID", "1.server"), ("PBS_QUEUE", "q")], "q"),
            ([("LSB_JOBID", "1"), ("LSB_QUEUE", "r")], "r"),
        ] {
            assert_eq!(described(&set).text("scheduler.partition"), Some(queue));
        }
    }
}
