//! A process that answers every byte: the other side of ping-pongs over pipes.

use measure::{Bench, Failure, Work};
use sys::memory::Mapping;
use sys::pipe::{ReadEnd, WriteEnd, pipe};
use sys::process::Actor;
use sys::usage::{CpuClock, Usage, Whose};

/// A byte that asks for nothing but an answer.
const PING: u8 = 1;
/// A byte that asks for the peer's usage in the shared page.
const TELL: u8 = 2;
/// A byte that ends the peer.
const QUIT: u8 = 3;

/// The main actor's side of the exchange.
pub struct Partner {
    to: WriteEnd,
    from: ReadEnd,
    told: Mapping,
    process: Actor,
}

impl Partner {
    /// Starts the answering process on its CPU.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn start(cpu: Option<u32>) -> Result<Self, Failure> {
        let (their_input, to) = pipe()?;
        let (from, their_output) = pipe()?;
        let told = Mapping::shared(64)?;
        let process = Actor::spawn(cpu, || answer(their_input, their_output, &told))?;
        Ok(Self {
            to,
            from,
            told,
            process,
        })
    }

    /// Its CPU time.
    pub fn cpu(&self) -> CpuClock {
        CpuClock::of_process(self.process.pid())
    }

    /// `n` round trips of one byte; gives how many bytes came back right.
    ///
    /// # Errors
    /// When the partner is gone.
    pub fn round_trips(&self, n: u64) -> Result<u64, Failure> {
        let mut right = 0;
        for _ in 0..n {
            self.to.write_byte(PING)?;
            right += u64::from(self.from.read_byte()? == PING);
        }
        Ok(right)
    }

    /// What the kernel counted for the partner; one more round trip.
    ///
    /// # Errors
    /// When the partner is gone.
    pub fn usage(&self) -> Result<Usage, Failure> {
        self.to.write_byte(TELL)?;
        self.from.read_byte()?;
        let word = |index: usize| {
            let words = self.told.words();
            words.get(index).map_or(0, |word| {
                word.load(std::sync::atomic::Ordering::Acquire).cast_signed()
            })
        };
        Ok(Usage {
            voluntary: word(0),
            involuntary: word(1),
            ..Usage::default()
        })
    }

    /// Ends the partner and waits for it.
    ///
    /// # Errors
    /// When it is gone already.
    pub fn stop(self) -> Result<(), Failure> {
        self.to.write_byte(QUIT)?;
        self.process.join()?;
        Ok(())
    }
}

fn answer(input: ReadEnd, output: WriteEnd, told: &Mapping) -> i32 {
    while let Ok(byte) = input.read_byte() {
        if byte == QUIT {
            return 0;
        }
        if byte == TELL {
            tell(told);
        }
        if output.write_byte(byte).is_err() {
            return 1;
        }
    }
    1
}

fn tell(told: &Mapping) {
    let usage = sys::usage::read(Whose::Process).unwrap_or_default();
    for (word, count) in told.words().iter().zip([usage.voluntary, usage.involuntary]) {
        word.store(count.cast_unsigned(), std::sync::atomic::Ordering::Release);
    }
}

/// Times round trips with a partner where the point wants it; with `control`, the same system calls by one
/// task on a pipe of its own are timed in turns with them.
///
/// # Errors
/// When the partner cannot be made or is lost.
pub fn measure(bench: &mut Bench<'_>, control: bool) -> Result<(), Failure> {
    let (reader, writer) = pipe()?;
    let partner = Partner::start(bench.peer_cpu())?;
    let mut main = |n| partner.round_trips(n);
    let mut alone = |n| {
        let mut right = 0;
        for _ in 0..n {
            for _ in 0..2 {
                writer.write_byte(PING)?;
                right += u64::from(reader.read_byte()? == PING);
            }
        }
        Ok(right / 2)
    };
    let mut others = || partner.usage();
    bench.batches(Work {
        main: &mut main,
        control: if control { Some(&mut alone) } else { None },
        side_by_side: 1,
        multiple_of: 1,
        cpu: vec![CpuClock::THREAD, partner.cpu()],
        others: Some(&mut others),
    })?;
    partner.stop()
}
