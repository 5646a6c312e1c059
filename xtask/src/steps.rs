//! The steps of `cargo xtask test`: each one thing that CI checks.

use crate::cargo::{cargo, echo, program, stream, succeed};
use crate::packages::{self, Found};
use crate::step::{Finding, Setting, Status};
use crate::test_counts::TestCounts;
use crate::{aarch64, generate, house, toolchain};
use quantity::{Bytes, show_bytes};

/// One step.
pub struct Step {
    /// Its name in the summary.
    pub name: &'static str,
    /// Does it.
    pub run: fn(&Setting) -> Finding,
}

/// All steps, the fastest first.
pub const STEPS: &[Step] = &[
    Step { name: "toolchain", run: toolchain::check },
    Step { name: "programs that tests need", run: programs },
    Step {
        name: "format",
        run: |setting| Finding::of(succeed(cargo(&setting.root, &["fmt", "--all", "--check"]))),
    },
    Step {
        name: "house rules",
        run: |setting| in_process(house::report(&setting.root, None), "findings are listed above"),
    },
    Step {
        name: "generated documents",
        run: |setting| in_process(generate::check(&setting.root), "stale files are listed above"),
    },
    Step { name: "lints", run: lints },
    Step { name: "tests", run: tests },
    Step { name: "tests of the libraries on AArch64", run: aarch64::test },
    Step { name: "size of the program", run: size },
    Step { name: "licences and sources of dependencies", run: dependencies },
];

fn in_process(result: anyhow::Result<bool>, remark: &str) -> Finding {
    match result {
        Ok(true) => Finding::new(Status::Passed, ""),
        Ok(false) => Finding::new(Status::Failed, remark),
        Err(error) => Finding::new(Status::Failed, format!("{error:#}")),
    }
}

/// The packages of Python, once the programs are there.
fn programs(setting: &Setting) -> Finding {
    let programs = debian_packages(setting);
    match packages::python_packages(&setting.root) {
        Err(why) if programs.status == Status::Passed => {
            echo("left out: the test of exported tables: a package of Python is missing");
            let status = if setting.ci { Status::Failed } else { Status::LeftOut };
            Finding::new(status, format!("missing {why}"))
        }
        _ => programs,
    }
}

fn debian_packages(setting: &Setting) -> Finding {
    match packages::find_or_install(setting.ci) {
        Found::All => Finding::new(Status::Passed, ""),
        Found::Installed(new) => Finding::new(Status::Passed, format!("installed {}", packages::names(&new))),
        Found::Missing(absent, why) => {
            for package in &absent {
                echo(&format!("left out: {}: {} is missing", package.tests, package.name));
            }
            let names = packages::names(&absent);
            let remark = format!("missing {names} ({why}); run `apt-get install {names}` as root");
            Finding::new(if setting.ci { Status::Failed } else { Status::LeftOut }, remark)
        }
    }
}

fn lints(setting: &Setting) -> Finding {
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    Finding::of(succeed(cargo(&setting.root, &arguments)))
}

fn tests(setting: &Setting) -> Finding {
    // All that is declared to have tests: no crate has examples in its documentation, for which each would be searched.
    let arguments = ["test", "--workspace", "--tests", "--no-fail-fast"];
    let mut command = cargo(&setting.root, &arguments);
    if setting.ci {
        // Tests that would be left out for want of something fail when they see this.
        command.env("OSCOPE_CI", "1");
    }
    let mut counts = TestCounts::default();
    let result = stream(command, |line| {
        counts.add_line(line);
        echo(line);
    });
    let mut finding = Finding::of(result);
    finding.counts = counts;
    if finding.status == Status::Passed && counts.ignored > 0 {
        finding.status = if setting.ci { Status::Failed } else { Status::LeftOut };
        finding.remark = format!("{} tests are marked #[ignore]", counts.ignored);
    }
    finding
}

/// A program that fits on any machine: some three times what an empty command line with JSON takes, and Parquet.
const LARGEST_PROGRAM: u64 = 9 << 20;

fn size(setting: &Setting) -> Finding {
    let program = match program(&setting.root, &["--release"]) {
        Ok(program) => program,
        Err(why) => return Finding::new(Status::Failed, why),
    };
    match std::fs::metadata(&program) {
        Err(error) => Finding::new(Status::Failed, format!("{}: {error}", program.display())),
        Ok(file) => judge_size(file.len()),
    }
}

fn judge_size(bytes: u64) -> Finding {
    let (is, limit) = (show_bytes(Bytes::from_bytes(bytes)), show_bytes(Bytes::from_bytes(LARGEST_PROGRAM)));
    if bytes > LARGEST_PROGRAM {
        Finding::new(Status::Failed, format!("{is}, more than {limit}"))
    } else {
        Finding::new(Status::Passed, format!("{is} of at most {limit}"))
    }
}

fn dependencies(setting: &Setting) -> Finding {
    let there = cargo(&setting.root, &["deny", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        let remark = "cargo-deny is not here; `cargo install cargo-deny` brings it";
        return Finding::new(Status::LeftOut, remark);
    }
    let arguments = ["deny", "check", "licenses", "bans", "sources"];
    Finding::of(succeed(cargo(&setting.root, &arguments)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_grew_too_large_fails() {
        assert_eq!(judge_size(LARGEST_PROGRAM).status, Status::Passed);
        let grown = judge_size(LARGEST_PROGRAM + 1);
        assert_eq!(grown.status, Status::Failed);
        assert!(grown.remark.contains("9 MiB"), "{}", grown.remark);
    }

    #[test]
    fn errors_and_findings_both_fail() {
        assert_eq!(in_process(Ok(true), "x").status, Status::Passed);
        assert_eq!(in_process(Ok(false), "x").remark, "x");
        assert_eq!(in_process(Err(anyhow::anyhow!("y")), "x").remark, "y");
    }
}
