// A plain C program in which a thread wakes or moves 16 threads that sleep on one futex, and sleep again for the next round. It
// shares no line with oscope. Usage: wakes one|all|requeue CPU CPU,CPU…, first the CPU of the waker, then those of the waiters
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "raw.h"

enum { WAITERS = 16, ROUNDS = 501, SETTLE_NS = 100000 };

// Of even and of odd rounds, and that to which waiters are moved.
static _Atomic uint32_t words[2] = {0, 1}, second;
static _Atomic long asleep;
static int cpus[WAITERS];

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    must(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

static inline __attribute__((always_inline)) long wake(_Atomic uint32_t *word, int most) {
    return raw(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, most, 0, 0, 0);
}

static void *sleep_in_rounds(void *cpu) {
    pin(*(int *)cpu);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        _Atomic uint32_t *word = &words[round % 2];
        asleep++;
        while (*word == round) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, round, NULL, NULL, 0);
    }
    return cpu;
}

static int by_size(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const char *call = arguments[1];
    pthread_t threads[WAITERS];
    double took[ROUNDS];
    pin(atoi(arguments[2]));
    const char *at = arguments[3];
    for (int waiter = 0; waiter < WAITERS; waiter++) {
        cpus[waiter] = atoi(at);
        at = strchr(at, ',') ? strchr(at, ',') + 1 : arguments[3];
        must(pthread_create(&threads[waiter], NULL, sleep_in_rounds, &cpus[waiter]) == 0, "pthread_create");
    }
    int rounds = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        while (asleep < (round + 1l) * WAITERS) sched_yield();
        for (double start = now(); now() - start < SETTLE_NS;) {}
        _Atomic uint32_t *word = &words[round % 2];
        *word = round + 2;
        long done = 0;
        double start = now();
        if (*call == 'o') for (int waiter = 0; waiter < WAITERS; waiter++) done += wake(word, 1);
        if (*call == 'a') done = wake(word, INT_MAX);
        if (*call == 'r')
            done = raw(SYS_futex, (long)word, FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, (long)&second, round + 2);
        double end = now();
        wake(&second, INT_MAX);
        // A waiter that came too late was not woken.
        if (done == WAITERS) took[rounds++] = (end - start) / WAITERS;
    }
    must(rounds > ROUNDS / 2, "half of the rounds");
    for (int waiter = 0; waiter < WAITERS; waiter++) pthread_join(threads[waiter], NULL);
    qsort(took, rounds, sizeof *took, by_size);
    printf("%.1f ns\n", took[rounds / 2]);
    return 0;
}
