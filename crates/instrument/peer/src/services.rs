//! The plainest services: what is sent comes back, or is counted.

use crate::{Error, Lane, Service, Transport};
use sys::descriptor::Descriptor;

/// Bytes that are moved at a time.
const BUFFER: usize = 64 << 10;

/// Gives back what comes over one connection, as it comes.
pub static ECHO_TCP: Service = Service {
    name: "echo.tcp",
    transport: Transport::Tcp,
    run: |session| {
        let [connection] = session.connections.as_slice() else {
            return Err(exactly_one());
        };
        let mut buffer = vec![0; BUFFER];
        let lane = session.lane(0)?;
        session.pin();
        session.ready()?;
        loop {
            match receive(connection, &mut buffer)? {
                [] => return Ok(()),
                came => {
                    // Counted first: a client that has the answer finds it counted.
                    lane.count(came.len())?;
                    connection.write_all(came)?;
                }
            }
        }
    },
};

/// Gives back every datagram.
pub static ECHO_UDP: Service = Service {
    name: "echo.udp",
    transport: Transport::Udp,
    run: |session| {
        let socket = session.socket.as_ref().ok_or_else(exactly_one)?;
        let mut buffer = vec![0; BUFFER];
        let lane = session.lane(0)?;
        session.pin();
        session.ready()?;
        loop {
            let datagram = receive(socket, &mut buffer)?;
            lane.count(datagram.len())?;
            sys::Error::check("write", socket.write(datagram))?;
        }
    },
};

/// Takes what comes over any number of connections (64 at most), and counts it.
pub static SINK_TCP: Service = Service {
    name: "sink.tcp",
    transport: Transport::Tcp,
    run: |session| {
        session.ready()?;
        let session = &*session;
        std::thread::scope(|scope| {
            let actors: Vec<_> = session
                .connections
                .iter()
                .enumerate()
                .map(|(actor, connection)| scope.spawn(move || drain(connection, session.lane(actor)?)))
                .collect();
            actors.into_iter().try_for_each(|actor| {
                actor
                    .join()
                    .unwrap_or_else(|_| Err(Error::Failed("an actor of the service panicked".to_owned())))
            })
        })
    },
};

fn exactly_one() -> Error {
    Error::Failed("the service takes exactly one data connection".to_owned())
}

fn drain(connection: &Descriptor, lane: Lane<'_>) -> Result<(), Error> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match receive(connection, &mut buffer)? {
            [] => return Ok(()),
            came => lane.count(came.len())?,
        }
    }
}

/// What came; nothing at the end of a connection.
fn receive<'b>(connection: &Descriptor, buffer: &'b mut [u8]) -> Result<&'b [u8], Error> {
    let came = sys::Error::check("read", connection.read(buffer))?;
    Ok(buffer.get(..came).unwrap_or_default())
}
