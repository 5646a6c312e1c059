//! The steps of `cargo xtask test`: each one thing that CI checks.

use crate::command::{cargo, echo, program, run};
use crate::step::{Setting, Status, StepResult};
use crate::{aarch64, dependencies, generate, house, packages, toolchain};
use anyhow::{Result, ensure};
use quantity::{Bytes, show_bytes};

/// One step.
pub struct Step {
    /// Its name in the summary.
    pub name: &'static str,
    /// Does it; an error is a failure.
    pub run: fn(&Setting) -> Result<StepResult>,
}

/// All steps, the fastest first.
pub const STEPS: &[Step] = &[
    Step { name: "toolchain", run: toolchain::check },
    Step { name: "programs that tests need", run: programs },
    Step { name: "format", run: |setting| run_cargo(setting, &["fmt", "--all", "--check"]) },
    Step {
        name: "house rules",
        run: |setting| passed_if(house::report(&setting.root, None)?, "findings are listed above"),
    },
    Step {
        name: "generated documents",
        run: |setting| passed_if(generate::check(&setting.root)?, "stale files are listed above"),
    },
    Step { name: "licences and sources of dependencies", run: dependencies::check },
    Step {
        name: "lints",
        run: |setting| {
            run_cargo(setting, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
        },
    },
    Step { name: "tests", run: tests },
    Step { name: "examples in documentation", run: documentation },
    Step { name: aarch64::NAME, run: aarch64::test },
    Step { name: "size of the program", run: size },
];

fn run_cargo(setting: &Setting, arguments: &[&str]) -> Result<StepResult> {
    run(&mut cargo(&setting.root, arguments))?;
    Ok(StepResult::default())
}

fn passed_if(is_well: bool, otherwise: &'static str) -> Result<StepResult> {
    ensure!(is_well, otherwise);
    Ok(StepResult::default())
}

/// The packages of Python, once the programs are there.
fn programs(setting: &Setting) -> Result<StepResult> {
    let found = packages::find_or_install(setting.ci);
    for package in &found.missing {
        echo(&format!("left out: {}: {} is missing", package.tests, package.name));
    }
    if !found.missing.is_empty() {
        let (names, why) = (packages::names(&found.missing), found.why);
        let remark = format!("missing {names} ({why}); run `apt-get install {names}` as root");
        return Ok(StepResult::left_out(setting, remark));
    }
    if let Err(why) = packages::python_packages(&setting.root) {
        echo("left out: the test of exported tables: a package of Python is missing");
        return Ok(StepResult::left_out(setting, format!("missing {why:#}")));
    }
    let names = packages::names(&found.installed);
    let remark = if names.is_empty() { names } else { format!("installed {names}") };
    Ok(StepResult::passed(remark))
}

fn tests(setting: &Setting) -> Result<StepResult> {
    let mut command = cargo(&setting.root, &["test", "--workspace", "--tests", "--no-fail-fast"]);
    if setting.ci {
        // Tests that would be left out for want of something fail when they see this.
        command.env("OSCOPE_CI", "1");
    }
    let found = StepResult::of_tests(&mut command);
    if found.status == Status::Passed && found.counts.ignored > 0 {
        let remark = format!("{} tests are marked #[ignore]", found.counts.ignored);
        return Ok(StepResult { counts: found.counts, ..StepResult::left_out(setting, remark) });
    }
    Ok(found)
}

/// Examples in documentation, those that must not compile too, which `--tests` does not run.
fn documentation(setting: &Setting) -> Result<StepResult> {
    Ok(StepResult::of_tests(&mut cargo(&setting.root, &["test", "--workspace", "--doc", "--no-fail-fast"])))
}

/// A program that fits on any machine: some three times what an empty command line with JSON takes, and Parquet.
const LARGEST_PROGRAM: u64 = 9 << 20;

fn size(setting: &Setting) -> Result<StepResult> {
    let program = program(&setting.root, &["--release"])?;
    judge_size(std::fs::metadata(program)?.len())
}

fn judge_size(bytes: u64) -> Result<StepResult> {
    let [is, limit] = [bytes, LARGEST_PROGRAM].map(|bytes| show_bytes(Bytes::from_bytes(bytes)));
    ensure!(bytes <= LARGEST_PROGRAM, "{is}, more than {limit}");
    Ok(StepResult::passed(format!("{is} of at most {limit}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_program_that_grew_too_large_fails() {
        assert_eq!(judge_size(LARGEST_PROGRAM).unwrap().status, Status::Passed);
        let grown = judge_size(LARGEST_PROGRAM + 1).unwrap_err().to_string();
        assert!(grown.contains("9 MiB"), "{grown}");
    }

    #[test]
    fn what_is_not_well_is_an_error() {
        assert_eq!(passed_if(true, "x").unwrap().status, Status::Passed);
        assert_eq!(passed_if(false, "x").unwrap_err().to_string(), "x");
    }
}
