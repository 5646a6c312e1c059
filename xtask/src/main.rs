//! `cargo xtask`: the one command for what CI checks, and for what is generated.
//!
//! **Invariant:** what is generated depends on the declarations alone: the same bytes on every machine.
#![forbid(unsafe_code)]

mod aarch64;
mod agree;
mod bench;
mod cargo;
mod corpus;
mod count;
mod environments;
mod fresh;
mod fuzz;
mod generate;
mod handbook;
mod house;
mod lab;
mod lint_page;
mod mutants;
mod package;
mod packages;
mod reports_page;
mod sabotage_page;
mod schema;
mod static_program;
mod step;
mod steps;
mod test;
mod test_counts;
mod toolchain;

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test [--keep-going]   check all that CI checks; stops at the first step that fails
  generate [--check]    write the handbook, the record's schema, and docs/LINT.md, PREDICTIONS.md, REPORTS.md and SABOTAGE.md, or only
                        compare them
  corpus [MACHINE]      how far today's predictions are from the machines of the corpus, or from every point of one
  corpus add NAME RESULTS DUMP
                        add a machine: RESULTS is a record or what `report --format csv` wrote, DUMP what `dump` wrote
  house [CRATE]         check the rules of the house that no lint knows, in one crate also those it is exempt from
  agree [AREA...]       measure alternating with other tools, and print the ratios (five minutes an area)
  fuzz MINUTES [SEED]   change sessions between two machines at random, and give them to the protocol
  mutants [--changed] [--shard K/N] [CRATE...]
                        put mistakes into the code one at a time, which tests should catch (an hour)
  bench repeat          measure how far ten runs differ, beside other programs (five minutes)
  fresh                 run the README's two commands on a new, bare Debian below a root of its own (half an hour)
  package               make a Debian package and a tarball below target/package
  static [--twice]      make the static program and its bill of materials below target/package, also from a clone: the same
                        bytes (five minutes each)
  count KERNEL.deb      count instructions for predictions on a kernel of Debian that boots in QEMU (ten minutes)
  bench filter          measure a planted difference between environments (half a minute)
  environments          measure the table of docs/ENVIRONMENTS.md on this machine (a minute or two)
  aarch64               test the libraries on AArch64, in an emulator of its programs (two minutes)
  lab [--ci | MACHINE...]
                        boot small emulated machines, and judge what oscope does there (two minutes each)
  bench                 measure what the instrument must reach on this machine (ten minutes)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the arguments say; gives whether all is well.
fn run(arguments: &[String]) -> Result<bool> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["aarch64"] => Ok(test::alone(&root(), "tests of the libraries on AArch64")),
        ["test"] => Ok(test::run(&root(), false)),
        ["test", "--keep-going"] => Ok(test::run(&root(), true)),
        ["generate"] => generate::write(&root()).map(|()| true),
        ["generate", "--check"] => generate::check(&root()),
        ["corpus"] => corpus::print(),
        ["corpus", "add", name, results, dump] => corpus::add(&root(), name, results, dump),
        ["corpus", machine] => corpus::print_machine(machine),
        ["house"] => house::report(&root(), None),
        ["house", name] => house::report(&root(), Some(name)),
        ["agree", areas @ ..] => agree::run(&root(), areas),
        ["mutants", words @ ..] => mutants::run(&root(), words),
        ["count", kernel] => count::run(&root(), kernel),
        ["lab", words @ ..] => lab::run(&root(), words),
        ["fresh"] => fresh::run(&root()),
        ["package"] => package::run(&root()),
        ["static"] => static_program::make(&root(), false),
        ["static", "--twice"] => static_program::make(&root(), true),
        ["bench"] => bench::run(&root()),
        ["bench", "repeat"] => bench::repeat(&root(), 10),
        ["bench", "filter"] => bench::filter(&root()),
        ["environments"] => environments::measure(&root()),
        ["fuzz", minutes] => fuzz::run(minutes, None),
        ["fuzz", minutes, seed] => fuzz::run(minutes, Some(seed)),
        ["burn", percent] => Ok(bench::burn(percent)),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(true)
        }
        _ => bail!("`{}` is not understood\n{USAGE}", words.join(" ")),
    }
}

/// The workspace: the folder above this crate.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn other_words_are_refused_with_the_usage() {
        for words in [vec![], vec!["tset"], vec!["generate", "--chekc"]] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert!(run(&words).unwrap_err().to_string().contains("usage:"), "{words:?}");
        }
        assert!(run(&["help".to_owned()]).unwrap());
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(std::fs::read_to_string(root().join("Cargo.toml")).unwrap().contains("[workspace]"));
    }
}
