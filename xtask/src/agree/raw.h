// What the plain C programs share. `raw` is a system call by its instruction, in the loop of whoever makes it: a function that returns
// behind a system call makes it slower on some processors (docs/experiments/SAFE_RET.md). oscope's loops have no such return, and
// calls of the library do.
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline __attribute__((always_inline)) long raw(long number, long a, long b, long c, long d, long e, long f) {
#ifdef __x86_64__
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    return syscall(number, a, b, c, d, e, f);
#endif
}

static void must(int truth, const char *what) {
    if (!truth) {
        perror(what);
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}
