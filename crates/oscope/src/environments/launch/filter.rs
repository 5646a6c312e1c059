//! Filters of system calls like those of container runtimes: long lists of what is allowed.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::collections::BTreeMap;

/// The system calls that are allowed: all that kernels have today, some 470 of them; Docker's list has 360.
const ALLOWED: std::ops::Range<i64> = 0..470;

/// The number of `syscall.floor`, which the kernel must refuse and not the filter.
const UNASSIGNED: i64 = 4095;

/// A first argument that no call has, so that looking at it changes nothing.
const NEVER: u64 = 0x6f73_636f;

/// Filters this process and those that come from it from now on.
///
/// # Errors
/// When the kernel refuses.
pub(super) fn install(with_arguments: bool) -> anyhow::Result<()> {
    seccompiler::apply_filter(&program(with_arguments)?)?;
    Ok(())
}

fn program(with_arguments: bool) -> anyhow::Result<BpfProgram> {
    let rules: anyhow::Result<BTreeMap<i64, Vec<SeccompRule>>> = ALLOWED
        .chain([UNASSIGNED])
        .map(|number| {
            Ok((
                number,
                if with_arguments {
                    vec![looks_at_argument()?]
                } else {
                    Vec::new()
                },
            ))
        })
        .collect();
    let filter = SeccompFilter::new(
        rules?,
        SeccompAction::Errno(ENOSYS),
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok(filter.try_into()?)
}

fn looks_at_argument() -> anyhow::Result<SeccompRule> {
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, NEVER)?;
    Ok(SeccompRule::new(vec![other])?)
}

/// The error of a call that the kernel does not have.
const ENOSYS: u32 = 38;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_filter_with_arguments_is_longer_and_both_fit_the_kernel() {
        let (plain, longer) = (program(false).unwrap().len(), program(true).unwrap().len());
        // BPF_MAXINSNS of linux/bpf_common.h.
        assert!(plain < longer && longer <= 4096, "{plain}, {longer}");
    }
}
