//! What the files of a data directory have of a run: the records of its tree, the flows that ran, attachments.

use std::time::Duration;

use plait_core::error::Fault;
use plait_core::id::{AttachmentHash, RunId};
use plait_store::{StoredTree, TreeRecord};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::codes;
use crate::database::{Database, run_id, signed, uuid_of, within_time};
use crate::leases::{Lease, superseded};
use crate::listings::Listing;
use crate::replies::ReplyNote;
use crate::topics::Topic;

impl Database {
    /// Stores records that follow those of a tree, and what they say of bought replies: all of it or nothing. Fault `run.superseded` if the
    /// lease is not the newest, or the tree has other records.
    pub(crate) async fn append(
        &self,
        lease: &Lease,
        records: &[TreeRecord<'_>],
        notes: &[ReplyNote],
    ) -> Result<(), Fault> {
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return Ok(()) };
        let append = sqlx::query(
            "WITH tree AS (UPDATE run_trees SET size = $4 \
                 WHERE root = $1 AND epoch = $2 AND size = $3 AND worker IS NOT NULL \
                 RETURNING root, watched_until > now() AS is_watched), \
             added AS (INSERT INTO run_records (root, position, kind, run, seq, count, bytes) \
                 SELECT tree.root, added.* FROM tree, UNNEST($5::bigint[], $6::smallint[], $7::uuid[], $8::bigint[], $9::integer[], $10::bytea[]) AS added) \
             SELECT CASE WHEN is_watched THEN pg_notify($11, root::text)::text END FROM tree",
        );
        let root = uuid_of(&lease.root)?;
        let append =
            append.bind(root).bind(lease.epoch).bind(signed(first.position)).bind(signed(last.end()));
        let append = with_records(append, records).bind(self.channel(Topic::Events));
        let store = async {
            if notes.is_empty() {
                return Ok(append.fetch_optional(&self.pool).await?.is_some());
            }
            let mut transaction = self.pool.begin().await?;
            if append.fetch_optional(&mut *transaction).await?.is_none() {
                return Ok(false);
            }
            for note in notes {
                note.store(&mut transaction, root).await?;
            }
            transaction.commit().await?;
            Ok(true)
        };
        if within_time("store events of a run", store).await? { Ok(()) } else { Err(superseded(&lease.root)) }
    }

    /// Whether the records are the last ones of the tree, stored under this lease.
    pub(crate) async fn has_stored(&self, lease: &Lease, records: &[TreeRecord<'_>]) -> Result<bool, Fault> {
        let end = records.last().map_or(0, TreeRecord::end);
        let read = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM run_trees WHERE root = $1 AND epoch = $2 AND size = $3)",
        );
        let read = read.bind(uuid_of(&lease.root)?).bind(lease.epoch).bind(signed(end));
        within_time("read a run", read.fetch_one(&self.pool)).await
    }

    /// The bytes of the file of a run's tree. Fault `run.unknown`.
    pub async fn tree(&self, root: &RunId) -> Result<Vec<u8>, Fault> {
        let bytes = self.tree_from(root, 0).await?;
        if bytes.is_empty() { Err(unknown(root)) } else { Ok(bytes) }
    }

    /// The bytes of the records of a tree that begin at a position or behind it.
    pub async fn tree_from(&self, root: &RunId, position: u64) -> Result<Vec<u8>, Fault> {
        let read = sqlx::query_scalar::<_, Vec<u8>>(
            "SELECT bytes FROM run_records WHERE root = $1 AND position >= $2 ORDER BY position",
        );
        let read = read.bind(uuid_of(root)?).bind(signed(position)).fetch_all(&self.pool);
        Ok(within_time("read a run", read).await?.concat())
    }

    /// Says for a while that somebody watches a tree: records that are added are announced.
    pub async fn watch_tree(&self, root: &RunId, duration: Duration) -> Result<(), Fault> {
        let watch = sqlx::query(
            "UPDATE run_trees SET watched_until = greatest(watched_until, now() + make_interval(secs => $2)) WHERE root = $1",
        );
        let watch = watch.bind(uuid_of(root)?).bind(duration.as_secs_f64()).execute(&self.pool);
        within_time("watch a run", watch).await.map(|_| ())
    }

    /// The root of the tree that a run is in. Fault `run.unknown`.
    pub async fn root_of(&self, run: &RunId) -> Result<RunId, Fault> {
        let find = sqlx::query_scalar::<_, Uuid>(
            "SELECT root FROM run_trees WHERE root = $1 \
             UNION ALL SELECT root FROM run_records WHERE run = $1 AND kind = 1 AND seq = 0 LIMIT 1",
        );
        let found = within_time("find a run", find.bind(uuid_of(run)?).fetch_optional(&self.pool)).await?;
        found.map(run_id).ok_or_else(|| unknown(run))
    }

    /// Stores a tree that was driven elsewhere, at rest. Fault `run.exists`.
    pub async fn put_tree(
        &self,
        tree: &StoredTree,
        flows: &[(String, String)],
        attachments: &[(AttachmentHash, Vec<u8>)],
        (state, listing): (&str, &Listing),
    ) -> Result<(), Fault> {
        let records = TreeRecord::split(&tree.root, 0, &tree.bytes)?;
        let root = uuid_of(&tree.root)?;
        let size = records.last().map_or(0, TreeRecord::end);
        let put = async {
            let mut transaction = self.pool.begin().await?;
            let insert = sqlx::query(
                "INSERT INTO run_trees (root, goes_on, size, state, summary, status, flow_path, user_name, ended_at) \
                 VALUES ($1, false, $2, $3, $4, $5, $6, $7, CASE WHEN $5 IN ('finished', 'failed', 'cancelled') THEN now() END) \
                 ON CONFLICT DO NOTHING",
            );
            let insert = insert.bind(root).bind(signed(size)).bind(state).bind(&listing.summary);
            let insert = insert.bind(&listing.status).bind(&listing.flow_path).bind(&listing.user);
            let is_new = insert.execute(&mut *transaction).await?;
            if is_new.rows_affected() == 0 {
                return Ok(false);
            }
            let insert = sqlx::query(
                "INSERT INTO run_records (root, position, kind, run, seq, count, bytes) \
                 SELECT $1, added.* FROM UNNEST($2::bigint[], $3::smallint[], $4::uuid[], $5::bigint[], $6::integer[], $7::bytea[]) AS added",
            );
            with_records(insert.bind(root), &records).execute(&mut *transaction).await?;
            for (hash, document) in flows {
                put_flow(&mut transaction, hash, document).await?;
            }
            for (hash, bytes) in attachments {
                put_attachment(&mut transaction, hash, bytes).await?;
            }
            transaction.commit().await?;
            Ok(true)
        };
        if within_time("store a run", put).await? {
            return Ok(());
        }
        Err(Fault::new(codes::RUN_EXISTS, format!("The database has run {} already.", tree.root)))
    }

    /// Stores the document of a flow, once. It stays for a day also if no record names it.
    pub async fn put_flow(&self, hash: &str, document: &str) -> Result<(), Fault> {
        let put = async { put_flow(&mut *self.pool.acquire().await?, hash, document).await };
        within_time("store a flow", put).await
    }

    /// The document of a flow that ran.
    pub async fn flow(&self, hash: &str) -> Result<Option<String>, Fault> {
        let read = sqlx::query_scalar("SELECT document FROM flow_documents WHERE hash = $1").bind(hash);
        within_time("read a flow", read.fetch_optional(&self.pool)).await
    }

    /// Stores an attachment, once. It stays for a day also if no record names it.
    pub async fn put_attachment(&self, hash: &AttachmentHash, bytes: &[u8]) -> Result<(), Fault> {
        let put = async { put_attachment(&mut *self.pool.acquire().await?, hash, bytes).await };
        within_time("store an attachment", put).await
    }

    /// The bytes of an attachment.
    pub async fn attachment(&self, hash: &AttachmentHash) -> Result<Option<Vec<u8>>, Fault> {
        let read = sqlx::query_scalar("SELECT bytes FROM attachments WHERE hash = $1").bind(hash.as_str());
        within_time("read an attachment", read.fetch_optional(&self.pool)).await
    }
}

type Statement<'q> = sqlx::query::Query<'q, sqlx::Postgres, sqlx::postgres::PgArguments>;

/// Binds the columns of records, in the order of the table.
fn with_records<'q>(statement: Statement<'q>, records: &[TreeRecord<'q>]) -> Statement<'q> {
    let positions: Vec<i64> = records.iter().map(|record| signed(record.position)).collect();
    let kinds: Vec<i16> = records.iter().map(|record| i16::from(record.kind)).collect();
    let runs: Vec<Uuid> = records.iter().map(|record| record.run).collect();
    let seqs: Vec<i64> = records.iter().map(|record| signed(record.seq)).collect();
    let counts: Vec<i32> =
        records.iter().map(|record| i32::try_from(record.count).unwrap_or(i32::MAX)).collect();
    let bytes: Vec<&[u8]> = records.iter().map(|record| record.bytes).collect();
    statement.bind(positions).bind(kinds).bind(runs).bind(seqs).bind(counts).bind(bytes)
}

async fn put_flow(connection: &mut PgConnection, hash: &str, document: &str) -> Result<(), sqlx::Error> {
    let put = sqlx::query(
        "INSERT INTO flow_documents VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET stored_at = now() \
         WHERE flow_documents.stored_at < now() - interval '1 hour'",
    );
    put.bind(hash).bind(document).execute(connection).await.map(|_| ())
}

async fn put_attachment(
    connection: &mut PgConnection,
    hash: &AttachmentHash,
    bytes: &[u8],
) -> Result<(), sqlx::Error> {
    let put = sqlx::query(
        "INSERT INTO attachments VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET stored_at = now() \
         WHERE attachments.stored_at < now() - interval '1 hour'",
    );
    put.bind(hash.as_str()).bind(bytes).execute(connection).await.map(|_| ())
}

pub(crate) fn unknown(run: &RunId) -> Fault {
    Fault::new(codes::RUN_UNKNOWN, format!("The database has no run `{run}`."))
}
