//! What is typed behind `oscope count`.

use super::output::Output;
use super::values::{Form, profile};
use clap::Args;
use count::{Architecture, Change};
use quantity::{parse_percent, show_percent};
use record::Profile;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;

/// The forms of counts.
const FORMS: [Form; 4] = [Form::Terminal, Form::Markdown, Form::Json, Form::Csv];

/// What counts are not; the help, every table and the documents say it.
pub(crate) const LIMITS: &str = "Instructions are no time: the emulator has no caches, no speculation and no contention, and its processor \
    lacks features, so that the kernel takes other paths there";

/// Count what a kernel executes.
#[derive(Debug, Args)]
#[command(after_help = format!("{LIMITS}. See `oscope help counts`."))]
pub(crate) struct Count {
    /// One kernel or two: a bzImage or Image, a build tree (./linux), a Debian package, or counts that `--format json` wrote; and what to
    /// count of them, as for `run` [default: warm paths of the kernel on one CPU]
    #[arg(value_name = "KERNEL|SELECTION")]
    pub what: Vec<String>,
    /// The kernel that runs here, as the first
    #[arg(long)]
    pub running: bool,
    /// Boot options, for example 'audit=1'. Those that make counts repeat are replaced where they are named
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub append: Option<String>,
    /// Boot options of the second kernel, or with one kernel: compare it with these options and with --append's
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub append2: Option<String>,
    /// The points that a run of this profile has
    #[arg(long, value_parser = profile(), default_value = "quick")]
    pub profile: Profile,
    /// Boots of each kernel, each with another seed and the points in another order: what they differ by is the noise floor
    /// [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub boots: Option<u32>,
    /// CPUs of the emulated machine [default: 1]. With two, also points with cpu=other are counted, approximately: CPUs take
    /// turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub smp: Option<u32>,
    /// The architecture of the kernels, where it is not that of their images
    #[arg(long, value_parser = architecture, value_name = "ARCH")]
    pub arch: Option<Architecture>,
    /// A static oscope of the kernel's architecture, where that is not this machine's
    #[arg(long, value_name = "FILE")]
    pub guest: Option<PathBuf>,
    /// Functions shown for each point
    #[arg(long, value_name = "N")]
    pub functions: Option<usize>,
    /// Exit with 1 when a path executes more (more:0.5%), less, changes, or is lost; may be given several times
    #[arg(long, value_name = "RULE")]
    pub fail_if: Vec<CountRule>,
    /// End as `git bisect run` expects: 125, which skips the revision, where the last kernel is missing, does not boot or has no
    /// points; 128, which ends the bisection, for wrong arguments and other kernels
    #[arg(long, requires = "fail_if")]
    pub bisect: bool,
    /// Every point, not only those that changed
    #[arg(long)]
    pub all: bool,
    /// The form; counts as JSON are what this command reads in place of a kernel
    #[arg(long, value_parser = Form::among(FORMS), default_value = "terminal")]
    pub format: Form,
    /// Print the result only
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub output: Output,
}

fn architecture(text: &str) -> Result<Architecture, String> {
    let name = match text {
        "amd64" => "x86_64",
        "arm64" => "aarch64",
        name => name,
    };
    let found = Architecture::NAMES.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, architecture)| architecture).ok_or_else(|| "x86_64 (amd64) or aarch64 (arm64)".to_owned())
}

/// What the command fails for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountRule {
    kind: Sought,
    by: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    More,
    Less,
    Changed,
    Lost,
}

const KINDS: [(&str, Sought); 4] =
    [("more", Sought::More), ("less", Sought::Less), ("changed", Sought::Changed), ("lost", Sought::Lost)];

impl FromStr for CountRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, share) = text.split_once(':').map_or((text, None), |(word, share)| (word, Some(share)));
        let found = KINDS.into_iter().find(|(name, _)| *name == word);
        let (_, kind) = found
            .ok_or("a rule is more, less or changed, each alone or with a share (more:0.5%), or lost")?;
        if kind == Sought::Lost && share.is_some() {
            return Err("a point is lost or not: lost takes no share".to_owned());
        }
        Ok(Self { kind, by: share.map_or(Ok(0.0), parse_percent).map_err(|error| error.to_string())? })
    }
}

impl Count {
    /// CPUs of the emulated machine.
    pub fn cpus(&self) -> u32 {
        self.smp.unwrap_or(1)
    }

    /// The option that is given and of use only where a kernel is booted.
    pub fn boot_option(&self) -> Option<&'static str> {
        let given = [
            (self.append.is_some(), "--append"),
            (self.append2.is_some(), "--append2"),
            (self.smp.is_some(), "--smp"),
            (self.boots.is_some(), "--boots"),
            (self.arch.is_some(), "--arch"),
            (self.guest.is_some(), "--guest"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

impl CountRule {
    /// Whether it looks for points that the second kernel has not.
    pub fn is_of_lost(self) -> bool {
        self.kind == Sought::Lost
    }

    /// Whether a change of instructions that is shown is what it looks for.
    pub fn is_met(self, change: Change) -> bool {
        let share = change.share();
        match self.kind {
            Sought::More => share > 0.0 && share >= self.by,
            Sought::Less => share < 0.0 && -share >= self.by,
            Sought::Changed => share.abs() >= self.by,
            Sought::Lost => false,
        }
    }
}

impl Display for CountRule {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let word = KINDS.into_iter().find(|(_, kind)| *kind == self.kind).map_or("", |(word, _)| word);
        match self.by {
            0.0 => out.write_str(word),
            by => write!(out, "{word} by {} or more", show_percent(by)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_met_by_shares_of_what_is_shown() {
        let rule = |text: &str| text.parse::<CountRule>();
        let change = |to| Change { from: 1_000.0, to, floor: 0.0 };
        assert!(rule("more:0.5%").unwrap().is_met(change(1_005.0)));
        assert!(!rule("more:0.5%").unwrap().is_met(change(1_004.0)));
        assert!(!rule("more").unwrap().is_met(change(999.0)) && rule("less").unwrap().is_met(change(999.0)));
        assert!(rule("changed").unwrap().is_met(change(999.0)));
        for wrong in ["slower", "lost:1%", "more:x"] {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }
}
