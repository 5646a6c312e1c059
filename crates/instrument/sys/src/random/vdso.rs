//! The vDSO's getrandom: random bytes made by the process itself, from a key of the kernel that it replaces now and then.

use super::Error;
use crate::Result;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

type GetRandom = unsafe extern "C" fn(*mut u8, usize, u32, *mut c_void, usize) -> isize;

/// What it is called on x86-64 and on AArch64.
const NAMES: [&CStr; 2] = [c"__vdso_getrandom", c"__kernel_getrandom"];

/// What the function asks its caller for: a state of this size, mapped in this way.
#[repr(C)]
#[derive(Default)]
struct Wanted {
    size: u32,
    protection: i32,
    flags: i32,
    reserved: [u32; 13],
}

/// With this length of the state the function fills in what it wants.
const ASK: usize = usize::MAX;

/// The function and its state, for one thread.
#[derive(Debug)]
pub struct VdsoRandom {
    function: GetRandom,
    state: NonNull<c_void>,
    length: usize,
    /// The length that the function is given.
    given: usize,
}

impl VdsoRandom {
    /// Finds the function and makes its state; `None` where the kernel's vDSO has none.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new() -> Result<Option<Self>> {
        let Some(address) = find(&NAMES) else { return Ok(None) };
        // SAFETY: the kernel's vDSO has the function of this name at this address, for as long as the process lives.
        let function = unsafe { std::mem::transmute::<usize, GetRandom>(address) };
        let mut wanted = Wanted::default();
        // SAFETY: with this length the function writes to the structure and does nothing else.
        let asked = unsafe { function(std::ptr::null_mut(), 0, 0, (&raw mut wanted).cast(), ASK) };
        Error::check("getrandom", asked)?;
        let length = wanted.size as usize;
        // SAFETY: a new mapping, at an address of the kernel's choice, as the function wants it.
        let state =
            unsafe { libc::mmap(std::ptr::null_mut(), length, wanted.protection, wanted.flags, -1, 0) };
        if state == libc::MAP_FAILED {
            return Err(Error::last("mmap"));
        }
        let state = NonNull::new(state).ok_or(Error { call: "mmap", errno: 0 })?;
        Ok(Some(Self { function, state, length, given: length }))
    }

    /// The same with another length of the state than the function wants: it makes the system call each time.
    pub fn with_wrong_length(mut self) -> Self {
        self.given = 1;
        self
    }

    /// Fills the bytes by one call of the function.
    ///
    /// # Errors
    /// When it makes the system call, which is denied, or gives fewer bytes (errno 0).
    #[inline(always)]
    pub fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: the bytes are ours and the state is as the function wanted it; no other thread has it.
        let filled =
            unsafe { (self.function)(bytes.as_mut_ptr(), bytes.len(), 0, self.state.as_ptr(), self.given) };
        super::is_filled(Error::check("getrandom", filled)?, bytes)
    }
}

impl Drop for VdsoRandom {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and the function is not called any more.
        unsafe { libc::munmap(self.state.as_ptr(), self.length) };
    }
}

/// The address of the first of these functions that the vDSO has.
fn find(names: &[&CStr]) -> Option<usize> {
    // SAFETY: it reads what the kernel gave this process at its start.
    let start = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as usize;
    let pages = std::fs::read_to_string("/proc/self/maps").ok()?;
    let range = pages.lines().find(|line| line.ends_with("[vdso]"))?.split(' ').next()?;
    let (first, end) = range.split_once('-')?;
    let [first, end] = [first, end].map(|text| usize::from_str_radix(text, 16).ok());
    let length = end?.checked_sub(start).filter(|_| first == Some(start) && start != 0)?;
    // SAFETY: the kernel has mapped these bytes, which nothing writes, for as long as the process lives.
    let image = unsafe { std::slice::from_raw_parts(start as *const u8, length) };
    Some(start + names.iter().find_map(|name| offset(image, name))?)
}

/// Where a function lies in an ELF image of 64 bits that has a table of dynamic symbols.
fn offset(image: &[u8], name: &CStr) -> Option<usize> {
    let number = |at: usize, length: usize| {
        let bytes = image.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    let (sections, size, count) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?);
    let section = |index: usize| sections + index * size;
    let symbols = (0..count).map(section).find(|at| number(at + 4, 4) == Some(DYNAMIC_SYMBOLS))?;
    let names = number(section(number(symbols + 0x28, 4)?) + 0x18, 8)?;
    let (first, length) = (number(symbols + 0x18, 8)?, number(symbols + 0x20, 8)?);
    let has_name = |symbol: &usize| {
        let text = number(*symbol, 4).and_then(|offset| image.get(names.checked_add(offset)?..));
        text.is_some_and(|text| text.starts_with(name.to_bytes_with_nul()))
    };
    let symbol = (first..first.checked_add(length)?).step_by(SYMBOL).find(has_name)?;
    number(symbol + 8, 8)
}

/// SHT_DYNSYM, and bytes of a symbol, by <elf.h>.
const DYNAMIC_SYMBOLS: usize = 11;
const SYMBOL: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_vdso_are_found_by_their_whole_names() {
        let clocks = [c"__vdso_clock_gettime", c"__kernel_clock_gettime"];
        if !programs::has("vDSO", find(&clocks).is_some()) {
            return;
        }
        assert_eq!(
            find(&[c"__vdso_clock_gettim", c"__kernel_clock_gettim", c""]).filter(|at| at & 0xfff != 0),
            None
        );
        assert_eq!((offset(&[], c"a"), offset(&[0x7f; 80], c"a")), (None, None));
    }

    #[test]
    fn bytes_differ_also_where_the_system_call_is_made() {
        let found = VdsoRandom::new().unwrap();
        if !programs::has("getrandom of the vDSO", found.is_some()) {
            return;
        }
        for mut random in [found.unwrap(), VdsoRandom::new().unwrap().unwrap().with_wrong_length()] {
            let (mut one, mut other) = ([0_u8; 256], [0_u8; 256]);
            assert_eq!((random.fill(&mut one), random.fill(&mut other)), (Ok(()), Ok(())));
            assert!(one.chunks(16).zip(other.chunks(16)).all(|(one, other)| one != other));
            assert!(one.iter().any(|byte| *byte != 0) && one[..128] != one[128..]);
        }
    }
}
