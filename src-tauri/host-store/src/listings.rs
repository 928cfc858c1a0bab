//! Lists of run trees, newest first: what hosts show of runs without reading them.

use plait_core::error::Fault;
use plait_core::id::RunId;
use uuid::Uuid;

use crate::database::{Database, run_id, uuid_of, within_time};
use crate::topics::Topic;

/// What lists show of a tree, and choose it by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// As JSON.
    pub summary: String,
    pub status: String,
    /// The file of the flow.
    pub flow_path: Option<String>,
    /// The person whom it belongs to.
    pub user: String,
}

/// Which trees to list.
#[derive(Clone, Copy, Debug)]
pub struct TreeFilter<'f> {
    /// The person whom they belong to.
    pub user: &'f str,
    /// Only runs of this flow file.
    pub flow_path: Option<&'f str>,
    /// Only those with this status.
    pub status: Option<&'f str>,
    /// Only those that were begun before this one.
    pub before: Option<&'f RunId>,
    pub limit: u32,
}

/// A tree in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTree {
    pub root: RunId,
    /// Whether a worker drives it, or will. The summary is that of its last rest then.
    pub is_due: bool,
    /// As JSON.
    pub summary: String,
    /// How it stands as JSON, if it waits for a person.
    pub waiting: Option<String>,
}

/// The length of an id without its hyphens.
const UUID_DIGITS: usize = 32;
/// The status of a tree that a worker drives, or will.
const RUNNING: &str = "running";
/// The status of one that waits for answers.
const WAITING: &str = "waiting";

impl Database {
    /// Trees, newest first.
    pub async fn trees(&self, filter: TreeFilter<'_>) -> Result<Vec<ListedTree>, Fault> {
        let read = sqlx::query_as::<_, (Uuid, bool, String, Option<String>)>(
            "SELECT root, goes_on OR requests > 0, summary, \
                 CASE WHEN status = $6 AND NOT (goes_on OR requests > 0) THEN state END \
             FROM run_trees WHERE summary IS NOT NULL AND user_name = $1 \
                 AND ($2::text IS NULL OR flow_path = $2) \
                 AND ($3::text IS NULL OR CASE WHEN goes_on OR requests > 0 THEN $7 ELSE status END = $3) \
                 AND ($4::uuid IS NULL OR number < (SELECT number FROM run_trees WHERE root = $4)) \
             ORDER BY number DESC LIMIT $5",
        );
        let before = filter.before.map(uuid_of).transpose()?;
        let read = read.bind(filter.user).bind(filter.flow_path).bind(filter.status).bind(before);
        let read = read.bind(i64::from(filter.limit)).bind(WAITING).bind(RUNNING).fetch_all(&self.pool);
        let trees = within_time("list the runs", read).await?;
        let listed =
            |(root, is_due, summary, waiting)| ListedTree { root: run_id(root), is_due, summary, waiting };
        Ok(trees.into_iter().map(listed).collect())
    }

    /// The roots whose ids begin with a prefix, at most two.
    pub async fn roots_with_prefix(&self, prefix: &str) -> Result<Vec<RunId>, Fault> {
        let digits: String = prefix.trim().to_lowercase().chars().filter(|char| *char != '-').collect();
        let bound = |fill: char| {
            let text: String =
                digits.chars().chain(std::iter::repeat(fill)).take(UUID_DIGITS.max(digits.len())).collect();
            Uuid::try_parse(&text).ok()
        };
        let Some((first, last)) = bound('0').zip(bound('f')) else { return Ok(Vec::new()) };
        let find = sqlx::query_scalar::<_, Uuid>(
            "SELECT root FROM run_trees WHERE root BETWEEN $1 AND $2 ORDER BY root LIMIT 2",
        );
        let found = within_time("find a run", find.bind(first).bind(last).fetch_all(&self.pool)).await?;
        Ok(found.into_iter().map(run_id).collect())
    }

    /// Removes a tree at rest that waits for nobody, with all that the database has of it alone. False for another one.
    pub async fn remove_tree(&self, root: &RunId) -> Result<bool, Fault> {
        let remove = sqlx::query(
            "WITH gone AS (DELETE FROM run_trees WHERE root = $1 AND worker IS NULL AND NOT goes_on AND requests = 0 \
                 AND (ended OR status NOT IN ('waiting', 'stopped')) RETURNING root) \
             SELECT pg_notify($2, root::text)::text FROM gone",
        );
        let remove = remove.bind(uuid_of(root)?).bind(self.channel(Topic::Rest)).fetch_optional(&self.pool);
        Ok(within_time("remove a run", remove).await?.is_some())
    }
}
