//! The way of one worker to the database, which can be cut: both sides wait, and neither learns why.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

use crate::postgres::Postgres;

/// The socket of the database in its folder.
const SOCKET: &str = ".s.PGSQL.5432";

pub struct Link {
    folder: TempDir,
    is_cut: watch::Sender<bool>,
}

impl Link {
    /// To the database whose socket is in this folder.
    pub fn start(database: &Path) -> Self {
        let (folder, (is_cut, cut)) = (tempfile::tempdir().unwrap(), watch::channel(false));
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let database = database.join(SOCKET);
        tokio::spawn(async move {
            loop {
                let (worker, _) = listener.accept().await.unwrap();
                // While the database is away, the worker learns that by the end of its connection.
                let Ok(database) = UnixStream::connect(&database).await else { continue };
                let ((from_worker, to_worker), (from_database, to_database)) =
                    (worker.into_split(), database.into_split());
                tokio::spawn(carry(from_worker, to_database, cut.clone()));
                tokio::spawn(carry(from_database, to_worker, cut.clone()));
            }
        });
        Self { folder, is_cut }
    }

    /// The address by which the worker finds a database.
    pub fn url(&self, database: &str) -> String {
        Postgres::url_at(self.folder.path(), database)
    }

    /// Nothing arrives for so long; then all of it does.
    pub async fn cut(&self, time: Duration) {
        self.is_cut.send_replace(true);
        tokio::time::sleep(time).await;
        self.is_cut.send_replace(false);
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut cut: watch::Receiver<bool>) {
    let mut bytes = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut bytes).await
        && cut.wait_for(|is_cut| !is_cut).await.is_ok()
        && to.write_all(&bytes[..count]).await.is_ok()
    {}
}
