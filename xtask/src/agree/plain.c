// A plain C program that times what oscope times, as a user would write it: the mean over long loops.
// It shares no line with oscope, so that the two can be compared. Usage: plain NAME CPU PEER_CPU. The command
// `plain without-slack COMMAND…` runs another program whose timers the kernel delays by 1 ns at most,
// `plain in-groups N COMMAND…` one in the innermost of N control groups; `plain direct FILE CPU`
// and `plain direct-young FILE CPU` read a file of their own, `plain cached FILE CPU` reads one from the page cache, and
// `plain faults CPU CPU` writes to new pages.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int own_cpu, peer_cpu;

static void must(int truth, const char *what) {
    if (!truth) {
        perror(what);
        exit(1);
    }
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    must(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void getppid_once(void) { must(getppid() >= 0, "getppid"); }

// A system call by its instruction: the C library takes part in none of it.
static long raw(long number, long first, long second, long third) {
#ifdef __x86_64__
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
#else
    long result = syscall(number, first, second, third);
    return result < 0 ? -errno : result;
#endif
}

// The same with four arguments.
static long raw_at(long number, long first, long second, long third, long fourth) {
#ifdef __x86_64__
    register long r10 __asm__("r10") = fourth;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
#else
    long result = syscall(number, first, second, third, fourth);
    return result < 0 ? -errno : result;
#endif
}

static void getppid_raw(void) { must(raw(SYS_getppid, 0, 0, 0) >= 0, "getppid"); }

static void no_call(void) { must(raw(4095, 0, 0, 0) == -ENOSYS, "no such call"); }

static void fstat_null(void) {
    static int file = -1;
    if (file < 0) file = open("/dev/null", 0);
    struct stat about;
    must(raw(SYS_fstat, file, (long)&about, 0) == 0, "fstat");
}

static void read_zero(void) {
    static int file = -1;
    if (file < 0) file = open("/dev/zero", 0);
    char byte = 1;
    must(read(file, &byte, 1) == 1 && byte == 0, "read");
}

static void one_byte_through(int writer, int reader) {
    char byte = 'x';
    must(raw(SYS_write, writer, (long)&byte, 1) == 1, "write");
    must(raw(SYS_read, reader, (long)&byte, 1) == 1, "read");
}

static void pipe_self(void) {
    static int ends[2] = {-1, -1};
    if (ends[0] < 0) must(pipe(ends) == 0, "pipe");
    one_byte_through(ends[1], ends[0]);
}

static void unix_self(void) {
    static int ends[2] = {-1, -1};
    if (ends[0] < 0) must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    one_byte_through(ends[1], ends[0]);
}

static void read_clock(void) {
    struct timespec time;
    must(clock_gettime(CLOCK_MONOTONIC, &time) == 0, "clock_gettime");
}

static void map_64(void) {
    void *got = mmap(NULL, 64 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(got != MAP_FAILED && munmap(got, 64 << 10) == 0, "mmap");
}

static void write_null(void) {
    static int file = -1;
    if (file < 0) file = open("/dev/null", 1);
    must(write(file, "x", 1) == 1, "write");
}

static void unshare_uts(void) { must(raw(SYS_unshare, CLONE_NEWUTS, 0, 0) == 0, "unshare"); }

static void setns_net(void) {
    static int spaces[2] = {-1, -1}, next;
    if (spaces[0] < 0) {
        spaces[0] = open("/proc/self/ns/net", O_RDONLY);
        must(unshare(CLONE_NEWNET) == 0, "unshare");
        spaces[1] = open("/proc/self/ns/net", O_RDONLY);
    }
    must(raw(SYS_setns, spaces[next ^= 1], CLONE_NEWNET, 0) == 0, "setns");
}

static void fork_wait(void) {
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) _exit(0);
    must(waitpid(child, NULL, 0) == child, "waitpid");
}

static void vfork_wait(void) {
    pid_t child = vfork();
    must(child >= 0, "vfork");
    if (child == 0) _exit(0);
    must(waitpid(child, NULL, 0) == child, "waitpid");
}

static void spawn_true(void) {
    extern char **environ;
    char *words[] = {"/bin/true", NULL};
    pid_t child;
    must(posix_spawn(&child, words[0], NULL, NULL, words, environ) == 0, "posix_spawn");
    must(waitpid(child, NULL, 0) == child, "waitpid");
}

static void *nothing(void *argument) { return argument; }

static void thread_join(void) {
    pthread_t thread;
    must(pthread_create(&thread, NULL, nothing, NULL) == 0, "pthread_create");
    must(pthread_join(thread, NULL) == 0, "pthread_join");
}

static volatile sig_atomic_t caught;
static void catch_it(int number) { (void)number; caught++; }

static void signal_self(void) {
    static int installed;
    if (!installed) signal(SIGUSR1, catch_it), installed = 1;
    sig_atomic_t before = caught;
    must(kill(getpid(), SIGUSR1) == 0 && caught == before + 1, "kill");
}

static void signal_known(void) {
    static pid_t own;
    if (own == 0) signal(SIGUSR1, catch_it), own = getpid();
    sig_atomic_t before = caught;
    must(raw(SYS_kill, own, SIGUSR1, 0) == 0 && caught == before + 1, "kill");
}

// The last of ten pipes, all of them ready, is taken out of a set and put back.
static void epoll_change(void) {
    static int epoll = -1, last;
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll < 0) {
        epoll = epoll_create1(0);
        for (int pair[2], number = 0; number < 10; number++) {
            must(pipe(pair) == 0 && write(pair[1], "x", 1) == 1, "pipe");
            last = pair[0];
            must(epoll_ctl(epoll, EPOLL_CTL_ADD, last, &event) == 0, "epoll_ctl");
        }
    }
    must(epoll_ctl(epoll, EPOLL_CTL_DEL, last, &event) == 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, last, &event) == 0, "epoll_ctl");
}

// Memory of a child that sleeps.
static void read_other(size_t bytes) {
    static pid_t child;
    static char *theirs, *ours;
    if (child == 0) {
        theirs = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), ours = malloc(bytes);
        must(theirs != MAP_FAILED && ours != NULL, "memory");
        int ready[2];
        must(pipe(ready) == 0, "pipe");
        child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            memset(theirs, 7, bytes);
            must(write(ready[1], "x", 1) == 1, "write");
            while (1) pause();
        }
        must(read(ready[0], ours, 1) == 1, "read");
    }
    struct iovec to = {ours, bytes}, from = {theirs, bytes};
    must(process_vm_readv(child, &to, 1, &from, 1, 0) == (ssize_t)bytes && ours[bytes - 1] == 7, "process_vm_readv");
}
static void read_other_page(void) { read_other(4096); }
static void read_other_mebibyte(void) { read_other(1 << 20); }

static void epoll_ready(void) {
    static int epoll = -1;
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll < 0) {
        int file = eventfd(1, 0);
        epoll = epoll_create1(0);
        must(epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) == 0, "epoll_ctl");
    }
    must(epoll_wait(epoll, &event, 1, 0) == 1, "epoll_wait");
}

static int to[2], from[2];

static int echo_over_descriptors(void *argument) {
    (void)argument;
    char byte;
    pin(peer_cpu);
    while (read(to[0], &byte, 1) == 1) must(write(from[1], &byte, 1) == 1, "write");
    return 0;
}

static void become_parent_of_echo(void) {
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(to[1]);
        _exit(echo_over_descriptors(NULL));
    }
}

static void ask_over_descriptors(void) {
    char byte = 'x';
    must(write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1, "round trip");
}

static void pipe_round_trip(void) {
    static int made;
    if (!made) {
        must(pipe(to) == 0 && pipe(from) == 0, "pipe");
        become_parent_of_echo();
        made = 1;
    }
    ask_over_descriptors();
}

static _Atomic uint32_t ping, pong;

static void hand_over(_Atomic uint32_t *word, uint32_t value) {
    atomic_store(word, value);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for(_Atomic uint32_t *word, uint32_t value) {
    uint32_t seen;
    while ((seen = atomic_load(word)) != value) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void *futex_echo(void *argument) {
    pin(peer_cpu);
    for (uint32_t turn = 1;; turn++) {
        wait_for(&ping, turn);
        hand_over(&pong, turn);
    }
    return argument;
}

static void futex_round_trip(void) {
    static uint32_t turn;
    pthread_t thread;
    if (turn == 0) must(pthread_create(&thread, NULL, futex_echo, NULL) == 0, "pthread_create");
    hand_over(&ping, ++turn);
    wait_for(&pong, turn);
}

enum { MESSAGE = 64 };
static char message[MESSAGE];
static struct sockaddr_in address = {.sin_family = AF_INET};

static void all_of(int is_read, int socket, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t moved = is_read ? read(socket, message + done, count - done) : write(socket, message + done, count - done);
        must(moved > 0, "read or write");
        done += moved;
    }
}

static int bound(int kind) {
    int made = socket(AF_INET, kind, 0);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t length = sizeof own;
    must(bind(made, (void *)&own, sizeof own) == 0 && getsockname(made, (void *)&own, &length) == 0, "bind");
    address.sin_port = own.sin_port;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return made;
}

static void at_once(int socket) {
    int on = 1;
    must(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "setsockopt");
}

// The system's own choice of congestion control may pace by a clock.
static void by_loss(int socket) {
    must(setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5) == 0, "setsockopt");
}

// Serves in a child on the other CPU: echoes one stream, datagrams, or a byte on each of many connections.
static void become_parent_of_server(int socket, void (*serve)(int)) {
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(peer_cpu);
        for (;;) serve(socket);
    }
}

static void echo_stream(int listening) {
    int socket = accept(listening, NULL, NULL);
    must(socket >= 0, "accept");
    at_once(socket), by_loss(socket);
    for (;;) all_of(1, socket, MESSAGE), all_of(0, socket, MESSAGE);
}

static void echo_datagram(int socket) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    ssize_t came = recvfrom(socket, message, MESSAGE, 0, (void *)&from, &length);
    must(came >= 0 && sendto(socket, message, came, 0, (void *)&from, length) == came, "echo");
}

static void echo_connection(int listening) {
    int socket = accept(listening, NULL, NULL);
    must(socket >= 0, "accept");
    all_of(1, socket, 1), all_of(0, socket, 1);
    must(read(socket, message, 1) == 0 && close(socket) == 0, "close");
}

static void tcp_round_trip(void) {
    static int near = -1;
    if (near < 0) {
        int listening = bound(SOCK_STREAM);
        must(listen(listening, 1) == 0, "listen");
        become_parent_of_server(listening, echo_stream);
        near = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(near, (void *)&address, sizeof address) == 0, "connect");
        at_once(near), by_loss(near);
    }
    all_of(0, near, MESSAGE), all_of(1, near, MESSAGE);
}

static void udp_round_trip(void) {
    static int near = -1;
    if (near < 0) {
        become_parent_of_server(bound(SOCK_DGRAM), echo_datagram);
        near = socket(AF_INET, SOCK_DGRAM, 0);
        must(connect(near, (void *)&address, sizeof address) == 0, "connect");
    }
    all_of(0, near, MESSAGE), all_of(1, near, MESSAGE);
}

static void connection(void) {
    static unsigned made;
    if (made == 0) {
        int listening = bound(SOCK_STREAM);
        must(listen(listening, 64) == 0, "listen");
        become_parent_of_server(listening, echo_connection);
    }
    // Another address after some thousands: ports rest for a minute.
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + made++ / 4096);
    int near = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(near, (void *)&address, sizeof address) == 0, "connect");
    all_of(0, near, 1), all_of(1, near, 1);
    must(close(near) == 0, "close");
}

// The same, but the server has closed the last one and waits for the next, which it has to be woken for.
static void connection_to_one_who_waits(void) {
    connection();
    sched_yield();
}

enum { MANY = 1000, MANY_STEP = 7919 % MANY };

// A message each way over another one of many connections of this process with itself.
static void tcp_among(void) {
    static int near[MANY], far[MANY], at, made;
    int listening = made ? -1 : bound(SOCK_STREAM);
    must(made || listen(listening, 64) == 0, "listen");
    for (; made < MANY; made++) {
        near[made] = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(near[made], (void *)&address, sizeof address) == 0, "connect");
        far[made] = accept(listening, NULL, NULL);
        must(far[made] >= 0, "accept");
        at_once(near[made]), by_loss(near[made]), at_once(far[made]), by_loss(far[made]);
    }
    all_of(0, near[at], MESSAGE), all_of(1, far[at], MESSAGE);
    all_of(0, far[at], MESSAGE), all_of(1, near[at], MESSAGE);
    at = (at + MANY_STEP) % MANY;
}

enum { BATCH = 32, KEPT = 64 };

// Echoes a byte on each connection, and closes it after the client has reset it.
static void accept_and_keep(int listening) {
    static int kept[KEPT], at;
    int socket = accept(listening, NULL, NULL);
    must(socket >= 0, "accept");
    all_of(1, socket, 1), all_of(0, socket, 1);
    if (kept[at] > 0) close(kept[at]);
    kept[at] = socket, at = (at + 1) % KEPT;
}

// Connections of a batch to processes that listen on one port.
static void shared_port(int acceptors) {
    static int made;
    int on = 1, near[BATCH];
    struct linger reset = {1, 0};
    for (; made < acceptors; made++) {
        int listening = socket(AF_INET, SOCK_STREAM, 0);
        socklen_t length = sizeof address;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        must(setsockopt(listening, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0, "setsockopt");
        must(bind(listening, (void *)&address, sizeof address) == 0 && listen(listening, 1024) == 0, "listen");
        must(getsockname(listening, (void *)&address, &length) == 0, "getsockname");
        int other = peer_cpu;
        peer_cpu = made % 2 ? own_cpu : other;
        become_parent_of_server(listening, accept_and_keep);
        peer_cpu = other;
    }
    for (int at = 0; at < BATCH; at++) {
        near[at] = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(near[at], (void *)&address, sizeof address) == 0, "connect");
        all_of(0, near[at], 1);
    }
    for (int at = 0; at < BATCH; at++) {
        all_of(1, near[at], 1);
        must(setsockopt(near[at], SOL_SOCKET, SO_LINGER, &reset, sizeof reset) == 0 && close(near[at]) == 0, "close");
    }
}

static void shared_port_1(void) { shared_port(1); }
static void shared_port_2(void) { shared_port(2); }
static void shared_port_4(void) { shared_port(4); }

// A random circle through lines of 64 bytes, as many KiB of them, in pages of 4 KiB or 2 MiB.
static void **circle(size_t kib, int huge) {
    size_t lines = kib * 16, room = (kib << 10) + (2 << 20);
    char *got = mmap(NULL, room + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *order = malloc(lines * sizeof *order);
    must(got != MAP_FAILED && order != NULL, "memory");
    got = (char *)(((uintptr_t)got + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
    madvise(got, room, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(got, 1, kib << 10);
    for (size_t at = 0; at < lines; at++) order[at] = at;
    srand48(7);
    for (size_t at = lines - 1; at > 0; at--) {
        size_t other = drand48() * at;
        uint32_t swap = order[at];
        order[at] = order[other], order[other] = swap;
    }
    for (size_t at = 0; at < lines; at++)
        *(void **)(got + 64ul * order[at]) = got + 64ul * order[(at + 1) % lines];
    free(order);
    return (void **)got;
}

static void **at_line;

enum { STEPS = 256 };

// Loads, each of which needs the last one's answer.
static void chase(size_t kib, int huge) {
    if (at_line == NULL) at_line = circle(kib, huge);
    void **line = at_line;
    for (int step = 0; step < STEPS; step += 8) {
        line = *line, line = *line, line = *line, line = *line;
        line = *line, line = *line, line = *line, line = *line;
    }
    at_line = line;
}

static void chase_16(void) { chase(16, 0); }
static void chase_256(void) { chase(256, 0); }
static void chase_4096(void) { chase(4096, 0); }
static void chase_65536(void) { chase(65536, 1); }
static void chase_65536_small(void) { chase(65536, 0); }

enum { HALF = 64 << 20 };
static double *block;

static double *made_block(void) {
    if (block == NULL) {
        char *got = mmap(NULL, 2ul * HALF + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(got != MAP_FAILED, "memory");
        got = (char *)(((uintptr_t)got + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
        madvise(got, 2ul * HALF, MADV_HUGEPAGE);
        memset(got, 1, 2ul * HALF);
        block = (double *)got;
    }
    return block;
}

static void copy_half(void) { memcpy(made_block() + HALF / 8, made_block(), HALF); }

static void stream_half(void) {
    double *restrict to_half = made_block() + HALF / 8, *restrict from_half = made_block();
    for (size_t at = 0; at < HALF / 8; at++) to_half[at] = from_half[at] + 1;
}

static void write_all(void) { memset(made_block(), 3, 2ul * HALF); }

static void read_all(void) {
    double *from_block = made_block();
    uint64_t sums[8] = {0};
    for (size_t at = 0; at < 2 * HALF / 8; at += 8)
        for (int lane = 0; lane < 8; lane++) sums[lane] += ((uint64_t *)from_block)[at + lane];
    static volatile uint64_t sink;
    for (int lane = 0; lane < 8; lane++) sink += sums[lane];
}

static const struct {
    const char *name;
    void (*once)(void);
    // What a turn does: its steps, or its bytes where a rate is asked for.
    double steps, bytes;
} all[] = {
    {"getppid", getppid_once, 1, 0},
    {"getppid_raw", getppid_raw, 1, 0},
    {"no_call", no_call, 1, 0},
    {"fstat", fstat_null, 1, 0},
    {"read_zero", read_zero, 1, 0},
    {"pipe_self", pipe_self, 1, 0},
    {"unix_self", unix_self, 1, 0},
    {"clock", read_clock, 1, 0},
    {"map_64", map_64, 1, 0},
    {"write_null", write_null, 1, 0},
    {"unshare_uts", unshare_uts, 1, 0},
    {"setns_net", setns_net, 1, 0},
    {"fork", fork_wait, 1, 0},
    {"vfork", vfork_wait, 1, 0},
    {"spawn_true", spawn_true, 1, 0},
    {"thread", thread_join, 1, 0},
    {"signal", signal_self, 1, 0},
    {"signal-known", signal_known, 1, 0},
    {"epoll_ready", epoll_ready, 1, 0},
    {"epoll_change", epoll_change, 1, 0},
    {"read_other_page", read_other_page, 1, 0},
    {"read_other_mebibyte", read_other_mebibyte, 1, 0},
    {"pipe", pipe_round_trip, 1, 0},
    {"futex", futex_round_trip, 1, 0},
    {"tcp", tcp_round_trip, 1, 0},
    {"udp", udp_round_trip, 1, 0},
    {"crr", connection, 1, 0},
    {"crr-waiting", connection_to_one_who_waits, 1, 0},
    {"tcp-among", tcp_among, 1, 0},
    {"shared-port-1", shared_port_1, BATCH, 0},
    {"shared-port-2", shared_port_2, BATCH, 0},
    {"shared-port-4", shared_port_4, BATCH, 0},
    {"chase-16", chase_16, STEPS, 0},
    {"chase-256", chase_256, STEPS, 0},
    {"chase-4096", chase_4096, STEPS, 0},
    {"chase-65536", chase_65536, STEPS, 0},
    {"chase-65536-small", chase_65536_small, STEPS, 0},
    {"copy", copy_half, 1, HALF},
    {"stream", stream_half, 1, HALF},
    {"read", read_all, 1, 2.0 * HALF},
    {"write", write_all, 1, 2.0 * HALF},
};

enum { FILE_BYTES = 64 << 20, BLOCK = 4096, READS = 6400 };

static int by_size(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

// Prints the median of laps, each divided by what it did.
static int print_median(double *laps, int count, double each) {
    qsort(laps, count, sizeof *laps, by_size);
    printf("%.1f ns\n", laps[count / 2] / each);
    return 0;
}

enum { LAPS = 51, PAGES = 4096 };

// Writes a word to every page of 16 MiB that MADV_DONTNEED freed before; only the writes are timed.
static int write_new_pages(void) {
    static double laps[LAPS];
    char *pages = mmap(NULL, (size_t)PAGES * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(pages != MAP_FAILED && madvise(pages, (size_t)PAGES * BLOCK, MADV_NOHUGEPAGE) == 0, "mmap");
    for (int lap = 0; lap < LAPS; lap++) {
        must(madvise(pages, (size_t)PAGES * BLOCK, MADV_DONTNEED) == 0, "madvise");
        double start = now();
        for (int page = 0; page < PAGES; page++) *(volatile uint64_t *)(pages + (size_t)page * BLOCK) = page | 1;
        laps[lap] = now() - start;
    }
    return print_median(laps, LAPS, PAGES);
}

// Makes huge pages of written base pages, or splits huge pages by freeing a base page of each.
static int change_huge_pages(int is_split) {
    enum { HUGE = 2 << 20, EACH = 8, COLLAPSE = 25 }; // MADV_COLLAPSE, which old headers lack.
    static double laps[LAPS];
    char *area = mmap(NULL, (EACH + 1) * (size_t)HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(area != MAP_FAILED, "mmap");
    area = (char *)(((uintptr_t)area + HUGE - 1) & -(uintptr_t)HUGE);
    for (int lap = 0; lap < LAPS; lap++) {
        must(madvise(area, EACH * (size_t)HUGE, MADV_DONTNEED) == 0, "madvise");
        must(madvise(area, EACH * (size_t)HUGE, is_split ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0, "madvise");
        for (size_t at = 0; at < EACH * (size_t)HUGE; at += BLOCK) *(volatile uint64_t *)(area + at) = at | 1;
        must(madvise(area, EACH * (size_t)HUGE, MADV_HUGEPAGE) == 0, "madvise");
        double start = now();
        for (size_t at = 0; at < EACH * (size_t)HUGE; at += HUGE) {
            int changed = is_split ? madvise(area + at + BLOCK, BLOCK, MADV_DONTNEED) : madvise(area + at, HUGE, COLLAPSE);
            must(changed == 0 && *(volatile uint64_t *)(area + at) == (at | 1), "madvise");
        }
        laps[lap] = now() - start;
    }
    return print_median(laps, LAPS, EACH);
}

enum { STREAM_BLOCK = 128 << 10, LOADED = 1 << 20 };

static void send_blocks(int listening) {
    static char block[STREAM_BLOCK];
    int socket = accept(listening, NULL, NULL);
    must(socket >= 0, "accept");
    by_loss(socket);
    for (;;) must(write(socket, block, sizeof block) > 0, "stream");
}

// Reads a stream that a child on the other CPU sends; a child does so on the CPU of the caller.
static void stream_to_this_cpu(void) {
    int listening = bound(SOCK_STREAM);
    must(listen(listening, 1) == 0, "listen");
    become_parent_of_server(listening, send_blocks);
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child > 0) return;
    static char block[STREAM_BLOCK];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int socket_of_stream = socket(AF_INET, SOCK_STREAM, 0);
    by_loss(socket_of_stream);
    must(connect(socket_of_stream, (void *)&address, sizeof address) == 0, "connect");
    for (;;) must(read(socket_of_stream, block, sizeof block) > 0, "stream");
}

// Round trips while a stream runs from the server's CPU to the caller's, each timed by itself, for a second after a quarter of one.
static int time_beside_stream(void (*once)(void)) {
    static double laps[LOADED];
    stream_to_this_cpu();
    for (double start = now(); now() - start < 2.5e8;) once();
    int count = 0;
    for (double start = now(); count < LOADED && now() - start < 1e9; count++) {
        double sent = now();
        once();
        laps[count] = now() - sent;
    }
    return print_median(laps, count, 1);
}

// Reads random blocks of 16 MiB that are in the page cache, by the instruction, into one block of memory.
static int read_cached(const char *path) {
    enum { CACHED = 16 << 20, EACH = 4096 };
    static double laps[LAPS];
    static long offsets[EACH];
    char *block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    must(file >= 0 && block != MAP_FAILED && unlink(path) == 0, path);
    for (long at = 0; at < CACHED; at += BLOCK) must(write(file, block, BLOCK) == BLOCK, "write");
    must(fsync(file) == 0, "fsync");
    for (int lap = 0; lap < LAPS; lap++) {
        for (int at = 0; at < EACH; at++) offsets[at] = (long)(drand48() * (CACHED / BLOCK)) * BLOCK;
        double start = now();
        for (int at = 0; at < EACH; at++) must(raw_at(SYS_pread64, file, (long)block, BLOCK, offsets[at]) == BLOCK, "pread");
        laps[lap] = now() - start;
    }
    return print_median(laps, LAPS, EACH);
}

// Random blocks of a new file by O_DIRECT, each read timed by itself: all by one process, or by a process for each few, as
// old as oscope's are.
static int read_directly(const char *path, int each) {
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double *took = mmap(NULL, READS * sizeof *took, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(file >= 0 && block != MAP_FAILED && took != MAP_FAILED, path);
    srand48(7);
    for (long at = 0; at < FILE_BYTES; at += BLOCK) {
        for (int word = 0; word < BLOCK / 4; word++) ((uint32_t *)block)[word] = mrand48();
        must(write(file, block, BLOCK) == BLOCK, "write");
    }
    must(fsync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, "fsync");
    int direct = open(path, O_RDONLY | O_DIRECT);
    must(direct >= 0 && unlink(path) == 0, path);
    for (int from = 0; from < READS; from += each) {
        pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            srand48(from + 1);
            for (int at = from; at < from + each; at++) {
                off_t offset = (off_t)(drand48() * (FILE_BYTES / BLOCK)) * BLOCK;
                double start = now();
                must(pread(direct, block, BLOCK, offset) == BLOCK, "pread");
                took[at] = now() - start;
            }
            _exit(0);
        }
        int status;
        must(waitpid(child, &status, 0) == child && status == 0, "child");
    }
    qsort(took, READS, sizeof *took, by_size);
    printf("%.0f ns\n", took[READS / 2]);
    return 0;
}

// Runs a command in the innermost of nested control groups (version 2), which are removed afterwards.
static int run_in_groups(int levels, char **command) {
    char line[512] = "", own[512] = "", root[512] = "", path[4096];
    FILE *mounts = fopen("/proc/self/mounts", "r");
    must(mounts != NULL, "/proc/self/mounts");
    while (root[0] == 0 && fgets(line, sizeof line, mounts) != NULL)
        if (strstr(line, " cgroup2 ") != NULL) sscanf(line, "%*s %511s", root);
    fclose(mounts);
    FILE *groups = fopen("/proc/self/cgroup", "r");
    must(groups != NULL, "/proc/self/cgroup");
    while (fgets(line, sizeof line, groups) != NULL)
        if (strncmp(line, "0::", 3) == 0) sscanf(line + 3, "%511s", own);
    fclose(groups);
    must(root[0] == '/' && own[0] == '/' && levels > 0 && levels < 100, "no group of version 2");
    size_t lengths[100], length = snprintf(path, sizeof path, "%s%s/plain-%d", root, own, getpid());
    for (int level = 0; level < levels; level++) {
        must(mkdir(path, 0755) == 0, path);
        lengths[level] = length;
        if (level < levels - 1) length += snprintf(path + length, sizeof path - length, "/plain");
    }
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(path + length, sizeof path - length, "/cgroup.procs");
        FILE *members = fopen(path, "r+");
        must(members != NULL && fputs("0", members) >= 0 && fclose(members) == 0, path);
        execvp(command[0], command);
        must(0, command[0]);
    }
    int status;
    must(waitpid(child, &status, 0) == child, "waitpid");
    for (int level = levels - 1; level >= 0; level--) {
        path[lengths[level]] = 0;
        // A process that the command has left ends with it, a moment later.
        for (int turn = 0; rmdir(path) != 0 && errno == EBUSY && turn < 1000; turn++) usleep(1000);
    }
    return status != 0;
}

// Batches of about 20 ms for one second; prints the median of their means in nanoseconds, or the rate that it makes.
int main(int count, char **words) {
    if (count > 2 && strcmp(words[1], "without-slack") == 0) {
        // What a process has when it forks is what its child and all tasks of that go back to.
        must(prctl(PR_SET_TIMERSLACK, 1) == 0, "prctl");
        pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            execvp(words[2], words + 2);
            must(0, words[2]);
        }
        int status;
        must(waitpid(child, &status, 0) == child, "waitpid");
        return status != 0;
    }
    if (count > 3 && strcmp(words[1], "in-groups") == 0) return run_in_groups(atoi(words[2]), words + 3);
    if (count != 4) return 2;
    if (strcmp(words[1], "direct") == 0) return pin(atoi(words[3])), read_directly(words[2], READS);
    if (strcmp(words[1], "direct-young") == 0) return pin(atoi(words[3])), read_directly(words[2], 64);
    if (strcmp(words[1], "cached") == 0) return pin(atoi(words[3])), read_cached(words[2]);
    if (strcmp(words[1], "collapse") == 0) return pin(atoi(words[2])), change_huge_pages(0);
    if (strcmp(words[1], "split") == 0) return pin(atoi(words[2])), change_huge_pages(1);
    if (strcmp(words[1], "faults") == 0) return pin(atoi(words[2])), write_new_pages();
    own_cpu = atoi(words[2]), peer_cpu = atoi(words[3]);
    pin(own_cpu);
    if (strcmp(words[1], "tcp-loaded") == 0) return time_beside_stream(tcp_round_trip);
    if (strcmp(words[1], "udp-loaded") == 0) return time_beside_stream(udp_round_trip);
    for (size_t at = 0; at < sizeof all / sizeof *all; at++) {
        if (strcmp(all[at].name, words[1]) != 0) continue;
        double means[50];
        long turns = 1;
        for (double took = 0; took < 1e7 && turns < 1l << 30; turns *= 2) {
            double start = now();
            for (long turn = 0; turn < turns; turn++) all[at].once();
            took = now() - start;
        }
        for (int batch = 0; batch < 50; batch++) {
            double start = now();
            for (long turn = 0; turn < turns; turn++) all[at].once();
            means[batch] = (now() - start) / turns;
            for (int back = batch; back > 0 && means[back - 1] > means[back]; back--) {
                double swap = means[back];
                means[back] = means[back - 1], means[back - 1] = swap;
            }
        }
        if (all[at].bytes > 0) printf("%.0f B/s\n", all[at].bytes * 1e9 / means[25]);
        else printf("%.3f ns\n", means[25] / all[at].steps);
        return 0;
    }
    return 2;
}
