//! The steps of `cargo xtask test`: each one thing that CI checks.

use crate::command::{cargo, echo, run, tested_program};
use crate::package::size_within;
use crate::step::{Setting, Status, StepResult};
use crate::{
    aarch64, contradictions, dependencies, generate, house, kernels, packages, test_programs, toolchain,
};
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;

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
    Step { name: "programs that tests need", run: programs_of_tests },
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
    Step { name: "lints", run: lints },
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
fn programs_of_tests(setting: &Setting) -> Result<StepResult> {
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

/// Clippy. Where it is cargo's compiler already, as on CI machines, what it compiles is what the tests are: it finds the same,
/// and nothing is compiled twice.
fn lints(setting: &Setting) -> Result<StepResult> {
    let is_compiler =
        std::env::var_os("RUSTC_WORKSPACE_WRAPPER").is_some_and(|wrapper| wrapper == "clippy-driver");
    if is_compiler {
        return run_cargo(setting, &["test", "--workspace", "--tests", "--examples", "--no-run", "--quiet"]);
    }
    run_cargo(setting, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

fn tests(setting: &Setting) -> Result<StepResult> {
    let notes = contradictions::begin(&setting.root)?;
    let mut variables = vec![(programs::CONTRADICTIONS, notes.as_path())];
    // Without a kernel the test of counted kernels says that it is left out.
    let kernel = setting.ci.then(|| kernels::of_tests(&setting.root).ok()).flatten();
    if setting.ci {
        // Tests that would be left out for want of something fail when they see this.
        variables.push(("OSCOPE_CI", Path::new("1")));
    }
    variables.extend(kernel.iter().map(|kernel| ("OSCOPE_KERNEL", kernel.as_path())));
    let mut found = test_programs::run(&setting.root, &variables)?;
    match contradictions::judge(&notes) {
        Ok(remark) if found.status == Status::Passed => found.remark = remark,
        Ok(_) => {}
        Err(error) => return Ok(StepResult { counts: found.counts, ..StepResult::from_result(Err(error)) }),
    }
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

/// Of the program that the tests start, without its symbols: some 1.07 times what it is with 237 operations. Its largest dependencies are not
/// optimised, so that it is 2.6 times as large as a release, which takes minutes to build and whose own limit
/// `cargo xtask package` and `static` hold.
const LARGEST_TESTED: u64 = 30 << 20;

fn size(setting: &Setting) -> Result<StepResult> {
    if programs::locate("strip").is_none() {
        return Ok(StepResult::left_out(setting, "strip is missing (package binutils)"));
    }
    let folder = tempfile::tempdir()?;
    let stripped = folder.path().join("oscope");
    run(Command::new("strip").arg("-o").arg(&stripped).arg(tested_program(&setting.root)?))?;
    let remark = size_within(std::fs::metadata(stripped)?.len(), LARGEST_TESTED)?;
    Ok(StepResult::passed(format!("{remark}, unoptimised")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_not_well_is_an_error() {
        assert_eq!(passed_if(true, "x").unwrap().status, Status::Passed);
        assert_eq!(passed_if(false, "x").unwrap_err().to_string(), "x");
    }
}
