//! AMD's families (and Hygon's, which is the first Zen). Kernel's `init_amd` tells which models are which.

use super::arithmetic_x86 as arithmetic;
use super::family::{Family, Member};
use super::sources::{
    NO_SLICE, TURBO_BY_MODEL, called, fog, forwarded, instruction, latency, memory, recalled, relative,
    scheduled, slice, taken, turbo, wide,
};
use crate::constant::{assumed, cited, none};

const CR3: &str = "kernel, pti.rst has \"on the order of a hundred cycles\"; no number of AMD's found";

const fn models(family: u32, models: (u32, u32)) -> Member {
    Member::X86 { vendor: "AuthenticAMD", family, models, steppings: (0, u32::MAX) }
}

const ZEN_1: Family = Family {
    name: "AMD Zen 1",
    members: &[
        models(0x17, (0x00, 0x07)),
        models(0x17, (0x10, 0x17)),
        models(0x17, (0x19, 0x2f)),
        models(0x17, (0x50, 0x5f)),
        Member::X86 { vendor: "HygonGenuine", family: 0x18, models: (0, u32::MAX), steppings: (0, u32::MAX) },
    ],
    loop_cycles: taken(2.0),
    call_cycles: called(4.0),
    add_cycles: instruction(1.0),
    multiply_cycles: instruction(3.0),
    store_forward_cycles: recalled(4.0),
    counter_read_cycles: instruction(36.6),
    counter_fenced_cycles: recalled(50.0),
    rdtscp_cycles: fog(64.0),
    cpuid_cycles: instruction(125.0),
    syscall_cycles: recalled(100.0),
    address_space_switch_cycles: assumed(150.0, CR3),
    l1_cycles: latency(4.0),
    l2_cycles: latency(17.0),
    l3_cycles: latency(48.0),
    memory_ns: memory(335.0, 3.6),
    issue_width: wide(6.0),
    l3_core_bytes: NO_SLICE,
    turbo_hertz: TURBO_BY_MODEL,
    arithmetic: arithmetic::ZEN_1,
};

const ZEN_2: Family = Family {
    name: "AMD Zen 2",
    members: &[
        models(0x17, (0x32, 0x4f)),
        models(0x17, (0x60, 0x7f)),
        models(0x17, (0x84, 0x9f)),
        models(0x17, (0xa0, 0xaf)),
    ],
    store_forward_cycles: forwarded(1.0),
    counter_read_cycles: instruction(37.4),
    counter_fenced_cycles: recalled(65.0),
    cpuid_cycles: instruction(131.0),
    l2_cycles: latency(12.0),
    l3_cycles: latency(42.0),
    memory_ns: memory(257.0, 3.094),
    arithmetic: arithmetic::ZEN_2,
    rdtscp_cycles: fog(67.0),
    ..ZEN_1
};

const ZEN_3: Family = Family {
    name: "AMD Zen 3",
    members: &[models(0x19, (0x20, 0x5f))],
    counter_read_cycles: instruction(36.0),
    cpuid_cycles: instruction(128.0),
    syscall_cycles: recalled(90.0),
    l3_cycles: latency(54.0),
    memory_ns: memory(290.0, 3.693),
    arithmetic: arithmetic::ZEN_3,
    loop_cycles: taken(1.0),
    store_forward_cycles: relative(1.0),
    rdtscp_cycles: fog(68.0),
    issue_width: scheduled(6.0),
    ..ZEN_2
};

const ZEN_4: Family = Family {
    name: "AMD Zen 4",
    members: &[models(0x19, (0x60, 0x7f))],
    counter_read_cycles: instruction(35.0),
    cpuid_cycles: instruction(147.0),
    l2_cycles: latency(14.0),
    l3_cycles: latency(60.0),
    memory_ns: memory(340.0, 4.49),
    loop_cycles: relative(1.0),
    call_cycles: relative(4.0),
    rdtscp_cycles: relative(68.0),
    arithmetic: arithmetic::ZEN_4,
    ..ZEN_3
};

const ZEN_5: Family = Family {
    name: "AMD Zen 5",
    members: &[models(0x1a, (0x20, 0x4f)), models(0x1a, (0x60, 0x7f))],
    call_cycles: assumed(
        2.0,
        "one taken branch a cycle; recalled of AMD's optimization guide are two, not looked up",
    ),
    multiply_cycles: instruction(3.0),
    counter_read_cycles: instruction(37.8),
    counter_fenced_cycles: recalled(75.0),
    rdtscp_cycles: recalled(69.0),
    cpuid_cycles: instruction(127.3),
    l2_cycles: recalled(14.0),
    l3_cycles: recalled(50.0),
    memory_ns: recalled(80.0),
    arithmetic: arithmetic::ZEN_5,
    issue_width: cited(
        8.0,
        "AMD, Software Optimization Guide for Zen 5 (58455), as LLVM's X86ScheduleZnver5.td quotes it: up to 8 \
         macro-operations dispatched in a cycle",
    ),
    l1_cycles: cited(
        4.0,
        "AMD, Software Optimization Guide for Zen 5 (58455), as LLVM's X86ScheduleZnver5.td quotes it: 4 or 5 cycles, \
         4 by simple addresses",
    ),
    ..ZEN_4
};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "AMD K10 (Phenom II, Athlon II)",
        members: &[models(0x10, (0, u32::MAX))],
        call_cycles: called(5.0),
        multiply_cycles: instruction(4.0),
        counter_read_cycles: instruction(67.7),
        counter_fenced_cycles: recalled(75.0),
        rdtscp_cycles: recalled(70.0),
        cpuid_cycles: instruction(53.0),
        l1_cycles: latency(3.0),
        l2_cycles: latency(16.0),
        l3_cycles: latency(53.0),
        memory_ns: memory(190.0, 2.812),
        arithmetic: arithmetic::K10,
        issue_width: wide(3.0),
        ..ZEN_1
    },
    ZEN_1,
    Family {
        name: "AMD Zen+",
        members: &[models(0x17, (0x08, 0x0f)), models(0x17, (0x18, 0x18))],
        cpuid_cycles: instruction(128.0),
        l2_cycles: latency(12.0),
        l3_cycles: latency(42.0),
        memory_ns: memory(286.0, 3.693),
        ..ZEN_1
    },
    Family {
        name: "AMD Zen 2 (server)",
        members: &[models(0x17, (0x30, 0x31))],
        l3_cycles: latency(47.0),
        memory_ns: recalled(105.0),
        turbo_hertz: cited(3.4e9, "AnandTech 2019, second generation EPYC: the EPYC 7742 at 3.4 GHz"),
        l3_core_bytes: slice(4096.0, "AMD, EPYC: 16 MiB for 4 cores"),
        ..ZEN_2
    },
    ZEN_2,
    Family {
        name: "AMD Zen 3 (server)",
        members: &[models(0x19, (0x00, 0x0f))],
        memory_ns: recalled(105.0),
        turbo_hertz: turbo(
            3.5,
            "AMD, specifications of the EPYC 7763: maximum boost, recalled; 3.4 to 4.1 by model (AnandTech, Milan)",
        ),
        l3_core_bytes: slice(4096.0, "AMD, EPYC: 32 MiB for 8 cores"),
        ..ZEN_3
    },
    ZEN_3,
    Family {
        name: "AMD Zen 4 (server)",
        members: &[models(0x19, (0x10, 0x1f)), models(0x19, (0xa0, 0xaf))],
        counter_read_cycles: instruction(35.3),
        cpuid_cycles: instruction(148.6),
        memory_ns: memory(260.0, 2.496),
        turbo_hertz: cited(3.7e9, "Svět hardware 2024-07, EPYC 9654: boost 3.7 GHz, all cores 3.55"),
        l3_core_bytes: slice(4096.0, "AMD, EPYC: 32 MiB for 8 cores"),
        ..ZEN_4
    },
    ZEN_4,
    Family {
        name: "AMD Zen 5 (server)",
        members: &[models(0x1a, (0x00, 0x1f))],
        memory_ns: recalled(115.0),
        turbo_hertz: cited(4.1e9, "Svět hardware 2024-07, EPYC 9755: boost 4.1 GHz"),
        l3_core_bytes: slice(4096.0, "AMD, EPYC: 32 MiB for 8 cores"),
        ..ZEN_5
    },
    ZEN_5,
    Family {
        name: "AMD Jaguar and Puma",
        members: &[models(0x16, (0, u32::MAX))],
        store_forward_cycles: relative(4.0),
        l1_cycles: latency(3.0),
        l2_cycles: latency(26.0),
        l3_cycles: none("the family has no third level"),
        memory_ns: memory(219.0, 1.797),
        arithmetic: arithmetic::JAGUAR,
        issue_width: scheduled(2.0),
        call_cycles: called(5.0),
        multiply_cycles: instruction(6.0),
        counter_read_cycles: instruction(40.1),
        rdtscp_cycles: fog(42.0),
        cpuid_cycles: instruction(70.0),
        ..ZEN_1
    },
];
