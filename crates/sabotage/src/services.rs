//! Services of the kernel that are asked for less than declared: what `descriptors` and `answers` must catch.

use crate::{Caught, Sabotage};
use measure::Point;
use sys::path::{self, Access, DEV_NULL};
use sys::readiness::{Ask, Select, Watched};
use sys::signal::{self, Handler};

/// A set smaller than claimed.
pub static TWO_OF_TEN: Sabotage = Sabotage {
    id: "sabotage.descriptors.two_of_ten",
    of: "syscall.select",
    points: |_| {
        let point = Point::only().with("type", "pipe").with("descriptors", 10);
        vec![point.with("ready", "last")]
    },
    mistake: "ten descriptors are claimed and two are watched, as lat_select -n 10 does",
    caught_by: Caught::By("descriptors"),
    run: |bench| {
        let watched = Watched::pipes(2)?;
        let mut way = Select::new(&watched);
        watched.make_ready(0)?;
        watched.make_ready(1)?;
        let counted = way.ask()?;
        watched.drain(0)?;
        bench.count("descriptors", counted as f64, 1.0);
        bench.slope(&mut |n| {
            let mut right = 0;
            for _ in 0..n {
                right += u64::from(way.ask()? == 1 && way.names_last());
            }
            Ok(right)
        })
    },
    ..Sabotage::NEW
};

/// A signal that nobody gets.
pub static NEVER_DELIVERED: Sabotage = Sabotage {
    id: "sabotage.answers.never_delivered",
    of: "signal.deliver.self",
    mistake: "the call succeeds and the signal is never delivered: the handler does not run",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let _handler = Handler::counting()?;
        let own = signal::own_number();
        bench.slope(&mut |n| {
            let mut right = 0;
            for _ in 0..n {
                let before = signal::handled();
                signal::probe(own)?;
                right += u64::from(signal::handled() == before + 1);
            }
            Ok(right)
        })
    },
    ..Sabotage::NEW
};

/// A device that refuses.
pub static REFUSED_WRITE: Sabotage = Sabotage {
    id: "sabotage.answers.refused_write",
    of: "syscall.write.dev_null",
    points: |_| Point::all("method=raw"),
    mistake: "the device was opened to be read, and every write to it is refused (E02)",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let device = path::open(DEV_NULL, Access::Read)?;
        bench.slope(&mut |n| Ok((0..n).map(|_| u64::from(device.write(&[1]) == 1)).sum()))
    },
    ..Sabotage::NEW
};
