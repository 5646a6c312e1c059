//! Real remote file systems for tests: a server in a network namespace, and its files mounted in another. All of it is gone
//! with the process that a test starts in them.
//!
//! The servers are OpenSSH's `sftp-server` behind a listener of ours, NFS-Ganesha and Samba, without the machine's own
//! configuration, directories and users. NFS and SMB are mounted by the kernel where it has the clients, otherwise by
//! GVfs and smbnetfs. The namespaces of network, mounts and processes belong to one `unshare`, so that whatever happens
//! to it takes the servers, the mounts and the interfaces with it.

use crate::common::{Bench, Ended, SABOTEUR, can, is_root, works};
use std::fs;
use std::path::Path;

const SFTP_SERVER: &str = env!("CARGO_BIN_EXE_sftp_server");

/// A kind of file server with its client.
pub struct RemoteFileSystem {
    /// Serves `$F/export` in the other namespace, and mounts it at `$F/mount`.
    script: &'static str,
    /// Programs that the script starts.
    programs: &'static [&'static str],
    /// The protocol that a description names.
    pub protocol: &'static str,
    /// What the mount may be.
    pub kinds: &'static [&'static str],
}

pub const SFTP: RemoteFileSystem = RemoteFileSystem {
    script: r#"
server "$SFTP_SERVER" 192.0.2.2:4022 "$SFTP"
mkdir -p "$F/mount"
mount_sftp() { sshfs -o directport=4022 192.0.2.2:"$F/export" "$F/mount" 2> "$F/client.log"; }
retry mount_sftp
"#,
    programs: &["sshfs", "sftp-server"],
    protocol: "SFTP",
    kinds: &["fuse.sshfs"],
};

/// GVfs finds the server's ports by rpcbind, and its own parts by D-Bus.
pub const NFS: RemoteFileSystem = RemoteFileSystem {
    script: r#"
mkdir -p "$F/recovery" "$F/run" && chmod 700 "$F/run"
cat > "$F/ganesha.conf" <<END
NFS_CORE_PARAM { Bind_addr = 192.0.2.2; MNT_Port = 20048; Enable_NLM = false; Enable_RQUOTA = false; Protocols = 3, 4; }
NFSV4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = "$F/recovery"; }
EXPORT {
    Export_Id = 1; Path = "$F/export"; Pseudo = "$F/export"; Protocols = 3, 4; Transports = TCP;
    Access_Type = RW; Squash = No_Root_Squash; SecType = sys; FSAL { Name = VFS; }
}
END
server rpcbind -f
retry [ -S /run/rpcbind.sock ]
server ganesha.nfsd -F -f "$F/ganesha.conf" -L "$F/server.log" -p "$F/ganesha.pid"
retry grep -q 'NFS SERVER INITIALIZED' "$F/server.log"
mkdir -p "$F/mount"
if mount -i -t nfs4 -o vers=4.2,proto=tcp,addr=192.0.2.2,clientaddr=192.0.2.1 192.0.2.2:"$F/export" "$F/mount" \
    2> "$F/client.log"; then
    return
fi
rmdir "$F/mount"
export XDG_RUNTIME_DIR="$F/run" GVFS_REMOTE_VOLUME_MONITOR_IGNORE=1 DBUS_SESSION_BUS_ADDRESS="unix:path=$F/run/bus"
dbus-daemon --session --nofork --nopidfile --address="$DBUS_SESSION_BUS_ADDRESS" 2>> "$F/client.log" &
retry [ -S "$F/run/bus" ]
mount_nfs() { timeout 20 gio mount "nfs://192.0.2.2$F/export" 2>> "$F/client.log"; }
retry mount_nfs
mounted() { for one in "$F/run/gvfs/nfs:"*; do [ -d "$one" ] && ln -s "$one" "$F/mount"; done; [ -L "$F/mount" ]; }
retry mounted
"#,
    programs: &["ganesha.nfsd", "rpcbind", "dbus-daemon", "gio", "gvfsd-fuse", "gvfsd-nfs"],
    protocol: "NFS",
    kinds: &["nfs4", "fuse.gvfsd-fuse"],
};

pub const SMB: RemoteFileSystem = RemoteFileSystem {
    script: r#"
mkdir -p "$F/smb" "$F/client" "$HOME/.smb"
cat > "$F/smb.conf" <<END
[global]
server role = standalone server
interfaces = 192.0.2.2/24
bind interfaces only = yes
smb ports = 445
disable netbios = yes
disable spoolss = yes
load printers = no
map to guest = Bad User
guest account = root
private dir = $F/smb
lock directory = $F/smb
state directory = $F/smb
cache directory = $F/smb
pid directory = $F/smb
ncalrpc dir = $F/smb/ncalrpc
[export]
path = $F/export
guest ok = yes
read only = no
force user = root
END
server smbd --foreground --no-process-group --debug-stdout --configfile="$F/smb.conf"
mkdir -p "$F/mount"
if mount -i -t cifs -o ip=192.0.2.2,vers=3.1.1,sec=none //192.0.2.2/export "$F/mount" 2> "$F/client.log"; then
    return
fi
rmdir "$F/mount"
printf '[global]\nclient min protocol = SMB2\ndisable netbios = yes\nname resolve order = host\n' > "$HOME/.smb/smb.conf"
printf 'auth "guest" ""\nlog_file "%s"\n' "$F/smbnetfs.log" > "$HOME/.smb/smbnetfs.conf"
chmod 600 "$HOME/.smb/smbnetfs.conf"
smbnetfs -o config="$HOME/.smb/smbnetfs.conf" "$F/client" 2>> "$F/client.log"
retry ls "$F/client/192.0.2.2/export" > "$F/ls.log" 2>&1
ln -s "$F/client/192.0.2.2/export" "$F/mount"
"#,
    programs: &["smbd", "smbnetfs"],
    protocol: "SMB",
    kinds: &["cifs", "fuse.smbnetfs"],
};

/// Makes two network namespaces with a pair of interfaces, mounts `$F/mount` by `$MOUNT`, and runs a command beside it.
/// `$SERVE` holds options of a peer beside the server, `-` for none. `/run` is of the namespace: servers listen there.
const SCRIPT: &str = r#"
retry() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        if [ $tries -gt 250 ]; then
            for log in "$F"/*.log; do echo "== $log" && cat "$log"; done >&2
            echo "not in time: $*" >&2
            exit 76
        fi
        sleep 0.02
    done
}
mount -t tmpfs run /run
ip link set lo up
unshare --net sh -c ': > "$F/far"; exec sleep 1000' & far=$!
retry [ -e "$F/far" ]
ip link add near0 type veth peer name far0 netns $far
ip addr add 192.0.2.1/24 dev near0 && ip link set near0 up
there() { nsenter --net=/proc/$far/ns/net "$@"; }
server() { there "$@" > "$F/${1##*/}.log" 2>&1 & }
there ip link set lo up
there ip addr add 192.0.2.2/24 dev far0 && there ip link set far0 up
if [ "$SERVE" != - ]; then
    there "$SABOTEUR" serve --listen 192.0.2.2:4000 $SERVE > "$F/peer" 2> "$F/peer.log" &
    retry [ -s "$F/peer" ]
fi
mount_remote() { eval "$MOUNT"; }
mount_remote
"$@"; code=$?
is_empty() { [ -z "$(ls -A "$F/export")" ]; }
retry is_empty
exit $code
"#;

/// Words of the `unshare` in which everything happens.
const NAMESPACES: [&str; 6] = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// The key of the peer, which nobody else can reach.
const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

impl RemoteFileSystem {
    /// Whether it can be mounted here; says what is missing if not.
    pub fn may_mount(&self) -> bool {
        let probe: Vec<&str> = NAMESPACES.into_iter().chain(["true"]).collect();
        can("root, for namespaces of its own", is_root() && works("unshare", &probe))
            && can("/dev/fuse", Path::new("/dev/fuse").exists())
            && programs::installed(&["ip"])
            && programs::installed(self.programs)
    }

    /// Runs a command beside `mount`, a directory of this server; `peer` are options of `serve` on the server.
    pub fn beside(&self, bench: &Bench, peer: &str, words: &[&str]) -> Ended {
        for folder in ["export", "local"] {
            let _ = fs::create_dir(bench.path(folder));
        }
        let mut command = bench.command("unshare");
        if self.programs.contains(&"sftp-server") {
            command.env("SFTP", programs::path("sftp-server"));
        }
        command
            .env("F", bench.folder())
            .env("MOUNT", self.script)
            .env("SFTP_SERVER", SFTP_SERVER)
            .env("SABOTEUR", SABOTEUR)
            .env("SERVE", peer)
            .env("OSCOPE_PEER_KEY", KEY)
            .args(NAMESPACES)
            .args(["sh", "-c", SCRIPT, "sh"])
            .args(words);
        bench.finish(command)
    }
}
