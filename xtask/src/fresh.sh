# Runs commands below a new root, in namespaces of its own: sh -c THIS sh ROOT TOOLCHAIN DIRECTORY COMMAND...
# With the process that starts it ends everything in it, and with that go the mounts.
set -eu
root=$1 toolchain=$2 directory=$3
shift 3
mount --make-rprivate /
# Only a mount point can become the root directory.
mount --rbind "$root" "$root"
mount -t proc proc "$root/proc"
for of_the_machine in sys dev; do
    mount --rbind "/$of_the_machine" "$root/$of_the_machine"
done
mount -t tmpfs none "$root/dev/shm"
mkdir -p "$root/opt/rust"
mount --bind "$toolchain" "$root/opt/rust"
mount -o remount,ro,bind "$root/opt/rust"
# The root directory of these namespaces, as that of a machine or of a container: below chroot the kernel denies user namespaces.
# The old one is mounted over it then, and goes.
cd "$root"
pivot_root . .
export PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
umount --lazy .
for command; do
    echo "== $command"
    env -i HOME=/root LANG=C.UTF-8 CI=true CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never PATH="$PATH" \
        ${http_proxy+"http_proxy=$http_proxy"} ${https_proxy+"https_proxy=$https_proxy"} \
        /bin/sh -c "cd '$directory' && exec $command"
done
