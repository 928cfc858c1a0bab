//! `conversations.*`: the messages that the runs of a flow exchanged in a context that lasts. A run continues a conversation
//! if `run.start` names one.

mod export;
mod service;

use plait_core::flow::Flow;
use plait_core::id::{ConversationId, RunId};
use plait_core::user::UserName;
use plait_store::conversation::record::{ConversationMessage, ConversationRecord, flow_key};
use plait_store::{ConversationFilter, KeptMemories, KeptRun, NewConversation};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

pub use export::{ExportConversation, ExportedConversation};
pub use service::ConversationService;

/// The number of messages on a page, if a caller gives none.
const DEFAULT_PAGE_SIZE: u32 = 200;

/// The flow that a conversation belongs to. Flows without a file are identified by their name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ConversationFlow {
    /// The flow's file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// The flow's name.
    pub name: String,
}

impl ConversationFlow {
    /// Identifies a flow with this file, if it has one.
    pub fn new(flow: &Flow, path: Option<&str>) -> Self {
        Self { path: path.map(str::to_owned), name: flow.name.clone() }
    }

    /// The key of the flow in conversation records.
    pub fn key(&self) -> String {
        flow_key(self.path.as_deref(), &self.name)
    }
}

/// `conversations.list`: a user's conversations, last changed first. `user.unknown`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListConversations {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// Only conversations of this flow.
    #[serde(default)]
    #[ts(optional)]
    pub flow: Option<ConversationFlow>,
    /// Only conversations whose title or messages contain all of these words.
    #[serde(default)]
    #[ts(optional)]
    pub search: Option<String>,
    /// The maximum number of conversations; all when left out.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

impl Command for ListConversations {
    const NAME: &'static str = "conversations.list";
    type Service = ConversationService;
    type Reply = Vec<ConversationRecord>;

    async fn run(self, service: &ConversationService) -> Result<Vec<ConversationRecord>, ErrorReply> {
        let (store, users) = (service.store.clone(), service.users.clone());
        run_blocking(move || {
            let filter = ConversationFilter {
                flow: self.flow.map(|flow| flow.key()),
                user: Some(users.resolve(self.user.as_ref())?.to_string()),
                search: self.search,
                limit: self.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            };
            Ok(store.conversations(&filter)?)
        })
        .await
    }
}

/// `conversations.resolve`: the conversation with an id that begins with `prefix`. `conversation.unknown`, `conversation.ambiguous`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ResolveConversation {
    pub prefix: String,
}

impl Command for ResolveConversation {
    const NAME: &'static str = "conversations.resolve";
    type Service = ConversationService;
    type Reply = ConversationId;

    async fn run(self, service: &ConversationService) -> Result<ConversationId, ErrorReply> {
        service.find(&self.prefix)
    }
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GetConversation {
    pub conversation: ConversationId,
}

impl Command for GetConversation {
    const NAME: &'static str = "conversations.get";
    type Service = ConversationService;
    type Reply = ConversationRecord;

    async fn run(self, service: &ConversationService) -> Result<ConversationRecord, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(store.conversation(&self.conversation)?)).await
    }
}

/// `conversations.open`: the user's latest conversation with this flow, or a new one. `user.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenConversation {
    pub flow: ConversationFlow,
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// Always start a new conversation.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub new: bool,
}

impl Command for OpenConversation {
    const NAME: &'static str = "conversations.open";
    type Service = ConversationService;
    type Reply = ConversationRecord;

    async fn run(self, service: &ConversationService) -> Result<ConversationRecord, ErrorReply> {
        let redaction = service.keys.redaction_with_stored_keys().await;
        let redact = |text: &str| redaction.text(text).into_owned();
        let (flow, flow_name) = (redact(&self.flow.key()), redact(&self.flow.name));
        let (store, users, at) = (service.store.clone(), service.users.clone(), service.clock.now_ms());
        let make = if self.new {
            plait_store::Store::create_conversation
        } else {
            plait_store::Store::find_or_create_conversation
        };
        run_blocking(move || {
            let user = users.resolve(self.user.as_ref())?.to_string();
            Ok(make(&store, NewConversation { flow, flow_name, user, at })?)
        })
        .await
    }
}

/// `conversations.messages`: a page of messages, oldest first.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ListMessages {
    pub conversation: ConversationId,
    /// The first message of the page; the oldest when left out.
    #[serde(default)]
    #[ts(optional, as = "Option<u32>")]
    pub from: u64,
    /// The maximum number of messages; 200 when left out.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct MessagesPage {
    /// The current state of the conversation.
    pub conversation: ConversationRecord,
    pub messages: Vec<ConversationMessage>,
    /// The first message of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub next: Option<u64>,
}

impl Command for ListMessages {
    const NAME: &'static str = "conversations.messages";
    type Service = ConversationService;
    type Reply = MessagesPage;

    async fn run(self, service: &ConversationService) -> Result<MessagesPage, ErrorReply> {
        let store = service.store.clone();
        let limit = usize::try_from(self.limit.unwrap_or(DEFAULT_PAGE_SIZE)).unwrap_or(usize::MAX);
        run_blocking(move || {
            let conversation = store.conversation(&self.conversation)?;
            let messages = store.conversation_messages(&self.conversation, self.from, limit)?;
            let next = messages.last().map(|last| last.id + 1).filter(|next| *next < conversation.messages);
            Ok(MessagesPage { conversation, messages, next })
        })
        .await
    }
}

/// `conversations.rename`: changes the title of a conversation.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RenameConversation {
    pub conversation: ConversationId,
    pub title: String,
}

impl Command for RenameConversation {
    const NAME: &'static str = "conversations.rename";
    type Service = ConversationService;
    type Reply = ConversationRecord;

    async fn run(self, service: &ConversationService) -> Result<ConversationRecord, ErrorReply> {
        let (store, at) = (service.store.clone(), service.clock.now_ms());
        let redaction = service.keys.redaction_with_stored_keys().await;
        run_blocking(move || {
            Ok(store.rename_conversation(&self.conversation, &redaction.text(&self.title), at)?)
        })
        .await
    }
}

/// `conversations.fork`: copies a conversation up to a message into a new one. The original is not changed.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForkConversation {
    pub conversation: ConversationId,
    /// The last message of the fork. If it is a user message, the fork ends before it, and the message is returned to be
    /// edited and sent again.
    #[ts(type = "number")]
    pub message: u64,
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForkedConversation {
    pub conversation: ConversationRecord,
    /// The user message that it was forked at, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asked: Option<String>,
}

impl Command for ForkConversation {
    const NAME: &'static str = "conversations.fork";
    type Service = ConversationService;
    type Reply = ForkedConversation;

    async fn run(self, service: &ConversationService) -> Result<ForkedConversation, ErrorReply> {
        let (store, at) = (service.store.clone(), service.clock.now_ms());
        run_blocking(move || {
            let forked = store.fork_conversation(&self.conversation, self.message, at)?;
            Ok(ForkedConversation { conversation: forked.record, asked: forked.asked })
        })
        .await
    }
}

/// `conversations.keep`: keeps a forked run. What it said becomes a conversation: the one that it began in, as it was then, and the
/// run's own turns in place of what came there. What it stored and erased of its user's memories is taken over. Once for each run; asked
/// again, it is the same conversation. `run.not_a_fork`, `run.busy`, `conversation.unknown`, `memory.full`, `memory.damaged`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct KeepFork {
    pub run: RunId,
}

impl Command for KeepFork {
    const NAME: &'static str = "conversations.keep";
    type Service = ConversationService;
    type Reply = KeptFork;

    async fn run(self, service: &ConversationService) -> Result<KeptFork, ErrorReply> {
        let (store, at) = (service.store.clone(), service.clock.now_ms());
        run_blocking(move || {
            let KeptRun { conversation, memories } = store.keep_run(&self.run, at)?;
            let KeptMemories { stored, erased } = memories;
            Ok(KeptFork { conversation, stored_memories: stored, erased_memories: erased })
        })
        .await
    }
}

/// What was kept of a forked run.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct KeptFork {
    /// The conversation of what it said, if it began in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conversation: Option<ConversationRecord>,
    /// How many memories the user has now that it had stored.
    #[ts(type = "number")]
    pub stored_memories: u64,
    /// How many memories the user has no more since it had erased them.
    #[ts(type = "number")]
    pub erased_memories: u64,
}

/// `conversations.delete`: deletes a conversation permanently. `conversation.busy` while an active run continues it.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DeleteConversation {
    pub conversation: ConversationId,
}

impl Command for DeleteConversation {
    const NAME: &'static str = "conversations.delete";
    type Service = ConversationService;
    type Reply = ();

    async fn run(self, service: &ConversationService) -> Result<(), ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(store.remove_conversation(&self.conversation)?)).await
    }
}
