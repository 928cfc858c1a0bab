//! Commands about what is in a database, as [`Way`] says for each of them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use plait_api::ErrorReply;
use plait_api::command::Command as _;
use plait_api::conversations::{DeleteConversation, ListConversations, ResolveConversation};
use plait_api::lens::{CompareManyRuns, CompareRuns};
use plait_api::runs::{ListRuns, ResolveRun, RunSummary};
use plait_core::error::ErrorCode;
use plait_core::id::{ConversationId, RunId};
use plait_core::user::UserName;
use plait_host_store::TreeFilter;
use plait_store::ConversationFilter;
use plait_store::conversation::record::ConversationRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::blocking::blocking;
use crate::board::{Board, BoardQuery, BoardRun, name_of};
use crate::codes;
use crate::database_commands::Way;
use crate::database_runs::DatabaseRuns;

/// What a command is about.
enum Target {
    /// The root of the tree, and the run.
    Run(RunId, RunId),
    Conversation(ConversationId),
}

impl DatabaseRuns {
    /// Executes a command about something that is in the database; `None` if it is about nothing there. `host.not_in_database` for what
    /// only the files of one machine can do.
    pub(crate) async fn execute(&self, command: &str, args: &Value) -> Option<Result<Value, ErrorReply>> {
        match command {
            "conversations.open" => return Some(self.open_conversation(args).await),
            CompareRuns::NAME | CompareManyRuns::NAME => {
                return self.compare(command, args).await.transpose();
            }
            _ => {}
        }
        match self.target_of(command, args).await {
            Ok(None) => None,
            Ok(Some(Target::Run(root, run))) => Some(self.execute_for(&root, &run, command, args).await),
            Ok(Some(Target::Conversation(id))) => Some(self.execute_about(&id, command, args).await),
            Err(error) => Some(Err(error)),
        }
    }

    /// Adds what the database has to the reply of a command about the data directory of the host.
    pub(crate) async fn complete(
        &self,
        command: &str,
        args: Value,
        reply: Result<Value, ErrorReply>,
        user: UserName,
    ) -> Result<Value, ErrorReply> {
        match command {
            "runs.list" => {
                let runs = self.add_runs(parsed(args)?, parsed(reply?)?, user).await?;
                written(&runs)
            }
            "runs.resolve" => {
                let ResolveRun { prefix } = parsed(args)?;
                self.resolve(&prefix, reply).await
            }
            ListConversations::NAME => {
                let all = self.add_conversations(parsed(args)?, parsed(reply?)?, user).await?;
                written(&all)
            }
            ResolveConversation::NAME => {
                let ResolveConversation { prefix } = parsed(args)?;
                self.resolve_conversation(&prefix, reply).await
            }
            // One of the data directory forgets its own alone.
            "runs.forgetReplies" if args["run"].is_null() => {
                self.database.forget_replies(None).await?;
                reply
            }
            _ => reply,
        }
    }

    /// The runs of the database with what they ask, newest first.
    pub(crate) async fn board(&self, query: &BoardQuery, user: &UserName) -> Result<Board, ErrorReply> {
        let status = query.status.map(name_of);
        let filter = TreeFilter {
            user: user.as_str(),
            flow_path: None,
            status: status.as_deref(),
            before: query.before.as_ref(),
            limit: query.limit(),
        };
        let trees = self.database.trees(filter).await?;
        Ok(Board { runs: trees.iter().map(BoardRun::of_tree).collect::<Result<_, _>>()? })
    }

    /// What the arguments of a command name, if it is in the database.
    async fn target_of(&self, command: &str, args: &Value) -> Result<Option<Target>, ErrorReply> {
        let named = if command == "runs.list" { &args["parent"] } else { &args["run"] };
        if let Some(run) = named.as_str() {
            let run = RunId::from(run.to_owned());
            if let Some(root) = self.root_of(&run).await? {
                return Ok(Some(Target::Run(root, run)));
            }
        }
        let conversation = args["conversation"].as_str().filter(|_| command.starts_with("conversations."));
        let Some(conversation) = conversation.map(|id| ConversationId::from(id.to_owned())) else {
            return Ok(None);
        };
        let size = self.database.conversation_size(&conversation).await?;
        Ok(size.map(|_| Target::Conversation(conversation)))
    }

    async fn execute_for(
        &self,
        root: &RunId,
        run: &RunId,
        command: &str,
        args: &Value,
    ) -> Result<Value, ErrorReply> {
        match (Way::of(command), command) {
            (Way::ByWorker, _) => {
                let request = self.database.request(root, command, &args.to_string()).await?;
                self.outcome(root, request).await
            }
            (Way::FromCopy, _) | (_, "runs.list") => {
                self.copies().execute(&BTreeSet::from([root.clone()]), command, args.clone()).await
            }
            (_, "runs.remove") => self.remove(root, run).await,
            (_, "runs.forgetReplies") => {
                let family = self.copies().family(root, run).await?;
                self.database.forget_replies(Some(&family)).await?;
                Ok(Value::Null)
            }
            _ => Err(not_in_database(&format!("`{command}` for runs that workers drive"))),
        }
    }

    /// Removes a run tree. `run.is_child`, and `run.busy` while it has not ended.
    async fn remove(&self, root: &RunId, run: &RunId) -> Result<Value, ErrorReply> {
        if root != run {
            let message = format!("Run {run} is part of run {root}.");
            return Err(ErrorReply::new(codes::RUN_IS_CHILD, message).hint("Remove that run."));
        }
        if self.database.remove_tree(root).await? {
            self.copies().forget(root).await;
            return Ok(Value::Null);
        }
        Err(ErrorReply::new(codes::RUN_BUSY, format!("Run {root} has not ended."))
            .hint("Cancel it first, then remove it."))
    }

    async fn execute_about(
        &self,
        conversation: &ConversationId,
        command: &str,
        args: &Value,
    ) -> Result<Value, ErrorReply> {
        if Way::of(command) == Way::Refused {
            return Err(not_in_database(&format!("`{command}` for conversations that workers continue")));
        }
        if command == DeleteConversation::NAME {
            return self.remove_conversation(conversation).await;
        }
        let copies = self.copies();
        let mut size = copies.copy_conversation(conversation).await?;
        let before = std::mem::take(&mut *size);
        let reply = plait_api::dispatch(copies.plait(), command, args.clone()).await?;
        match command {
            "conversations.rename" => {
                let bytes = copies.conversation_bytes(conversation).await?;
                let added = usize::try_from(before).ok().and_then(|before| bytes.get(before..));
                let added = added.unwrap_or_default();
                if !self.database.append_to_conversation(conversation, before, added).await? {
                    return Err(conversation_busy(conversation));
                }
            }
            "conversations.fork" => self.put_conversation(&reply["conversation"]["id"]).await?,
            // The copy is as it was.
            _ => *size = before,
        }
        Ok(reply)
    }

    /// Compares runs of the database; none if none of those that the arguments name is there. `host.not_in_database` if some are, and others in the data
    /// directory of this host.
    async fn compare(&self, command: &str, args: &Value) -> Result<Option<Value>, ErrorReply> {
        let named = match &args["runs"] {
            Value::Array(runs) => runs.iter().collect(),
            _ => vec![&args["before"], &args["after"]],
        };
        let named: Vec<RunId> =
            named.into_iter().filter_map(|run| Some(RunId::from(run.as_str()?.to_owned()))).collect();
        let mut roots = Vec::new();
        for run in &named {
            roots.extend(self.root_of(run).await?);
        }
        match roots.len() {
            0 => Ok(None),
            found if found == named.len() => {
                let roots = roots.into_iter().collect();
                self.copies().execute(&roots, command, args.clone()).await.map(Some)
            }
            _ => Err(not_in_database(&format!("`{command}` for runs in different places"))),
        }
    }

    /// `conversation.busy` while a run of it has not ended.
    async fn remove_conversation(&self, conversation: &ConversationId) -> Result<Value, ErrorReply> {
        if !self.database.remove_conversation(conversation).await? {
            let message = format!("A run of the conversation {conversation} has not ended.");
            return Err(ErrorReply::new(codes::CONVERSATION_BUSY, message)
                .hint("Wait for its end, or cancel it first."));
        }
        self.copies().forget_conversation(conversation.clone()).await?;
        Ok(Value::Null)
    }

    /// Adds the conversations of the database to those of the data directory.
    async fn add_conversations(
        &self,
        args: ListConversations,
        mut all: Vec<ConversationRecord>,
        user: UserName,
    ) -> Result<Vec<ConversationRecord>, ErrorReply> {
        let known = self.copies().copy_conversations().await?;
        let limit = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let filter = ConversationFilter {
            flow: args.flow.map(|flow| flow.key()),
            user: Some(args.user.unwrap_or(user).to_string()),
            search: args.search,
            limit: None,
        };
        let store = self.copies().plait().store().clone();
        all.extend(blocking(move || Ok(store.conversations(&filter)?)).await?.into_iter().filter(
            // One that was begun a moment ago is not there yet.
            |conversation| known.contains(&conversation.id),
        ));
        all.sort_by_key(|conversation| Reverse(conversation.updated_at));
        all.truncate(limit);
        Ok(all)
    }

    /// The conversation whose id begins with a prefix, among those of the database and what the data directory gave.
    async fn resolve_conversation(
        &self,
        prefix: &str,
        found: Result<Value, ErrorReply>,
    ) -> Result<Value, ErrorReply> {
        let prefix = prefix.trim().to_lowercase();
        let is_it = |id: &ConversationId| !prefix.is_empty() && id.as_str().starts_with(&prefix);
        let sizes = self.database.conversation_sizes().await?;
        let stored: Vec<ConversationId> = sizes.into_iter().map(|(id, _)| id).filter(is_it).collect();
        only_one(found, &stored, &codes::CONVERSATION_UNKNOWN, || {
            let message = format!("More than one conversation's id begins with `{prefix}`.");
            ErrorReply::new(codes::CONVERSATION_AMBIGUOUS, message)
        })
    }

    /// Begins a conversation in the database, always a new one.
    async fn open_conversation(&self, args: &Value) -> Result<Value, ErrorReply> {
        let mut args = args.clone();
        if let Some(args) = args.as_object_mut() {
            args.insert("new".to_owned(), Value::Bool(true));
        }
        let opened = plait_api::dispatch(self.copies().plait(), "conversations.open", args).await?;
        self.put_conversation(&opened["id"]).await?;
        Ok(opened)
    }

    /// Stores a new conversation of the copies in the database.
    async fn put_conversation(&self, id: &Value) -> Result<(), ErrorReply> {
        let id = ConversationId::from(id.as_str().unwrap_or_default().to_owned());
        let bytes = self.copies().conversation_bytes(&id).await?;
        Ok(self.database.put_conversation(&id, &bytes).await?)
    }

    /// Adds the runs of the database to those of the data directory.
    async fn add_runs(
        &self,
        args: ListRuns,
        mut runs: Vec<RunSummary>,
        user: UserName,
    ) -> Result<Vec<RunSummary>, ErrorReply> {
        if args.parent.is_some() {
            return Ok(runs);
        }
        let (user, limit) = (args.user.unwrap_or(user), args.limit.unwrap_or(u32::MAX));
        let filter = TreeFilter {
            user: user.as_str(),
            flow_path: args.flow_path.as_deref(),
            status: None,
            before: None,
            limit,
        };
        for tree in self.database.trees(filter).await? {
            runs.push(BoardRun::of_tree(&tree)?.summary);
        }
        runs.sort_by_key(|run| Reverse(run.started_at));
        runs.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(runs)
    }

    /// The run whose id begins with a prefix, among those of the database and what the data directory gave.
    async fn resolve(&self, prefix: &str, found: Result<Value, ErrorReply>) -> Result<Value, ErrorReply> {
        let stored = self.database.roots_with_prefix(prefix).await?;
        only_one(found, &stored, &codes::RUN_UNKNOWN, || {
            let message = format!("More than one run's id begins with `{prefix}`.");
            ErrorReply::new(codes::RUN_AMBIGUOUS, message)
        })
    }
}

/// The one id that begins with a prefix, of what was `found` among the copies and those that are `stored` in the database. `unknown` is
/// the code of a prefix of no copy.
fn only_one(
    found: Result<Value, ErrorReply>,
    stored: &[impl Serialize],
    unknown: &ErrorCode,
    ambiguous: impl FnOnce() -> ErrorReply,
) -> Result<Value, ErrorReply> {
    match (found, stored) {
        (found, []) => found,
        (Err(error), [only]) if error.code == *unknown => written(only),
        _ => Err(ambiguous().hint("Give more of it.")),
    }
}

fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorReply> {
    serde_json::from_value(value).map_err(|error| {
        ErrorReply::new(codes::COMMAND_ARGUMENTS, format!("The arguments cannot be read: {error}."))
    })
}

fn written(reply: &impl Serialize) -> Result<Value, ErrorReply> {
    serde_json::to_value(reply).map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("A reply cannot be written: {error}."))
    })
}

fn conversation_busy(conversation: &ConversationId) -> ErrorReply {
    let message = format!("A run goes on with the conversation {conversation}.");
    ErrorReply::new(codes::CONVERSATION_BUSY, message).hint("Rename it when that run waits or has ended.")
}

/// The refusal of what needs the files of one machine.
pub(crate) fn not_in_database(what: &str) -> ErrorReply {
    ErrorReply::new(codes::HOST_NOT_IN_DATABASE, format!("A host with `--database` has no {what}."))
        .hint("Use a host with `--embedded`, or take a run to a data directory: `plait-server runs export`.")
}
