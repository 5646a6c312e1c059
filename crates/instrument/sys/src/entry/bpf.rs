//! A BPF program that counts how often it ran, by bpf(2) and no library.

use crate::descriptor::Descriptor;
use crate::process::gettid;
use crate::{Result, arch};
use std::ffi::CStr;

/// Commands and kinds of <linux/bpf.h>.
const MAP_CREATE: usize = 0;
const MAP_LOOKUP: usize = 1;
const PROGRAM_LOAD: usize = 5;
const TRACEPOINT_OPEN: usize = 17;
const ARRAY: u32 = 2;
const OF_PROBES: u32 = 2;
const OF_TRACEPOINTS: u32 = 17;

/// What a program is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A probe of a function of this program.
    Probe,
    /// The tracepoint at the entry of all system calls, and this call there.
    Tracepoint(i64),
}

impl Purpose {
    fn kind(self) -> u32 {
        match self {
            Self::Probe => OF_PROBES,
            Self::Tracepoint(_) => OF_TRACEPOINTS,
        }
    }

    /// What is not counted: at a tracepoint other calls, and those of other threads than the calling one.
    fn filter(self) -> Vec<u64> {
        let Self::Tracepoint(call) = self else { return Vec::new() };
        let own = gettid() as i32;
        vec![
            // r1 is an array, whose second word is the number of the call.
            instruction(0x79, 1, 1, 8, 0),
            instruction(UNLESS, 1, 0, 0, call as i32),
            // get_current_pid_tgid, whose lower half is the number of the thread.
            instruction(0x85, 0, 0, 0, 14),
            instruction(UNLESS_HALF, 0, 0, 0, own),
        ]
    }
}

/// An array of one number.
#[repr(C)]
struct MapAttributes {
    kind: u32,
    key_size: u32,
    value_size: u32,
    entries: u32,
}

#[repr(C)]
struct LookupAttributes {
    map: u64,
    key: u64,
    value: u64,
}

#[repr(C)]
#[derive(Default)]
struct ProgramAttributes {
    kind: u32,
    instructions: u32,
    code: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
}

#[repr(C)]
struct OpenAttributes {
    name: u64,
    program: u32,
    reserved: u32,
}

/// A program for probes, and the number that it counts in.
#[derive(Debug)]
pub struct CountingProgram {
    program: Descriptor,
    map: Descriptor,
}

impl CountingProgram {
    /// Loads one for a probe.
    ///
    /// # Errors
    /// When the kernel has no BPF or does not allow it.
    pub fn load() -> Result<Self> {
        Self::load_for(Purpose::Probe)
    }

    pub(super) fn load_for(purpose: Purpose) -> Result<Self> {
        let number = MapAttributes { kind: ARRAY, key_size: 4, value_size: 8, entries: 1 };
        // SAFETY: the structure is that of the command.
        let map = unsafe { Self::descriptor(MAP_CREATE, &number) }?;
        let code = code(map.number(), purpose);
        let attributes = ProgramAttributes {
            kind: purpose.kind(),
            instructions: code.len() as u32,
            code: code.as_ptr() as u64,
            // The kernel lets programs of this licence alone use a probe.
            license: c"GPL".as_ptr() as u64,
            ..ProgramAttributes::default()
        };
        // SAFETY: the structure is that of the command; the code and the licence live through the call.
        let program = unsafe { Self::descriptor(PROGRAM_LOAD, &attributes) }?;
        Ok(Self { program, map })
    }

    unsafe fn descriptor<T>(command: usize, attributes: &T) -> Result<Descriptor> {
        let arguments = [command, std::ptr::from_ref(attributes) as usize, size_of::<T>()];
        // SAFETY: the caller vouches for the structure.
        unsafe { Descriptor::from_syscall::<{ libc::SYS_bpf }, _>(arguments) }
    }

    /// Attaches it to a tracepoint until the result is dropped.
    pub(super) fn open_tracepoint(&self, name: &CStr) -> Result<Descriptor> {
        let attributes =
            OpenAttributes { name: name.as_ptr() as u64, program: self.program.number() as u32, reserved: 0 };
        // SAFETY: the structure is that of the command; the name lives through it.
        unsafe { Self::descriptor(TRACEPOINT_OPEN, &attributes) }
    }

    /// Its number, by which a probe takes it.
    pub(super) fn number(&self) -> i32 {
        self.program.number()
    }

    /// How often it ran.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn runs(&self) -> Result<u64> {
        let (key, mut value) = (0_u32, 0_u64);
        let attributes = LookupAttributes {
            map: self.map.number() as u64,
            key: &raw const key as u64,
            value: &raw mut value as u64,
        };
        let arguments = [MAP_LOOKUP, &raw const attributes as usize, size_of::<LookupAttributes>()];
        // SAFETY: the structure is that of the command; the kernel writes eight bytes to the value, which is ours.
        unsafe { arch::try_syscall::<{ libc::SYS_bpf }, _>(arguments) }?;
        Ok(value)
    }
}

fn instruction(code: u8, to: u8, from: u8, offset: i16, value: i32) -> u64 {
    let registers = u64::from(to | from << 4) << 8;
    u64::from(code) | registers | u64::from(offset as u16) << 16 | u64::from(value as u32) << 32
}

/// To the end where a register, or its lower half, has another value; [`code`] fills in how far that is.
const UNLESS: u8 = 0x55;
const UNLESS_HALF: u8 = 0x56;

/// Adds 1 to the number in a map where the filter of its purpose lets it, and gives 1, so that the event of a probe counts as well.
fn code(map: i32, purpose: Purpose) -> Vec<u64> {
    let mut code = purpose.filter();
    code.extend([
        // The key, 0, stands on the stack: r2 is its place, r1 the map; then map_lookup_elem.
        instruction(0x62, 10, 0, -4, 0),
        instruction(0xbf, 2, 10, 0, 0),
        instruction(0x07, 2, 0, 0, -4),
        instruction(0x18, 1, 1, 0, map),
        0,
        instruction(0x85, 0, 0, 0, 1),
        // Where there is no place, over the addition.
        instruction(0x15, 0, 0, 2, 0),
        instruction(0xb7, 1, 0, 0, 1),
        instruction(0xdb, 0, 1, 0, 0),
        instruction(0xb7, 0, 0, 0, 1),
        instruction(0x95, 0, 0, 0, 0),
    ]);
    let end = code.len() - 2;
    for (place, word) in
        code.iter_mut().enumerate().filter(|(_, word)| [UNLESS, UNLESS_HALF].contains(&(**word as u8)))
    {
        *word |= (end as u64 - place as u64 - 1) << 16;
    }
    code
}
