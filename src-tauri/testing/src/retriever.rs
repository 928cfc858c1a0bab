//! A retriever for tests. Records the requests.

use async_trait::async_trait;
use parking_lot::Mutex;

use plait_core::error::Fault;
use plait_llm::retriever::{
    Candidate, IndexProgress, KnowledgeRef, Passage, Retrieval, RetrievalRequest, Retriever, fit,
};
use plait_run::codes;

/// One knowledge base, `handbook`, in which every query finds the same passages.
#[derive(Default)]
pub struct FakeRetriever {
    requests: Mutex<Vec<RetrievalRequest>>,
    /// The passages, the best first, each with its source.
    passages: Mutex<Option<Vec<(&'static str, String)>>>,
}

impl FakeRetriever {
    /// The requests so far.
    pub fn requests(&self) -> Vec<RetrievalRequest> {
        self.requests.lock().clone()
    }

    /// Finds these passages from now on, each a source with its text.
    pub fn set_passages(&self, passages: Vec<(&'static str, String)>) {
        *self.passages.lock() = Some(passages);
    }
}

#[async_trait]
impl Retriever for FakeRetriever {
    async fn retrieve(&self, request: RetrievalRequest) -> Result<Retrieval, Fault> {
        self.requests.lock().push(request.clone());
        let handbook = KnowledgeRef::Base("handbook".to_owned());
        if let Some(KnowledgeRef::Base(name) | KnowledgeRef::Folder(name)) =
            request.bases.iter().find(|base| **base != handbook)
        {
            let message = format!("There is no knowledge base `{name}`.");
            return Err(Fault::new(codes::KNOWLEDGE_UNKNOWN, message));
        }
        let progress = IndexProgress {
            base: "handbook".to_owned(),
            done: 1,
            total: Some(1),
            ..IndexProgress::default()
        };
        (request.progress)(progress);
        let default = || vec![("travel.md", "Trains are booked by the office.".to_owned())];
        let passages = self.passages.lock().clone().unwrap_or_else(default);
        let candidates = passages.into_iter().enumerate().map(|(index, (source, text))| Candidate {
            passage: Passage {
                base: "handbook".to_owned(),
                source: source.to_owned(),
                length: text.len() as u64,
                line: 1,
                score: 1.0 / (1.0 + f64::from(u32::try_from(index).unwrap_or(u32::MAX))),
                ..Passage::default()
            },
            text,
            text_tokens: None,
        });
        Ok(fit(request.query, candidates.collect(), request.max_tokens, &request.model))
    }
}
