//! An instrument of the tests: a round trip to a peer, one byte each way.

use measure::{Area, Bench, Failure, How, Operation, Result};
use peer::{Client, PeerAddress};

/// Its id.
pub const ID: &str = "sabotage.remote.echo";

/// The operation.
pub fn operation() -> Operation {
    Operation {
        id: ID,
        area: Area::Network,
        title: "round trip to a peer",
        one_iteration: "one byte to the peer and back, over TCP",
        how: How::Slope,
        gate: record::Gate { cpu_share: None, involuntary: false, shared_core: None },
        points: &["path=remote"],
        evidence: &["answers = 1: every byte came back", "linear", "undisturbed"],
        run,
        ..Operation::NEW
    }
}

fn failed(error: peer::Error) -> Failure {
    Failure::Failed(error.to_string())
}

fn run(bench: &mut Bench<'_>) -> Result<()> {
    let address = PeerAddress::from_link(bench.peer()?).map_err(failed)?;
    let mut client = Client::connect(&address, "saboteur").map_err(failed)?;
    client.open("echo.tcp", serde_json::Value::Null).map_err(failed)?;
    let data = client.data_tcp().map_err(failed)?;
    client.start().map_err(failed)?;
    bench.slope(&mut |n| {
        let mut answers = 0;
        for turn in 0..n {
            let (sent, mut came) = ([turn as u8], [0]);
            data.write_all(&sent)?;
            data.read_all(&mut came)?;
            answers += u64::from(came == sent);
        }
        Ok(answers)
    })?;
    drop(data);
    client.stop().map_err(failed)?;
    client.end().map_err(failed)
}
