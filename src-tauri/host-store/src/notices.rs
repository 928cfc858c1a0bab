//! What the database tells without being asked, so that nobody has to look again and again. A notice may be lost with a connection:
//! who waits for one looks now and then as well.

use plait_core::error::Fault;
use plait_core::id::RunId;
use sqlx::postgres::PgListener;

use crate::database::{Database, within_time};
use crate::live_text::LiveText;
use crate::topics::Topic;

/// Something happened to a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It has a request.
    Due(RunId),
    /// It has come to rest or was removed, or a request was answered.
    Rest(RunId),
    /// It is watched and has new records.
    Events(RunId),
    /// Somebody watches a run of it.
    Watch { root: RunId, run: RunId },
    /// A run of it is writing.
    Text(LiveText),
    /// The connection was lost for a while: anything may have happened.
    Missed,
}

/// A connection that receives notices.
pub struct Notices {
    listener: PgListener,
    /// By channel.
    topics: Vec<(String, Topic)>,
}

/// What a notice says; nothing for one of another version.
fn notice_of(topic: Topic, payload: &str) -> Option<Notice> {
    let root = || RunId::from(payload.to_owned());
    Some(match topic {
        Topic::Due => Notice::Due(root()),
        Topic::Rest => Notice::Rest(root()),
        Topic::Events => Notice::Events(root()),
        Topic::Watch => {
            let (root, run) = payload.split_once(' ')?;
            Notice::Watch { root: root.to_owned().into(), run: run.to_owned().into() }
        }
        Topic::Text => Notice::Text(serde_json::from_str(payload).ok()?),
    })
}

impl Database {
    /// Begins to receive notices.
    pub async fn notices(&self, topics: &[Topic]) -> Result<Notices, Fault> {
        let topics: Vec<_> = topics.iter().map(|topic| (self.channel(*topic), *topic)).collect();
        let listen = async {
            let mut listener = PgListener::connect_with(&self.pool).await?;
            listener.listen_all(topics.iter().map(|(channel, _)| channel.as_str())).await?;
            Ok(listener)
        };
        let listener = within_time("listen to the database", listen).await?;
        Ok(Notices { listener, topics })
    }
}

impl Notices {
    /// The next notice. It connects again by itself; an error says that it could not.
    pub async fn next(&mut self) -> Result<Notice, Fault> {
        match self.listener.try_recv().await {
            Ok(Some(notice)) => {
                let topic = self.topics.iter().find(|(channel, _)| channel == notice.channel());
                Ok(topic.and_then(|(_, topic)| notice_of(*topic, notice.payload())).unwrap_or(Notice::Missed))
            }
            Ok(None) => Ok(Notice::Missed),
            Err(error) => within_time("listen to the database", async { Err(error) }).await,
        }
    }
}
