/* One getppid system call, as an operation of your own: cc -O2 -o getppid getppid.c
 * oscope run --operation ./getppid */
#define _GNU_SOURCE
#include "oscope_operation.h"
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t iterate(const char *point, uint64_t n)
{
    uint64_t right = 0;
    (void)point;
    for (uint64_t i = 0; i < n; i++)
        right += syscall(SYS_getppid) > 0;
    return right;
}

int main(void)
{
    const char *points[] = { "", NULL };
    return oscope_operation("getppid", "one getppid system call", "getppid 1", points, iterate);
}
