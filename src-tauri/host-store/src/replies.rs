//! Replies that runs bought, for other runs of the same user on any worker. While one buys a reply, others that want one for the same key wait
//! for it.
//!
//! A reply is stored in the transaction of the record that holds it. A claim counts as long as its tree is driven under the lease that it
//! was made with: a worker that dies keeps nobody.

use plait_core::error::Fault;
use plait_core::id::{Activation, ReplyKey, RunId};
use plait_journal::earlier_run::{EarlierReply, disowned_replies};
use plait_journal::{CallAccount, CallEvent, Entry, Event, EventRef};
use plait_llm::provider::ModelReply;
use plait_store::{TreeRecord, WantedReply};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::codes;
use crate::database::{Database, run_id, signed, uuid_of, within_time};
use crate::leases::Lease;

/// The most replies for one key that a run is asked about. Each run takes a reply once.
const MAX_REPLIES: i64 = 200;

/// What the entries of a run say of the replies that it bought.
#[derive(Clone, Debug)]
pub(crate) struct ReplyNote {
    run: Uuid,
    seq: i64,
    activation: String,
    change: ReplyChange,
}

#[derive(Clone, Debug)]
enum ReplyChange {
    Bought {
        user: String,
        key: String,
        reply: String,
    },
    /// What the activation bought is not what the run went on with.
    Withdrawn,
}

#[derive(Serialize, Deserialize)]
struct StoredReply {
    reply: ModelReply,
    account: Option<std::sync::Arc<CallAccount>>,
}

impl ReplyNote {
    /// The notes of entries, in their order.
    pub(crate) fn of(run: &RunId, user: &str, entries: &[Entry]) -> Vec<Self> {
        let Ok(run) = uuid_of(run) else { return Vec::new() };
        entries.iter().filter_map(|entry| Self::of_entry(run, user, entry)).collect()
    }

    fn of_entry(run: Uuid, user: &str, entry: &Entry) -> Option<Self> {
        let seq = signed(entry.seq?);
        let (activation, change) = match &entry.event {
            Event::Call(
                activation,
                CallEvent::ModelReplied {
                    reply, account, key: Some(key), reused: None, bought: None, ..
                },
            ) => {
                let stored = StoredReply { reply: ModelReply::clone(reply), account: account.clone() };
                // A reply that cannot be written is bought again.
                let reply = serde_json::to_string(&stored).ok()?;
                (activation, ReplyChange::Bought { user: user.to_owned(), key: key.to_string(), reply })
            }
            event => (&disowned_replies(event)?, ReplyChange::Withdrawn),
        };
        Some(Self { run, seq, activation: text_of(activation), change })
    }

    /// Whether one of the records holds the entry.
    pub(crate) fn is_in(&self, records: &[TreeRecord<'_>]) -> bool {
        records.iter().any(|record| {
            record.run == self.run && self.seq < signed(record.seq.saturating_add(record.count.into()))
        })
    }

    /// Stores the change.
    pub(crate) async fn store(&self, connection: &mut PgConnection, root: Uuid) -> Result<(), sqlx::Error> {
        match &self.change {
            ReplyChange::Bought { user, key, reply } => {
                let store = sqlx::query(
                    "INSERT INTO bought_replies (root, run, seq, activation, user_name, key, reply) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
                );
                let store = store.bind(root).bind(self.run).bind(self.seq).bind(&self.activation);
                store.bind(user).bind(key).bind(reply).execute(connection).await?;
            }
            ReplyChange::Withdrawn => {
                let withdraw = sqlx::query("DELETE FROM bought_replies WHERE run = $1 AND activation = $2");
                withdraw.bind(self.run).bind(&self.activation).execute(connection).await?;
            }
        }
        Ok(())
    }
}

fn text_of(activation: &Activation) -> String {
    format!("{} {:?}", activation.node, activation.epoch)
}

impl Database {
    /// The replies for a key that other trees of the user bought, newest first.
    pub(crate) async fn bought_replies(&self, wanted: WantedReply<'_>) -> Result<Vec<EarlierReply>, Fault> {
        let find = sqlx::query_as::<_, (Uuid, i64, String)>(
            "SELECT run, seq, reply FROM bought_replies WHERE user_name = $1 AND key = $2 AND root <> $3 \
             ORDER BY run DESC, seq DESC LIMIT $4",
        );
        let find =
            find.bind(wanted.user).bind(wanted.key.as_str()).bind(uuid_of(wanted.root)?).bind(MAX_REPLIES);
        let found = within_time("look for a reply", find.fetch_all(&self.pool)).await?;
        let replies = found.into_iter().filter_map(|(run, seq, reply)| {
            // One that a newer version wrote is bought again.
            let StoredReply { reply, account } = serde_json::from_str(&reply).ok()?;
            let event = EventRef { run: run_id(run), seq: u64::try_from(seq).ok()? };
            Some(EarlierReply { reply, account, event, bought: None })
        });
        Ok(replies.collect())
    }

    /// Whether the tree may buy a reply for the key: nobody else does.
    pub(crate) async fn claim_reply(&self, wanted: WantedReply<'_>, lease: &Lease) -> Result<bool, Fault> {
        let claim = sqlx::query(
            "INSERT INTO reply_claims AS c VALUES ($1, $2, $3, $4) ON CONFLICT (user_name, key) DO UPDATE \
                 SET root = excluded.root, epoch = excluded.epoch \
                 WHERE c.root = excluded.root OR NOT EXISTS (SELECT FROM run_trees t WHERE t.root = c.root AND t.epoch = c.epoch \
                     AND t.worker IS NOT NULL AND t.leased_until > now())",
        );
        let claim =
            claim.bind(wanted.user).bind(wanted.key.as_str()).bind(uuid_of(wanted.root)?).bind(lease.epoch);
        let claimed = within_time("claim a reply", claim.execute(&self.pool)).await?;
        Ok(claimed.rows_affected() > 0)
    }

    /// Forgets the replies that these runs bought, or all that were bought until now.
    pub async fn forget_replies(&self, runs: Option<&[RunId]>) -> Result<(), Fault> {
        let runs = runs.map(|runs| runs.iter().map(uuid_of).collect::<Result<Vec<_>, _>>()).transpose()?;
        let forget = sqlx::query("DELETE FROM bought_replies WHERE $1::uuid[] IS NULL OR run = ANY($1)");
        within_time("forget replies", forget.bind(runs).execute(&self.pool)).await.map(|_| ())
    }

    /// Gives a claim back.
    pub(crate) async fn release_reply(&self, user: &str, key: &ReplyKey, lease: &Lease) -> Result<(), Fault> {
        let release = sqlx::query(
            "DELETE FROM reply_claims WHERE user_name = $1 AND key = $2 AND root = $3 AND epoch = $4",
        );
        let release = release.bind(user).bind(key.as_str()).bind(uuid_of(&lease.root)?).bind(lease.epoch);
        within_time("give a claim back", release.execute(&self.pool)).await.map(|_| ())
    }
}

/// The fault of a tree that is not driven here.
pub(crate) fn not_driven(root: &RunId) -> Fault {
    Fault::new(codes::RUN_SUPERSEDED, format!("Run {root} is not driven by this process."))
        .hint("Another one goes on with it; nothing has to be done.")
}
