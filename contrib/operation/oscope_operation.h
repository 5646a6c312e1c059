/* An operation of your own for `oscope run --operation ./my-bench`: the protocol of docs/OPERATION.md in one file.
 *
 *     #include "oscope_operation.h"
 *     #include <unistd.h>
 *     #include <sys/syscall.h>
 *
 *     static uint64_t iterate(const char *point, uint64_t n) {
 *         uint64_t right = 0;
 *         for (uint64_t i = 0; i < n; i++)
 *             right += syscall(SYS_getppid) > 0;
 *         return right;
 *     }
 *
 *     int main(void) {
 *         const char *points[] = { "", NULL };
 *         return oscope_operation("getppid", "one getppid system call", "getppid 1", points, iterate);
 *     }
 */
#ifndef OSCOPE_OPERATION_H
#define OSCOPE_OPERATION_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does n iterations of a point; gives how many of them had the right answer. */
typedef uint64_t (*oscope_iterate)(const char *point, uint64_t n);

/* Serves until oscope closes the input. `calls` lists the system calls of an iteration ("getppid 1, read 2"), or is NULL
 * where they are not declared. `points` ends with NULL; "" is the point of an operation without parameters. */
static int oscope_operation(const char *name, const char *iteration, const char *calls, const char *const *points,
                            oscope_iterate iterate)
{
    char line[4096], point[4096] = "";
    printf("oscope-operation 1\nname %s\niteration %s\n", name, iteration);
    if (calls)
        printf("calls %s\n", calls);
    for (; *points; points++)
        if (**points)
            printf("point %s\n", *points);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "point ", 6)) {
            strcpy(point, line + 6);
            printf("ok\n");
        } else if (!strncmp(line, "run ", 4)) {
            uint64_t n = strtoull(line + 4, NULL, 10);
            uint64_t right = iterate(point, n);
            printf("done %" PRIu64 " %" PRIu64 "\n", n, right);
        } else {
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}

#endif
