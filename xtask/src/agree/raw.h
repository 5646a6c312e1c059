// A system call by its instruction, in the loop of whoever makes it. After a system call, the return of a function that made it
// misses on some processors (docs/experiments/SAFE_RET.md); oscope's loops have no such return, and calls of the library do.
#include <sys/syscall.h>
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
