//! Arm's families, by implementer and part as in the kernel's `arch/arm64/include/asm/cputype.h`.

use super::arithmetic_arm as arithmetic;
use super::family::{Family, Member};
use super::sources::{TURBO_BY_MODEL, recalled, relative, scheduled, wide};
use crate::constant::{cited, none};

const NO_CPUID: &str = "aarch64 has no CPUID instruction";
const NO_RDTSCP: &str = "aarch64 has no RDTSCP instruction";
const NO_L3: &str = "the family has no third level of its own";
const GRAVITON2: &str = "AnandTech 2020, Graviton2 review";

const fn arm(parts: &'static [u32]) -> Member {
    Member::Arm { implementer: 0x41, parts }
}

const fn apple(parts: &'static [u32]) -> Member {
    Member::Arm { implementer: 0x61, parts }
}

/// Neoverse N1: the base of the designs below, which list what changed.
const NEOVERSE_N1: Family = Family {
    name: "Arm Neoverse N1",
    members: &[arm(&[0xd0c])],
    loop_cycles: recalled(1.0),
    call_cycles: recalled(3.0),
    add_cycles: scheduled(1.0),
    multiply_cycles: scheduled(4.0),
    store_forward_cycles: recalled(5.0),
    counter_read_cycles: recalled(20.0),
    counter_fenced_cycles: recalled(50.0),
    rdtscp_cycles: none(NO_RDTSCP),
    cpuid_cycles: none(NO_CPUID),
    syscall_cycles: recalled(90.0),
    address_space_switch_cycles: recalled(50.0),
    l1_cycles: cited(4.0, GRAVITON2),
    l2_cycles: cited(11.0, GRAVITON2),
    l3_cycles: recalled(75.0),
    memory_ns: cited(
        83.0,
        "Arm, lmbench at random in huge pages, as AnandTech 2020 quotes it; it measured 81 on Graviton2",
    ),
    issue_width: wide(4.0),
    l3_core_bytes: none("differs by vendor"),
    turbo_hertz: TURBO_BY_MODEL,
    arithmetic: arithmetic::NEOVERSE_N1,
};

const NEOVERSE_V1: Family = Family {
    name: "Arm Neoverse V1",
    members: &[arm(&[0xd40])],
    multiply_cycles: scheduled(2.0),
    l1_cycles: scheduled(4.0),
    l2_cycles: recalled(13.0),
    l3_cycles: recalled(80.0),
    memory_ns: recalled(110.0),
    arithmetic: arithmetic::NEOVERSE_V1,
    issue_width: wide(5.0),
    ..NEOVERSE_N1
};

/// Cores of boards and phones: small caches, slow memory.
const CORTEX_A72: Family = Family {
    name: "Arm Cortex-A72",
    members: &[arm(&[0xd08, 0xd07])],
    multiply_cycles: scheduled(5.0),
    store_forward_cycles: recalled(7.0),
    l1_cycles: scheduled(4.0),
    l2_cycles: recalled(19.0),
    l3_cycles: none(NO_L3),
    memory_ns: recalled(130.0),
    arithmetic: arithmetic::CORTEX_A72,
    issue_width: scheduled(3.0),
    ..NEOVERSE_N1
};

const CORTEX_A76: Family = Family {
    name: "Arm Cortex-A76",
    members: &[arm(&[0xd0b, 0xd0d, 0xd41])],
    l1_cycles: recalled(4.0),
    l2_cycles: recalled(9.0),
    l3_cycles: recalled(35.0),
    memory_ns: recalled(120.0),
    multiply_cycles: relative(4.0),
    arithmetic: arithmetic::NEOVERSE_N1.relative(),
    ..NEOVERSE_N1
};

const CORTEX_A53: Family = Family {
    name: "Arm Cortex-A53",
    members: &[arm(&[0xd03])],
    loop_cycles: recalled(1.0),
    call_cycles: recalled(4.0),
    multiply_cycles: scheduled(4.0),
    l1_cycles: recalled(3.0),
    l2_cycles: recalled(15.0),
    memory_ns: recalled(140.0),
    arithmetic: arithmetic::CORTEX_A53,
    issue_width: scheduled(2.0),
    add_cycles: recalled(1.0),
    ..CORTEX_A72
};

const APPLE_M1: Family = Family {
    name: "Apple M1 (performance cores)",
    members: &[apple(&[0x23, 0x25, 0x29])],
    call_cycles: recalled(2.0),
    multiply_cycles: recalled(3.0),
    store_forward_cycles: recalled(4.0),
    counter_read_cycles: recalled(10.0),
    counter_fenced_cycles: recalled(40.0),
    syscall_cycles: recalled(80.0),
    l1_cycles: recalled(3.0),
    l2_cycles: recalled(18.0),
    l3_cycles: recalled(100.0),
    memory_ns: recalled(97.0),
    arithmetic: arithmetic::APPLE_M1,
    issue_width: wide(8.0),
    add_cycles: recalled(1.0),
    ..NEOVERSE_N1
};

const AMPERE_ONE: Family = Family {
    name: "AmpereOne",
    members: &[Member::Arm { implementer: 0xc0, parts: &[0xac3, 0xac4] }],
    l1_cycles: scheduled(4.0),
    l2_cycles: recalled(11.0),
    l3_cycles: recalled(110.0),
    memory_ns: recalled(110.0),
    issue_width: scheduled(4.0),
    multiply_cycles: scheduled(3.0),
    arithmetic: arithmetic::AMPERE_ONE,
    ..NEOVERSE_N1
};

pub(super) static FAMILIES: &[Family] = &[
    CORTEX_A53,
    Family {
        name: "Arm Cortex-A55",
        members: &[arm(&[0xd05])],
        l1_cycles: scheduled(3.0),
        l2_cycles: relative(11.0),
        arithmetic: arithmetic::CORTEX_A55,
        ..CORTEX_A53
    },
    CORTEX_A72,
    Family {
        name: "Arm Cortex-A73",
        members: &[arm(&[0xd09, 0xd0a])],
        l2_cycles: recalled(20.0),
        ..CORTEX_A72
    },
    CORTEX_A76,
    Family {
        name: "Arm Cortex-X1",
        members: &[arm(&[0xd44, 0xd4c])],
        l2_cycles: relative(10.0),
        ..CORTEX_A76
    },
    NEOVERSE_N1,
    NEOVERSE_V1,
    Family {
        name: "Arm Neoverse N2",
        members: &[arm(&[0xd49])],
        l2_cycles: relative(13.0),
        memory_ns: recalled(100.0),
        issue_width: cited(5.0, "LLVM after 19, AArch64SchedNeoverseN2.td: 5 dispatched in a cycle"),
        arithmetic: arithmetic::NEOVERSE_N2,
        ..NEOVERSE_V1
    },
    Family {
        name: "Arm Neoverse V2",
        members: &[arm(&[0xd4f])],
        l2_cycles: recalled(11.0),
        l3_cycles: recalled(90.0),
        issue_width: wide(6.0),
        arithmetic: arithmetic::NEOVERSE_V2,
        ..NEOVERSE_V1
    },
    APPLE_M1,
    Family {
        name: "Apple M2 (performance cores)",
        members: &[apple(&[0x33, 0x35, 0x39])],
        l2_cycles: relative(18.0),
        memory_ns: recalled(100.0),
        ..APPLE_M1
    },
    Family {
        name: "Apple M3 (performance cores)",
        members: &[apple(&[0x43, 0x45, 0x49])],
        l2_cycles: relative(18.0),
        memory_ns: recalled(105.0),
        ..APPLE_M1
    },
    Family {
        name: "Apple efficiency cores (M1 to M3)",
        members: &[apple(&[0x22, 0x24, 0x28, 0x32, 0x34, 0x38, 0x42, 0x44, 0x48])],
        l2_cycles: recalled(15.0),
        memory_ns: recalled(120.0),
        ..APPLE_M1
    },
    AMPERE_ONE,
    Family {
        name: "AmpereOne, second design",
        members: &[Member::Arm { implementer: 0xc0, parts: &[0xac5] }],
        l1_cycles: scheduled(3.0),
        issue_width: relative(4.0),
        arithmetic: arithmetic::AMPERE_ONE_B,
        ..AMPERE_ONE
    },
];
