//! The protocols of network file systems: by the kind of a mount, and for GVfs by the directory below it.

/// Protocols and the kinds of network file systems that speak them: clients in the kernel (Documentation/filesystems), and
/// FUSE programs by the names under which they mount. The last ones speak several.
const NETWORKED: [(Option<&str>, &str); 17] = [
    (Some("NFS"), "nfs nfs4 fuse.nfs fuse.nfs-fuse"),
    (Some("SMB"), "cifs smb3 fuse.smbnetfs"),
    (Some("Ceph"), "ceph fuse.ceph fuse.ceph-fuse"),
    (Some("AFS"), "afs kafs"),
    (Some("Coda"), "coda"),
    (Some("Lustre"), "lustre"),
    (Some("BeeGFS"), "beegfs"),
    (Some("OrangeFS"), "orangefs"),
    (Some("PVFS2"), "pvfs2"),
    (Some("GPFS"), "gpfs"),
    (Some("GlusterFS"), "glusterfs fuse.glusterfs"),
    (Some("SFTP"), "fuse.sshfs"),
    (Some("FTP"), "fuse.curlftpfs"),
    (Some("WebDAV"), "fuse.davfs"),
    (Some("S3"), "fuse.s3fs"),
    (Some("MooseFS"), "fuse.mfs"),
    (None, "fuse.gcsfuse fuse.rclone fuse.juicefs"),
];

/// The mount under which GVfs shows all that it has mounted, each in a directory `TYPE:KEY=VALUE,…`.
const GVFS: &str = "fuse.gvfsd-fuse";

/// Types of GVfs that come over the network (`*.mount` of gvfs-backends), with their protocols.
const GVFS_TYPES: [(&str, &str); 6] = [
    ("nfs", "NFS"),
    ("smb-share", "SMB"),
    ("sftp", "SFTP"),
    ("ftp", "FTP"),
    ("dav", "WebDAV"),
    ("afp-volume", "AFP"),
];

/// How the files of a mount are known to come over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Networked {
    /// The protocol, where the mount determines it.
    pub(crate) protocol: Option<&'static str>,
    /// Programs of this machine that a request passes.
    pub(crate) programs: u8,
}

/// What is known of a mount of this kind, and of this path below it; `None` where it is not known to be networked.
pub(crate) fn protocol(kind: &str, below: &str) -> Option<Networked> {
    if kind == GVFS {
        let (name, _) = below.trim_start_matches('/').split_once(':')?;
        let (_, protocol) = GVFS_TYPES.iter().find(|(of_type, _)| *of_type == name)?;
        // gvfsd-fuse, and the daemon of the protocol.
        return Some(Networked { protocol: Some(protocol), programs: 2 });
    }
    let (protocol, _) = NETWORKED.iter().find(|(_, kinds)| kinds.split(' ').any(|known| known == kind))?;
    Some(Networked { protocol: *protocol, programs: u8::from(kind.starts_with("fuse")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_determines_protocol() {
        for (kind, expected) in [
            ("nfs4", Some((Some("NFS"), 0))),
            ("fuse.smbnetfs", Some((Some("SMB"), 1))),
            ("fuse.rclone", Some((None, 1))),
            ("fuse.own", None),
        ] {
            let found = protocol(kind, "/any").map(|found| (found.protocol, found.programs));
            assert_eq!(found, expected, "{kind}");
        }
    }

    #[test]
    fn directory_of_gvfs_determines_protocol() {
        for (below, protocol) in [
            ("/nfs:host=192.0.2.2,prefix=%2Fexport", Some("NFS")),
            ("/smb-share:server=192.0.2.2,share=export/x", Some("SMB")),
            // A device, and the directory of all that is mounted.
            ("/gphoto2:host=Camera", None),
            ("", None),
        ] {
            assert_eq!(super::protocol(GVFS, below).and_then(|found| found.protocol), protocol, "{below}");
        }
    }
}
