//! Names of files: made and removed.

use super::COMMON;
use super::workloads::names;
use measure::{Operation, Point};
use record::Profile;

pub(super) const NAMES: Operation = Operation {
    confounds: "Nothing waits for the disk: what changes is written seconds later, and a journal that fills up in \
                the middle makes one iteration wait for many. The file system decides most of it. An ext4 without a \
                journal gives no file's number away again for a minute and passes over all such numbers one by one: \
                programs that make and remove files again and again in one place get slower with every turn, tenfold \
                within two minutes.",
    ..COMMON
};

/// A new file.
pub static CREATE: Operation = Operation {
    id: "file.create",
    title: "making a file of so many bytes",
    one_iteration: "one openat of a new name, one write of random bytes if there are any, one close",
    method: "Files with short names of their own are made, each with so many random bytes, in a directory that is \
             empty before the trial and that the file system is asked to put far from those of other trials; nothing \
             is synced. They are removed when the trial is over or 4096 are there, and one that was made is found and \
             has its length.",
    sources: &[("lmbench", "lat_fs: creat, write of 0, 1, 4, 10 KiB, close")],
    points: sizes,
    predict: &[
        "bytes=0B: t0 floors(2)",
        "bytes!=0B: t0 floors(3)",
        "software t1 opened and closed = [syscall.open_close.read]",
        "bytes!=0B: t1 floors(1)",
        "software a name and a file made = path(11500, 80) (×2: a name looked for and not found (1200), \
         transaction begun and ended (700), a free number found and taken (1400), a file's description made, \
         filled in and marked (1900), name entered into its directory (1000), security label and default \
         rights looked for (300), six blocks of the disk's structure claimed for the journal (2500), \
         checksums of four of them, some 8 KiB (2500)) × cycle_ns",
        // The first page makes the file longer, which its description tells.
        "bytes!=0B: software the file made longer = path(2500, 20) (×2: transaction (700), description \
         claimed for the journal, filled in, its checksum (1500), time of change (300)) × cycle_ns",
        "bytes!=0B: software its pages = {ceil(bytes / 4096)} × path(3500, 30) (×2: a page had, charged, \
         entered into the file's index (900), buffers made (300), room promised (600), transaction (500), 4 \
         KiB copied and cleared (500), marked as to be written (500), shared by calls of the layers (200)) × \
         cycle_ns",
    ],
    evidence: &[
        "answers = 1: every file was new, took its bytes, and was found afterwards",
        "linear",
        "bytes=0B: calls: openat 1, close 1",
        "bytes!=0B: calls: openat 1, write 1, close 1",
        "undisturbed",
    ],
    bounds: &["floors(2)"],
    headline: &[("bytes=0B", "file create")],
    run: names::create_files,
    ..NAMES
};

/// A file less.
pub static DELETE: Operation = Operation {
    id: "file.delete",
    title: "removing a file of so many bytes",
    one_iteration: "one unlinkat of a file that nobody has open",
    method: "Files are made in a directory of the trial's own before each batch, each with so many random bytes, and removed \
             in the batch; nothing is synced.",
    sources: &[("lmbench", "lat_fs: unlink of files of 0, 1, 4, 10 KiB")],
    points: sizes,
    predict: &[
        "floors(1)",
        "software name and file taken away = path(10500, 80) (×2: a name looked for and found (500), taken \
         out of its directory (900), transaction begun and ended twice (1400), description taken from all \
         lists (1200), its number given back (1400), its memory given back later (600), six blocks of the \
         disk's structure claimed for the journal (2500), checksums of three of them (2000)) × cycle_ns",
        "bytes!=0B: software its pages given back = {ceil(bytes / 4096)} × path(1200, 14) (×2: a page found, \
         locked, no longer to be written, taken out of the index, its buffers and itself given back, \
         promised room given back) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every file was there and is no more",
        "linear",
        "calls: unlinkat 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: names::remove_files,
    ..NAMES
};

fn sizes(profile: Profile) -> Vec<Point> {
    Point::all(match profile {
        Profile::Quick => "bytes=0B|10KiB",
        _ => "bytes=0B|1KiB|4KiB|10KiB",
    })
}
