//! One process of the window for each data directory: a second start hands over its request, and ends.
//!
//! The process that has the data directory listens on a local socket. It stands in that directory, which only its owner
//! may enter, so nobody else can connect; on Windows it is a pipe named after the directory. Names that the whole
//! system shares, as on D-Bus, would mix up data directories.

use std::future::Future;
use std::io;
use std::path::Path;
use std::time::Duration;

use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::{GenericFilePath, GenericNamespaced, ListenerOptions, Name};
use plait_core::hash::content_hash;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::time::timeout;

use crate::args::InitialFlow;

/// The socket's file in the data directory.
const SOCKET: &str = "window.sock";

/// How long one side waits for the other. Both only pass on a path.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Paths are shorter on every platform.
const MAX_REQUEST_BYTES: u64 = 64 * 1024;

/// The answer of the listening process.
const TAKEN: &str = "taken\n";

/// Asks the process that has this data directory to open a flow, or just to come to the front. False if there is none that
/// listens.
pub(crate) async fn hand_over(home: &Path, flow: &InitialFlow) -> bool {
    let asking = async {
        let mut stream = BufReader::new(Stream::connect(name(home)?).await?);
        stream.write_all(format!("{}\n", serde_json::to_string(flow)?).as_bytes()).await?;
        let mut answer = String::new();
        stream.take(TAKEN.len() as u64).read_line(&mut answer).await?;
        Ok::<bool, io::Error>(answer == TAKEN)
    };
    timeout(ANSWER_TIMEOUT, asking).await.is_ok_and(|taken| taken.unwrap_or(false))
}

/// Listens for other starts with this data directory, which must be locked. The returned future passes their requests
/// to `open` and never ends.
pub(crate) fn listen(
    home: &Path,
    open: impl Fn(InitialFlow) + Send + Sync + 'static,
) -> io::Result<impl Future<Output = ()> + Send + 'static> {
    // The owner of the lock owns the socket: an existing one was left by a crash.
    let listener = ListenerOptions::new().name(name(home)?).try_overwrite(true).create_tokio()?;
    Ok(async move {
        loop {
            // A start that failed to connect opens its own window or reports that the directory is locked.
            let Ok(stream) = listener.accept().await else { continue };
            if let Ok(Ok(flow)) = timeout(ANSWER_TIMEOUT, take(stream)).await {
                open(flow);
            }
        }
    })
}

/// Reads what another start is to open, and answers.
async fn take(stream: Stream) -> io::Result<InitialFlow> {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    (&mut stream).take(MAX_REQUEST_BYTES).read_line(&mut request).await?;
    let flow = serde_json::from_str(&request)?;
    stream.write_all(TAKEN.as_bytes()).await?;
    Ok(flow)
}

fn name(home: &Path) -> io::Result<Name<'static>> {
    if cfg!(windows) {
        let hash = content_hash(home.as_os_str().as_encoded_bytes());
        format!("plait-{hash}").to_ns_name::<GenericNamespaced>()
    } else {
        home.join(SOCKET).to_fs_name::<GenericFilePath>()
    }
}

#[cfg(test)]
mod tests;
