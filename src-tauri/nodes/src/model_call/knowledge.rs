//! Searching knowledge bases for a model call: once for each activation, and journaled before the prompt.

use std::sync::Arc;

use super::Interruption;
use super::tool_calls::allow_documents;
use plait_run::journal::CallEvent;
use plait_run::node::NodeContext;
use plait_run::retriever::{Knowledge, Retrieval, RetrievalRequest};

/// What the knowledge bases hold about `query`. An interruption if the person has to be asked about a folder.
pub(crate) async fn retrieve(
    knowledge: &Knowledge,
    query: String,
    model: &str,
    node_context: &NodeContext,
) -> Result<Retrieval, Interruption> {
    allow_documents(node_context, knowledge)?;
    let request = RetrievalRequest {
        query,
        bases: knowledge.refs(),
        max_tokens: knowledge.max_tokens(),
        model: model.to_owned(),
        folder: node_context.run.folder.clone(),
        progress: Arc::new(|_| ()),
    };
    let retrieval = node_context.host.retriever.retrieve(request).await?;
    for notice in &retrieval.notices {
        node_context.notice(notice.clone());
    }
    Ok(retrieval)
}

/// The same for the prompt of this activation: what an earlier attempt found if it journaled that, so that a resumed run sends
/// the same prompt. `None` if there is nothing to search.
pub(crate) async fn retrieve_once(
    knowledge: &Knowledge,
    query: impl FnOnce() -> String,
    model: &str,
    node_context: &NodeContext,
) -> Result<Option<Arc<Retrieval>>, Interruption> {
    if knowledge.is_empty() {
        return Ok(None);
    }
    let recorded = node_context.find_recorded(|call| match call {
        CallEvent::KnowledgeRetrieved { retrieval } => Some(Arc::clone(retrieval)),
        _ => None,
    });
    if recorded.is_some() {
        return Ok(recorded);
    }
    let retrieval = Arc::new(retrieve(knowledge, query(), model, node_context).await?);
    let event = CallEvent::KnowledgeRetrieved { retrieval: Arc::clone(&retrieval) };
    node_context.record(event).await?;
    Ok(Some(retrieval))
}
