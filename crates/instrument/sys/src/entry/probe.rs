//! Probes on a function of this program: a hardware breakpoint or the kernel's uprobe, with or without a BPF program.

use super::bpf::CountingProgram;
use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, perf};

/// What is at the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbePoint {
    /// A debug register of the processor that holds its address.
    Breakpoint,
    /// A trap in the place of its first instruction.
    Entry,
    /// The same, and another return address.
    Return,
}

/// An execution breakpoint and the length that goes with it, by <linux/hw_breakpoint.h>.
const EXECUTED: u32 = 4;
const LENGTH: u64 = size_of::<usize>() as u64;
/// Of the kernel's own kind of event: the return is probed.
const AT_RETURN: u64 = 1;
/// `PERF_EVENT_IOC_SET_BPF`, from <linux/perf_event.h>.
const SET_PROGRAM: usize = 0x4004_2408;

/// The kind of event by which uprobes are made.
const UPROBES: &str = "/sys/bus/event_source/devices/uprobe/type";

/// Calls the function `n` times; gives how often it ran.
pub fn call(n: u64) -> u64 {
    (0..n).fold(0, |ran, _| arch::call_probed(ran))
}

/// A probe on the function that [`call`] calls, for calls by the thread that makes it.
#[derive(Debug)]
pub struct Probe {
    event: Descriptor,
    program: Option<CountingProgram>,
}

impl Probe {
    /// Sets it.
    ///
    /// # Errors
    /// When the kernel has no such probes or does not allow them.
    pub fn new(at: ProbePoint, program: Option<CountingProgram>) -> Result<Self> {
        let event = match at {
            ProbePoint::Breakpoint => perf::Attributes {
                kind: perf::BREAKPOINT,
                flags: perf::EXCLUDE_KERNEL,
                breakpoint_type: EXECUTED,
                address: arch::probed_address() as u64,
                length: LENGTH,
                ..perf::Attributes::default()
            }
            .open()?,
            ProbePoint::Entry | ProbePoint::Return => {
                let (program, offset) = place()?;
                perf::Attributes {
                    kind: uprobes()?,
                    config: if at == ProbePoint::Return { AT_RETURN } else { 0 },
                    address: program.as_ptr() as u64,
                    length: offset as u64,
                    ..perf::Attributes::default()
                }
                .open()?
            }
        };
        if let Some(program) = &program {
            let arguments = [event.number() as usize, SET_PROGRAM, program.number() as usize];
            // SAFETY: the call takes integers alone.
            unsafe { arch::try_syscall::<{ libc::SYS_ioctl }, _>(arguments) }?;
        }
        Ok(Self { event, program })
    }

    /// How often it was met.
    ///
    /// # Errors
    /// When the count cannot be read.
    pub fn hits(&self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.event.read_all(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// How often its program ran; `None` without one.
    ///
    /// # Errors
    /// When the count cannot be read.
    pub fn runs(&self) -> Result<Option<u64>> {
        self.program.as_ref().map(CountingProgram::runs).transpose()
    }
}

/// The file of this program, and where in it the function lies.
fn place() -> Result<(&'static std::ffi::CStr, usize)> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let offset = offset(&maps, arch::probed_address());
    Ok((c"/proc/self/exe", offset.ok_or(Error { call: "read of /proc/self/maps", errno: libc::ENOENT })?))
}

/// Where in its file a mapped address lies.
fn offset(maps: &str, address: usize) -> Option<usize> {
    maps.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let hexadecimal = |text: &str| usize::from_str_radix(text, 16).ok();
        let (start, end, begins) = (hexadecimal(start)?, hexadecimal(end)?, hexadecimal(words.nth(1)?)?);
        (start..end).contains(&address).then(|| address - start + begins)
    })
}

fn uprobes() -> Result<u32> {
    let kind = std::fs::read_to_string(UPROBES).ok().and_then(|text| text.trim().parse().ok());
    kind.ok_or(Error { call: "perf_event_open", errno: libc::ENOENT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_lies_in_the_file_where_its_mapping_begins() {
        let maps = "1000-2000 r--p 00000000 fe:00 1 /bin/p\n2000-4000 r-xp 00005000 fe:00 1 /bin/p\n";
        assert_eq!(offset(maps, 0x3010), Some(0x6010));
        assert_eq!(offset(maps, 0x4000), None);
    }

    #[test]
    fn every_call_runs_the_function_and_meets_its_probe() {
        assert_eq!(call(1000), 1000);
        for (at, has_program) in [
            (ProbePoint::Breakpoint, false),
            (ProbePoint::Entry, false),
            (ProbePoint::Return, false),
            (ProbePoint::Entry, true),
            (ProbePoint::Return, true),
        ] {
            let program = has_program.then(CountingProgram::load).transpose();
            let probe = program.and_then(|program| Probe::new(at, program));
            let is_allowed = !probe.as_ref().is_err_and(|error| error.is_denied() || error.is_missing());
            if !programs::can("probes of a program", is_allowed) {
                continue;
            }
            let probe = probe.unwrap();
            assert_eq!((call(100), probe.hits().unwrap()), (100, 100), "{at:?}");
            assert_eq!(probe.runs().unwrap(), has_program.then_some(100));
        }
        let gone = call(10);
        assert_eq!(gone, 10, "a probe that is gone leaves the function whole");
    }
}
