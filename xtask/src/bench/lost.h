// How much time a CPU loses to interrupts in each tenth of a second, by a process that spins there: for plants that must take long enough on
// any machine.
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WINDOWS 7
#define WINDOW_NS 100000000L
#define LEAST_GAP_NS 2000L

static long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static int ascending(const void *one, const void *other) {
    long difference = *(const long *)one - *(const long *)other;
    return (difference > 0) - (difference < 0);
}

// Starts the process, which ends after its windows; gives where its answer can be read, or -1.
static int lost_begin(int cpu) {
    int ends[2];
    if (pipe(ends)) return -1;
    if (fork()) {
        close(ends[1]);
        return ends[0];
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set)) _exit(1);
    long lost[WINDOWS] = {0}, begin = now_ns(), before = begin;
    for (;;) {
        long now = now_ns(), window = (now - begin) / WINDOW_NS;
        if (window >= WINDOWS) break;
        if (now - before > LEAST_GAP_NS) lost[window] += now - before;
        before = now;
    }
    qsort(lost, WINDOWS, sizeof *lost, ascending);
    _exit(write(ends[1], &lost[WINDOWS / 2], sizeof *lost) != sizeof *lost);
}

// The median of the windows in nanoseconds, or -1.
static long lost_end(int answer) {
    long lost = -1;
    if (read(answer, &lost, sizeof lost) != sizeof lost) lost = -1;
    close(answer);
    return lost;
}

// The number that loses `wanted_us` where `number` lost `lost` beside `without`, in nanoseconds.
static int scaled(int number, long lost, long without, int wanted_us, int most) {
    long own = lost - without > 1000 ? lost - without : 1000;
    long wanted = (long)number * wanted_us * 1000 / own;
    return wanted < 100 ? 100 : wanted > most ? most : (int)wanted;
}

// Says that the plant begins.
static void say_ready(void) {
    if (write(1, "ready\n", 6) != 6) _exit(1);
}
