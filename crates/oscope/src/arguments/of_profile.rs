//! A run that other commands begin.

use super::{ProfileName, Run, TriggerMode};

impl Run {
    /// What `oscope run --profile PROFILE` means.
    pub fn of_profile(profile: ProfileName) -> Self {
        Self {
            selection: Vec::new(),
            profile,
            budget: None,
            precision: None,
            rounds: None,
            cpu: None,
            cpu_class: None,
            peer_cpu: None,
            remote_dir: None,
            predictions: None,
            blind: false,
            dir: None,
            seed: None,
            output: None,
            resume: None,
            dry_run: false,
            quiet: false,
            with_parts: false,
            with_reference_methods: false,
            nice: None,
            sched: None,
            versus: Vec::new(),
            trigger: TriggerMode::Quiet,
            peer: None,
            key: None,
            key_file: None,
            strict: false,
        }
    }
}
