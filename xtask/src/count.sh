# Counts instructions: sh -c THIS sh DIRECTORY KERNEL.deb OSCOPE SELECTION...
# DIRECTORY is empty. A kernel of Debian boots in QEMU, whose clock advances one nanosecond per instruction (-icount), with
# oscope in its initial file system: the nanoseconds of its table are instructions. The table goes to standard output.
set -eu
cd "$1"
deb=$2 oscope=$3
shift 3
dpkg-deb -x "$deb" kernel
mkdir -p root/bin root/dev root/proc root/sys root/data root/root root/tmp
cp "$(command -v busybox)" root/bin/busybox
cp "$oscope" root/bin/oscope
ldd "$oscope" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "root$(dirname "$library")"
    cp -L "$library" "root$library"
done
cp "$(find kernel -name virtio_blk.ko.xz)" root/
unxz -f root/virtio_blk.ko.xz
cat > root/init <<EOF
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root XDG_STATE_HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs shm /dev/shm
ifconfig lo 127.0.0.1 up
insmod /virtio_blk.ko
mount -t ext4 /dev/vda /data
oscope run $* --dir /data --rounds 1 --output /root/counts.oscope >/root/log 2>&1 || cat /root/log
echo "kernel \$(uname -r)"
oscope report /root/counts.oscope --format csv
poweroff -f
EOF
chmod +x root/init
(cd root && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) > initrd
truncate -s 4G disk
mkfs.ext4 -q -F -O ^metadata_csum -E lazy_itable_init=0,lazy_journal_init=0 disk
# Neither mitigations, nor pages cleared for safety, nor security modules: what machines add to this is measured on them.
exec qemu-system-x86_64 -accel tcg -cpu EPYC-Milan -m 3G -smp 1 -icount shift=0,sleep=off -nic none -nographic -no-reboot \
    -drive file=disk,if=virtio,format=raw -kernel kernel/boot/vmlinuz-* -initrd initrd -append "console=ttyS0 quiet panic=-1 \
    tsc=reliable tsc_early_khz=1000000 no_timer_check mitigations=off init_on_alloc=0 init_on_free=0 lsm=capability" \
    </dev/null 2>/dev/null
