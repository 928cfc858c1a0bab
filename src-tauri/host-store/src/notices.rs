//! What the database tells without being asked, so that nobody has to look again and again. A notice may be lost with a connection:
//! who waits for one looks now and then as well.

use plait_core::error::Fault;
use plait_core::id::RunId;
use sqlx::postgres::PgListener;

use crate::database::{Database, within_time};

/// Something happened to a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It has a request.
    Due(RunId),
    /// It has come to rest, or a request was answered.
    Rest(RunId),
    /// The connection was lost for a while: anything may have happened.
    Missed,
}

/// A connection that receives notices.
pub struct Notices(PgListener);

const DUE: &str = "plait_due";
const REST: &str = "plait_rest";

impl Database {
    /// Begins to receive notices.
    pub async fn notices(&self) -> Result<Notices, Fault> {
        let listen = async {
            let mut listener = PgListener::connect_with(&self.pool).await?;
            listener.listen_all([DUE, REST]).await?;
            Ok(listener)
        };
        within_time("listen to the database", listen).await.map(Notices)
    }
}

impl Notices {
    /// The next notice. It connects again by itself; an error says that it could not.
    pub async fn next(&mut self) -> Result<Notice, Fault> {
        match self.0.try_recv().await {
            Ok(Some(notice)) => {
                let root = RunId::from(notice.payload().to_owned());
                Ok(if notice.channel() == DUE { Notice::Due(root) } else { Notice::Rest(root) })
            }
            Ok(None) => Ok(Notice::Missed),
            Err(error) => within_time("listen to the database", async { Err(error) }).await,
        }
    }
}
