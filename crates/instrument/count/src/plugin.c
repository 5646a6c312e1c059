/* A plugin of QEMU's translator that counts what a kernel executes between two marks.
 *
 * Nothing is counted until the guest has passed the kernel's symbols: the machine boots at full speed. Marks are instructions of
 * user programs that only `sys::marks` makes: begin, end, and a load whose address carries a byte of a line of text:
 *   S <address> <name>   a symbol of the kernel's text        R          the symbols are complete: count from now on
 *   W <label>            the next windows have this label     E          write what they counted
 * What interrupts do in a window, and kernel threads that run in it, is counted apart ("deferred").
 * Written to the file `out`: "N index name" before a function is first named; "W label key=value..."; for each function of the
 * window "F index" and for each of the deferred work "D index", each with the columns of `per_function`. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of QEMU's interface that is used here. Debian does not package its header. Version 1 (QEMU 6 to 8) adds to any address;
 * from version 2 on (QEMU 9) counters are on a scoreboard, which has an element for each CPU; from version 3 on the bytes of an
 * instruction are copied. One object serves all: a weak function that QEMU lacks has the address 0. */
typedef uint64_t qemu_plugin_id_t;
typedef struct {
    const char *target_name;
    struct { int min, cur; } version;
    bool system_emulation;
    union { struct { int smp_vcpus, max_vcpus; } system; };
} qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
typedef uint32_t qemu_plugin_meminfo_t;
enum { NO_REGS };
enum { MEM_RW = 3 };
enum { ADD_U64 };
typedef void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*executed)(unsigned, void *);
typedef void (*accessed)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *);
typedef void (*plain)(qemu_plugin_id_t);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, translated);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, executed, int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, accessed, int, int, void *);
void qemu_plugin_reset(qemu_plugin_id_t, plain);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t, uint64_t);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *);
#define OF_SOME_VERSIONS __attribute__((weak))
OF_SOME_VERSIONS void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);
struct qemu_plugin_scoreboard;
typedef struct { struct qemu_plugin_scoreboard *scoreboard; size_t offset; } Counter;
OF_SOME_VERSIONS struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t);
OF_SOME_VERSIONS void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *, unsigned);
OF_SOME_VERSIONS void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *, int, Counter, uint64_t);
size_t copy_bytes(const struct qemu_plugin_insn *, void *, size_t) __asm__("qemu_plugin_insn_data");
#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

/* QEMU reads the version after it has loaded the plugin. The lowest one that it takes is enough. */
__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_scoreboard_new)
        qemu_plugin_version = 2;
}

/* What is counted of each function. A string instruction (rep movs) counts once; its turns and bytes are apart. */
enum { ALL, CALLED, CALLS, INDIRECT, LOCKED, SERIALISING, LOADS, STORES, STRINGS, STRING_TURNS, STRING_BYTES, COLUMNS };
/* What is counted of a window as a whole. */
enum { SYSCALLS, EXCEPTIONS, CR3, TLB, HLT, PORT, WRMSR, RDMSR, MMIO, INTERRUPTS, SWITCHES, EVENTS };
static const char *event_names[EVENTS] = { "syscalls", "exceptions", "cr3_writes", "tlb_invalidations", "hlt", "port_io", "wrmsr",
    "rdmsr", "mmio", "interrupts", "switches" };

#define MOST_FUNCTIONS 32768
#define MOST_CPUS 8
typedef uint64_t Counts[MOST_FUNCTIONS][COLUMNS];
typedef struct { Counts functions; uint64_t events[EVENTS]; } Board;
typedef struct { uint64_t address; char *name; int function; } Symbol;
static Symbol *symbols;
static size_t symbol_count;
static const char *names[MOST_FUNCTIONS];
static bool is_named[MOST_FUNCTIONS];
static int functions;
enum { NOWHERE, OPERATION, DEFERRED, BUCKETS };
/* What was counted until now, and until the last change: on a board for each CPU, or on one for all. */
static Board own, *boards[MOST_CPUS], base[MOST_CPUS];
static struct qemu_plugin_scoreboard *scoreboard;
static int board_count, cpu_count;
static Counts buckets[BUCKETS];
static uint64_t events[BUCKETS][EVENTS];
static int bucket = NOWHERE;
static bool in_window, in_interrupt, in_kernel_thread, was_interrupted, is_preempted, is_arm, are_bytes_copied;
static qemu_plugin_id_t plugin;
static FILE *out;
static char line[4096], label[256];
static size_t line_length;

#define KERNEL 0xffff800000000000ull

/* Distinct lines and pages of a window: open hashing; an entry of an older window is empty. */
#define PLACES (1u << 17)
typedef struct { uint64_t key[PLACES]; uint32_t epoch[PLACES]; uint64_t count; } Distinct;
static Distinct data_lines, data_pages, code_lines, code_pages;
static uint32_t epoch = 1;

static void touch(Distinct *set, uint64_t key)
{
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 47);
    while (set->epoch[at] == epoch) {
        if (set->key[at] == key)
            return;
        at = (at + 1) & (PLACES - 1);
    }
    if (set->count < PLACES / 2) {
        set->key[at] = key;
        set->epoch[at] = epoch;
        set->count++;
    }
}

static int new_function(const char *name)
{
    if (functions == MOST_FUNCTIONS)
        return MOST_FUNCTIONS - 1;
    names[functions] = name;
    return functions++;
}

static int by_address(const void *a, const void *b)
{
    const Symbol *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* The function that an address lies in, and where that begins. The first two stand for user programs and unknown text. */
static int function_at(uint64_t address, uint64_t *entry)
{
    *entry = 0;
    if (address < KERNEL)
        return 0;
    if (!symbol_count || address < symbols[0].address)
        return 1;
    size_t low = 0, high = symbol_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (symbols[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    while (low && symbols[low - 1].address == symbols[low].address)
        low--;
    if (symbols[low].function < 0)
        symbols[low].function = new_function(symbols[low].name);
    *entry = symbols[low].address;
    return symbols[low].function;
}

static Board *board_of(unsigned cpu)
{
    return boards[board_count > 1 ? cpu : 0];
}

/* Adds 1 to a counter of the boards at each execution. */
static void count(struct qemu_plugin_insn *instruction, size_t offset)
{
    if (scoreboard)
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(instruction, ADD_U64, (Counter){ scoreboard, offset }, 1);
    else
        qemu_plugin_register_vcpu_insn_exec_inline(instruction, ADD_U64, (char *)&own + offset, 1);
}

#define FUNCTION_COUNTER(function, column) (offsetof(Board, functions) + ((size_t)(function) * COLUMNS + (column)) * sizeof(uint64_t))
#define EVENT_COUNTER(event) (offsetof(Board, events) + (size_t)(event) * sizeof(uint64_t))

/* Moves what was counted since the last change into the bucket that it belongs to. */
static void change(void)
{
    int next = !in_window ? NOWHERE : in_interrupt || in_kernel_thread || is_preempted ? DEFERRED : OPERATION;
    if (next == bucket)
        return;
    size_t count = (size_t)functions * COLUMNS;
    for (int board = 0; board < board_count; board++) {
        if (bucket != NOWHERE) {
            uint64_t *to = &buckets[bucket][0][0], *from = &boards[board]->functions[0][0], *before = &base[board].functions[0][0];
            for (size_t i = 0; i < count; i++)
                to[i] += from[i] - before[i];
            for (int i = 0; i < EVENTS; i++)
                events[bucket][i] += boards[board]->events[i] - base[board].events[i];
        }
        memcpy(base[board].functions, boards[board]->functions, count * sizeof(uint64_t));
        memcpy(base[board].events, boards[board]->events, sizeof base[board].events);
    }
    bucket = next;
}

static void begin_window(unsigned cpu, void *unused)
{
    in_interrupt = in_kernel_thread = was_interrupted = is_preempted = false;
    in_window = true;
    change();
}

static void end_window(unsigned cpu, void *unused)
{
    in_window = false;
    change();
}

/* Functions of a bucket of which anything was counted. */
static void write_counts(char kind, const Counts counts)
{
    for (int i = 0; i < functions; i++) {
        uint64_t any = 0;
        for (int column = 0; column < COLUMNS; column++)
            any |= counts[i][column];
        if (!any)
            continue;
        if (!is_named[i]) {
            fprintf(out, "N %d %s\n", i, names[i]);
            is_named[i] = true;
        }
        fprintf(out, "%c %d", kind, i);
        for (int column = 0; column < COLUMNS; column++)
            fprintf(out, " %lu", (unsigned long)counts[i][column]);
        fputc('\n', out);
    }
}

static void write_window(void)
{
    fprintf(out, "W %s", label);
    for (int i = 0; i < EVENTS; i++)
        fprintf(out, " %s=%lu", event_names[i], (unsigned long)(events[OPERATION][i] + (i == INTERRUPTS ? events[DEFERRED][i] : 0)));
    fprintf(out, " data_lines=%lu data_pages=%lu code_lines=%lu code_pages=%lu\n", (unsigned long)data_lines.count,
        (unsigned long)data_pages.count, (unsigned long)code_lines.count, (unsigned long)code_pages.count);
    write_counts('F', buckets[OPERATION]);
    write_counts('D', buckets[DEFERRED]);
    fflush(out);
}

static void clear_window(void)
{
    for (int i = OPERATION; i < BUCKETS; i++)
        memset(buckets[i], 0, (size_t)functions * sizeof buckets[i][0]);
    memset(events, 0, sizeof events);
    data_lines.count = data_pages.count = code_lines.count = code_pages.count = 0;
    epoch++;
}

static void translate(qemu_plugin_id_t, struct qemu_plugin_tb *);
static void count_from_now(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
}

static void add_symbol(const char *text)
{
    static size_t room;
    char *end;
    uint64_t address = strtoull(text, &end, 16);
    if (*end != ' ')
        return;
    if (symbol_count == room)
        symbols = realloc(symbols, (room = room ? 2 * room : 65536) * sizeof *symbols);
    symbols[symbol_count++] = (Symbol){ address, strdup(end + 1), -1 };
}

static bool is_counting;
static void obey(void)
{
    if (!strncmp(line, "S ", 2) && !is_counting) {
        add_symbol(line + 2);
    } else if (!strcmp(line, "R") && !is_counting) {
        is_counting = true;
        for (int cpu = 0; scoreboard && cpu < cpu_count; cpu++)
            boards[board_count++] = qemu_plugin_scoreboard_find(scoreboard, (unsigned)cpu);
        qsort(symbols, symbol_count, sizeof *symbols, by_address);
        qemu_plugin_reset(plugin, count_from_now);
    } else if (!strncmp(line, "W ", 2)) {
        strncpy(label, line + 2, sizeof label - 1);
        clear_window();
    } else if (!strcmp(line, "E") && is_counting) {
        write_window();
    }
}

static void passed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
    char byte = (char)address;
    if (byte != '\n') {
        if (line_length < sizeof line - 1)
            line[line_length++] = byte;
        return;
    }
    line[line_length] = 0;
    line_length = 0;
    obey();
}

/* Stacks of tasks that came from user programs: a task whose stack was never below one is a kernel thread. */
#define STACKS 4096
typedef struct { uint64_t key; bool is_users, in_interrupt, was_interrupted, is_preempted; } Stack;
static Stack stacks[STACKS], *current = stacks;
static Stack *stack_of(uint64_t key)
{
    if (current->key == key)
        return current;
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 52);
    for (int i = 0; i < STACKS && stacks[at].key && stacks[at].key != key; i++)
        at = (at + 1) & (STACKS - 1);
    stacks[at].key = key;
    return &stacks[at];
}

#define STACK_OF(address) ((address) >> 14)
static void enter_interrupt(unsigned cpu, void *unused)
{
    if (in_window && !in_interrupt)
        board_of(cpu)->events[INTERRUPTS]++;
    in_interrupt = true;
    change();
}

static void leave_interrupt(unsigned cpu, void *unused)
{
    was_interrupted |= in_interrupt;
    in_interrupt = false;
    change();
}

static void switch_task(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
    /* A task that was preempted by an interrupt is still in it when it runs again. */
    current->in_interrupt = in_interrupt;
    current->was_interrupted = was_interrupted;
    current->is_preempted = is_preempted;
    current = stack_of(STACK_OF(address));
    board_of(cpu)->events[SWITCHES]++;
    in_kernel_thread = !current->is_users;
    in_interrupt = current->in_interrupt;
    was_interrupted = current->was_interrupted;
    is_preempted = current->is_preempted;
    change();
}

/* A task that gives up its CPU in a system call that was interrupted was asked to by the interrupt. */
static void call_schedule(unsigned cpu, void *unused)
{
    if (was_interrupted && !in_kernel_thread) {
        is_preempted = true;
        change();
    }
}

static void run_user(unsigned cpu, void *unused)
{
    current->is_users = true;
    was_interrupted = false;
    if (in_kernel_thread || in_interrupt || is_preempted) {
        in_kernel_thread = in_interrupt = is_preempted = false;
        change();
    }
}

static void enter_from_user(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
    if (address < KERNEL)
        return;
    current = stack_of(STACK_OF(address));
    current->is_users = true;
    in_kernel_thread = false;
    change();
}

/* What an instruction is: a function, and how its accesses count. */
enum { PLAIN_ACCESS, STRING_STORE, STRING_LOAD };
#define DATA(function, access) ((void *)(uintptr_t)((function) << 2 | (access)))
static void access_data(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    if (bucket == NOWHERE)
        return;
    uint64_t *of = board_of(cpu)->functions[(uintptr_t)data >> 2];
    bool is_store = qemu_plugin_mem_is_store(info);
    switch ((uintptr_t)data & 3) {
    case PLAIN_ACCESS: of[is_store ? STORES : LOADS]++; break;
    case STRING_STORE: of[STRING_BYTES] += is_store ? 1u << qemu_plugin_mem_size_shift(info) : 0; break;
    default: of[STRING_BYTES] += 1u << qemu_plugin_mem_size_shift(info);
    }
    /* A line that was touched lately in this window needs neither the question about its page nor the large table. */
    static struct { uint64_t line; uint32_t epoch; } recent[1024];
    uint64_t at = address >> 6;
    if (recent[at & 1023].line == at && recent[at & 1023].epoch == epoch)
        return;
    struct qemu_plugin_hwaddr *physical = address < KERNEL ? NULL : qemu_plugin_get_hwaddr(info, address);
    if (physical && qemu_plugin_hwaddr_is_io(physical)) {
        board_of(cpu)->events[MMIO]++;
    } else if (bucket == OPERATION) {
        recent[at & 1023].line = at;
        recent[at & 1023].epoch = epoch;
        touch(&data_lines, at);
        touch(&data_pages, address >> 12);
    }
}

static void run_line(unsigned cpu, void *data)
{
    static struct { uint64_t line; uint32_t epoch; } recent[1024];
    uint64_t at = (uintptr_t)data;
    if (bucket != OPERATION || (recent[at & 1023].line == at && recent[at & 1023].epoch == epoch))
        return;
    recent[at & 1023].line = at;
    recent[at & 1023].epoch = epoch;
    touch(&code_lines, at);
    touch(&code_pages, at >> 6);
}

/* A string instruction is translated once and executed once per turn: it begins where another instruction came before. */
static uint64_t string_at, string_ends[1024];
static int string_end_count;
static void turn_string(unsigned cpu, void *data)
{
    uint64_t *of = board_of(cpu)->functions[(uintptr_t)data & 0xffff];
    uint64_t at = (uintptr_t)data >> 16;
    of[STRING_TURNS]++;
    if (string_at != at) {
        string_at = at;
        of[STRINGS]++;
        of[ALL]++;
    }
}

static void leave_string(unsigned cpu, void *unused)
{
    string_at = 0;
}

static bool follows_string(uint64_t address)
{
    for (int i = 0; i < string_end_count; i++)
        if (string_ends[i] == address)
            return true;
    return false;
}

typedef struct {
    bool is[COLUMNS], event[EVENTS], returns, repeats, copies;
} Class;

static void classify_x86(const uint8_t *b, size_t n, Class *c)
{
    size_t i = 0;
    bool lock = false, repeat = false;
    for (; i < n; i++) {
        uint8_t x = b[i];
        if (x == 0xf0)
            lock = true;
        else if (x == 0xf2 || x == 0xf3)
            repeat = true;
        else if (x != 0x66 && x != 0x67 && x != 0x2e && x != 0x36 && x != 0x3e && x != 0x26 && x != 0x64 && x != 0x65 && (x & 0xf0) != 0x40)
            break;
    }
    if (i >= n)
        return;
    uint8_t o = b[i], m = i + 1 < n ? b[i + 1] : 0, reg = m >> 3 & 7, mod = m >> 6;
    c->is[LOCKED] = lock || ((o == 0x86 || o == 0x87) && mod != 3);
    if (o == 0x0f) {
        uint8_t second = i + 2 < n ? b[i + 2] : 0, reg2 = second >> 3 & 7, mod2 = second >> 6;
        c->event[WRMSR] = m == 0x30;
        c->event[RDMSR] = m == 0x32;
        c->event[CR3] = m == 0x22 && reg2 == 3;
        c->event[TLB] = (m == 0x01 && mod2 != 3 && reg2 == 7) || (m == 0x38 && second == 0x82);
        c->returns = m == 0x07;
        bool fences = m == 0xae && mod2 == 3 && (reg2 == 5 || reg2 == 6);
        c->is[SERIALISING] = m == 0xa2 || m == 0x22 || m == 0x30 || fences || c->event[TLB] || m == 0x09 || m == 0x07 || m == 0x05;
        return;
    }
    c->is[CALLS] = o == 0xe8 || (o == 0xff && (reg == 2 || reg == 3));
    c->is[INDIRECT] = o == 0xff && reg >= 2 && reg <= 5;
    c->returns = o == 0xcf;
    c->is[SERIALISING] = o == 0xcf;
    c->event[HLT] = o == 0xf4;
    c->event[PORT] = (o & 0xfc) == 0xe4 || (o & 0xfc) == 0xec || (o & 0xfc) == 0x6c;
    c->repeats = repeat && ((o >= 0xa4 && o <= 0xa7) || (o >= 0xaa && o <= 0xaf) || (o >= 0x6c && o <= 0x6f));
    c->copies = o == 0xa4 || o == 0xa5 || o == 0xaa || o == 0xab;
}

static void classify_arm(uint32_t w, Class *c)
{
    c->returns = w == 0xd69f03e0;
    bool indirect_call = (w & 0xfffffc1f) == 0xd63f0000;
    c->is[CALLS] = indirect_call || (w & 0xfc000000) == 0x94000000;
    c->is[INDIRECT] = indirect_call || (w & 0xfffffc1f) == 0xd61f0000;
    c->is[LOCKED] = ((w & 0x3f000000) == 0x08000000 && !(w & 0x00800000)) || (w & 0x3f200c00) == 0x38200000 || (w & 0x3fa07c00) == 0x08a07c00;
    c->event[CR3] = (w & 0xffffffe0) == 0xd5182000;
    c->event[TLB] = (w & 0xfff8f000) == 0xd5088000;
    c->event[WRMSR] = (w & 0xfff00000) == 0xd5100000;
    c->event[RDMSR] = (w & 0xfff00000) == 0xd5300000;
    c->event[HLT] = w == 0xd503207f || w == 0xd503205f;
    c->is[SERIALISING] = c->returns || w == 0xd5033fdf || (w & 0xfffff0ff) == 0xd503309f || c->event[TLB] || (w & 0xffe0001f) == 0xd4000001;
}

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static void on_execution(struct qemu_plugin_insn *instruction, executed then)
{
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, then, NO_REGS, NULL);
}

static void on_access(struct qemu_plugin_insn *instruction, accessed then)
{
    qemu_plugin_register_vcpu_mem_cb(instruction, then, NO_REGS, MEM_RW, NULL);
}

/* Where the kernel is entered, left, and switches tasks. */
static void watch(struct qemu_plugin_insn *instruction, const char *name, uint64_t address, uint64_t entry, const uint8_t *b, size_t n, uint32_t word)
{
    if (address == entry) {
        if (!strcmp(name, "schedule"))
            on_execution(instruction, call_schedule);
        if (begins(name, "asm_sysvec_") || begins(name, "asm_common_interrupt") || begins(name, "el0t_64_irq") || begins(name, "el1h_64_irq"))
            on_execution(instruction, enter_interrupt);
        bool is_exception = begins(name, "asm_exc_") || !strcmp(name, "el1h_64_sync");
        bool is_call = !strcmp(name, "entry_SYSCALL_64") || !strcmp(name, "el0t_64_sync") || begins(name, "entry_INT80_") || begins(name, "asm_int80_");
        if (is_exception || is_call)
            count(instruction, EVENT_COUNTER(is_call ? SYSCALLS : EXCEPTIONS));
    }
    bool stores_pair = (word & 0xffc00000) == 0xa9800000 || (word & 0xffc00000) == 0xa9000000;
    /* pop %r15, and push %rdi; on AArch64 the first stores of functions that run on the new stack. */
    if (!is_arm && !strcmp(name, "__switch_to_asm") && n == 2 && b[0] == 0x41 && b[1] == 0x5f)
        on_access(instruction, switch_task);
    if (!is_arm && begins(name, "entry_SYSCALL_64") && n == 1 && b[0] == 0x57)
        on_access(instruction, enter_from_user);
    if (is_arm && stores_pair && address - entry <= 16 && begins(name, "finish_task_switch"))
        on_access(instruction, switch_task);
    if (is_arm && stores_pair && (word & 0x3ff) == 0x3e0 && begins(name, "el0t_64_sync"))
        on_access(instruction, enter_from_user);
}

static bool is_mark(const uint8_t *b, size_t n, uint32_t word, int which)
{
    static const uint32_t hints[] = { 0, 0xd5032e3f, 0xd5032e5f, 0x386a693f };
    if (is_arm)
        return word == hints[which];
    const uint8_t *code = (const uint8_t[]){ 0x0f, which == 3 ? 0xb6 : 0x1f, which == 3 ? 0x87 : 0x80, (uint8_t)which, 0xbe, 0xc0, 0x5c };
    return n == 7 && !memcmp(b, code, 7);
}

/* The marks alone, which are all that is watched until the symbols are there. */
static void translate_marks(struct qemu_plugin_insn *instruction, const uint8_t *b, size_t n, uint32_t word)
{
    if (is_mark(b, n, word, 3))
        on_access(instruction, passed);
    else if (is_mark(b, n, word, 1))
        on_execution(instruction, begin_window);
    else if (is_mark(b, n, word, 2))
        on_execution(instruction, end_window);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    uint64_t code_line = 0;
    for (size_t i = 0, length = qemu_plugin_tb_n_insns(block); i < length; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        uint64_t address = qemu_plugin_insn_vaddr(instruction), entry;
        uint8_t copy[16] = { 0 };
        size_t n = qemu_plugin_insn_size(instruction);
        const uint8_t *b = copy;
        if (are_bytes_copied)
            copy_bytes(instruction, copy, sizeof copy);
        else
            b = qemu_plugin_insn_data(instruction);
        uint32_t word = 0;
        bool is_user = address < KERNEL;
        if (is_arm)
            memcpy(&word, b, 4);
        if (is_user)
            translate_marks(instruction, b, n, word);
        if (!is_counting)
            continue;
        int function = function_at(address, &entry);
        Class class = { 0 };
        if (is_arm)
            classify_arm(word, &class);
        else
            classify_x86(b, n, &class);
        if (follows_string(address))
            on_execution(instruction, leave_string);
        if (is_user && i == 0)
            on_execution(instruction, run_user);
        if (!is_user) {
            watch(instruction, names[function], address, entry, b, n, word);
            if (class.returns)
                on_execution(instruction, leave_interrupt);
        }
        class.is[ALL] = !class.repeats;
        class.is[CALLED] = address == entry;
        for (int column = 0; column < COLUMNS; column++)
            if (class.is[column])
                count(instruction, FUNCTION_COUNTER(function, column));
        for (int event = 0; event < EVENTS; event++)
            if (class.event[event])
                count(instruction, EVENT_COUNTER(event));
        if (class.repeats) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, turn_string, NO_REGS, (void *)(uintptr_t)(address << 16 | (unsigned)function));
            if (!follows_string(address + n) && string_end_count < 1024)
                string_ends[string_end_count++] = address + n;
        }
        int access = !class.repeats ? PLAIN_ACCESS : class.copies ? STRING_STORE : STRING_LOAD;
        qemu_plugin_register_vcpu_mem_cb(instruction, access_data, NO_REGS, MEM_RW, DATA(function, access));
        if (i == 0 || address >> 6 != code_line) {
            code_line = address >> 6;
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, run_line, NO_REGS, (void *)(uintptr_t)code_line);
        }
    }
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int word_count, char **words)
{
    plugin = id;
    is_arm = !strcmp(info->target_name, "aarch64");
    are_bytes_copied = info->version.cur >= 3;
    cpu_count = info->system.smp_vcpus;
    for (int i = 0; i < word_count; i++)
        if (begins(words[i], "out="))
            out = fopen(words[i] + 4, "w");
    if (!out || cpu_count > MOST_CPUS)
        return 1;
    if (qemu_plugin_scoreboard_new)
        scoreboard = qemu_plugin_scoreboard_new(sizeof(Board));
    else
        boards[board_count++] = &own;
    new_function("[user]");
    new_function("[kernel, no symbol]");
    count_from_now(id);
    return 0;
}
