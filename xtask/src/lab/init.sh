#!/bin/busybox sh
# The first process of an emulated machine: describes, runs, and sends what it found over the console.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/out LANG=C.UTF-8 XDG_STATE_HOME=/out
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /out
mount -t tmpfs shm /dev/shm
mount -t tmpfs out /out
mount -t proc proc /proc
mount -t sysfs sys /sys
ifconfig lo 127.0.0.1 up
dmesg -n 1
. /setup 2> /out/setup.errors
(cd /; find /tmp /dev/shm /disk /remote 2> /dev/null) > /out/before
oscope describe --json > /out/machine.json 2> /out/describe.errors
oscope run SELECTION --quiet --rounds 2 --output /out/record.oscope > /out/report 2> /out/errors
echo $? > /out/exit
oscope report /out/record.oscope --format csv > /out/rows.csv
(cd /; find /tmp /dev/shm /disk /remote 2> /dev/null) > /out/after
# The peer that a setup started.
[ -n "$!" ] && kill $! && wait
ps -o comm 2> /dev/null | grep oscope > /out/processes
stty -F /dev/console -opost 2> /dev/null
echo lab-begin
tar -c -C /out . | gzip | base64
echo lab-end
poweroff -f
