//! Filters of system calls like those of container runtimes: long lists of what is allowed.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};
use std::collections::BTreeMap;

/// The system calls that are allowed: all that kernels have today, some 470 of them; Docker's list has 360.
const ALLOWED: std::ops::Range<i64> = 0..470;

/// A first argument that no call has, so that looking at it changes nothing.
const NEVER: u64 = 0x6f73_636f;

/// Filters this process and those that come from it from now on.
pub(super) fn install(with_arguments: bool) -> anyhow::Result<()> {
    seccompiler::apply_filter(&program(with_arguments)?)?;
    Ok(())
}

/// Filters this process by a program of this many instructions, which allows everything.
/// Fails when the kernel refuses: it takes at most 4096 instructions (BPF_MAXINSNS).
pub(super) fn install_of_length(length: u16) -> anyhow::Result<()> {
    seccompiler::apply_filter(&of_length(length))?;
    Ok(())
}

/// Loads an argument, so that the kernel cannot remember the answer for a number, and adds to it again and again.
fn of_length(length: u16) -> BpfProgram {
    // Codes of linux/filter.h: BPF_LD | BPF_W | BPF_ABS, BPF_ALU | BPF_ADD | BPF_K, BPF_RET | BPF_K.
    let [load, add, allow] = [(0x20, FIRST_ARGUMENT), (0x04, 1), (0x06, ALLOW)]
        .map(|(code, k)| sock_filter { code, jt: 0, jf: 0, k });
    let adds = std::iter::repeat_n(add, usize::from(length.saturating_sub(2)));
    std::iter::once(load).chain(adds).chain([allow]).collect()
}

/// Offset of the first argument in `struct seccomp_data`, and SECCOMP_RET_ALLOW, of linux/seccomp.h.
const FIRST_ARGUMENT: u32 = 16;
const ALLOW: u32 = 0x7fff_0000;

fn program(with_arguments: bool) -> anyhow::Result<BpfProgram> {
    let rules: anyhow::Result<BTreeMap<i64, Vec<SeccompRule>>> = ALLOWED
        .map(|number| Ok((number, if with_arguments { vec![looks_at_argument()?] } else { Vec::new() })))
        .collect();
    let filter = SeccompFilter::new(
        rules?,
        SeccompAction::Errno(EPERM),
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok(filter.try_into()?)
}

fn looks_at_argument() -> anyhow::Result<SeccompRule> {
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, NEVER)?;
    Ok(SeccompRule::new(vec![other])?)
}

/// The error of a call that is not allowed, as Docker gives it: that of a call that the kernel does not have is left to the
/// kernel, so that `syscall.floor` sees who answers. It would be no floor here: the kernel remembers no answer for a number
/// that it does not have, and runs the whole filter for it.
const EPERM: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_of_known_length_has_it() {
        for length in [2, 3, 4096] {
            assert_eq!(of_length(length).len(), usize::from(length));
        }
    }

    #[test]
    fn the_filter_with_arguments_is_longer_and_both_fit_the_kernel() {
        let (plain, longer) = (program(false).unwrap().len(), program(true).unwrap().len());
        // BPF_MAXINSNS of linux/bpf_common.h.
        assert!(plain < longer && longer <= 4096, "{plain}, {longer}");
    }
}
