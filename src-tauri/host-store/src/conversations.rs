//! Conversations that run trees continue one after the other: the bytes of their files.
//!
//! The trees of a conversation are driven in the order in which they were added, each from its start to its end, so turns never interleave.
//! What a tree said is added under its lease when it comes to rest. Until then it is in the tree's records, from which the worker that takes the tree
//! over adds it again.

use plait_core::error::Fault;
use plait_core::id::{ConversationId, RunId};
use uuid::Uuid;

use crate::codes;
use crate::database::{Database, run_id, signed, uuid_of, within_time};
use crate::leases::{Lease, superseded};

impl Database {
    /// Stores the file of a new conversation. Does nothing if it is there.
    pub async fn put_conversation(&self, id: &ConversationId, bytes: &[u8]) -> Result<(), Fault> {
        let id = conversation_uuid(id)?;
        let put = sqlx::query(
            "WITH added AS (INSERT INTO conversations VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id) \
             INSERT INTO conversation_records SELECT id, 0, $3::bytea FROM added",
        );
        let put = put.bind(id).bind(signed(bytes.len() as u64)).bind(bytes).execute(&self.pool);
        within_time("store a conversation", put).await.map(|_| ())
    }

    /// The size of the file of a conversation; nothing if the database has none.
    pub async fn conversation_size(&self, id: &ConversationId) -> Result<Option<u64>, Fault> {
        let Ok(id) = conversation_uuid(id) else { return Ok(None) };
        let read = sqlx::query_scalar::<_, i64>("SELECT size FROM conversations WHERE id = $1").bind(id);
        let size = within_time("read a conversation", read.fetch_optional(&self.pool)).await?;
        Ok(size.and_then(|size| u64::try_from(size).ok()))
    }

    /// All conversations with the sizes of their files.
    pub async fn conversation_sizes(&self) -> Result<Vec<(ConversationId, u64)>, Fault> {
        let read = sqlx::query_as::<_, (Uuid, i64)>("SELECT id, size FROM conversations");
        let found = within_time("list the conversations", read.fetch_all(&self.pool)).await?;
        let sized =
            |(id, size): (Uuid, i64)| (id.to_string().into(), u64::try_from(size).unwrap_or_default());
        Ok(found.into_iter().map(sized).collect())
    }

    /// The bytes of the file of a conversation. Fault `conversation.unknown`.
    pub async fn conversation(&self, id: &ConversationId) -> Result<Vec<u8>, Fault> {
        let read = sqlx::query_scalar::<_, Vec<u8>>(
            "SELECT bytes FROM conversation_records WHERE conversation = $1 ORDER BY position",
        );
        let read = read.bind(conversation_uuid(id)?).fetch_all(&self.pool);
        let records = within_time("read a conversation", read).await?;
        if records.is_empty() { Err(unknown(id)) } else { Ok(records.concat()) }
    }

    /// The conversation that a tree continues.
    pub async fn conversation_of(&self, root: &RunId) -> Result<Option<ConversationId>, Fault> {
        let read =
            sqlx::query_scalar::<_, Option<Uuid>>("SELECT conversation FROM run_trees WHERE root = $1");
        let read = read.bind(uuid_of(root)?).fetch_optional(&self.pool);
        let found = within_time("read a run", read).await?.flatten();
        Ok(found.map(|id| id.to_string().into()))
    }

    /// The tree of a conversation that waits for a person: no other one is driven before it has ended.
    pub async fn waiting_in(&self, conversation: &ConversationId) -> Result<Option<RunId>, Fault> {
        let read = sqlx::query_scalar::<_, Uuid>(
            "SELECT root FROM run_trees WHERE conversation = $1 AND NOT ended AND NOT goes_on AND requests = 0 AND worker IS NULL \
             ORDER BY number LIMIT 1",
        );
        let read = read.bind(conversation_uuid(conversation)?).fetch_optional(&self.pool);
        Ok(within_time("look at a conversation", read).await?.map(run_id))
    }

    /// Adds what a tree said to its conversation, whose file has `size` bytes before. Fault `run.superseded` if the lease is not the newest,
    /// or the conversation has another size.
    pub async fn extend_conversation(
        &self,
        lease: &Lease,
        conversation: &ConversationId,
        size: u64,
        added: &[u8],
    ) -> Result<(), Fault> {
        if added.is_empty() {
            return Ok(());
        }
        let extend = sqlx::query(
            "WITH tree AS (SELECT conversation FROM run_trees \
                 WHERE root = $1 AND epoch = $2 AND worker IS NOT NULL FOR UPDATE), \
             grown AS (UPDATE conversations c SET size = $4::bigint + $5::bigint FROM tree \
                 WHERE c.id = tree.conversation AND c.id = $3 AND c.size = $4 RETURNING c.id) \
             INSERT INTO conversation_records SELECT id, $4::bigint, $6::bytea FROM grown",
        );
        let extend = extend
            .bind(uuid_of(&lease.root)?)
            .bind(lease.epoch)
            .bind(conversation_uuid(conversation)?)
            .bind(signed(size))
            .bind(signed(added.len() as u64))
            .bind(added);
        let extended = within_time("store a turn of a conversation", extend.execute(&self.pool)).await?;
        if extended.rows_affected() == 0 { Err(superseded(&lease.root)) } else { Ok(()) }
    }
}

impl Database {
    /// Adds records to a conversation, whose file has `size` bytes before, while no tree of it goes on. False if one does, or the file has
    /// another size.
    pub async fn append_to_conversation(
        &self,
        conversation: &ConversationId,
        size: u64,
        added: &[u8],
    ) -> Result<bool, Fault> {
        let id = conversation_uuid(conversation)?;
        let append = async {
            let mut transaction = self.pool.begin().await?;
            // Locked: no tree is added, and none of those that are there is claimed meanwhile.
            let lock = sqlx::query("SELECT FROM conversations WHERE id = $1 FOR UPDATE").bind(id);
            lock.execute(&mut *transaction).await?;
            let lock = sqlx::query_scalar::<_, bool>(
                "SELECT goes_on OR requests > 0 OR worker IS NOT NULL FROM run_trees \
                 WHERE conversation = $1 AND NOT ended FOR UPDATE",
            );
            if lock.bind(id).fetch_all(&mut *transaction).await?.contains(&true) {
                return Ok(false);
            }
            let grow = sqlx::query(
                "WITH grown AS (UPDATE conversations SET size = $2::bigint + $3::bigint WHERE id = $1 AND size = $2 RETURNING id) \
                 INSERT INTO conversation_records SELECT id, $2::bigint, $4::bytea FROM grown",
            );
            let grow = grow.bind(id).bind(signed(size)).bind(signed(added.len() as u64)).bind(added);
            let grown = grow.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(grown.rows_affected() > 0)
        };
        within_time("change a conversation", append).await
    }
}

impl Database {
    /// Removes a conversation that no tree goes on with. Its trees stay, and continue none. False if one has not ended. Fault
    /// `conversation.unknown`.
    pub async fn remove_conversation(&self, conversation: &ConversationId) -> Result<bool, Fault> {
        let id = conversation_uuid(conversation)?;
        let remove = async {
            let mut transaction = self.pool.begin().await?;
            // Locked: no tree is added meanwhile.
            let lock = sqlx::query("SELECT FROM conversations WHERE id = $1 FOR UPDATE").bind(id);
            if lock.fetch_optional(&mut *transaction).await?.is_none() {
                return Ok(None);
            }
            let release = sqlx::query_scalar::<_, bool>(
                "UPDATE run_trees SET conversation = NULL WHERE conversation = $1 RETURNING ended",
            );
            if release.bind(id).fetch_all(&mut *transaction).await?.contains(&false) {
                return Ok(Some(false));
            }
            let remove = sqlx::query("DELETE FROM conversations WHERE id = $1").bind(id);
            remove.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(Some(true))
        };
        within_time("remove a conversation", remove).await?.ok_or_else(|| unknown(conversation))
    }
}

/// The id as the tables have it. Fault `conversation.unknown`.
pub(crate) fn conversation_uuid(id: &ConversationId) -> Result<Uuid, Fault> {
    Uuid::try_parse(id.as_str()).map_err(|_| unknown(id))
}

pub(crate) fn unknown(id: &ConversationId) -> Fault {
    Fault::new(codes::CONVERSATION_UNKNOWN, format!("The database has no conversation `{id}`."))
        .hint("`conversations.open` begins one.")
}
