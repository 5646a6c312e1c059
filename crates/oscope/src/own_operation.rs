//! The operation of a program that the user brings by `--operation`: `own.NAME`, beside those of the list.

use crate::Operations;
use crate::exit::usage;
use measure::{Area, Operation, Point};
use record::Profile;
use serde::{Deserialize, Serialize};
use workloads::own_program::{self, Declaration};

/// By what workers know of the program, as JSON.
pub const VARIABLE: &str = "OSCOPE_OPERATION";

/// Parameters with a meaning of oscope's own.
const RESERVED: [&str; 4] = ["cpu", "idle", "path", "profile"];

/// Longest name.
const MOST_LETTERS: usize = 40;

/// A program and what it says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub struct OwnOperation {
    words: Vec<String>,
    declaration: Declaration,
}

impl OwnOperation {
    /// Starts the program of this command line, and reads what it says of itself.
    pub fn declared_by(line: &str) -> anyhow::Result<Self> {
        let words = shlex::split(line).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| usage(format!("--operation: '{line}' is not a command line")))?;
        let declaration =
            own_program::declaration(&words).map_err(|why| usage(format!("--operation {line}: {why}")))?;
        let this = Self { words, declaration };
        this.check().map_err(|why| usage(format!("--operation {line}: {why}")))?;
        Ok(this)
    }

    /// Its id.
    pub fn id(&self) -> String {
        format!("own.{}", self.declaration.name)
    }

    /// What workers are given.
    pub fn text(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    /// These operations and this one, which lives as long as the program.
    pub fn added_to(&self, operations: Operations) -> Operations {
        let own: &'static Operation = Box::leak(Box::new(self.operation()));
        Box::leak(operations.iter().copied().chain([own]).collect::<Vec<_>>().into_boxed_slice())
    }

    fn check(&self) -> Result<(), String> {
        let Declaration { name, points, calls, .. } = &self.declaration;
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        };
        if name.len() > MOST_LETTERS || !name.split('.').all(is_word) {
            return Err(format!("the name {name:?} is not made of a-z, 0-9, _ and dots"));
        }
        let mut named = calls.split(',').filter_map(|call| call.split_whitespace().next());
        if let Some(unknown) = named.find(|name| !sys::calls::is_name(name)) {
            return Err(format!("calls {calls}: Linux has no system call '{unknown}'"));
        }
        for point in points {
            let parsed = Point::parse(point).ok_or(format!("{point:?} is not a point; use NAME=VALUE"))?;
            let text = parsed.text();
            let mut names = text.split(' ').filter_map(|pair| pair.split_once('='));
            if let Some((name, _)) = names.find(|(name, _)| RESERVED.contains(name)) {
                return Err(format!("the parameter '{name}' has a meaning of its own; choose another name"));
            }
        }
        let operation = self.operation();
        let read = operation.read_points(Profile::Standard).map_err(|mistake| mistake.to_string())?;
        let mut witnesses = read.iter().flat_map(|point| operation.witnesses_at(point));
        match witnesses.find(|witness| witness.proves.starts_with("a line of the card is wrong")) {
            Some(wrong) => Err(format!("calls {}: {}", self.declaration.calls, wrong.proves)),
            None => Ok(()),
        }
    }

    fn operation(&self) -> Operation {
        let Declaration { name, iteration, calls, points } = &self.declaration;
        let mut evidence: Vec<&'static str> =
            vec!["answers = 1: the program counted every iteration as right", "linear"];
        if !calls.is_empty() {
            evidence.push(leak(format!("calls: {calls}")));
        }
        let points: Vec<&'static str> = match points.is_empty() {
            true => vec![""],
            false => points.iter().map(|point| leak(point.clone())).collect(),
        };
        let iteration = if iteration.is_empty() { "one iteration of the program" } else { iteration };
        Operation {
            id: leak(self.id()),
            area: Area::Os,
            title: leak(format!("{name}, a program of the user")),
            one_iteration: leak(iteration.to_owned()),
            method: leak(format!(
                "{}, started for each trial, does n, 2n and 4n iterations on request; what the exchange of lines costs cancels.",
                self.words.join(" ")
            )),
            confounds: "The program counts its own answers. A program that does the same part of every iteration is caught by \
                declared system calls only.",
            points: Box::leak(points.into_boxed_slice()),
            parameters: |_| Ok(()),
            spend_ns: SPEND_NS,
            evidence: Box::leak(evidence.into_boxed_slice()),
            run: own_program::run,
            ..Operation::NEW
        }
    }
}

/// Time for the batches of a trial: 16 triples of 3 ms.
const SPEND_NS: u64 = 50_000_000;

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// In a worker: these operations, and that of the program that the supervisor was given.
pub fn with_own(operations: Operations) -> Operations {
    let Ok(text) = std::env::var(VARIABLE) else { return operations };
    match serde_json::from_str::<OwnOperation>(&text) {
        Ok(own) => {
            own_program::choose_program(own.words.clone());
            own.added_to(operations)
        }
        Err(_) => operations,
    }
}
