//! What the command line names: kernels to boot, counts that were read, and a selection.

use super::counts::read_counts;
use crate::arguments::Count;
use crate::exit::{of_revision, usage};
use crate::{Operations, select};
use count::{Image, KernelCount};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A kernel to boot with its boot options, or counts that were read.
pub enum Named {
    Kernel(Image, String),
    Counts(Box<KernelCount>),
}

/// Kernels that one command compares.
const MOST: usize = 2;

/// The kernels in the order of the command line, and the selection: words that are paths are kernels, all others a selection.
pub fn named(operations: Operations, arguments: &Count) -> anyhow::Result<(Vec<Named>, Vec<String>)> {
    let paths: Vec<PathBuf> =
        arguments.what.iter().take_while(|word| is_path(word)).map(PathBuf::from).collect();
    let words: Vec<String> = arguments.what.iter().skip(paths.len()).cloned().collect();
    misplaced(operations, &words)?;
    let mut named = Vec::new();
    if arguments.running {
        named.push(Named::Kernel(Image::running().map_err(of_kernel)?, options(arguments, 0)));
    }
    let are_compared = paths.len() > 1 || arguments.running || arguments.append2.is_some();
    for (at, path) in (1..).zip(&paths) {
        let read = read(path, named.len(), arguments);
        // A bisection names the kernel of the revision last.
        let is_revision = are_compared && at == paths.len();
        named.extend(if is_revision { read.map_err(of_revision)? } else { read? });
    }
    if let ([Named::Kernel(image, _)], Some(second)) = (named.as_slice(), &arguments.append2) {
        let image = image.clone();
        named.push(Named::Kernel(image, second.clone()));
    }
    match named.len() {
        0 => {
            return Err(usage(
                "name a kernel: a bzImage or Image, a build tree, a Debian package, or --running",
            ));
        }
        1..=MOST => {}
        more => return Err(usage(format!("{more} kernels are named, and {MOST} are compared"))),
    }
    if named.len() == 1 && !arguments.fail_if.is_empty() {
        return Err(usage("--fail-if compares two kernels; name another, or --append2"));
    }
    check_options(&named, arguments)?;
    check_comparable(&named, arguments)?;
    Ok((keep(operations, named, &words)?, words))
}

/// The boot options of the user for the kernel of this index.
fn options(arguments: &Count, index: usize) -> String {
    let options = match index {
        1 => arguments.append2.as_ref().or(arguments.append.as_ref()),
        _ => arguments.append.as_ref(),
    };
    options.cloned().unwrap_or_default()
}

/// The counts in a file, or the kernel.
fn read(path: &Path, index: usize, arguments: &Count) -> anyhow::Result<Vec<Named>> {
    Ok(match read_counts(path)? {
        Some(counts) => counts.into_iter().map(Box::new).map(Named::Counts).collect(),
        None => {
            let image = Image::read(path, arguments.arch).map_err(of_kernel)?;
            vec![Named::Kernel(image, options(arguments, index))]
        }
    })
}

pub fn of_kernel(error: count::Error) -> anyhow::Error {
    usage(error.to_string())
}

/// How names of kernels begin. A word without a slash that begins so is one, be it there or not.
const KERNELS: [&str; 3] = ["vmlinuz", "bzImage", "Image"];

/// Whether a word names a kernel. A directory needs a slash, because a kernel's tree has some that are called like selections.
fn is_path(word: &str) -> bool {
    let is_named_like_one = [".deb", ".json", "."].iter().any(|end| word.ends_with(end))
        || KERNELS.iter().any(|begin| word.starts_with(begin));
    word.contains('/') || is_named_like_one || Path::new(word).is_file()
}

/// Refuses words of the selection that mean no point and are files or directories.
fn misplaced(operations: Operations, words: &[String]) -> anyhow::Result<()> {
    let is_point = |word: &&String| select::select_operations(operations, &[(*word).clone()]).is_ok();
    for word in words.iter().filter(|word| !is_point(word)) {
        if is_path(word) {
            return Err(usage(format!("'{word}': kernels come before the selection")));
        }
        if Path::new(word).is_dir() {
            return Err(usage(format!("'{word}' is a directory: name it ./{word}")));
        }
    }
    Ok(())
}

/// Refuses boot options without a kernel that they are for.
fn check_options(named: &[Named], arguments: &Count) -> anyhow::Result<()> {
    let boots = |one: &Named| matches!(one, Named::Kernel(..));
    if let Some(option) = arguments.boot_option().filter(|_| !named.iter().any(boots)) {
        return Err(usage(format!("{option} is for a kernel that boots, and these are counts from files")));
    }
    match (named, &arguments.append2) {
        ([_, Named::Counts(_)], Some(_)) => {
            Err(usage("--append2 is for the second kernel, whose counts are from a file"))
        }
        _ => Ok(()),
    }
}

/// Refuses counts that are not comparable.
fn check_comparable(named: &[Named], arguments: &Count) -> anyhow::Result<()> {
    let [first, second] = named else { return Ok(()) };
    let [first, second] = [first, second].map(|one| match one {
        Named::Kernel(image, _) => (image.architecture.name(), arguments.cpus()),
        Named::Counts(count) => (count.architecture.as_str(), count.cpus),
    });
    if first.0 != second.0 {
        let (first, second) = (first.0, second.0);
        return Err(usage(format!(
            "the kernels are of two architectures, {first} and {second}, whose instructions are not comparable"
        )));
    }
    match first.1 == second.1 {
        true => Ok(()),
        false => Err(usage(format!(
            "one kernel has {} CPU and the other {}, which are not comparable: --smp must be the same",
            first.1, second.1
        ))),
    }
}

/// Leaves of the counts that were read what the selection means.
fn keep(operations: Operations, mut named: Vec<Named>, words: &[String]) -> anyhow::Result<Vec<Named>> {
    if words.is_empty() {
        return Ok(named);
    }
    let are_all = named.iter().all(|one| matches!(one, Named::Counts(_)));
    let read = named.iter().filter_map(|one| match one {
        Named::Counts(count) => Some(count),
        Named::Kernel(..) => None,
    });
    let points = read.flat_map(|count| {
        count.points.iter().map(|point| &point.id).chain(count.skipped.iter().map(|skipped| &skipped.id))
    });
    let points: BTreeSet<_> = points.collect();
    let meant = select::meant(operations, words, &points.into_iter().collect::<Vec<_>>(), are_all)?;
    for one in &mut named {
        if let Named::Counts(count) = one {
            count.points.retain(|point| meant.contains(&point.id));
            count.skipped.retain(|skipped| meant.contains(&skipped.id));
        }
    }
    Ok(named)
}
