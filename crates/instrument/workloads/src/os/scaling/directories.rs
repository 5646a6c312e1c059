//! Files made and removed in a directory of each actor, or in one of all.

use super::object::{Maker, part_of};
use measure::{Failure, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sys::names::{Folder, Name};
use sys::path;
use sys::process::gettid;

/// A directory that ends with it.
struct Directory {
    path: PathBuf,
    folder: Folder,
}

impl Directory {
    /// A new one below the directory of the run.
    fn new(run: &Path) -> Result<Self> {
        // Optional: not every file system takes the hint that directories should lie far apart.
        let _ = Folder::open(run)?.spread();
        let path = run.join(format!("scaling-{}-{}", std::process::id(), gettid()));
        let failed = |error| Failure::failed(format!("{}: {error}", path.display()));
        std::fs::create_dir(&path).map_err(failed)?;
        let folder = Folder::open(&path)?;
        Ok(Self { path, folder })
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What an error left is removed with the run's directory.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// A new file made, closed and removed, under a name of the actor's own.
pub(super) fn create_unlink(run: &Path, is_shared: bool) -> Result<Maker> {
    let of_all = is_shared.then(|| Directory::new(run)).transpose()?.map(Arc::new);
    let run = run.to_owned();
    Ok(Box::new(move || {
        let directory = of_all.clone().map_or_else(|| Directory::new(&run).map(Arc::new), Ok)?;
        let identity = path::fstat(directory.folder.descriptor())?.identity().1;
        let name = Name::new("f", gettid() as u64);
        part_of(identity, directory, move |directory, _| {
            let is_new = directory.folder.create(&name, b"")?;
            directory.folder.remove(&name).map(|()| is_new)
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn actors_share_one_directory_or_have_one_each_and_nothing_is_left() {
        let run = std::env::temp_dir().join(format!("oscope-scaling-{}", gettid()));
        std::fs::create_dir(&run).unwrap();
        for (is_shared, are_equal) in [(true, true), (false, false)] {
            let make = create_unlink(&run, is_shared).unwrap();
            // Both objects live until both actors are done: the number of a directory that ended may be that of the next.
            let done = Barrier::new(2);
            let act = || {
                let object = make().unwrap();
                let right = object.operate(5);
                let identity = object.identity();
                done.wait();
                (right, identity)
            };
            let [one, other] = std::thread::scope(|scope| {
                [scope.spawn(act), scope.spawn(act)].map(|actor| actor.join().unwrap())
            });
            assert_eq!((one.0, other.0), (Ok(5), Ok(5)));
            assert_eq!(one.1 == other.1, are_equal);
        }
        assert_eq!(std::fs::read_dir(&run).unwrap().count(), 0);
        std::fs::remove_dir(&run).unwrap();
    }
}
