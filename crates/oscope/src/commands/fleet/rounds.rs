//! `oscope fleet rounds`: which pairs of nodes are measured at a time.

use crate::exit::Exit;
use std::io::Write;

/// Writes the pairs, one a line, with an empty line behind each round.
pub fn run(nodes: &[String]) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    for round in rounds(nodes.len()) {
        for (client, server) in round {
            if let (Some(client), Some(server)) = (nodes.get(client), nodes.get(server)) {
                writeln!(out, "{client} {server}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(Exit::Success)
}

/// Every pair of `count` nodes once, in as few rounds as can be, no node in two pairs of a round: the circle method of a
/// tournament (Kirkman, 1850). One node stays in its place, the others move on by one in each round and meet the one opposite;
/// of an odd number one has nobody opposite. Each is about as often the client as the server.
pub fn rounds(count: usize) -> Vec<Vec<(usize, usize)>> {
    if count < 2 {
        return Vec::new();
    }
    let places = count + count % 2;
    let moving = places - 1;
    let pairs_of_round = |round: usize| {
        let node_at = |place: usize| if place == 0 { 0 } else { (place - 1 + round) % moving + 1 };
        let pairs = (0..places / 2).map(|place| {
            let (one, other) = (node_at(place), node_at(places - 1 - place));
            match (one + other).is_multiple_of(2) == (one < other) {
                true => (one, other),
                false => (other, one),
            }
        });
        pairs.filter(|(one, other)| (*one).max(*other) < count).collect()
    };
    (0..moving).map(pairs_of_round).collect()
}

#[cfg(test)]
mod tests {
    use super::rounds;
    use std::collections::BTreeSet;

    #[test]
    fn every_pair_meets_once_and_no_node_is_in_two_pairs_at_once() {
        for count in 0..=33usize {
            let rounds = rounds(count);
            let mut met = BTreeSet::new();
            let mut clients = vec![0usize; count];
            for round in &rounds {
                let mut busy = BTreeSet::new();
                for &(client, server) in round {
                    assert!(busy.insert(client) && busy.insert(server), "{count}: {round:?}");
                    assert!(met.insert((client.min(server), client.max(server))), "{count}");
                    clients[client] += 1;
                }
            }
            assert_eq!(met.len(), count * count.saturating_sub(1) / 2, "{count}");
            assert!(rounds.len() <= count, "{count}");
            let half = count.saturating_sub(1) / 2;
            assert!(clients.iter().all(|often| often.abs_diff(half) <= 2), "{count}: {clients:?}");
        }
    }
}
