//! How much of each tree was exported as spans, so that the worker that takes it over exports the rest.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_core::id::RunId;
use uuid::Uuid;

use crate::database::{Database, run_id, uuid_of, within_time};
use crate::leases::{Lease, superseded};

impl Database {
    /// For each run of a tree the number of the first event that was not exported. A run that is not among them was not at all.
    pub async fn exported_events(&self, root: &RunId) -> Result<BTreeMap<RunId, u64>, Fault> {
        let read = sqlx::query_as::<_, (Uuid, i64)>(
            "SELECT r.run, max(r.seq + r.count) FROM run_records r JOIN run_trees t USING (root) \
             WHERE root = $1 AND r.kind = 1 AND r.position < t.exported_size GROUP BY r.run",
        );
        let read = read.bind(uuid_of(root)?).fetch_all(&self.pool);
        let found = within_time("read what was exported", read).await?;
        Ok(found
            .into_iter()
            .map(|(run, next)| (run_id(run), u64::try_from(next).unwrap_or_default()))
            .collect())
    }

    /// Notes that all events of a tree are exported. Fault `run.superseded` if the lease is not the newest.
    pub async fn note_exported(&self, lease: &Lease) -> Result<(), Fault> {
        let note = sqlx::query(
            "UPDATE run_trees SET exported_size = size WHERE root = $1 AND epoch = $2 AND worker IS NOT NULL",
        );
        let note = note.bind(uuid_of(&lease.root)?).bind(lease.epoch).execute(&self.pool);
        let noted = within_time("note what was exported", note).await?;
        if noted.rows_affected() == 0 { Err(superseded(&lease.root)) } else { Ok(()) }
    }
}
