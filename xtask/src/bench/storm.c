// Many timers of one CPU that expire at the same moment, ten times per second: an interrupt that takes long. Nobody waits for them.
// Usage: storm CPU MICROSECONDS; as many timers as take this time. It says `ready`, and ends with its parent.
#define _GNU_SOURCE
#include "lost.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>

#define FIRST 4000
#define MOST 60000
// Descriptors that are no timers.
#define OTHERS 64

static int descriptors[MOST];

// Makes timers that expire together from now on; whether that worked.
static int arm(int timers) {
    struct itimerspec when = {{0, WINDOW_NS}, {0, 0}};
    clock_gettime(CLOCK_MONOTONIC, &when.it_value);
    when.it_value.tv_sec++;
    for (int timer = 0; timer < timers; timer++) {
        descriptors[timer] = timerfd_create(CLOCK_MONOTONIC, 0);
        if (descriptors[timer] < 0 || timerfd_settime(descriptors[timer], TFD_TIMER_ABSTIME, &when, NULL)) return 0;
    }
    return 1;
}

int main(int count, char **arguments) {
    if (count != 3 || prctl(PR_SET_PDEATHSIG, SIGKILL)) return 2;
    int cpu = atoi(arguments[1]), wanted = atoi(arguments[2]);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    struct rlimit limit;
    if (sched_setaffinity(0, sizeof set, &set) || getrlimit(RLIMIT_NOFILE, &limit)) return 1;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max < FIRST + OTHERS) return 1;
    int most = limit.rlim_max - OTHERS < MOST ? (int)limit.rlim_max - OTHERS : MOST;
    long without = lost_end(lost_begin(cpu));
    if (!arm(FIRST)) return 1;
    sleep(1);
    long lost = lost_end(lost_begin(cpu));
    if (without < 0 || lost < 0) return 1;
    for (int timer = 0; timer < FIRST; timer++) close(descriptors[timer]);
    if (!arm(scaled(FIRST, lost, without, wanted, most))) return 1;
    sleep(1);
    say_ready();
    alarm(300);
    for (;;) pause();
}
