//! Who drives which run tree.
//!
//! | a tree | is claimed |
//! |---|---|
//! | goes on without a person, or has requests; nobody has its lease | by any worker |
//! | has a lease that has expired | by any worker: the next epoch. One that expired while the database was away: after another duration, so that its worker can extend it |
//! | has a lease | by nobody |
//! | continues a conversation in which an earlier tree has not ended | by nobody |
//! | was driven by a newer revision of the engine | by workers of that revision or a newer one |
//! | waits for a person, or has ended, without requests | by nobody |

use std::time::Duration;

use plait_core::error::Fault;
use plait_core::id::RunId;
use uuid::Uuid;

use crate::codes;
use crate::database::{Database, run_id, uuid_of, within_time};
use crate::listings::Listing;
use crate::topics::Topic;

/// The right to drive a run tree, until it expires or another process has a newer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The run at the root of the tree.
    pub root: RunId,
    pub epoch: i64,
}

/// How a tree is left.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Whether it goes on without a person, so that another worker takes it.
    pub goes_on: bool,
    /// How it stands, as JSON, if that is known.
    pub state: Option<String>,
    /// Whether its root has ended, so that the next tree of its conversation may begin.
    pub has_ended: bool,
    /// What lists show of it from now on, if that is known.
    pub listing: Option<Listing>,
}

/// A process that drives trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerId {
    pub id: Uuid,
    /// The revision of its engine.
    pub revision: u32,
}

/// What came of asking for the lease of one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeClaim {
    Taken(Lease),
    /// Another worker has it, or died less than a lease ago.
    Held,
    /// An earlier tree of its conversation has not ended.
    BehindAnother,
    /// A worker of a newer revision has driven it.
    NeedsNewerWorker,
    /// It has nothing to do, or is not there any more.
    AtRest,
}

/// A tree that has work and that no worker drives. It is the same work as long as its numbers are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueTree {
    pub root: RunId,
    pub epoch: i64,
    /// The number of the newest request that waits. 0 if none does.
    pub request: i64,
}

impl Database {
    /// Takes up to `limit` trees that have work, for `duration`.
    pub async fn claim(&self, worker: WorkerId, duration: Duration, limit: u32) -> Result<Vec<Lease>, Fault> {
        self.claim_of(worker, duration, limit, None).await
    }

    /// The same of trees with this root.
    async fn claim_of(
        &self,
        worker: WorkerId,
        duration: Duration,
        limit: u32,
        root: Option<Uuid>,
    ) -> Result<Vec<Lease>, Fault> {
        let claim = sqlx::query_as::<_, (Uuid, i64)>(
            "WITH due AS MATERIALIZED (SELECT root FROM run_trees r WHERE (goes_on OR requests > 0) \
                 AND ($5 IS NULL OR root = $5) \
                 AND (leased_until IS NULL OR leased_until < now() \
                     AND (leased_until >= pg_postmaster_start_time() \
                         OR pg_postmaster_start_time() + make_interval(secs => $2) < now())) \
                 AND revision <= $4 \
                 AND (conversation IS NULL OR NOT EXISTS (SELECT FROM run_trees e \
                     WHERE e.conversation = r.conversation AND e.number < r.number AND NOT e.ended)) \
                 ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED) \
             UPDATE run_trees t SET epoch = epoch + 1, worker = $1, revision = $4, \
                 leased_until = now() + make_interval(secs => $2), state = NULL \
             FROM due WHERE t.root = due.root RETURNING t.root, t.epoch",
        );
        let claim = claim.bind(worker.id).bind(duration.as_secs_f64()).bind(i64::from(limit));
        let claim = claim.bind(revision_of(worker)).bind(root);
        let claimed = within_time("look for work", claim.fetch_all(&self.pool)).await?;
        Ok(claimed.into_iter().map(|(root, epoch)| Lease { root: run_id(root), epoch }).collect())
    }

    /// Takes one tree for `duration`, or says why not.
    pub async fn claim_tree(
        &self,
        worker: WorkerId,
        duration: Duration,
        root: &RunId,
    ) -> Result<TreeClaim, Fault> {
        let id = uuid_of(root)?;
        if let Some(lease) = self.claim_of(worker, duration, 1, Some(id)).await?.pop() {
            return Ok(TreeClaim::Taken(lease));
        }
        let read = sqlx::query_as::<_, (bool, bool, bool)>(
            "SELECT goes_on OR requests > 0, revision > $2, \
                 EXISTS (SELECT FROM run_trees e WHERE e.conversation = r.conversation AND e.number < r.number AND NOT e.ended) \
             FROM run_trees r WHERE root = $1",
        );
        let read = read.bind(id).bind(revision_of(worker)).fetch_optional(&self.pool);
        Ok(match within_time("look at a run", read).await? {
            None | Some((false, ..)) => TreeClaim::AtRest,
            Some((true, true, _)) => TreeClaim::NeedsNewerWorker,
            Some((true, false, true)) => TreeClaim::BehindAnother,
            Some((true, false, false)) => TreeClaim::Held,
        })
    }

    /// The trees that have work and that no worker drives, oldest first, without those that come after another one in a conversation.
    pub async fn due_trees(&self) -> Result<Vec<DueTree>, Fault> {
        let read = sqlx::query_as::<_, (Uuid, i64, i64)>(
            "SELECT root, epoch, coalesce((SELECT max(q.number) FROM run_requests q WHERE q.root = r.root AND q.done_at IS NULL), 0) \
             FROM run_trees r WHERE (goes_on OR requests > 0) AND (leased_until IS NULL OR leased_until < now()) \
                 AND (conversation IS NULL OR NOT EXISTS (SELECT FROM run_trees e \
                     WHERE e.conversation = r.conversation AND e.number < r.number AND NOT e.ended)) \
             ORDER BY created_at",
        );
        let due = within_time("look for work", read.fetch_all(&self.pool)).await?;
        Ok(due
            .into_iter()
            .map(|(root, epoch, request)| DueTree { root: run_id(root), epoch, request })
            .collect())
    }

    /// Extends the leases that a worker has of these trees. Those that are not among what this gives are lost.
    pub async fn extend_leases(
        &self,
        worker: Uuid,
        duration: Duration,
        roots: &[RunId],
    ) -> Result<Vec<Lease>, Fault> {
        let roots: Vec<Uuid> = roots.iter().map(uuid_of).collect::<Result<_, _>>()?;
        let extend = sqlx::query_as::<_, (Uuid, i64)>(
            "UPDATE run_trees SET leased_until = now() + make_interval(secs => $2) \
             WHERE worker = $1 AND root = ANY($3) RETURNING root, epoch",
        );
        let extend = extend.bind(worker).bind(duration.as_secs_f64()).bind(roots);
        let extended = within_time("extend the leases of runs", extend.fetch_all(&self.pool)).await?;
        Ok(extended.into_iter().map(|(root, epoch)| Lease { root: run_id(root), epoch }).collect())
    }

    /// Gives a lease back, and says how the tree is left. What may be driven now is announced. Fault `run.superseded` if it was lost.
    pub async fn release(&self, lease: &Lease, rest: &Rest) -> Result<(), Fault> {
        let release = sqlx::query(
            "WITH tree AS (UPDATE run_trees SET worker = NULL, leased_until = NULL, goes_on = $3, state = $4, ended = $5, \
                 ended_at = CASE WHEN $5 THEN now() END, \
                 summary = coalesce($6, summary), status = coalesce($7, status), flow_path = coalesce($8, flow_path), user_name = coalesce($9, user_name) \
                 WHERE root = $1 AND epoch = $2 AND worker IS NOT NULL RETURNING root, conversation, number, requests), \
             next AS ((SELECT n.root FROM run_trees n, tree WHERE $5 AND n.conversation = tree.conversation \
                 AND n.number > tree.number AND NOT n.ended ORDER BY n.number LIMIT 1) \
                 UNION ALL SELECT root FROM tree WHERE $3 OR requests > 0) \
             SELECT pg_notify($10, root::text)::text, \
                 (SELECT count(pg_notify($11, next.root::text)::text) FROM next) FROM tree",
        );
        let release = release
            .bind(uuid_of(&lease.root)?)
            .bind(lease.epoch)
            .bind(rest.goes_on)
            .bind(&rest.state)
            .bind(rest.has_ended);
        let listing = rest.listing.as_ref();
        let release = release
            .bind(listing.map(|listing| &listing.summary))
            .bind(listing.map(|listing| &listing.status))
            .bind(listing.and_then(|listing| listing.flow_path.as_ref()))
            .bind(listing.map(|listing| &listing.user))
            .bind(self.channel(Topic::Rest))
            .bind(self.channel(Topic::Due));
        let released = within_time("give a run back", release.fetch_optional(&self.pool)).await?;
        released.map(|_| ()).ok_or_else(|| superseded(&lease.root))
    }
}

/// The revision as the tables have it.
pub(crate) fn revision_of(worker: WorkerId) -> i32 {
    i32::try_from(worker.revision).unwrap_or(i32::MAX)
}

/// The fault for a lease that another process has taken over.
pub(crate) fn superseded(root: &RunId) -> Fault {
    Fault::new(codes::RUN_SUPERSEDED, format!("Another process drives run {root} by now."))
        .hint("It goes on with the run; nothing has to be done.")
}
