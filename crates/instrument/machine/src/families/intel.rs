//! Intel's families.
//!
//! Clocks and CPUID are throughputs in cycles of the core; a fenced read is the counter's throughput, two
//! LFENCEs and the wait between them, which no table lists.

use super::arithmetic_x86 as arithmetic;
use super::family::{Family, Member};
use super::sources::{
    NO_SLICE, TURBO_BY_MODEL, called, fog, forwarded, instruction, latency, memory, recalled, relative,
    scheduled, slice, taken, turbo, wide,
};
use crate::constant::{assumed, cited};

/// The kernel's `Documentation/arch/x86/pti.rst`, with identifiers kept.
const CR3: &str = "kernel, pti.rst has \"on the order of a hundred cycles\"; the value is recalled";

const fn family_6(models: (u32, u32)) -> Member {
    stepped(models, (0, u32::MAX))
}

const fn stepped(models: (u32, u32), steppings: (u32, u32)) -> Member {
    Member::X86 { vendor: "GenuineIntel", family: 6, models, steppings }
}

const fn one_of(model: u32) -> Member {
    family_6((model, model))
}

/// Sandy Bridge: the base of the designs below, which list what changed.
const SANDY_BRIDGE: Family = Family {
    name: "Intel Sandy Bridge",
    members: &[one_of(0x2a)],
    loop_cycles: taken(1.0),
    call_cycles: called(4.0),
    add_cycles: instruction(1.0),
    multiply_cycles: instruction(3.0),
    store_forward_cycles: forwarded(5.55),
    counter_read_cycles: instruction(28.0),
    counter_fenced_cycles: recalled(42.0),
    rdtscp_cycles: fog(36.0),
    cpuid_cycles: instruction(96.2),
    syscall_cycles: recalled(100.0),
    address_space_switch_cycles: assumed(180.0, CR3),
    l1_cycles: latency(4.0),
    l2_cycles: latency(12.0),
    l3_cycles: latency(35.0),
    memory_ns: memory(229.0, 3.4),
    issue_width: scheduled(4.0),
    l3_core_bytes: NO_SLICE,
    turbo_hertz: TURBO_BY_MODEL,
    arithmetic: arithmetic::SANDY_BRIDGE,
};

/// Nehalem as it is on one socket; Lynnfield was measured.
const NEHALEM: Family = Family {
    name: "Intel Nehalem",
    members: &[one_of(0x1e), one_of(0x1f), one_of(0x25)],
    call_cycles: called(4.0),
    store_forward_cycles: relative(5.5),
    counter_read_cycles: instruction(24.0),
    counter_fenced_cycles: recalled(45.0),
    rdtscp_cycles: recalled(31.0),
    cpuid_cycles: instruction(84.0),
    syscall_cycles: recalled(120.0),
    address_space_switch_cycles: assumed(200.0, CR3),
    l2_cycles: latency(10.0),
    l3_cycles: latency(44.0),
    memory_ns: memory(184.0, 2.8),
    loop_cycles: taken(2.0),
    arithmetic: arithmetic::NEHALEM,
    ..SANDY_BRIDGE
};

const HASWELL: Family = Family {
    name: "Intel Haswell",
    members: &[one_of(0x3c), one_of(0x45), one_of(0x46)],
    store_forward_cycles: forwarded(5.25),
    counter_read_cycles: instruction(24.0),
    counter_fenced_cycles: recalled(38.0),
    rdtscp_cycles: recalled(32.0),
    cpuid_cycles: instruction(98.8),
    l3_cycles: latency(42.0),
    memory_ns: memory(246.0, 3.4),
    arithmetic: arithmetic::HASWELL,
    call_cycles: called(3.0),
    ..SANDY_BRIDGE
};

const SKYLAKE: Family = Family {
    name: "Intel Skylake (client)",
    members: &[one_of(0x4e), one_of(0x5e), one_of(0x8e), one_of(0x9e), family_6((0xa5, 0xa6))],
    store_forward_cycles: forwarded(4.43),
    counter_read_cycles: instruction(25.2),
    cpuid_cycles: instruction(100.6),
    syscall_cycles: recalled(90.0),
    l3_cycles: latency(46.0),
    memory_ns: memory(173.0, 2.208),
    arithmetic: arithmetic::SKYLAKE,
    call_cycles: called(4.0),
    rdtscp_cycles: fog(32.0),
    issue_width: wide(4.0),
    ..HASWELL
};

const SKYLAKE_SERVER: Family = Family {
    name: "Intel Skylake (server)",
    members: &[stepped((0x55, 0x55), (0, 4))],
    counter_read_cycles: instruction(25.1),
    cpuid_cycles: instruction(99.7),
    l2_cycles: latency(14.0),
    l3_cycles: latency(77.0),
    memory_ns: memory(285.0, 3.504),
    turbo_hertz: turbo(3.5, "Intel, specifications of the Xeon 8180: all cores 3.2, one 3.8 GHz"),
    l3_core_bytes: slice(1408.0, "Intel, Skylake-SP: 1.375 MiB a core"),
    ..SKYLAKE
};

const ICE_LAKE: Family = Family {
    name: "Intel Ice Lake (client)",
    members: &[family_6((0x7d, 0x7e)), family_6((0x8c, 0x8d)), one_of(0xa7)],
    store_forward_cycles: cited(
        5.0,
        "Travis Downs, uarch-bench, fw_write_readx, whose address is computed; fw_write_read has 0.58, by memory renaming",
    ),
    counter_read_cycles: instruction(27.1),
    counter_fenced_cycles: recalled(45.0),
    rdtscp_cycles: fog(36.0),
    cpuid_cycles: instruction(104.0),
    l1_cycles: latency(5.0),
    l2_cycles: latency(13.0),
    l3_cycles: latency(59.0),
    memory_ns: memory(267.0, 3.504),
    arithmetic: arithmetic::ICE_LAKE,
    issue_width: wide(5.0),
    ..SKYLAKE
};

const GOLDEN_COVE: Family = Family {
    name: "Intel Golden Cove (Alder Lake, performance cores)",
    members: &[one_of(0x97), one_of(0x9a)],
    call_cycles: assumed(2.0, "two taken branches, one a cycle, recalled from Intel's optimisation manual"),
    store_forward_cycles: relative(5.0),
    counter_read_cycles: instruction(25.9),
    counter_fenced_cycles: recalled(60.0),
    cpuid_cycles: instruction(122.6),
    l2_cycles: latency(15.0),
    l3_cycles: latency(63.0),
    memory_ns: memory(290.0, 3.187),
    arithmetic: arithmetic::GOLDEN_COVE,
    issue_width: scheduled(6.0),
    loop_cycles: relative(1.0),
    rdtscp_cycles: assumed(
        42.0,
        "LLVM 19, scheduling model: a latency, the same for Haswell and Skylake, where 32 pass",
    ),
    ..ICE_LAKE
};

const RAPTOR_COVE: Family = Family {
    name: "Intel Raptor Cove (Raptor Lake, performance cores)",
    members: &[one_of(0xb7), one_of(0xba), one_of(0xbf)],
    counter_read_cycles: instruction(26.0),
    cpuid_cycles: instruction(123.0),
    l2_cycles: latency(16.0),
    l3_cycles: latency(82.0),
    memory_ns: memory(279.0, 2.995),
    ..GOLDEN_COVE
};

const SAPPHIRE_RAPIDS: Family = Family {
    name: "Intel Sapphire Rapids",
    members: &[one_of(0x8f)],
    l2_cycles: relative(16.0),
    l3_cycles: recalled(120.0),
    memory_ns: recalled(110.0),
    turbo_hertz: turbo(
        3.4,
        "Chips and Cheese, A peek at Sapphire Rapids: Xeon 8480 up to 3.8 GHz; all cores 3.0, recalled",
    ),
    l3_core_bytes: slice(1920.0, "Intel, Sapphire Rapids: 1.875 MiB a core"),
    ..GOLDEN_COVE
};

/// A family whose list of constants stands for every family's.
pub(super) static ANY: Family = SANDY_BRIDGE;

pub(super) static FAMILIES: &[Family] = &[
    NEHALEM,
    Family {
        name: "Intel Nehalem (two sockets: Gainestown, Westmere-EP)",
        members: &[one_of(0x1a), one_of(0x2c), one_of(0x2e), one_of(0x2f)],
        l1_cycles: cited(4.0, "Intel, performance analysis guide for Xeon 5500"),
        l2_cycles: cited(10.0, "Intel, performance analysis guide for Xeon 5500"),
        l3_cycles: cited(40.0, "Intel, performance analysis guide for Xeon 5500"),
        memory_ns: cited(60.0, "Intel, performance analysis guide for Xeon 5500, local memory"),
        ..NEHALEM
    },
    SANDY_BRIDGE,
    Family {
        name: "Intel Sandy Bridge (server)",
        members: &[one_of(0x2d)],
        l3_cycles: latency(44.0),
        memory_ns: memory(242.0, 3.209),
        ..SANDY_BRIDGE
    },
    Family {
        name: "Intel Ivy Bridge",
        members: &[one_of(0x3a)],
        counter_read_cycles: instruction(27.0),
        cpuid_cycles: instruction(100.8),
        l3_cycles: latency(36.0),
        memory_ns: memory(239.0, 3.5),
        arithmetic: arithmetic::IVY_BRIDGE,
        ..SANDY_BRIDGE
    },
    Family {
        name: "Intel Ivy Bridge (server)",
        members: &[one_of(0x3e)],
        counter_read_cycles: instruction(27.0),
        cpuid_cycles: instruction(100.5),
        l3_cycles: latency(44.0),
        memory_ns: memory(214.0, 3.4),
        arithmetic: arithmetic::IVY_BRIDGE,
        ..SANDY_BRIDGE
    },
    HASWELL,
    Family {
        name: "Intel Haswell (server)",
        members: &[one_of(0x3f)],
        l3_cycles: latency(54.0),
        memory_ns: memory(222.0, 2.6),
        ..HASWELL
    },
    Family {
        name: "Intel Broadwell",
        members: &[one_of(0x3d), one_of(0x47)],
        l3_cycles: latency(43.0),
        memory_ns: memory(154.0, 1.596),
        rdtscp_cycles: fog(30.0),
        arithmetic: arithmetic::BROADWELL,
        ..HASWELL
    },
    Family {
        name: "Intel Broadwell (server)",
        members: &[one_of(0x4f), one_of(0x56)],
        cpuid_cycles: instruction(98.6),
        l3_cycles: latency(57.0),
        memory_ns: memory(256.0, 3.6),
        rdtscp_cycles: fog(30.0),
        arithmetic: arithmetic::BROADWELL,
        ..HASWELL
    },
    SKYLAKE,
    SKYLAKE_SERVER,
    Family {
        name: "Intel Cascade Lake",
        members: &[stepped((0x55, 0x55), (5, u32::MAX))],
        counter_read_cycles: instruction(25.0),
        cpuid_cycles: instruction(100.3),
        turbo_hertz: turbo(3.6, "Intel, specifications of the Xeon 8280: all cores 3.3, one 4.0 GHz"),
        ..SKYLAKE_SERVER
    },
    ICE_LAKE,
    Family {
        name: "Intel Ice Lake (server)",
        members: &[one_of(0x6a), one_of(0x6c)],
        counter_read_cycles: instruction(27.0),
        cpuid_cycles: instruction(104.3),
        l2_cycles: relative(14.0),
        l3_cycles: recalled(70.0),
        memory_ns: recalled(85.0),
        turbo_hertz: turbo(3.2, "Intel, specifications of the Xeon 8380: all cores 3.0, one 3.4 GHz"),
        l3_core_bytes: slice(1536.0, "Intel, Ice Lake-SP: 1.5 MiB a core"),
        ..ICE_LAKE
    },
    GOLDEN_COVE,
    RAPTOR_COVE,
    SAPPHIRE_RAPIDS,
    Family {
        name: "Intel Emerald Rapids",
        members: &[one_of(0xcf)],
        l3_cycles: recalled(125.0),
        turbo_hertz: turbo(3.4, "Intel, specifications of the Xeon 8592+: all cores 2.9, one 3.9 GHz"),
        l3_core_bytes: slice(5120.0, "Intel, Emerald Rapids: 320 MiB for 64 cores"),
        ..SAPPHIRE_RAPIDS
    },
    Family {
        name: "Intel Meteor Lake (performance cores)",
        members: &[one_of(0xaa), one_of(0xac)],
        l3_cycles: latency(71.0),
        memory_ns: memory(343.0, 2.995),
        counter_read_cycles: instruction(27.0),
        cpuid_cycles: instruction(109.2),
        ..RAPTOR_COVE
    },
    Family {
        name: "Intel Granite Rapids",
        members: &[family_6((0xad, 0xae))],
        l3_cycles: recalled(130.0),
        memory_ns: recalled(120.0),
        turbo_hertz: cited(
            3.5e9,
            "Hardwareluxx, Xeon 6900P: all cores 3.2 (128 cores) to 3.8 GHz (72), one 3.9",
        ),
        l3_core_bytes: slice(4032.0, "Hardwareluxx, Xeon 6900P: 504 MB for 128 cores"),
        ..SAPPHIRE_RAPIDS
    },
    Family {
        name: "Intel Sierra Forest",
        members: &[one_of(0xaf)],
        multiply_cycles: cited(5.0, "InstLatx64, instruction tables, efficiency cores of Meteor Lake"),
        store_forward_cycles: relative(5.0),
        counter_read_cycles: cited(31.1, "InstLatx64, instruction tables, efficiency cores of Meteor Lake"),
        counter_fenced_cycles: recalled(85.0),
        rdtscp_cycles: recalled(60.0),
        cpuid_cycles: cited(301.9, "InstLatx64, instruction tables, efficiency cores of Meteor Lake"),
        syscall_cycles: recalled(150.0),
        l1_cycles: cited(3.0, "InstLatx64, memory latency, efficiency cores of Alder Lake"),
        l2_cycles: cited(20.0, "InstLatx64, memory latency, efficiency cores of Alder Lake"),
        l3_cycles: recalled(130.0),
        memory_ns: recalled(120.0),
        turbo_hertz: turbo(2.6, "Intel, specifications of the Xeon 6780E: 2.2 to 3.0 GHz"),
        l3_core_bytes: assumed(768.0 * 1024.0, "Intel, Sierra Forest: 108 MB for 144 cores, recalled"),
        call_cycles: recalled(2.0),
        arithmetic: arithmetic::CRESTMONT,
        ..SAPPHIRE_RAPIDS
    },
];
