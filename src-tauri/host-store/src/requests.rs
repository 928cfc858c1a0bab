//! What runs are asked to do: commands of the api, executed by the worker that has the lease of the run's tree, in the order in which they
//! came.

use plait_core::error::Fault;
use plait_core::id::{ConversationId, RunId};
use uuid::Uuid;

use crate::conversations::{conversation_uuid, unknown};
use crate::database::{Database, run_id, uuid_of, within_time};
use crate::leases::{Lease, superseded};
use crate::listings::Listing;
use crate::records;
use crate::topics::Topic;

/// A request that waits to be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingRequest {
    pub id: Uuid,
    pub command: String,
    /// As JSON.
    pub arguments: String,
    /// How many bytes the tree had when its execution was begun before, by a worker that did not come to its end.
    pub begun_at: Option<u64>,
}

/// What became of a request, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Reply(String),
    Error(String),
}

/// How a run tree stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeState {
    pub root: RunId,
    /// Whether a worker drives it, or will.
    pub is_due: bool,
    /// How it stood when it came to rest.
    pub state: Option<String>,
}

impl Database {
    /// Adds a tree that the request begins, and gives the request; that of the tree if it is there. One that continues a conversation is
    /// driven after those that were added to it before. Fault `conversation.unknown`.
    pub async fn begin(
        &self,
        root: &RunId,
        conversation: Option<&ConversationId>,
        (command, arguments): (&str, &str),
        listing: &Listing,
    ) -> Result<Uuid, Fault> {
        let (id, root) = (Uuid::now_v7(), uuid_of(root)?);
        let continued = conversation.map(conversation_uuid).transpose()?;
        let begin = async {
            let mut transaction = self.pool.begin().await?;
            if let Some(conversation) = continued {
                // Locked, so that trees get their numbers in the order in which others see them.
                let lock =
                    sqlx::query("SELECT FROM conversations WHERE id = $1 FOR UPDATE").bind(conversation);
                if lock.fetch_optional(&mut *transaction).await?.is_none() {
                    return Ok(None);
                }
            }
            let insert_tree = sqlx::query(
                "INSERT INTO run_trees (root, goes_on, requests, conversation, summary, status, flow_path, user_name) \
                 VALUES ($1, false, 1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            );
            let insert_tree =
                insert_tree.bind(root).bind(continued).bind(&listing.summary).bind(&listing.status);
            let insert_tree = insert_tree.bind(&listing.flow_path).bind(&listing.user);
            let is_new = insert_tree.execute(&mut *transaction).await?;
            if is_new.rows_affected() == 0 {
                let first =
                    sqlx::query_scalar("SELECT id FROM run_requests WHERE root = $1 ORDER BY number LIMIT 1");
                return first
                    .bind(root)
                    .fetch_optional(&mut *transaction)
                    .await
                    .map(|first| first.or(Some(id)));
            }
            self.insert(&mut transaction, (id, root), command, arguments).await?;
            transaction.commit().await?;
            Ok(Some(id))
        };
        match (within_time("begin a run", begin).await?, conversation) {
            (None, Some(conversation)) => Err(unknown(conversation)),
            (first, _) => Ok(first.unwrap_or(id)),
        }
    }

    /// Adds a request for a tree. Fault `run.unknown` if it is not there any more.
    pub async fn request(&self, root: &RunId, command: &str, arguments: &str) -> Result<Uuid, Fault> {
        let (id, root) = (Uuid::now_v7(), uuid_of(root)?);
        let request = async {
            let mut transaction = self.pool.begin().await?;
            let count =
                sqlx::query("UPDATE run_trees SET requests = requests + 1 WHERE root = $1").bind(root);
            if count.execute(&mut *transaction).await?.rows_affected() == 0 {
                return Ok(false);
            }
            self.insert(&mut transaction, (id, root), command, arguments).await?;
            transaction.commit().await?;
            Ok(true)
        };
        let is_there = within_time("ask something of a run", request).await?;
        if is_there { Ok(id) } else { Err(records::unknown(&run_id(root))) }
    }

    /// The next request of a tree, whose execution begins now. Fault `run.superseded` if the lease is not the newest.
    pub async fn next_request(&self, lease: &Lease) -> Result<Option<PendingRequest>, Fault> {
        let root = uuid_of(&lease.root)?;
        let next = sqlx::query_as::<_, (Uuid, String, String, Option<i64>)>(
            "WITH next AS (SELECT r.id, r.begun_at, t.size FROM run_requests r JOIN run_trees t USING (root) \
                 WHERE root = $1 AND epoch = $2 AND done_at IS NULL ORDER BY r.number LIMIT 1 FOR UPDATE OF r) \
             UPDATE run_requests r SET begun_at = coalesce(next.begun_at, next.size) FROM next WHERE r.id = next.id \
             RETURNING r.id, r.command, coalesce(r.arguments, ''), next.begun_at",
        );
        let next = next.bind(root).bind(lease.epoch).fetch_optional(&self.pool);
        let next = within_time("read what a run is asked", next).await?;
        Ok(next.map(|(id, command, arguments, begun_at)| PendingRequest {
            id,
            command,
            arguments,
            begun_at: begun_at.and_then(|size| u64::try_from(size).ok()),
        }))
    }

    /// Notes what became of a request. Fault `run.superseded` if the lease is not the newest.
    pub async fn finish_request(&self, lease: &Lease, request: Uuid, outcome: &Outcome) -> Result<(), Fault> {
        let root = uuid_of(&lease.root)?;
        let (reply, error) = match outcome {
            Outcome::Reply(reply) => (Some(reply), None),
            Outcome::Error(error) => (None, Some(error)),
        };
        // A tree goes on from its first request until a worker says how it stands.
        let finish = sqlx::query(
            "WITH tree AS (UPDATE run_trees SET requests = requests - 1, goes_on = true \
                 WHERE root = $1 AND epoch = $2 AND worker IS NOT NULL RETURNING root), \
             done AS (UPDATE run_requests SET done_at = now(), arguments = NULL, reply = $4, error = $5 \
                 FROM tree WHERE id = $3 AND done_at IS NULL RETURNING id) \
             SELECT pg_notify($6, $1::text) FROM done",
        );
        let finish = finish.bind(root).bind(lease.epoch).bind(request).bind(reply).bind(error);
        let finish = finish.bind(self.channel(Topic::Rest));
        let finished = within_time("answer a request", finish.fetch_optional(&self.pool)).await?;
        finished.map(|_| ()).ok_or_else(|| superseded(&lease.root))
    }

    /// What became of a request; nothing while it waits.
    pub async fn outcome(&self, request: Uuid) -> Result<Option<Outcome>, Fault> {
        let read = sqlx::query_as::<_, (Option<String>, Option<String>)>(
            "SELECT reply, error FROM run_requests WHERE id = $1 AND done_at IS NOT NULL",
        );
        let read = within_time("read the answer to a request", read.bind(request).fetch_optional(&self.pool))
            .await?;
        Ok(read.and_then(|(reply, error)| error.map(Outcome::Error).or(reply.map(Outcome::Reply))))
    }

    /// How a tree stands; nothing if there is none.
    pub async fn tree_state(&self, root: &RunId) -> Result<Option<TreeState>, Fault> {
        let read = sqlx::query_as::<_, (Uuid, bool, Option<String>)>(
            "SELECT root, goes_on OR requests > 0, state FROM run_trees WHERE root = $1",
        );
        let read = within_time("read how a run stands", read.bind(uuid_of(root)?).fetch_optional(&self.pool))
            .await?;
        Ok(read.map(|(root, is_due, state)| TreeState { root: run_id(root), is_due, state }))
    }

    /// The trees that a process has copies of, without those that the database does not have.
    pub async fn known_trees(&self, roots: &[RunId]) -> Result<Vec<RunId>, Fault> {
        let roots: Vec<Uuid> = roots.iter().map(uuid_of).collect::<Result<_, _>>()?;
        let find =
            sqlx::query_scalar::<_, Uuid>("SELECT root FROM run_trees WHERE root = ANY($1)").bind(roots);
        let known = within_time("look for runs", find.fetch_all(&self.pool)).await?;
        Ok(known.into_iter().map(run_id).collect())
    }

    /// The size of the records of a tree.
    pub async fn size(&self, root: &RunId) -> Result<u64, Fault> {
        let read =
            sqlx::query_scalar::<_, i64>("SELECT size FROM run_trees WHERE root = $1").bind(uuid_of(root)?);
        let size = within_time("read a run", read.fetch_optional(&self.pool)).await?;
        Ok(size.and_then(|size| u64::try_from(size).ok()).unwrap_or_default())
    }

    async fn insert(
        &self,
        transaction: &mut sqlx::Transaction<'_, sqlx::Postgres>,
        (id, root): (Uuid, Uuid),
        command: &str,
        arguments: &str,
    ) -> Result<(), sqlx::Error> {
        sqlx::query("INSERT INTO run_requests (id, root, command, arguments) VALUES ($1, $2, $3, $4)")
            .bind(id)
            .bind(root)
            .bind(command)
            .bind(arguments)
            .execute(&mut **transaction)
            .await?;
        let announce =
            sqlx::query("SELECT pg_notify($1, $2::text)").bind(self.channel(Topic::Due)).bind(root);
        announce.execute(&mut **transaction).await?;
        Ok(())
    }
}
