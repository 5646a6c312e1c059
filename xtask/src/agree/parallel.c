// A plain C program that does on several CPUs what oscope does there, as will-it-scale and STREAM do: loops that count, and
// arrays of numbers. It shares no line with oscope. Usage: parallel NAME CPU,CPU… processes|threads
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "raw.h"
#ifdef __x86_64__
#include <emmintrin.h>
#endif

enum { MOST = 64, PAGE = 4096, WINDOWS = 21 };

// What the actors share: how many operations each has done, a line of its own for each.
static struct {
    _Atomic unsigned long done;
    char rest[120];
} * actors;

// What an actor has for itself.
struct own {
    int file;
    char *page;
    // A directory, and the name of a file in it.
    int folder;
    char name[24];
    // A byte that no other actor locks.
    long byte;
    // Three arrays, and which piece of them is next.
    double *a, *b, *c;
    size_t next;
};

static void open_own_file(struct own *own) {
    own->file = syscall(SYS_memfd_create, "own", 0);
    must(own->file >= 0 && write(own->file, "8 bytes.", 8) == 8, "memfd_create");
}

static void map_own_page(struct own *own) {
    own->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(own->page != MAP_FAILED, "mmap");
}

// The file that all lock, where they share one; this program, beside which directories are made.
static int one_file = -1;
static const char *program;

static void open_file_to_lock(struct own *own) {
    open_own_file(own);
    if (one_file >= 0) own->file = one_file;
    own->byte = syscall(SYS_gettid);
}

static void make_one_file(void) {
    one_file = syscall(SYS_memfd_create, "one", 0);
    must(one_file >= 0, "memfd_create");
}

static void open_pipe(struct own *own) {
    int ends[2];
    must(pipe(ends) == 0 && write(ends[1], "1", 1) == 1, "pipe");
    own->file = ends[0];
}

// Whoever made the directory of this program removes what is left beside it.
static void open_folder(struct own *own, const char *which) {
    char path[4096];
    snprintf(path, sizeof path, "%s-%s", program, which);
    mkdir(path, 0700);
    own->folder = open(path, O_RDONLY | O_DIRECTORY);
    must(own->folder >= 0, path);
    snprintf(own->name, sizeof own->name, "f%ld", syscall(SYS_gettid));
}

static void open_own_folder(struct own *own) {
    char which[24];
    snprintf(which, sizeof which, "%ld", syscall(SYS_gettid));
    open_folder(own, which);
}

static void open_one_folder(struct own *own) { open_folder(own, "one"); }

static void find_end(struct own *own) { own->page = (char *)syscall(SYS_brk, 0); }

// A function with the operations of a turn.
#define LOOP(NAME, STATEMENT)                                                                            \
    static void NAME(struct own *own) {                                                                  \
        (void)own;                                                                                       \
        for (int at = 0; at < TURN; at++) STATEMENT;                                                     \
    }

enum { TURN = 32 };

static inline __attribute__((always_inline)) void read_end(int file) {
    char byte;
    must(raw(SYS_read, file, (long)&byte, 1, 0, 0, 0) == 0, "read");
}

// By the library, as oscope.
static inline void open_and_close(void) {
    int file = open("/dev/null", O_RDONLY);
    must(file >= 0 && close(file) == 0, "open");
}

static inline __attribute__((always_inline)) void map_and_unmap(void) {
    long got = raw(SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(got > 0 && raw(SYS_munmap, got, PAGE, 0, 0, 0, 0) == 0, "mmap");
}

static inline __attribute__((always_inline)) void drop_and_touch(char *page) {
    must(raw(SYS_madvise, (long)page, PAGE, MADV_DONTNEED, 0, 0, 0) == 0, "madvise");
    *(volatile char *)page = 1;
}

// By the library, as oscope.
static inline void lock_and_unlock(struct own *own) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = own->byte, .l_len = 1};
    must(fcntl(own->file, F_SETLKW, &lock) == 0, "fcntl");
    lock.l_type = F_UNLCK;
    must(fcntl(own->file, F_SETLK, &lock) == 0, "fcntl");
}

static inline __attribute__((always_inline)) void poll_once(int file) {
    struct pollfd entry = {.fd = file, .events = POLLIN};
    struct timespec at_once = {0, 0};
    must(raw(SYS_ppoll, (long)&entry, 1, (long)&at_once, 0, 0, 0) == 1 && entry.revents == POLLIN, "ppoll");
}

static inline __attribute__((always_inline)) void grow_and_shrink(char *end) {
    must(raw(SYS_brk, (long)end + PAGE, 0, 0, 0, 0, 0) == (long)end + PAGE, "brk");
    must(raw(SYS_brk, (long)end, 0, 0, 0, 0, 0) == (long)end, "brk");
}

static inline __attribute__((always_inline)) void create_and_remove(struct own *own) {
    long file = raw(SYS_openat, own->folder, (long)own->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
    must(file >= 0 && raw(SYS_close, file, 0, 0, 0, 0, 0) == 0, "openat");
    must(raw(SYS_unlinkat, own->folder, (long)own->name, 0, 0, 0, 0) == 0, "unlinkat");
}

LOOP(lock, lock_and_unlock(own))
LOOP(poll_pipe, poll_once(own->file))
LOOP(move_end, grow_and_shrink(own->page))
LOOP(create_unlink, create_and_remove(own))
LOOP(get_parent, must(raw(SYS_getppid, 0, 0, 0, 0, 0, 0) >= 0, "getppid"))
LOOP(get_parent_library, must(getppid() >= 0, "getppid"))
LOOP(read_file, read_end(own->file))
LOOP(open_close, open_and_close())
LOOP(map_unmap, map_and_unmap())
LOOP(fault, drop_and_touch(own->page))

// Faults as will-it-scale has them: an area is mapped, a byte of every page written, and the area unmapped.
enum { AREA_PAGES = 1024 };

static void fault_area(struct own *own) {
    (void)own;
    size_t bytes = (size_t)AREA_PAGES * PAGE;
    char *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(got != MAP_FAILED && madvise(got, bytes, MADV_NOHUGEPAGE) == 0, "mmap");
    for (size_t at = 0; at < bytes; at += PAGE) *(volatile char *)(got + at) = 1;
    must(munmap(got, bytes) == 0, "munmap");
}

// STREAM: three arrays of 64 MiB for each actor, on huge pages where there are some; a turn is a piece of 1 MiB of each.
enum { ELEMENTS = (64 << 20) / 8, PIECE = (1 << 20) / 8 };

static double *array(void) {
    size_t huge = 2 << 20, bytes = ELEMENTS * sizeof(double);
    char *got = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(got != MAP_FAILED, "mmap");
    got = (char *)(((uintptr_t)got + huge - 1) & ~(uintptr_t)(huge - 1));
    madvise(got, bytes, MADV_HUGEPAGE);
    double *numbers = (double *)got;
    for (size_t at = 0; at < ELEMENTS; at++) numbers[at] = at % 1000 + 1;
    return numbers;
}

static void make_arrays(struct own *own) { own->a = array(), own->b = array(), own->c = array(); }

// A loop over the next piece of the arrays.
#define STREAM(NAME, STATEMENT)                                                                          \
    static void NAME(struct own *own) {                                                                  \
        size_t from = own->next;                                                                         \
        double *restrict a = own->a + from, *restrict b = own->b + from, *restrict c = own->c + from;    \
        (void)a, (void)b, (void)c;                                                                       \
        for (size_t at = 0; at < PIECE; at++) STATEMENT;                                                 \
        own->next = (from + PIECE) % ELEMENTS;                                                           \
        __asm__ volatile("" ::: "memory");                                                               \
    }
STREAM(copy, c[at] = a[at])
STREAM(scale, b[at] = 3.0 * c[at])
STREAM(add, c[at] = a[at] + b[at])
STREAM(triad, a[at] = b[at] + 3.0 * c[at])

// The same with stores that do not read the line first, as some compilers translate the loops.
#ifdef __x86_64__
#define STREAM_NT(NAME, TO, VALUE)                                                                       \
    static void NAME(struct own *own) {                                                                  \
        size_t from = own->next;                                                                         \
        double *restrict a = own->a + from, *restrict b = own->b + from, *restrict c = own->c + from;    \
        __m128d three = _mm_set1_pd(3.0);                                                                \
        (void)a, (void)b, (void)c, (void)three;                                                          \
        for (size_t at = 0; at < PIECE; at += 2) _mm_stream_pd(TO + at, VALUE);                          \
        own->next = (from + PIECE) % ELEMENTS;                                                           \
        _mm_sfence();                                                                                    \
    }
STREAM_NT(copy_nt, c, _mm_load_pd(a + at))
STREAM_NT(scale_nt, b, _mm_mul_pd(three, _mm_load_pd(c + at)))
STREAM_NT(add_nt, c, _mm_add_pd(_mm_load_pd(a + at), _mm_load_pd(b + at)))
STREAM_NT(triad_nt, a, _mm_add_pd(_mm_load_pd(b + at), _mm_mul_pd(three, _mm_load_pd(c + at))))
#else
#define copy_nt copy
#define scale_nt scale
#define add_nt add
#define triad_nt triad
#endif

static void nothing(struct own *own) { (void)own; }

static const struct work {
    const char *name;
    void (*prepare)(struct own *), (*once)(struct own *);
    // Operations in a turn, and bytes of a turn where a rate is asked for.
    double operations, bytes;
} all[] = {
    {"getppid", nothing, get_parent, TURN, 0},
    {"getppid_library", nothing, get_parent_library, TURN, 0},
    {"read", open_own_file, read_file, TURN, 0},
    {"open_close", nothing, open_close, TURN, 0},
    {"lock", open_file_to_lock, lock, TURN, 0},
    {"lock_one", open_file_to_lock, lock, TURN, 0},
    {"poll", open_pipe, poll_pipe, TURN, 0},
    {"brk", find_end, move_end, TURN, 0},
    {"create_unlink", open_own_folder, create_unlink, TURN, 0},
    {"create_unlink_one", open_one_folder, create_unlink, TURN, 0},
    {"mmap", nothing, map_unmap, TURN, 0},
    {"fault", map_own_page, fault, TURN, 0},
    {"fault_area", nothing, fault_area, AREA_PAGES, 0},
    // A copy counts each byte once, as oscope does; the others count the bytes of all arrays, as STREAM does.
    {"copy", make_arrays, copy, 1, 8.0 * PIECE},
    {"scale", make_arrays, scale, 1, 16.0 * PIECE},
    {"add", make_arrays, add, 1, 24.0 * PIECE},
    {"triad", make_arrays, triad, 1, 24.0 * PIECE},
    {"copy_nt", make_arrays, copy_nt, 1, 8.0 * PIECE},
    {"scale_nt", make_arrays, scale_nt, 1, 16.0 * PIECE},
    {"add_nt", make_arrays, add_nt, 1, 24.0 * PIECE},
    {"triad_nt", make_arrays, triad_nt, 1, 24.0 * PIECE},
};

static const struct work *work;
static int cpus[MOST], count;

static void *act(void *argument) {
    int actor = (int)(intptr_t)argument;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[actor], &set);
    must(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
    struct own own = {0};
    work->prepare(&own);
    for (;;) {
        work->once(&own);
        atomic_fetch_add_explicit(&actors[actor].done, 1, memory_order_relaxed);
    }
    return NULL;
}

static int by_size(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static double total(void) {
    double sum = 0;
    for (int actor = 0; actor < count; actor++) sum += atomic_load(&actors[actor].done);
    return sum;
}

static void rest(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

// Prints the median over windows of 100 ms of the time of an operation of an actor, or of the rate of all.
int main(int words, char **word) {
    if (words != 4) return 2;
    for (char *cpu = strtok(word[2], ","); cpu != NULL && count < MOST; cpu = strtok(NULL, ",")) cpus[count++] = atoi(cpu);
    for (size_t at = 0; at < sizeof all / sizeof *all; at++)
        if (strcmp(all[at].name, word[1]) == 0) work = &all[at];
    if (work == NULL || count == 0) return 2;
    actors = mmap(NULL, MOST * sizeof *actors, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(actors != MAP_FAILED, "mmap");
    program = word[0];
    if (strcmp(work->name, "lock_one") == 0) make_one_file();
    int are_threads = strcmp(word[3], "threads") == 0;
    for (intptr_t actor = 0; actor < count; actor++) {
        pthread_t thread;
        if (are_threads) {
            must(pthread_create(&thread, NULL, act, (void *)actor) == 0, "pthread_create");
            continue;
        }
        pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            act((void *)actor);
        }
    }
    for (int actor = 0; actor < count; actor++)
        while (atomic_load(&actors[actor].done) == 0) rest(10);
    rest(200);
    double values[WINDOWS];
    for (int window = 0; window < WINDOWS; window++) {
        double start = now(), before = total();
        rest(100);
        double turns = total() - before, took = now() - start;
        values[window] = work->bytes > 0 ? turns * work->bytes * 1e9 / took : took * count / (turns * work->operations);
    }
    qsort(values, WINDOWS, sizeof *values, by_size);
    if (work->bytes > 0) printf("%.0f B/s\n", values[WINDOWS / 2]);
    else printf("%.3f ns\n", values[WINDOWS / 2]);
    return 0;
}
