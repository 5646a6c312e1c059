// A plain C program in which a messenger posts requests of 200 µs of work to a worker for each CPU, at a share of the capacity that it
// measures before. It shares no line with oscope. It prints the median of one worker's wake-ups or responses over rounds of
// 100 ms. Usage: requests LOAD wakeup|response CPU,CPU
#define _GNU_SOURCE
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "raw.h"

enum { WORKERS = 2, WAITING = 4096, BURST = 60, ROUNDS = 40 };
#define WORK_NS 2e5
#define ROUND_NS 1e8

struct request {
    double due, posted;
};

static struct worker {
    _Alignas(128) _Atomic uint32_t posted;
    _Atomic uint32_t done;
    struct request waiting[WAITING];
} workers[WORKERS];

static _Atomic int over;
static long turns;
static int of_wakeups;
static double values[1 << 20];
static _Atomic int count;

static unsigned long work(long n) {
    volatile unsigned long start = 0;
    unsigned long sum = start;
    for (long turn = 0; turn < n; turn++) sum = sum * 6364136223846793005ul + turn;
    return start = sum;
}

static void *serve(void *one) {
    struct worker *worker = one;
    for (uint32_t next = 0;; next++) {
        int slept = 0;
        while (worker->posted == next) {
            if (over) return NULL;
            slept |= syscall(SYS_futex, &worker->posted, FUTEX_WAIT_PRIVATE, next, NULL, NULL, 0) == 0;
        }
        double began = now();
        struct request request = worker->waiting[next % WAITING];
        work(turns);
        worker->done = next + 1;
        // Requests of a burst are not due.
        if (worker != workers || request.due == 0 || count == 1 << 20) continue;
        if (!of_wakeups) values[count++] = now() - request.due;
        else if (slept) values[count++] = began - request.posted;
    }
}

static void post(struct worker *worker, double due) {
    worker->waiting[worker->posted % WAITING] = (struct request){due, now()};
    worker->posted++;
    syscall(SYS_futex, &worker->posted, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for_all(void) {
    for (int index = 0; index < WORKERS; index++)
        while (workers[index].done != workers[index].posted) nanosleep(&(struct timespec){0, 100000}, NULL);
}

static int by_size(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(int arguments, char **argument) {
    if (arguments != 4) return 2;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (char *at = argument[3]; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) CPU_SET(atoi(at), &set);
    must(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
    must(prctl(PR_SET_TIMERSLACK, 1) == 0, "prctl");
    of_wakeups = *argument[2] == 'w';
    double least = 1e9;
    for (int attempt = 0; attempt < 9; attempt++) {
        double start = now();
        work(20000);
        least = fmin(least, now() - start);
    }
    turns = WORK_NS * 20000 / least;
    pthread_t threads[WORKERS];
    for (int index = 0; index < WORKERS; index++)
        must(pthread_create(&threads[index], NULL, serve, &workers[index]) == 0, "pthread_create");
    srand48(now());
    for (int round = 0; round < ROUNDS; round++) {
        double capacity = 0;
        for (int attempt = 0; attempt < 3; attempt++) {
            double start = now();
            for (int one = 0; one < BURST * WORKERS; one++) post(&workers[one % WORKERS], 0);
            wait_for_all();
            capacity = fmax(capacity, BURST * WORKERS / (now() - start));
        }
        double mean = 100 / (capacity * atof(argument[1])), due = now(), end = due + ROUND_NS;
        while ((due += -log(1 - drand48()) * mean) < end) {
            struct timespec until = {due / 1e9, fmod(due, 1e9)};
            if (due > now()) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
            post(&workers[lrand48() % WORKERS], due);
        }
        wait_for_all();
    }
    over = 1;
    for (int index = 0; index < WORKERS; index++) {
        workers[index].posted++;
        syscall(SYS_futex, &workers[index].posted, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    must(count > ROUNDS, "values");
    qsort(values, count, sizeof *values, by_size);
    printf("%.1f ns\n", values[count / 2]);
    return 0;
}
