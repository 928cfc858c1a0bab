//! `conversations.*`: what was said across the runs of a flow, and what a person does with it. A run goes on in a
//! conversation where `run.start` names it.

mod export;

use plait_adapters::store::conversation::record::{ConversationMessage, ConversationRecord};
use plait_adapters::store::{ConversationFilter, NewConversation};
use plait_engine::flow::Flow;
use plait_engine::id::ConversationId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

pub use export::{ExportConversation, ExportFormat, ExportedConversation};

/// Who has the conversations of this machine, where nobody else is named.
const LOCAL_USER: &str = "local";
/// How many messages a page has, where nobody says otherwise.
const PAGE: u32 = 200;

/// The flow that conversations are had with: the same file, or, while it has none, the same name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct FlowOf {
    /// Its file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// Its name.
    pub name: String,
}

impl FlowOf {
    /// The flow as a terminal or a window has it.
    pub fn of(flow: &Flow, path: Option<&str>) -> Self {
        Self { path: path.map(str::to_owned), name: flow.name.clone() }
    }

    /// What conversations keep of it.
    fn key(&self) -> String {
        self.path.clone().unwrap_or_else(|| format!("name:{}", self.name))
    }
}

/// `conversations.list`: the one that changed last first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListConversations {
    /// Only those with this flow.
    #[serde(default)]
    #[ts(optional)]
    pub flow: Option<FlowOf>,
    /// Only those in whose title or messages each of these words stands.
    #[serde(default)]
    #[ts(optional)]
    pub search: Option<String>,
    /// At most so many.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

impl Command for ListConversations {
    const NAME: &'static str = "conversations.list";
    type Reply = Vec<ConversationRecord>;

    async fn run(self, app: &Plait) -> Result<Vec<ConversationRecord>, ErrorReply> {
        let filter = ConversationFilter {
            flow: self.flow.map(|flow| flow.key()),
            user: None,
            search: self.search,
            limit: self.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        };
        let store = app.store().clone();
        blocking(move || Ok(store.conversations(&filter)?)).await
    }
}

/// `conversations.get`: one of them.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GetConversation {
    /// The conversation.
    pub conversation: ConversationId,
}

impl Command for GetConversation {
    const NAME: &'static str = "conversations.get";
    type Reply = ConversationRecord;

    async fn run(self, app: &Plait) -> Result<ConversationRecord, ErrorReply> {
        let store = app.store().clone();
        blocking(move || Ok(store.conversation(&self.conversation)?)).await
    }
}

/// `conversations.open`: the conversation that this person last had with this flow, or a new one.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenConversation {
    /// The flow.
    pub flow: FlowOf,
    /// Who has it; left out, whoever sits at this machine.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<String>,
    /// Whether it must be a new one.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub new: bool,
}

impl Command for OpenConversation {
    const NAME: &'static str = "conversations.open";
    type Reply = ConversationRecord;

    async fn run(self, app: &Plait) -> Result<ConversationRecord, ErrorReply> {
        let new = NewConversation {
            flow: self.flow.key(),
            flow_name: self.flow.name,
            user: self.user.unwrap_or_else(|| LOCAL_USER.to_owned()),
            at: app.clock().now_ms(),
        };
        let store = app.store().clone();
        let make = if self.new {
            plait_adapters::Store::make_conversation
        } else {
            plait_adapters::Store::find_or_make_conversation
        };
        blocking(move || Ok(make(&store, new)?)).await
    }
}

/// `conversations.messages`: a page of what was said, oldest first.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ListMessages {
    /// The conversation.
    pub conversation: ConversationId,
    /// From this message on; left out, from the first.
    #[serde(default)]
    #[ts(optional, as = "Option<u32>")]
    pub from: u64,
    /// At most so many; left out, 200.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A page of a conversation.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct MessagesPage {
    /// The conversation as it stands.
    pub conversation: ConversationRecord,
    /// The messages.
    pub messages: Vec<ConversationMessage>,
    /// Where the next page begins, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub next: Option<u64>,
}

impl Command for ListMessages {
    const NAME: &'static str = "conversations.messages";
    type Reply = MessagesPage;

    async fn run(self, app: &Plait) -> Result<MessagesPage, ErrorReply> {
        let store = app.store().clone();
        let most = usize::try_from(self.limit.unwrap_or(PAGE)).unwrap_or(usize::MAX);
        blocking(move || {
            let conversation = store.conversation(&self.conversation)?;
            let messages = store.conversation_messages(&self.conversation, self.from, most)?;
            let next = messages.last().map(|last| last.id + 1).filter(|next| *next < conversation.messages);
            Ok(MessagesPage { conversation, messages, next })
        })
        .await
    }
}

/// `conversations.rename`: gives one another title.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RenameConversation {
    /// The conversation.
    pub conversation: ConversationId,
    /// What it is to be called.
    pub title: String,
}

impl Command for RenameConversation {
    const NAME: &'static str = "conversations.rename";
    type Reply = ConversationRecord;

    async fn run(self, app: &Plait) -> Result<ConversationRecord, ErrorReply> {
        let (store, at) = (app.store().clone(), app.clock().now_ms());
        blocking(move || Ok(store.rename_conversation(&self.conversation, &self.title, at)?)).await
    }
}

/// `conversations.fork`: a conversation of its own that goes another way from one message. The original stays as it is.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForkConversation {
    /// The conversation.
    pub conversation: ConversationId,
    /// The last message the fork has. Where it is a question, the fork ends before it, and it is given back to be asked
    /// again or otherwise.
    #[ts(type = "number")]
    pub message: u64,
}

/// A fork.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForkedConversation {
    /// The new conversation.
    pub conversation: ConversationRecord,
    /// The question it was forked from, where it was forked from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asked: Option<String>,
}

impl Command for ForkConversation {
    const NAME: &'static str = "conversations.fork";
    type Reply = ForkedConversation;

    async fn run(self, app: &Plait) -> Result<ForkedConversation, ErrorReply> {
        let (store, at) = (app.store().clone(), app.clock().now_ms());
        blocking(move || {
            let forked = store.fork_conversation(&self.conversation, self.message, at)?;
            Ok(ForkedConversation { conversation: forked.record, asked: forked.asked })
        })
        .await
    }
}

/// `conversations.delete`: deletes one for good. `conversation.busy` while a run that has not ended goes on in it.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DeleteConversation {
    /// The conversation.
    pub conversation: ConversationId,
}

impl Command for DeleteConversation {
    const NAME: &'static str = "conversations.delete";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        let store = app.store().clone();
        blocking(move || Ok(store.remove_conversation(&self.conversation)?)).await
    }
}

impl Plait {
    /// The conversation whose id begins with `prefix`. `conversation.unknown`, `conversation.ambiguous`.
    pub fn find_conversation(&self, prefix: &str) -> Result<ConversationId, ErrorReply> {
        Ok(self.store().find_conversation(prefix)?)
    }
}
