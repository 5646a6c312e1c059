//! A dump holds nothing that tells whose machine it is.

use oscope_machine::{Live, describe, dump};
use record::FactValue;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// What identifies this made-up machine; none of it may be in a dump.
const SECRETS: [&str; 12] = [
    "SERIAL-4711",
    "00000000deadbeef",
    "alpha.example.org",
    "alice",
    "02:fc:12:34:56:78",
    "192.0.2.17",
    "2001:db8::17",
    "550e8400-e29b-41d4-a716-446655440000",
    "0123456789abcdef0123456789abcdef",
    "deadbeefcafe",
    "WD-WCC4N1234567",
    "s3cret",
];

fn write(root: &Path, path: &str, text: &str) {
    let place = root.join(path.trim_start_matches('/'));
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, text).unwrap();
}

fn synthetic(root: &Path) {
    write(
        root,
        "/proc/cpuinfo",
        "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\nHardware\t: BCM2711\nSerial\t\t: 00000000deadbeef\nModel\t\t: Board 4\n",
    );
    write(root, "/proc/sys/kernel/hostname", "alpha.example.org\n");
    write(root, "/proc/sys/kernel/random/boot_id", "550e8400-e29b-41d4-a716-446655440000\n");
    write(root, "/proc/version", "Linux version 6.1 (alice@alpha.example.org)\n");
    write(root, "/proc/sys/kernel/osrelease", "6.1.0\n");
    write(root, "/boot/config-6.1.0", "CONFIG_DEFAULT_HOSTNAME=\"alpha.example.org\"\nCONFIG_HZ=100\n");
    write(root, "/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    write(root, "/etc/hostname", "alpha.example.org\n");
    write(
        root,
        "/proc/cmdline",
        "root=UUID=550e8400-e29b-41d4-a716-446655440000 ip=192.0.2.17::alpha.example.org token=s3cret mitigations=off -- nohz=s3cret\n",
    );
    write(
        root,
        "/proc/self/status",
        "Name:\talice\nUid:\t1000\t1000\t1000\t1000\nGroups:\t4711 \nCapEff:\t0000000000000000\n",
    );
    write(
        root,
        "/proc/self/cgroup",
        "0::/machine.slice/machine-alpha.example.org.scope/alice/deadbeefcafe\n",
    );
    write(
        root,
        "/proc/self/mountinfo",
        "1 0 8:1 / / rw - ext4 /dev/disk/by-id/WD-WCC4N1234567 rw\n\
         2 1 0:9 / /home/alice rw - nfs4 alpha.example.org:/home rw,clientaddr=192.0.2.17\n\
         3 1 0:7 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    );
    let group = "/sys/fs/cgroup/machine.slice/machine-alpha.example.org.scope/alice/deadbeefcafe";
    write(root, &format!("{group}/memory.max"), "1048576\n");
    for file in ["product_serial", "board_serial", "chassis_serial", "product_uuid"] {
        write(root, &format!("/sys/class/dmi/id/{file}"), "SERIAL-4711\n");
    }
    write(root, "/sys/class/dmi/id/product_name", "Board\n");
    write(root, "/sys/block/sda/device/model", "WDC WD40\n");
    write(root, "/sys/block/sda/device/serial", "WD-WCC4N1234567\n");
    write(root, "/sys/block/sda/device/wwid", "t10.ATA WD-WCC4N1234567\n");
    let link = root.join("sys/devices/usb1/net/enxdeadbeefcafe");
    fs::create_dir_all(&link).unwrap();
    fs::create_dir_all(root.join("sys/class/net")).unwrap();
    symlink("../../devices/usb1/net/enxdeadbeefcafe", root.join("sys/class/net/enxdeadbeefcafe")).unwrap();
    fs::write(link.join("address"), "02:fc:12:34:56:78\n").unwrap();
    fs::write(link.join("mtu"), "1500\n").unwrap();
    write(root, "oscope/variables", "LD_PRELOAD=/home/alice/x.so\nPASSWORD=s3cret\n");
    write(root, "/proc/sys/net/ipv4/tcp_fastopen_key", "00000000deadbeef-s3cret\n");
    write(root, "/proc/sys/net/core/netdev_rss_key", "02:fc:12:34:56:78\n");
    write(root, "/proc/sys/net/ipv4/tcp_timestamps", "1\n");
    write(root, "/proc/net/fib_trie", "192.0.2.17\n");
    write(root, "/proc/net/if_inet6", "2001:db8::17\n");
}

#[test]
fn no_secret_is_in_a_dump() {
    let root = tempfile::tempdir().unwrap();
    synthetic(root.path());
    let text = dump(&Live::below(root.path())).to_json().unwrap();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn no_secret_is_in_a_description() {
    let root = tempfile::tempdir().unwrap();
    synthetic(root.path());
    let machine = describe(&Live::below(root.path()));
    let text = serde_json::to_string(&machine).unwrap();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn redacted_dump_still_describes_the_machine() {
    let root = tempfile::tempdir().unwrap();
    synthetic(root.path());
    let live = Live::below(root.path());
    let described = describe(&live);
    assert_eq!(describe(&dump(&live)), described);
    assert_eq!(described.number("limit.memory"), Some(1_048_576.0));
    assert_eq!(described.text("family.name"), Some("Arm Cortex-A72"));
    assert_eq!(described.number("kernel.tick_hz"), Some(100.0));
    assert_eq!(described.number("sysctl.net.ipv4.tcp_timestamps"), Some(1.0));
    let variables = FactValue::List { items: vec!["LD_PRELOAD=/home/user/x.so".to_owned()] };
    assert_eq!(described.get("libc.variables").map(|fact| &fact.value), Some(&variables));
    assert_eq!(described.number(&format!("network.enx{}.mtu", "x".repeat(12))), Some(1500.0));
}
