//! AMD's families (and Hygon's, which is the first Zen). Kernel's `init_amd` tells which models are which.

use super::arithmetic;
use super::family::{Family, Member};
use super::sources::{
    NO_SLICE, TURBO_BY_MODEL, cited, forwarded, instruction, latency, memory, none, one, relative, slice,
    turbo, unconfirmed, wide,
};

const CR3: &str = "kernel, pti.rst: order of a hundred cycles; AMD's own cost unconfirmed";

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
    loop_cycles: one(),
    call_cycles: unconfirmed(4.0),
    add_cycles: one(),
    multiply_cycles: instruction(3.0),
    store_forward_cycles: unconfirmed(4.0),
    counter_read_cycles: instruction(36.6),
    counter_fenced_cycles: unconfirmed(50.0),
    rdtscp_cycles: unconfirmed(64.0),
    cpuid_cycles: instruction(125.0),
    syscall_cycles: unconfirmed(100.0),
    address_space_switch_cycles: cited(150.0, CR3),
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
    counter_fenced_cycles: unconfirmed(65.0),
    cpuid_cycles: instruction(131.0),
    l2_cycles: latency(12.0),
    l3_cycles: latency(42.0),
    memory_ns: memory(257.0, 3.094),
    arithmetic: arithmetic::ZEN_2,
    ..ZEN_1
};

const ZEN_3: Family = Family {
    name: "AMD Zen 3",
    members: &[models(0x19, (0x20, 0x5f))],
    counter_read_cycles: instruction(36.0),
    cpuid_cycles: instruction(128.0),
    syscall_cycles: unconfirmed(90.0),
    l3_cycles: latency(54.0),
    memory_ns: memory(290.0, 3.693),
    arithmetic: arithmetic::ZEN_3,
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
    ..ZEN_3
};

const ZEN_5: Family = Family {
    name: "AMD Zen 5",
    members: &[models(0x1a, (0x20, 0x4f)), models(0x1a, (0x60, 0x7f))],
    call_cycles: cited(2.0, "AMD, Software Optimization Guide for Zen 5: two taken branches in a cycle"),
    multiply_cycles: instruction(3.0),
    counter_read_cycles: instruction(37.8),
    counter_fenced_cycles: unconfirmed(75.0),
    rdtscp_cycles: unconfirmed(69.0),
    cpuid_cycles: instruction(127.3),
    l2_cycles: unconfirmed(14.0),
    l3_cycles: unconfirmed(50.0),
    memory_ns: unconfirmed(80.0),
    arithmetic: arithmetic::ZEN_5,
    issue_width: wide(8.0),
    ..ZEN_4
};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "AMD K10 (Phenom II, Athlon II)",
        members: &[models(0x10, (0, u32::MAX))],
        call_cycles: unconfirmed(5.0),
        multiply_cycles: instruction(4.0),
        counter_read_cycles: instruction(67.7),
        counter_fenced_cycles: unconfirmed(75.0),
        rdtscp_cycles: unconfirmed(70.0),
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
        l2_cycles: latency(12.0),
        l3_cycles: latency(42.0),
        memory_ns: memory(286.0, 3.693),
        ..ZEN_1
    },
    Family {
        name: "AMD Zen 2 (server)",
        members: &[models(0x17, (0x30, 0x31))],
        l3_cycles: latency(47.0),
        memory_ns: unconfirmed(105.0),
        turbo_hertz: turbo(3.4, "AMD, specifications of the EPYC 7742: maximum boost"),
        l3_core_bytes: slice(4096.0, "AMD, EPYC: 16 MiB for 4 cores"),
        ..ZEN_2
    },
    ZEN_2,
    Family {
        name: "AMD Zen 3 (server)",
        members: &[models(0x19, (0x00, 0x0f))],
        memory_ns: unconfirmed(105.0),
        turbo_hertz: cited(
            3.5e9,
            "AMD, specifications of the EPYC 7763: maximum boost, from memory; 3.4 to 4.1 by model (AnandTech, Milan)",
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
        turbo_hertz: turbo(3.7, "AMD, specifications of the EPYC 9654: maximum boost"),
        l3_core_bytes: slice(4096.0, "AMD, EPYC: 32 MiB for 8 cores"),
        ..ZEN_4
    },
    ZEN_4,
    Family {
        name: "AMD Zen 5 (server)",
        members: &[models(0x1a, (0x00, 0x1f))],
        memory_ns: unconfirmed(115.0),
        turbo_hertz: turbo(4.1, "AMD, specifications of the EPYC 9755: maximum boost"),
        l3_core_bytes: slice(4096.0, "AMD, EPYC: 32 MiB for 8 cores"),
        ..ZEN_5
    },
    ZEN_5,
    Family {
        name: "AMD Jaguar and Puma",
        members: &[models(0x16, (0, u32::MAX))],
        store_forward_cycles: relative(4.0),
        l1_cycles: unconfirmed(3.0),
        l2_cycles: unconfirmed(26.0),
        l3_cycles: none("the family has no third level"),
        memory_ns: unconfirmed(100.0),
        arithmetic: arithmetic::K10,
        issue_width: wide(2.0),
        ..ZEN_1
    },
];
