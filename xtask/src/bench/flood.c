// Bursts of frames over a pair of virtual interfaces whose other end hands them to one CPU, ten times per second: a softirq that
// takes long. Nobody reads the frames. The interfaces are in a network namespace that ends with this process.
// Usage, as root: flood CPU MICROSECONDS; as many frames as take this time. It says `ready`, and ends with its parent.
#define _GNU_SOURCE
#include "lost.h"
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// An Ethernet frame to all, with a datagram between two addresses that nobody has: frames are handed to a CPU by what they are of.
static const unsigned char frame[60] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x08, 0x00,                   // Ethernet
    0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2,                                 // IPv4
    0x10, 0, 0x10, 0, 0, 26, 0, 0,                                                                        // UDP
};

#define FIRST 300
#define MOST 20000

static int sender;
static struct sockaddr_ll to;

// Sends this number of frames, and rests; whether that worked.
static int burst(int frames) {
    for (int sent = 0; sent < frames; sent++)
        if (sendto(sender, frame, sizeof frame, 0, (struct sockaddr *)&to, sizeof to) < 0) return 0;
    usleep(100000);
    return 1;
}

int main(int count, char **arguments) {
    if (count != 3 || prctl(PR_SET_PDEATHSIG, SIGKILL)) return 2;
    int target = atoi(arguments[1]), wanted = atoi(arguments[2]);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    CPU_CLR(target, &set);
    // Another CPU sends, so that the target only receives.
    if (sched_setaffinity(0, sizeof set, &set)) return 1;
    // The files of the new interfaces are in a /sys that is mounted in the new namespace.
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) return 1;
    if (mount("sysfs", "/sys", "sysfs", 0, NULL)) return 1;
    if (system("ip link add left type veth peer name right && ip link set left up && ip link set right up")) return 1;
    FILE *steering = fopen("/sys/class/net/right/queues/rx-0/rps_cpus", "w");
    if (!steering) return 1;
    // Words of 32 CPUs, the highest first.
    fprintf(steering, "%x", 1u << target % 32);
    for (int word = target / 32; word > 0; word--) fprintf(steering, ",0");
    if (fclose(steering)) return 1;
    sender = socket(AF_PACKET, SOCK_RAW, 0);
    to = (struct sockaddr_ll){.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("left"), .sll_halen = 6};
    if (sender < 0 || !to.sll_ifindex) return 1;
    long without = lost_end(lost_begin(target));
    int answer = lost_begin(target);
    for (int window = 0; window <= WINDOWS; window++)
        if (!burst(FIRST)) return 1;
    long lost = lost_end(answer);
    if (without < 0 || lost < 0) return 1;
    int frames = scaled(FIRST, lost, without, wanted, MOST);
    say_ready();
    alarm(300);
    while (burst(frames)) continue;
    return 1;
}
