//! Kernel services that do less than declared: what `descriptors` and `answers` must catch.

use crate::sabotage::time;
use crate::{Caught, Sabotage};
use sys::path::{self, Access, DEV_NULL};
use sys::readiness::{ReadinessCall, Select, Watched};
use sys::signal::{self, Handler};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.descriptors.two_of_ten",
        of: "syscall.select type=pipe descriptors=10 ready=last",
        mistake: "ten descriptors are claimed and two are watched, as lat_select -n 10 does",
        caught_by: Caught::By("descriptors"),
        run: |bench| {
            let watched = Watched::pipes(2)?;
            let mut select = Select::new(&watched);
            watched.make_ready(0)?;
            watched.make_ready(1)?;
            let counted = select.count_ready()?;
            watched.drain(0)?;
            bench.count("descriptors", counted as f64, 1.0);
            time(bench, || Ok(select.count_ready()? == 1 && select.last_is_ready()))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.answers.never_delivered",
        of: "signal.deliver.self",
        mistake: "the call succeeds and the signal is never delivered: the handler does not run",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let _handler = Handler::counting()?;
            let own = signal::own_number();
            time(bench, || {
                let before = signal::handled();
                signal::probe(own)?;
                Ok(signal::handled() == before + 1)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.answers.refused_write",
        of: "syscall.write.dev_null method=raw",
        mistake: "the device is open for reading only, and every write fails (E02)",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let device = path::open(DEV_NULL, Access::Read)?;
            time(bench, || Ok(device.write(&[1]) == 1))
        },
        ..Sabotage::NEW
    },
];
