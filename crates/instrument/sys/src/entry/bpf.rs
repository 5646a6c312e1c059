//! A BPF program that counts how often it ran, by bpf(2) and no library.

use crate::descriptor::Descriptor;
use crate::{Result, arch};

/// Commands and kinds of <linux/bpf.h>.
const MAP_CREATE: usize = 0;
const MAP_LOOKUP: usize = 1;
const PROGRAM_LOAD: usize = 5;
const ARRAY: u32 = 2;
const OF_PROBES: u32 = 2;

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

/// A program for probes, and the number that it counts in.
#[derive(Debug)]
pub struct CountingProgram {
    program: Descriptor,
    map: Descriptor,
}

impl CountingProgram {
    /// Loads it.
    ///
    /// # Errors
    /// When the kernel has no BPF or does not allow it.
    pub fn load() -> Result<Self> {
        let number = MapAttributes { kind: ARRAY, key_size: 4, value_size: 8, entries: 1 };
        // SAFETY: the structure is that of the command.
        let map = unsafe { Self::descriptor(MAP_CREATE, &number) }?;
        let code = code(map.number());
        let attributes = ProgramAttributes {
            kind: OF_PROBES,
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

/// Adds 1 to the number in a map, and gives 1, so that the event of the probe counts as well.
fn code(map: i32) -> [u64; 11] {
    let instruction = |code: u8, to: u8, from: u8, offset: i16, value: i32| {
        let registers = u64::from(to | from << 4) << 8;
        u64::from(code) | registers | u64::from(offset as u16) << 16 | u64::from(value as u32) << 32
    };
    [
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
    ]
}
