// Messages of 100 bytes from every sender of a group to every receiver, as hackbench sends them, with oscope's two differences: the
// tasks are made before the time begins and end behind it, and with `raw` the calls are instructions in the loops. It shares no
// line with oscope. Usage: messages CPU,CPU… pipe|unix raw|library
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "raw.h"

enum { TASKS = 20, LOOPS = 100, ROUNDS = 9, BYTES = 100 };

static int channels[TASKS][2];

// Tasks say that they are ready, senders are told to begin, and the last receiver of a round says that it has ended. Nobody looks
// meanwhile: all are on the CPUs that are timed.
static int ready[2], begin[TASKS][2], end[2];
static _Atomic int *received;

// A task's round: `MOVE` is what it does `times` times.
#define ROUND(MOVE)                                                                                      \
    for (int loop = 0; loop < LOOPS; loop++)                                                             \
        for (int at = 0; at < TASKS; at++) must(MOVE == BYTES, "message")

static void send_all(int is_raw) {
    char message[BYTES] = {1};
    if (is_raw) ROUND(raw(SYS_write, channels[at][1], (long)message, BYTES, 0, 0, 0));
    else ROUND(write(channels[at][1], message, BYTES));
}

static void receive_all(int file, int is_raw) {
    char message[BYTES];
    if (is_raw) ROUND(raw(SYS_read, file, (long)message, BYTES, 0, 0, 0));
    else ROUND(read(file, message, BYTES));
    if (atomic_fetch_add(received, 1) + 1 == TASKS) {
        double time = now();
        atomic_store(received, 0);
        must(write(end[1], &time, sizeof time) == sizeof time, "end");
    }
}

static void act(int task, int is_raw) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char byte = 0;
    for (int round = 0; round < ROUNDS; round++) {
        must(write(ready[1], &byte, 1) == 1, "ready");
        if (task < TASKS) receive_all(channels[task][0], is_raw);
        else must(read(begin[task - TASKS][0], &byte, 1) == 1, "begin"), send_all(is_raw);
    }
    _exit(0);
}

static int by_size(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(int words, char **word) {
    if (words != 4) return 2;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (char *cpu = strtok(word[1], ","); cpu != NULL; cpu = strtok(NULL, ",")) CPU_SET(atoi(cpu), &set);
    must(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
    int is_pipe = strcmp(word[2], "pipe") == 0, is_raw = strcmp(word[3], "raw") == 0;
    received = mmap(NULL, sizeof *received, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(received != MAP_FAILED && pipe(ready) == 0 && pipe(end) == 0, "mmap");
    for (int at = 0; at < TASKS; at++)
        must(pipe(begin[at]) == 0 && (is_pipe ? pipe(channels[at]) : socketpair(AF_UNIX, SOCK_STREAM, 0, channels[at])) == 0, "channel");
    for (int task = 0; task < 2 * TASKS; task++) {
        pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) act(task, is_raw);
    }
    double values[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        char byte = 0;
        for (int task = 0; task < 2 * TASKS; task++) must(read(ready[0], &byte, 1) == 1, "ready");
        double start = now(), time;
        for (int at = 0; at < TASKS; at++) must(write(begin[at][1], &byte, 1) == 1, "begin");
        must(read(end[0], &time, sizeof time) == sizeof time, "end");
        values[round] = (time - start) / (TASKS * TASKS * LOOPS);
    }
    qsort(values, ROUNDS, sizeof *values, by_size);
    printf("%.3f ns\n", values[ROUNDS / 2]);
    return 0;
}
