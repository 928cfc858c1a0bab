//! Text that runs are writing, for those who watch. It is announced and never stored: who misses a piece has the whole reply from the
//! records.
//!
//! | | announces |
//! |---|---|
//! | who watches a run | that it does, now and then |
//! | the worker that drives the run | what it writes |

use plait_core::error::Fault;
use plait_core::id::{Activation, RunId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::database::{Database, uuid_of, within_time};
use crate::topics::Topic;

/// The most that a notice of PostgreSQL carries, in bytes.
const MAX_PAYLOAD_BYTES: usize = 7_999;

/// A piece of what an activation is writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveText {
    pub root: RunId,
    pub run: RunId,
    /// How many entries of the run's journal are before it.
    pub after: u64,
    /// In milliseconds since the Unix epoch.
    pub at: u64,
    pub activation: Activation,
    /// How many bytes of text the activation wrote before.
    pub text_before: u64,
    pub text: String,
    /// The same of its reasoning.
    pub reasoning_before: u64,
    pub reasoning: String,
}

impl LiveText {
    /// The notices that carry it, in order.
    fn payloads(self) -> Vec<String> {
        let Ok(payload) = serde_json::to_string(&self) else { return Vec::new() };
        let half = |text: &str| text.floor_char_boundary(text.len() / 2);
        if payload.len() <= MAX_PAYLOAD_BYTES {
            return vec![payload];
        }
        let (text_at, reasoning_at) = (half(&self.text), half(&self.reasoning));
        if text_at + reasoning_at == 0 {
            // An activation's name that long is in no notice.
            return Vec::new();
        }
        let (text, reasoning) = (self.text.split_at(text_at), self.reasoning.split_at(reasoning_at));
        let first = Self { text: text.0.to_owned(), reasoning: reasoning.0.to_owned(), ..self.clone() };
        let second = Self {
            text_before: self.text_before + text_at as u64,
            text: text.1.to_owned(),
            reasoning_before: self.reasoning_before + reasoning_at as u64,
            reasoning: reasoning.1.to_owned(),
            ..self
        };
        [first.payloads(), second.payloads()].concat()
    }
}

impl Database {
    /// Announces what runs are writing.
    pub async fn announce_text(&self, pieces: Vec<LiveText>) -> Result<(), Fault> {
        let payloads: Vec<String> = pieces.into_iter().flat_map(LiveText::payloads).collect();
        let announce = sqlx::query("SELECT pg_notify($2, payload) FROM UNNEST($1::text[]) AS payload");
        let announce = announce.bind(payloads).bind(self.channel(Topic::Text));
        within_time("announce a text", announce.execute(&self.pool)).await.map(|_| ())
    }

    /// Announces that somebody watches a run of a tree.
    pub async fn announce_watch(&self, root: &RunId, run: &RunId) -> Result<(), Fault> {
        let watched: [Uuid; 2] = [uuid_of(root)?, uuid_of(run)?];
        let announce = sqlx::query("SELECT pg_notify($3, $1::text || ' ' || $2::text)");
        let announce = announce.bind(watched[0]).bind(watched[1]).bind(self.channel(Topic::Watch));
        within_time("watch a run", announce.execute(&self.pool)).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests;
