//! The protocols of network file systems: by the kind of a mount, and for GVfs by the directory below it.

/// Network file systems with their protocols: clients in the kernel (Documentation/filesystems), and FUSE programs by
/// the names under which they mount. No protocol where a program speaks several.
const NETWORKED: [(&str, Option<&str>); 28] = [
    ("nfs", Some("NFS")),
    ("nfs4", Some("NFS")),
    ("cifs", Some("SMB")),
    ("smb3", Some("SMB")),
    ("ceph", Some("Ceph")),
    ("afs", Some("AFS")),
    ("kafs", Some("AFS")),
    ("coda", Some("Coda")),
    ("lustre", Some("Lustre")),
    ("beegfs", Some("BeeGFS")),
    ("orangefs", Some("OrangeFS")),
    ("pvfs2", Some("PVFS2")),
    ("gpfs", Some("GPFS")),
    ("glusterfs", Some("GlusterFS")),
    ("fuse.sshfs", Some("SFTP")),
    ("fuse.ceph", Some("Ceph")),
    ("fuse.ceph-fuse", Some("Ceph")),
    ("fuse.glusterfs", Some("GlusterFS")),
    ("fuse.nfs", Some("NFS")),
    ("fuse.nfs-fuse", Some("NFS")),
    ("fuse.smbnetfs", Some("SMB")),
    ("fuse.curlftpfs", Some("FTP")),
    ("fuse.davfs", Some("WebDAV")),
    ("fuse.s3fs", Some("S3")),
    ("fuse.gcsfuse", None),
    ("fuse.rclone", None),
    ("fuse.juicefs", None),
    ("fuse.mfs", Some("MooseFS")),
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
pub(crate) fn of(kind: &str, below: &str) -> Option<Networked> {
    if kind == GVFS {
        let (name, _) = below.trim_start_matches('/').split_once(':')?;
        let (_, protocol) = GVFS_TYPES.iter().find(|(of_type, _)| *of_type == name)?;
        // gvfsd-fuse, and the daemon of the protocol.
        return Some(Networked { protocol: Some(protocol), programs: 2 });
    }
    let (_, protocol) = NETWORKED.iter().find(|(networked, _)| *networked == kind)?;
    Some(Networked { protocol: *protocol, programs: u8::from(kind.starts_with("fuse")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_determines_protocol() {
        let of = |kind| of(kind, "/any").map(|found| (found.protocol, found.programs));
        assert_eq!(of("nfs4"), Some((Some("NFS"), 0)));
        assert_eq!(of("fuse.smbnetfs"), Some((Some("SMB"), 1)));
        assert_eq!(of("fuse.rclone"), Some((None, 1)));
        assert_eq!(of("fuse.own"), None);
    }

    #[test]
    fn directory_of_gvfs_determines_protocol() {
        let of = |below| of(GVFS, below).and_then(|found| found.protocol);
        assert_eq!(of("/nfs:host=192.0.2.2,prefix=%2Fexport"), Some("NFS"));
        assert_eq!(of("/smb-share:server=192.0.2.2,share=export/x"), Some("SMB"));
        // A device, and the directory of all that is mounted.
        assert_eq!(of("/gphoto2:host=Camera"), None);
        assert_eq!(of(""), None);
    }
}
