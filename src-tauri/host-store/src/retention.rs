//! Removes trees that ended long ago, and the flows and attachments that nothing names any more.
//!
//! | a tree | |
//! |---|---|
//! | has ended longer ago than trees are kept | is removed, with all that the database has of it alone |
//! | goes on, has requests, waits for a person or was interrupted | stays |
//! | continues a conversation | stays as long as the conversation |
//!
//! A tree is removed by one process, in one transaction. A child run is a part of its tree.
//!
//! A flow or an attachment stays while its hash stands anywhere in a record or a request, and for a day after it was stored: a run that names
//! it may be about to begin. Records are searched once, since nothing changes them. One that cannot be read may name anything: then nothing is
//! removed.

use std::collections::BTreeSet;
use std::time::Duration;

use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_store::{TreeRecord, hashes_in};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::codes;
use crate::database::{Database, run_id, signed, uuid_of, within_time};
use crate::topics::Topic;

/// How many trees are removed in one transaction.
const MAX_REMOVED_TREES: i64 = 50;
/// How many trees and conversations are looked up at once to be searched.
const MAX_SEARCHED: i64 = 500;
/// How long a value stays that nothing names.
const UNNAMED_VALUE_TIME: Duration = Duration::from_hours(24);

/// A tree that has ended and that no conversation needs.
const REMOVABLE: &str = "worker IS NULL AND NOT goes_on AND requests = 0 AND conversation IS NULL \
     AND (ended OR status IN ('finished', 'failed', 'cancelled'))";

impl Database {
    /// The trees that ended longer ago than they are kept, in the order in which they ended.
    pub async fn expired_trees(&self, kept: Duration) -> Result<Vec<RunId>, Fault> {
        let find = format!(
            "SELECT root FROM run_trees WHERE {REMOVABLE} AND ended_at < now() - make_interval(secs => $1) ORDER BY ended_at"
        );
        let find = sqlx::query_scalar::<_, Uuid>(sqlx::AssertSqlSafe(find)).bind(kept.as_secs_f64());
        let found = within_time("look for old runs", find.fetch_all(&self.pool)).await?;
        Ok(found.into_iter().map(run_id).collect())
    }

    /// Removes some of the trees that ended longer ago than they are kept, and gives their roots; none if there are no more. `note` is called
    /// before they are gone for good: if it fails, they stay. Those that another process removes right now are left to it.
    pub async fn remove_expired_trees<E: From<Fault>>(
        &self,
        kept: Duration,
        note: impl FnOnce(&[RunId]) -> Result<(), E>,
    ) -> Result<Vec<RunId>, E> {
        let doing = "remove old runs";
        let mut transaction = within_time(doing, self.pool.begin()).await?;
        // Those that a program without this column left.
        let date = format!("UPDATE run_trees SET ended_at = now() WHERE {REMOVABLE} AND ended_at IS NULL");
        let date = sqlx::query(sqlx::AssertSqlSafe(date)).execute(&mut *transaction);
        within_time(doing, date).await?;
        let lock = format!(
            "SELECT root FROM run_trees WHERE {REMOVABLE} AND ended_at < now() - make_interval(secs => $1) \
             ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED"
        );
        let lock = sqlx::query_scalar::<_, Uuid>(sqlx::AssertSqlSafe(lock));
        let lock = lock.bind(kept.as_secs_f64()).bind(MAX_REMOVED_TREES).fetch_all(&mut *transaction);
        let locked = within_time(doing, lock).await?;
        if !locked.is_empty() {
            let removed = remove_trees(&mut transaction, &locked, self.channel(Topic::Rest));
            within_time(doing, removed).await?;
        }
        let roots: Vec<RunId> = locked.into_iter().map(run_id).collect();
        if !roots.is_empty() {
            note(&roots)?;
        }
        within_time(doing, transaction.commit()).await?;
        Ok(roots)
    }

    /// Removes the flows and attachments that nothing names, and gives how many. Fault `journal.corrupt` if a record cannot be read, which
    /// may name any of them.
    pub async fn remove_unnamed_values(&self) -> Result<u64, Fault> {
        self.search_trees().await?;
        self.search_conversations().await?;
        Ok(self.remove_unnamed("flow_documents").await? + self.remove_unnamed("attachments").await?)
    }

    async fn remove_unnamed(&self, table: &str) -> Result<u64, Fault> {
        let remove = format!(
            "DELETE FROM {table} v WHERE stored_at < now() - make_interval(secs => $1) \
                 AND NOT EXISTS (SELECT FROM tree_values t WHERE t.hash = v.hash) \
                 AND NOT EXISTS (SELECT FROM conversation_values c WHERE c.hash = v.hash) \
                 AND NOT EXISTS (SELECT FROM run_requests r WHERE r.done_at IS NULL AND position(v.hash IN r.arguments) > 0)"
        );
        let remove = sqlx::query(sqlx::AssertSqlSafe(remove)).bind(UNNAMED_VALUE_TIME.as_secs_f64());
        let removed = within_time("remove unused values", remove.execute(&self.pool)).await?;
        Ok(removed.rows_affected())
    }

    /// Notes what the records of trees name that were added since the last time.
    async fn search_trees(&self) -> Result<(), Fault> {
        let mut after = 0;
        loop {
            let find = sqlx::query_as::<_, (i64, Uuid, i64)>(
                "SELECT number, root, searched_size FROM run_trees WHERE size > searched_size AND number > $1 ORDER BY number LIMIT $2",
            );
            let find = find.bind(after).bind(MAX_SEARCHED).fetch_all(&self.pool);
            let found = within_time("look for new records", find).await?;
            let Some((last, ..)) = found.last() else { return Ok(()) };
            after = *last;
            for (_, root, searched) in found {
                self.search_tree(&run_id(root), u64::try_from(searched).unwrap_or_default()).await?;
            }
        }
    }

    async fn search_tree(&self, root: &RunId, searched: u64) -> Result<(), Fault> {
        let bytes = self.tree_from(root, searched).await?;
        let mut hashes = BTreeSet::new();
        for record in TreeRecord::split(root, searched, &bytes)? {
            if !record.add_hashes(&mut hashes) {
                let message = format!("A record of run {root} at byte {} cannot be read.", record.position);
                return Err(Fault::new(codes::JOURNAL_CORRUPT, message)
                    .hint("No flow and no attachment is removed while it is there: remove the run, or restore it from a backup."));
            }
        }
        let note = sqlx::query(
            "WITH searched AS (UPDATE run_trees SET searched_size = $3 WHERE root = $1 AND searched_size = $2 RETURNING root) \
             INSERT INTO tree_values SELECT root, named.hash FROM searched, UNNEST($4::text[]) AS named (hash) \
                 WHERE EXISTS (SELECT FROM flow_documents f WHERE f.hash = named.hash) \
                     OR EXISTS (SELECT FROM attachments a WHERE a.hash = named.hash) ON CONFLICT DO NOTHING",
        );
        let note =
            note.bind(uuid_of(root)?).bind(signed(searched)).bind(signed(searched + bytes.len() as u64));
        let note = note.bind(hashes.into_iter().collect::<Vec<_>>()).execute(&self.pool);
        within_time("note what a run names", note).await.map(|_| ())
    }

    /// The same of conversations, whose records are not compressed.
    async fn search_conversations(&self) -> Result<(), Fault> {
        let mut after = Uuid::nil();
        loop {
            let find = sqlx::query_as::<_, (Uuid, i64)>(
                "SELECT id, searched_size FROM conversations WHERE size > searched_size AND id > $1 ORDER BY id LIMIT $2",
            );
            let find = find.bind(after).bind(MAX_SEARCHED).fetch_all(&self.pool);
            let found = within_time("look for new messages", find).await?;
            let Some((last, _)) = found.last() else { return Ok(()) };
            after = *last;
            for (id, searched) in found {
                self.search_conversation(id, searched).await?;
            }
        }
    }

    async fn search_conversation(&self, id: Uuid, searched: i64) -> Result<(), Fault> {
        let doing = "note what a conversation names";
        let read = sqlx::query_scalar::<_, Vec<u8>>(
            "SELECT bytes FROM conversation_records WHERE conversation = $1 AND position >= $2 ORDER BY position",
        );
        let bytes = within_time(doing, read.bind(id).bind(searched).fetch_all(&self.pool)).await?.concat();
        let hashes: BTreeSet<&str> = hashes_in(&bytes).collect();
        let note = sqlx::query(
            "WITH searched AS (UPDATE conversations SET searched_size = $3 WHERE id = $1 AND searched_size = $2 RETURNING id) \
             INSERT INTO conversation_values SELECT id, named.hash FROM searched, UNNEST($4::text[]) AS named (hash) \
                 WHERE EXISTS (SELECT FROM attachments a WHERE a.hash = named.hash) ON CONFLICT DO NOTHING",
        );
        let note = note.bind(id).bind(searched).bind(searched + signed(bytes.len() as u64));
        let note = note.bind(hashes.into_iter().collect::<Vec<_>>()).execute(&self.pool);
        within_time(doing, note).await.map(|_| ())
    }
}

/// Removes trees that are locked, and announces it. What belongs to a tree goes with its row.
async fn remove_trees(
    connection: &mut PgConnection,
    roots: &[Uuid],
    channel: String,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM reply_claims WHERE root = ANY($1)")
        .bind(roots)
        .execute(&mut *connection)
        .await?;
    let remove = sqlx::query(
        "WITH gone AS (DELETE FROM run_trees WHERE root = ANY($1) RETURNING root) \
         SELECT pg_notify($2, root::text)::text FROM gone",
    );
    remove.bind(roots).bind(channel).execute(connection).await.map(|_| ())
}
