// Many timers of one CPU that expire at the same moment, ten times per second: an interrupt that takes long. Nobody waits for them.
// Usage: storm CPU TIMERS; it ends with its parent.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count != 3 || prctl(PR_SET_PDEATHSIG, SIGKILL)) return 2;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(atoi(arguments[1]), &set);
    int timers = atoi(arguments[2]);
    struct rlimit limit = {timers + 64, timers + 64};
    if (sched_setaffinity(0, sizeof set, &set) || setrlimit(RLIMIT_NOFILE, &limit)) return 1;
    struct itimerspec when = {{0, 100000000}, {0, 0}};
    clock_gettime(CLOCK_MONOTONIC, &when.it_value);
    when.it_value.tv_sec++;
    for (int timer = 0; timer < timers; timer++) {
        int descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
        if (descriptor < 0 || timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL)) return 1;
    }
    alarm(300);
    for (;;) pause();
}
