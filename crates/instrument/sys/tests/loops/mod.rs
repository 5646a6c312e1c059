//! What the turn of every timed loop should be, by the name of its function.

/// A loop in assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    pub name: &'static str,
    /// Instructions of a turn, those of the loop itself included.
    pub instructions: usize,
    /// Instructions of a turn that load, that store, and the bytes of all of them.
    pub moved: [u64; 3],
    /// Calls in a turn; with any, there are eight in the whole function.
    pub calls: usize,
    /// Whether a turn is meant to use the stack.
    pub on_stack: bool,
}

/// A timed loop that the compiler makes of Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiled {
    /// The function, by its path.
    pub path: &'static str,
    /// The instruction that does the work of a turn, and what its operands contain.
    pub work: &'static str,
    pub operands: &'static str,
}

impl Compiled {
    /// The last name in the path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit("::").next().unwrap_or(self.path)
    }
}

const fn compiled(path: &'static str, work: &'static str, operands: &'static str) -> Compiled {
    Compiled { path, work, operands }
}

/// Those of x86-64.
pub const COMPILED_FOR_X86_64: &[Compiled] = &[
    compiled("sys::arch::native::identify", "cpuid", ""),
    compiled("sys::entry::efault::clock_reads", "syscall", ""),
    compiled("sys::loops::footprint::Footprint::is_whole", "paddq", "xmm"),
];

/// Those of AArch64, which has no CPUID.
pub const COMPILED_FOR_AARCH64: &[Compiled] = &[
    compiled("sys::entry::efault::clock_reads", "svc", ""),
    compiled("sys::loops::footprint::Footprint::is_whole", "add", ".2d"),
];

const fn calling(
    name: &'static str,
    instructions: usize,
    moved: [u64; 3],
    calls: usize,
    on_stack: bool,
) -> Loop {
    Loop { name, instructions, moved, calls, on_stack }
}

const fn moving(name: &'static str, instructions: usize, moved: [u64; 3]) -> Loop {
    calling(name, instructions, moved, 0, false)
}

const fn on_stack(name: &'static str, instructions: usize, moved: [u64; 3]) -> Loop {
    calling(name, instructions, moved, 0, true)
}

const fn plain(name: &'static str, instructions: usize) -> Loop {
    moving(name, instructions, [0; 3])
}

/// Those of x86-64.
pub const X86_64: &[Loop] = &[
    plain("add_one", 50),
    plain("add_several", 50),
    plain("multiply_one", 50),
    plain("multiply_several", 50),
    plain("divide_one", 194),
    plain("divide_several", 242),
    plain("modulo_one", 194),
    plain("modulo_several", 242),
    plain("divide_32_one", 194),
    plain("divide_32_several", 242),
    plain("modulo_32_one", 194),
    plain("modulo_32_several", 242),
    plain("float_add_one", 50),
    plain("float_add_several", 50),
    plain("float_multiply_one", 50),
    plain("float_multiply_several", 50),
    plain("multiply_add_one", 50),
    plain("multiply_add_several", 50),
    plain("float_divide_one", 98),
    plain("float_divide_several", 98),
    plain("float_root_one", 98),
    plain("float_root_several", 98),
    plain("float_divide_32_one", 98),
    plain("float_divide_32_several", 98),
    plain("float_root_32_one", 98),
    plain("float_root_32_several", 98),
    plain("read_bare", 8),
    plain("read_fenced", 10),
    plain("read_waiting", 8),
    plain("read_cpuid", 10),
    plain("loops_in_register", 2),
    moving("loops_in_memory", 3, [2, 1, 24]),
    on_stack("loops_on_stack", 3, [2, 1, 24]),
    on_stack("loop_of_c", 4, [3, 1, 16]),
    plain("known_0", 3),
    plain("known_10", 13),
    plain("known_20", 23),
    plain("known_40", 43),
    plain("chain_of_adds", 52),
    plain("chain_of_multiplies", 52),
    plain("chains_of_adds", 52),
    plain("calls_of_kernel", 8),
    moving("chase", 66, [64, 0, 512]),
    moving("chains_2", 66, [64, 0, 512]),
    moving("chains_4", 66, [64, 0, 512]),
    moving("chains_8", 66, [64, 0, 512]),
    moving("chains_16", 194, [128, 64, 1536]),
    moving("chains_32", 194, [128, 64, 1536]),
    moving("chains_64", 194, [128, 64, 1536]),
    calling("calls_0", 3, [0, 0, 0], 1, false),
    calling("calls_1", 4, [0, 0, 0], 1, false),
    calling("calls_2", 5, [0, 0, 0], 1, false),
    calling("calls_3", 6, [0, 0, 0], 1, false),
    calling("calls_4", 7, [0, 0, 0], 1, false),
    calling("calls_5", 8, [0, 0, 0], 1, false),
    calling("calls_6", 9, [0, 0, 0], 1, false),
    calling("calls_7", 11, [0, 0, 0], 1, true),
    calling("calls_8", 12, [0, 0, 0], 1, true),
    calling("calls_10", 14, [0, 0, 0], 1, true),
    calling("calls_by_register", 4, [0, 0, 0], 1, false),
    calling("calls_by_table", 3, [1, 0, 8], 1, false),
    calling("calls_by_linker", 3, [0, 0, 0], 1, false),
    calling("calls_in_one_line", 10, [0, 0, 0], 8, false),
    moving("read_loop", 4, [1, 0, 8]),
    moving("read_unrolled", 67, [64, 0, 512]),
    moving("read_128", 35, [32, 0, 512]),
    moving("read_256", 19, [16, 0, 512]),
    moving("read_512", 11, [8, 0, 512]),
    moving("read_256_prefetch", 27, [16, 0, 512]),
    moving("read_512_prefetch", 19, [8, 0, 512]),
    moving("read_256_streams", 19, [16, 0, 512]),
    moving("read_512_streams", 11, [8, 0, 512]),
    moving("read_256_streams_prefetch", 27, [16, 0, 512]),
    moving("read_512_streams_prefetch", 19, [8, 0, 512]),
    moving("write_loop", 4, [0, 1, 8]),
    moving("write_unrolled", 67, [0, 64, 512]),
    moving("write_128", 35, [0, 32, 512]),
    moving("write_256", 19, [0, 16, 512]),
    moving("write_512", 11, [0, 8, 512]),
    moving("write_128_nontemporal", 35, [0, 32, 512]),
    moving("write_256_nontemporal", 19, [0, 16, 512]),
    moving("write_512_nontemporal", 11, [0, 8, 512]),
    moving("copy_loop", 6, [1, 1, 16]),
    moving("copy_unrolled", 132, [64, 64, 1024]),
    moving("copy_128", 68, [32, 32, 1024]),
    moving("copy_256", 36, [16, 16, 1024]),
    moving("copy_512", 20, [8, 8, 1024]),
    moving("copy_256_nontemporal", 36, [16, 16, 1024]),
    moving("copy_512_nontemporal", 20, [8, 8, 1024]),
    moving("copy_256_prefetch", 44, [16, 16, 1024]),
    moving("copy_512_prefetch", 28, [8, 8, 1024]),
    moving("scale_128", 100, [32, 32, 1024]),
    moving("add_128", 100, [64, 32, 1536]),
    moving("triad_128", 132, [64, 32, 1536]),
    moving("update_128", 99, [32, 32, 1024]),
    moving("scale_256", 36, [16, 16, 1024]),
    moving("scale_256_nontemporal", 36, [16, 16, 1024]),
    moving("add_256", 52, [32, 16, 1536]),
    moving("add_256_nontemporal", 52, [32, 16, 1536]),
    moving("triad_256", 52, [32, 16, 1536]),
    moving("triad_256_nontemporal", 52, [32, 16, 1536]),
    moving("update_256", 35, [16, 16, 1024]),
    moving("scale_512", 20, [8, 8, 1024]),
    moving("scale_512_nontemporal", 20, [8, 8, 1024]),
    moving("add_512", 28, [16, 8, 1536]),
    moving("add_512_nontemporal", 28, [16, 8, 1536]),
    moving("triad_512", 28, [16, 8, 1536]),
    moving("triad_512_nontemporal", 28, [16, 8, 1536]),
    moving("update_512", 19, [8, 8, 1024]),
    plain("fill_clzero", 4),
    moving("copy_string", 9, [1, 1, 2]),
    moving("fill_string", 9, [0, 1, 1]),
];

/// Those of AArch64.
pub const AARCH64: &[Loop] = &[
    plain("add_one", 50),
    plain("add_several", 50),
    plain("multiply_one", 50),
    plain("multiply_several", 50),
    plain("divide_one", 146),
    plain("divide_several", 146),
    plain("modulo_one", 194),
    plain("modulo_several", 194),
    plain("divide_32_one", 146),
    plain("divide_32_several", 146),
    plain("modulo_32_one", 194),
    plain("modulo_32_several", 194),
    plain("float_add_one", 50),
    plain("float_add_several", 50),
    plain("float_multiply_one", 50),
    plain("float_multiply_several", 50),
    plain("multiply_add_one", 50),
    plain("multiply_add_several", 50),
    plain("float_divide_one", 98),
    plain("float_divide_several", 98),
    plain("float_root_one", 98),
    plain("float_root_several", 98),
    plain("float_divide_32_one", 98),
    plain("float_divide_32_several", 98),
    plain("float_root_32_one", 98),
    plain("float_root_32_several", 98),
    plain("read_bare", 6),
    plain("read_fenced", 8),
    plain("loops_in_register", 2),
    moving("loops_in_memory", 6, [2, 1, 24]),
    on_stack("loops_on_stack", 6, [2, 1, 24]),
    on_stack("loop_of_c", 7, [3, 1, 16]),
    plain("known_0", 3),
    plain("known_10", 13),
    plain("known_20", 23),
    plain("known_40", 43),
    plain("chain_of_adds", 52),
    plain("chain_of_multiplies", 52),
    plain("chains_of_adds", 52),
    plain("calls_of_kernel", 5),
    moving("chase", 66, [64, 0, 512]),
    moving("chains_2", 66, [64, 0, 512]),
    moving("chains_4", 66, [64, 0, 512]),
    moving("chains_8", 66, [64, 0, 512]),
    moving("chains_16", 194, [128, 64, 1536]),
    moving("chains_32", 194, [128, 64, 1536]),
    moving("chains_64", 194, [128, 64, 1536]),
    calling("calls_0", 3, [0, 0, 0], 1, false),
    calling("calls_1", 4, [0, 0, 0], 1, false),
    calling("calls_2", 5, [0, 0, 0], 1, false),
    calling("calls_3", 6, [0, 0, 0], 1, false),
    calling("calls_4", 7, [0, 0, 0], 1, false),
    calling("calls_5", 8, [0, 0, 0], 1, false),
    calling("calls_6", 9, [0, 0, 0], 1, false),
    calling("calls_7", 10, [0, 0, 0], 1, false),
    calling("calls_8", 11, [0, 0, 0], 1, false),
    calling("calls_10", 15, [0, 1, 16], 1, true),
    calling("calls_by_register", 4, [0, 0, 0], 1, false),
    calling("calls_by_table", 4, [1, 0, 8], 1, false),
    calling("calls_by_linker", 3, [0, 0, 0], 1, false),
    calling("calls_in_one_line", 10, [0, 0, 0], 8, false),
    moving("read_loop", 4, [1, 0, 8]),
    moving("read_unrolled", 19, [8, 0, 64]),
    moving("read_128", 15, [4, 0, 128]),
    moving("write_loop", 4, [0, 1, 8]),
    moving("write_unrolled", 11, [0, 8, 64]),
    moving("write_128", 7, [0, 4, 128]),
    moving("write_128_nontemporal", 7, [0, 4, 128]),
    moving("copy_loop", 6, [1, 1, 16]),
    moving("copy_unrolled", 20, [8, 8, 128]),
    moving("copy_128", 12, [4, 4, 256]),
    moving("copy_128_nontemporal", 12, [4, 4, 256]),
    moving("scale_128", 20, [4, 4, 256]),
    moving("scale_128_nontemporal", 20, [4, 4, 256]),
    moving("add_128", 25, [8, 4, 384]),
    moving("add_128_nontemporal", 25, [8, 4, 384]),
    moving("triad_128", 33, [8, 4, 384]),
    moving("triad_128_nontemporal", 33, [8, 4, 384]),
    moving("update_128", 19, [4, 4, 256]),
];
