//! The memory node on which a page lies, as the kernel reports it.

use crate::{Error, Result, arch};

/// MPOL_F_NODE and MPOL_F_ADDR of <linux/mempolicy.h>: the node of the page at an address.
const NODE_OF_ADDRESS: usize = 1 | 2;

/// The node of the page that holds this word.
///
/// # Errors
/// When the kernel knows no nodes (ENOSYS) or denies the call.
pub fn node_of<T>(word: &T) -> Result<u32> {
    let mut node: i32 = -1;
    let place = std::ptr::from_ref(word) as usize;
    let arguments = [(&raw mut node) as usize, 0, 0, place, NODE_OF_ADDRESS];
    // SAFETY: the kernel writes one integer, and only looks at the page of the address.
    unsafe { arch::try_syscall::<{ libc::SYS_get_mempolicy }, _>(arguments) }?;
    u32::try_from(node).map_err(|_| Error { call: "get_mempolicy", errno: 0 })
}

/// The node of the CPU on which the caller runs now.
///
/// # Errors
/// When the call is denied.
pub fn current_node() -> Result<u32> {
    let mut node: u32 = 0;
    let arguments = [0, (&raw mut node) as usize];
    // SAFETY: the kernel writes one integer.
    unsafe { arch::try_syscall::<{ libc::SYS_getcpu }, _>(arguments) }?;
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_on_an_existing_node() {
        let word = Box::new(5_u64);
        match node_of(&*word) {
            Ok(node) => assert!(node < 1024, "{node}"),
            Err(error) => assert!(error.is_denied() || error.is_missing(), "{error}"),
        }
        assert!(current_node().unwrap() < 1024);
    }
}
