//! Faults that a thread of the program serves itself: userfaultfd(2), by raw calls.

use crate::descriptor::Descriptor;
use crate::pages::Pages;
use crate::{Error, Result, arch};
use std::marker::PhantomData;

/// Numbers and layouts of <linux/userfaultfd.h>: requests of the kind 0xAA, with the size of their structure coded in.
const API: usize = 0xc018_aa3f;
const REGISTER: usize = 0xc020_aa00;
const UNREGISTER: usize = 0x8010_aa01;
const COPY: usize = 0xc028_aa03;
const VERSION: u64 = 0xaa;
const MISSING: u64 = 1;
const EVENT_PAGEFAULT: u8 = 0x12;
/// Faults of the program itself alone, which an ordinary user may ask for (Linux 5.11).
const USER_MODE_ONLY: usize = 1;

/// A range of pages whose faults are reported to the reader of a descriptor.
#[derive(Debug)]
pub struct Registration<'p> {
    descriptor: Descriptor,
    /// Address and bytes of the pages. They are not touched through this, but by the kernel at its request.
    start: usize,
    length: usize,
    pages: PhantomData<&'p ()>,
}

impl<'p> Registration<'p> {
    /// Watches all of these pages, which must not be touched before.
    ///
    /// # Errors
    /// When the kernel has no such thing (ENOSYS) or does not allow it (EPERM).
    pub fn new(pages: &'p Pages) -> Result<Self> {
        let flags = libc::O_CLOEXEC as usize | USER_MODE_ONLY;
        // SAFETY: the call takes flags alone.
        let descriptor = unsafe { Descriptor::from_syscall::<{ libc::SYS_userfaultfd }, _>([flags]) }?;
        let watched = Self { descriptor, start: pages.address(), length: pages.length(), pages: PhantomData };
        watched.ask("UFFDIO_API", API, &mut [VERSION, 0, 0])?;
        let (start, length) = watched.range();
        watched.ask("UFFDIO_REGISTER", REGISTER, &mut [start, length, MISSING, 0])?;
        Ok(watched)
    }

    fn range(&self) -> (u64, u64) {
        (self.start as u64, self.length as u64)
    }

    #[inline(always)]
    fn ask<const N: usize>(&self, call: &'static str, request: usize, words: &mut [u64; N]) -> Result<()> {
        let place = words.as_mut_ptr() as usize;
        let arguments = [self.descriptor.number() as usize, request, place];
        // SAFETY: the words are the structure of this request and live through the call; the ranges in them are those
        // of pages that we borrow, to which nobody holds references.
        Error::check(call, unsafe { arch::syscall::<{ libc::SYS_ioctl }, _>(arguments) }).map(|_| ())
    }

    /// Waits for the next fault; gives the offset of its page in the range.
    ///
    /// # Errors
    /// When the kernel refuses, or reports another event (errno 0).
    #[inline(always)]
    pub fn wait_for_fault(&self) -> Result<usize> {
        let mut message = [0_u8; 32];
        self.descriptor.read_all(&mut message)?;
        let [event, ..] = message;
        let address = message.get(16..24).and_then(|bytes| bytes.first_chunk());
        let address = address.map_or(0, |bytes| u64::from_ne_bytes(*bytes)) as usize;
        let offset = address.wrapping_sub(self.start);
        if event != EVENT_PAGEFAULT || offset >= self.length {
            return Err(Error { call: "read of userfaultfd", errno: 0 });
        }
        let page = crate::memory::page_size();
        Ok(offset / page * page)
    }

    /// Gives the page at an offset the content of another page and resumes the access that waits for it.
    ///
    /// # Errors
    /// When the kernel refuses, or `content` is no whole page (EINVAL).
    #[inline(always)]
    pub fn resolve(&self, offset: usize, content: &[u8]) -> Result<()> {
        let page = crate::memory::page_size();
        if content.len() != page || offset >= self.length {
            let (call, errno) = ("UFFDIO_COPY", libc::EINVAL);
            return Err(Error { call, errno });
        }
        let to = (self.start + offset) as u64;
        let mut words = [to, content.as_ptr() as u64, page as u64, 0, 0];
        self.ask("UFFDIO_COPY", COPY, &mut words)
    }

    /// Ends the watch: an access that waits for a page gets one of zeros.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn unregister(&self) -> Result<()> {
        let (start, length) = self.range();
        self.ask("UFFDIO_UNREGISTER", UNREGISTER, &mut [start, length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::page_size;

    #[test]
    fn a_fault_is_reported_and_resolved() {
        let pages = Pages::anonymous(4 * page_size()).unwrap();
        let watched = Registration::new(&pages);
        let is_allowed = !watched.as_ref().is_err_and(|error| error.is_denied() || error.is_missing());
        if !programs::can("userfaultfd", is_allowed) {
            return;
        }
        let watched = watched.unwrap();
        let content = vec![7_u8; page_size()];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2 {
                    let offset = watched.wait_for_fault().unwrap();
                    watched.resolve(offset, &content).unwrap();
                }
            });
            assert_eq!(pages.read(8), Some(0x0707_0707_0707_0707));
            assert_eq!(pages.read(2 * page_size()), Some(0x0707_0707_0707_0707));
        });
        assert!(watched.resolve(0, &[]).is_err());
        watched.unregister().unwrap();
        assert_eq!(pages.read(page_size()), Some(0), "nobody is asked any more");
    }
}
