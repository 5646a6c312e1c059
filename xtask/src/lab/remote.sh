# Functions for a machine that serves files to itself: the setup calls `disk`, then one of `nfs`, `smb` and `host`, which
# mounts /remote.

export PATH=$PATH:/usr/sbin OSCOPE_PEER_KEY=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
mkdir -p /sbin /run /etc/ksmbd /var/lib/nfs/v4recovery /disk /remote
ln -s /bin/modprobe /sbin/modprobe
ln -s /run /var/run
echo 'root:x:0:0::/:/bin/sh' > /etc/passwd
echo '_rpc:x:101:0::/:/bin/sh' >> /etc/passwd
depmod

# Until a server answers, for five seconds; then with its error.
retry() {
    for _ in $(seq 50); do
        "$@" 2> /dev/null && return
        sleep 0.1
    done
    "$@"
}

# A disk with a directory that is served and one that is not, and a peer beside the server.
disk() {
    modprobe virtio_blk && modprobe ext4
    mke2fs /dev/vda > /dev/null && mount /dev/vda /disk
    mkdir /disk/export /disk/local
    oscope serve --listen 127.0.0.1:4000 --allow-drop-caches > /out/peer 2> /out/peer.errors &
    retry [ -s /out/peer ]
}

# NFS by the kernel's server: options of the client, and the path that it mounts.
nfs() {
    for module in nfsd nfsv3 nfsv4; do modprobe $module; done
    mount -t nfsd nfsd /proc/fs/nfsd
    : > /var/lib/nfs/etab
    echo '/disk/export 127.0.0.1(rw,no_root_squash,fsid=0,no_subtree_check,insecure)' > /etc/exports
    # No client of an earlier boot is waited for.
    echo 1 > /proc/sys/fs/nfs/nlm_grace_period
    rpcbind && exportfs -a && rpc.mountd && rpc.nfsd 2
    echo 1 > /proc/fs/nfsd/v4_end_grace
    retry mount -t nfs -o "proto=tcp,addr=127.0.0.1,$1" "127.0.0.1:$2" /remote
}

# SMB by the kernel's server.
smb() {
    modprobe cifs && modprobe ksmbd
    cat > /etc/ksmbd/ksmbd.conf <<END
[global]
map to guest = bad user
guest account = root
[export]
path = /disk/export
guest ok = yes
read only = no
force user = root
END
    : > /etc/ksmbd/ksmbdpwd.db
    ksmbd.mountd -C /etc/ksmbd/ksmbd.conf -P /etc/ksmbd/ksmbdpwd.db > /dev/null
    retry mount -t cifs -o ip=127.0.0.1,vers=3.1.1,username=nobody,password=,sec=ntlmssp //127.0.0.1/export /remote
}

# A directory of the machine below, by the emulator's server.
host() {
    modprobe 9pnet_virtio && modprobe 9p
    mount -t 9p -o trans=virtio,version=9p2000.L host /remote
}
