//! The workers that are there, so that a host knows when nobody can go on with a run.

use std::time::Duration;

use plait_core::error::Fault;
use plait_core::id::RunId;

use crate::database::{Database, uuid_of, within_time};
use crate::leases::{WorkerId, revision_of};

/// How long a worker is remembered that said nothing.
const FORGET_AFTER: Duration = Duration::from_hours(24);

/// The revision of the engine that a tree needs, and the newest one that works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeededRevision {
    pub needed: u32,
    /// None if no worker is there.
    pub newest: Option<u32>,
}

impl Database {
    /// Says that a worker is there.
    pub async fn note_worker(&self, worker: WorkerId) -> Result<(), Fault> {
        let note = sqlx::query(
            "WITH gone AS (DELETE FROM workers WHERE seen_at < now() - make_interval(secs => $3)) \
             INSERT INTO workers VALUES ($1, $2, now()) ON CONFLICT (id) DO UPDATE SET seen_at = now()",
        );
        let note = note.bind(worker.id).bind(revision_of(worker)).bind(FORGET_AFTER.as_secs_f64());
        within_time("note a worker", note.execute(&self.pool)).await.map(|_| ())
    }

    /// Says that a worker is there no longer.
    pub async fn forget_worker(&self, worker: WorkerId) -> Result<(), Fault> {
        let forget = sqlx::query("DELETE FROM workers WHERE id = $1").bind(worker.id);
        within_time("forget a worker", forget.execute(&self.pool)).await.map(|_| ())
    }

    /// The revision that a tree needs, if no worker that was there within this time has it.
    pub async fn lacks_worker(
        &self,
        root: &RunId,
        within: Duration,
    ) -> Result<Option<NeededRevision>, Fault> {
        let read = sqlx::query_as::<_, (i32, Option<i32>)>(
            "SELECT revision, (SELECT max(revision) FROM workers WHERE seen_at > now() - make_interval(secs => $2)) \
             FROM run_trees WHERE root = $1 AND worker IS NULL",
        );
        let read = read.bind(uuid_of(root)?).bind(within.as_secs_f64()).fetch_optional(&self.pool);
        let Some((needed, newest)) = within_time("look for a worker", read).await? else { return Ok(None) };
        let unsigned = |revision: i32| u32::try_from(revision).unwrap_or_default();
        let found = NeededRevision { needed: unsigned(needed), newest: newest.map(unsigned) };
        Ok(Some(found).filter(|found| found.newest.is_some_and(|newest| newest < found.needed)))
    }
}
