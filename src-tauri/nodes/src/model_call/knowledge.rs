//! Searching knowledge bases: once for each activation, and journaled before anything follows.

use std::sync::Arc;

use super::Interruption;
use super::tool_calls::allow_documents;
use plait_journal::CallEvent;
use plait_journal::earlier_run::Sought;
use plait_llm::retriever::{Knowledge, Retrieval, RetrievalRequest};
use plait_run::node::NodeContext;

/// The same as [`retrieve`], if there is anything to search.
pub(crate) async fn retrieve_if_any(
    knowledge: &Knowledge,
    query: impl FnOnce() -> String,
    model: &str,
    node_context: &NodeContext,
) -> Result<Option<Arc<Retrieval>>, Interruption> {
    if knowledge.is_empty() {
        return Ok(None);
    }
    retrieve(knowledge, query, model, node_context).await.map(Some)
}

/// What the knowledge bases hold about `query`: as this activation journaled it, as the run that this one is forked from did, or as it
/// is now. An interruption if the person has to be asked about a folder.
pub(crate) async fn retrieve(
    knowledge: &Knowledge,
    query: impl FnOnce() -> String,
    model: &str,
    node_context: &NodeContext,
) -> Result<Arc<Retrieval>, Interruption> {
    let recorded = node_context.find_recorded(|call| match call {
        CallEvent::KnowledgeRetrieved { retrieval, .. } => Some(Arc::clone(retrieval)),
        _ => None,
    });
    if let Some(recorded) = recorded {
        return Ok(recorded);
    }
    let (query, bases) = (query(), knowledge.refs());
    let earlier = node_context
        .earlier()
        .and_then(|run| run.retrieved(&node_context.activation, &query, &bases, knowledge.max_tokens()));
    let (retrieval, reused) = if let Some((retrieval, event)) = earlier {
        (retrieval, Some(event))
    } else {
        if let Some(run) = node_context.earlier() {
            let activation = &node_context.activation;
            run.refuse_miss(activation, None, || format!("A search for \"{query}\""))
                .map_err(|fault| run.explain_miss(fault, activation, Sought::Passages(&query)))?;
        }
        (Arc::new(search(knowledge, query, model, node_context).await?), None)
    };
    let event = CallEvent::KnowledgeRetrieved { retrieval: Arc::clone(&retrieval), bases, reused };
    node_context.record(event).await?;
    Ok(retrieval)
}

async fn search(
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
        folder: node_context.run.info.folder.clone(),
        progress: Arc::new(|_| ()),
    };
    let retrieval = node_context.host.retriever.retrieve(request).await?;
    for notice in &retrieval.notices {
        node_context.notice(notice.clone());
    }
    Ok(retrieval)
}
