//! Searching: brings the indexes up to date, searches each by words and by meaning, and joins the results.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::retriever::{
    Candidate, KnowledgeRef, MAX_CANDIDATES, Passage, Retrieval, RetrievalRequest, Retriever, fit,
};
use tantivy::DocAddress;
use tokio::runtime::Handle;

use super::targets::Target;
use super::updates::OnProgress;
use super::{KnowledgeBases, SourceText, run_blocking};
use crate::codes;
use crate::retrieval::base::{Base, OpenIndex, SearchHits};
use crate::retrieval::definition::EmbeddingModel;
use crate::retrieval::document::Workers;
use crate::retrieval::embeddings::embed;
use crate::retrieval::ranking::{Ranked, fuse};
use crate::retrieval::update::read_redacted;

/// How much of a document is shown around a passage, in bytes before and after it.
const SHOWN_BYTES: usize = 200 << 10;

/// A base to search, with the embedding of the query for its model.
type BaseSearch = (Arc<Base>, Option<Arc<[f32]>>);

#[async_trait]
impl Retriever for KnowledgeBases {
    async fn retrieve(&self, request: RetrievalRequest) -> Result<Retrieval, Fault> {
        let RetrievalRequest { query, bases, max_tokens, model, folder, progress } = request;
        let query = self.0.options.redaction.text(query.trim()).into_owned();
        if query.is_empty() {
            return Err(Fault::new(codes::KNOWLEDGE_NO_QUERY, "There is nothing to search for.")
                .hint("Write what to look for."));
        }
        let targets = self.targets(bases, folder).await?;
        let mut notices = Vec::new();
        for target in &targets {
            notices.extend(self.refresh(target, &progress).await?);
        }
        let mut searches = Vec::with_capacity(targets.len());
        let mut embeddings: Vec<(EmbeddingModel, Option<Arc<[f32]>>)> = Vec::new();
        for target in targets {
            let embedding = match &target.base.embeddings {
                Some(model) => self.embed_query(model, &query, &mut embeddings, &mut notices).await,
                None => None,
            };
            searches.push((target.base, embedding));
        }
        let bases = self.clone();
        run_blocking(move || {
            let candidates = bases.candidates(&query, &searches)?;
            Ok(Retrieval { notices, ..fit(query, candidates, max_tokens, &model) })
        })
        .await
    }
}

impl KnowledgeBases {
    async fn targets(&self, bases: Vec<KnowledgeRef>, folder: Option<String>) -> Result<Vec<Target>, Fault> {
        let own = self.clone();
        run_blocking(move || {
            let folder = folder.as_deref().map(Path::new);
            bases.iter().map(|named| own.target(named, folder)).collect()
        })
        .await
    }

    /// Brings an index up to date. If that fails, an index of before is searched with a notice.
    async fn refresh(&self, target: &Target, progress: &OnProgress) -> Result<Option<Fault>, Fault> {
        if self.0.options.read_only || !target.base.is_stale() {
            return Ok(None);
        }
        match self.update(target, false, false, Arc::clone(progress)).await {
            Ok(()) => Ok(None),
            Err(fault) if fault.code == codes::KNOWLEDGE_STOPPED => Err(fault),
            Err(fault) if target.base.folder.join("index").join("meta.json").is_file() => Ok(Some(fault)),
            Err(fault) => Err(fault),
        }
    }

    /// The embedding of the query, bought once for each model.
    async fn embed_query(
        &self,
        model: &EmbeddingModel,
        query: &str,
        known: &mut Vec<(EmbeddingModel, Option<Arc<[f32]>>)>,
        notices: &mut Vec<Fault>,
    ) -> Option<Arc<[f32]>> {
        if let Some((_, embedding)) = known.iter().find(|(one, _)| one == model) {
            return embedding.clone();
        }
        // A message may be a whole document; models for embeddings have small windows.
        let query = &query[..query.floor_char_boundary(8 << 10)];
        let embedding = match embed(&*self.0.options.embedder, model, &[query.to_owned()]).await {
            Ok(vectors) => vectors.into_iter().next().map(Arc::from),
            Err(fault) => {
                if !notices.iter().any(|notice| notice.code == fault.code) {
                    notices.push(fault);
                }
                None
            }
        };
        known.push((model.clone(), embedding.clone()));
        embedding
    }

    /// The best passages of all bases.
    fn candidates(&self, query: &str, searches: &[BaseSearch]) -> Result<Vec<Candidate>, Fault> {
        type Key = (usize, DocAddress);
        let mut found: Vec<(Arc<OpenIndex>, SearchHits)> = Vec::with_capacity(searches.len());
        let mut words: Vec<(Key, f64)> = Vec::new();
        let mut meaning: Vec<(Key, f64)> = Vec::new();
        for (number, (base, embedding)) in searches.iter().enumerate() {
            let index = base.open_index()?;
            let hits = index.search(query, embedding.as_deref(), MAX_CANDIDATES)?;
            words.extend(hits.words.iter().map(|(address, score)| ((number, *address), *score)));
            meaning.extend(hits.meaning.iter().map(|(address, score)| ((number, *address), *score)));
            found.push((index, hits));
        }
        for ranking in [&mut words, &mut meaning] {
            ranking.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            ranking.truncate(MAX_CANDIDATES);
        }
        let to_candidate = |Ranked { key: (number, address), score, matched }: Ranked<Key>| {
            let (index, hits) = &found[number];
            let chunk = hits.chunk(index, address)?;
            let redaction = &self.0.options.redaction;
            let passage = Passage {
                base: searches[number].0.name.clone(),
                source: chunk.source,
                offset: chunk.offset,
                length: chunk.text.len() as u64,
                line: chunk.line,
                heading: redaction.text(&chunk.heading).into_owned(),
                score,
                matched,
                tokens: 0,
            };
            // Also keys that were entered after it was indexed.
            let (text, text_tokens) = match redaction.text(&chunk.text) {
                Cow::Borrowed(_) => (chunk.text, chunk.tokens),
                Cow::Owned(redacted) => (redacted, None),
            };
            Ok(Candidate { passage, text, text_tokens })
        };
        fuse(words, meaning, MAX_CANDIDATES).into_iter().map(to_candidate).collect()
    }

    /// The text of a document around a passage. Faults `knowledge.unknown`, `knowledge.source`, `knowledge.bad_file`.
    pub async fn source(
        &self,
        base: KnowledgeRef,
        flow_folder: Option<PathBuf>,
        source: String,
        offset: u64,
    ) -> Result<SourceText, Fault> {
        let (bases, runtime) = (self.clone(), Handle::current());
        run_blocking(move || {
            let options = &bases.0.options;
            let target = bases.target(&base, flow_folder.as_deref())?;
            let (bytes, path) = bases.roots(&target)?.read_source(&source)?;
            let workers = options.workers.clone().map(|pool| Workers { pool, runtime });
            let document =
                read_redacted(Path::new(&source), || Ok(bytes), workers.as_ref(), &options.redaction)?;
            Ok(excerpt(&document.text, offset, &path))
        })
        .await
    }
}

/// The text around `offset`, from the beginning of a line on.
fn excerpt(text: &str, offset: u64, path: &Path) -> SourceText {
    let offset = text.floor_char_boundary(usize::try_from(offset).unwrap_or(usize::MAX).min(text.len()));
    let first = text.floor_char_boundary(offset.saturating_sub(SHOWN_BYTES));
    let start =
        if first == 0 { 0 } else { text[first..offset].find('\n').map_or(first, |at| first + at + 1) };
    let end = text.floor_char_boundary(offset.saturating_add(SHOWN_BYTES).min(text.len()));
    SourceText {
        path: path.display().to_string(),
        text: text[start..end].to_owned(),
        offset: start as u64,
        line: 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count() as u64,
    }
}
