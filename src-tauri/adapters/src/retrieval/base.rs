//! One knowledge base while the application runs: its index, when it was last compared with the files, and its current
//! activity.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_llm::retriever::IndexProgress;
use serde::{Deserialize, Serialize};
use tantivy::{DocAddress, SegmentReader};
use tokio_util::sync::CancellationToken;
use ts_rs::TS;

use super::definition::{BaseDefinition, EmbeddingModel};
use super::files::Roots;
use super::index::{ChunkIndex, FileRecord, StoredChunk, fault};
use super::query;
use super::vectors::Vectors;

/// Without a watcher, the files are compared again after this time.
const RESCAN_INTERVAL: Duration = Duration::from_secs(5);
/// The most skipped files that a status lists.
const MAX_LISTED_SKIPPED: usize = 100;

/// What a base is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum BaseState {
    /// It was never indexed.
    #[default]
    New,
    /// It is being indexed.
    Indexing,
    /// It can be searched.
    Ready,
    /// The last indexing failed or was stopped. What was indexed before can be searched.
    Failed,
}

/// A file that is not searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SkippedFile {
    /// The file, as in [`Passage`](plait_llm::retriever::Passage).
    pub source: String,
    /// Why.
    pub reason: Fault,
}

/// A base and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BaseStatus {
    #[serde(flatten)]
    #[ts(flatten)]
    pub definition: BaseDefinition,
    pub state: BaseState,
    /// Files that are searched.
    #[ts(type = "number")]
    pub files: u64,
    /// Their passages.
    #[ts(type = "number")]
    pub chunks: u64,
    /// Passages with an embedding.
    #[ts(type = "number")]
    pub embedded: u64,
    /// Files that are not searched; the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<SkippedFile>>")]
    pub skipped: Vec<SkippedFile>,
    /// How many they are.
    #[ts(type = "number")]
    pub skipped_count: u64,
    /// How far indexing has come, while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub progress: Option<IndexProgress>,
    /// What went wrong last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fault: Option<Fault>,
}

/// A base that is open.
pub(super) struct Base {
    /// Its name in results.
    pub(super) name: String,
    /// Its folder in the data directory.
    pub(super) folder: PathBuf,
    pub(super) embeddings: Option<EmbeddingModel>,
    may_write: bool,
    open: Mutex<Option<Arc<OpenIndex>>>,
    activity: Mutex<Activity>,
    freshness: Arc<Freshness>,
    /// Held while it is indexed.
    pub(super) update_lock: Arc<tokio::sync::Mutex<()>>,
}

/// The index with what belongs to its last commit.
pub(super) struct OpenIndex {
    pub(super) index: ChunkIndex,
    pub(super) vectors: Mutex<Vectors>,
    totals: Mutex<Option<Totals>>,
}

#[derive(Clone, Default)]
struct Totals {
    files: u64,
    chunks: u64,
    skipped: Vec<SkippedFile>,
    skipped_count: u64,
}

#[derive(Default)]
struct Activity {
    progress: Option<IndexProgress>,
    cancel: Option<CancellationToken>,
    fault: Option<Fault>,
}

/// Whether the index may differ from the files.
#[derive(Default)]
struct Freshness {
    is_fresh: AtomicBool,
    watcher: Mutex<Option<RecommendedWatcher>>,
    compared_at: Mutex<Option<Instant>>,
}

impl Base {
    pub(super) fn new(
        name: String,
        folder: PathBuf,
        embeddings: Option<EmbeddingModel>,
        may_write: bool,
    ) -> Self {
        Self {
            name,
            folder,
            embeddings,
            may_write,
            open: Mutex::default(),
            activity: Mutex::default(),
            freshness: Arc::default(),
            update_lock: Arc::default(),
        }
    }

    /// Its index, opened if necessary. Blocks. Fault `knowledge.index`.
    pub(super) fn open_index(&self) -> Result<Arc<OpenIndex>, Fault> {
        let mut open = self.open.lock();
        if let Some(index) = &*open {
            if !self.may_write {
                // Another process writes it.
                index.index.reload()?;
                *index.totals.lock() = None;
            }
            return Ok(Arc::clone(index));
        }
        let index = ChunkIndex::open(&self.folder.join("index"), self.may_write)?;
        let vectors = match &self.embeddings {
            Some(model) => Vectors::read(Vectors::path(&self.folder, model))
                .map_err(|error| fault("read the embeddings", &error))?,
            None => Vectors::default(),
        };
        let index = Arc::new(OpenIndex { index, vectors: Mutex::new(vectors), totals: Mutex::default() });
        *open = Some(Arc::clone(&index));
        Ok(index)
    }

    /// Closes the index, so that its files can be removed.
    pub(super) fn close(&self) {
        *self.open.lock() = None;
        *self.freshness.watcher.lock() = None;
    }

    /// Whether its index must be compared with the files before a search.
    pub(super) fn is_stale(&self) -> bool {
        if !self.freshness.is_fresh.load(Ordering::Acquire) {
            return true;
        }
        let is_watched = self.freshness.watcher.lock().is_some();
        let compared_at = *self.freshness.compared_at.lock();
        !is_watched && compared_at.is_none_or(|at| at.elapsed() > RESCAN_INTERVAL)
    }

    /// Watches the folders from now on, so that a change while they are compared is not missed, and says that the index will
    /// agree with them.
    pub(super) fn begin_comparison(&self, roots: &Roots) {
        let mut watcher = self.freshness.watcher.lock();
        if watcher.is_none() {
            *watcher = watch(roots, &self.freshness);
        }
        self.freshness.is_fresh.store(true, Ordering::Release);
    }

    /// The index agrees with the files, or does not.
    pub(super) fn end_comparison(&self, is_fresh: bool) {
        if !is_fresh {
            self.freshness.is_fresh.store(false, Ordering::Release);
        }
        *self.freshness.compared_at.lock() = Some(Instant::now());
        if let Some(index) = &*self.open.lock() {
            *index.totals.lock() = None;
        }
    }

    /// Begins an activity that `cancel` stops.
    pub(super) fn begin_activity(&self, cancel: CancellationToken) {
        let progress = Some(IndexProgress { base: self.name.clone(), ..IndexProgress::default() });
        *self.activity.lock() = Activity { progress, cancel: Some(cancel), fault: None };
    }

    pub(super) fn set_progress(&self, progress: IndexProgress) {
        let mut activity = self.activity.lock();
        if activity.cancel.is_some() {
            activity.progress = Some(progress);
        }
    }

    pub(super) fn end_activity(&self, fault: Option<Fault>) {
        *self.activity.lock() = Activity { progress: None, cancel: None, fault };
    }

    /// Stops the activity, if there is one.
    pub(super) fn cancel(&self) {
        if let Some(cancel) = &self.activity.lock().cancel {
            cancel.cancel();
        }
    }

    /// Its status. Blocks.
    pub(super) fn status(&self, definition: BaseDefinition) -> BaseStatus {
        let (progress, mut fault) = {
            let activity = self.activity.lock();
            (activity.progress.clone(), activity.fault.clone())
        };
        let is_indexed = self.folder.join("index").join("meta.json").is_file();
        let mut totals = Totals::default();
        let mut embedded = 0;
        if is_indexed {
            let read = self.open_index().and_then(|index| {
                embedded = index.vectors.lock().count() as u64;
                index.totals()
            });
            match read {
                Ok(read) => totals = read,
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        let state = match (&progress, &fault, is_indexed) {
            (Some(_), ..) => BaseState::Indexing,
            (None, Some(_), _) => BaseState::Failed,
            (None, None, true) => BaseState::Ready,
            (None, None, false) => BaseState::New,
        };
        let Totals { files, chunks, skipped, skipped_count } = totals;
        BaseStatus { definition, state, files, chunks, embedded, skipped, skipped_count, progress, fault }
    }
}

impl OpenIndex {
    fn totals(&self) -> Result<Totals, Fault> {
        if let Some(totals) = &*self.totals.lock() {
            return Ok(totals.clone());
        }
        let mut totals = Totals::default();
        let mut files: Vec<FileRecord> = self.index.files()?.into_values().collect();
        files.sort_by(|a, b| a.source.cmp(&b.source));
        for FileRecord { source, chunks, skipped, .. } in files {
            totals.chunks += chunks;
            match skipped {
                None => totals.files += 1,
                Some(reason) => {
                    totals.skipped_count += 1;
                    if totals.skipped.len() < MAX_LISTED_SKIPPED {
                        totals.skipped.push(SkippedFile { source, reason });
                    }
                }
            }
        }
        *self.totals.lock() = Some(totals.clone());
        Ok(totals)
    }

    /// The best passages by their words, and by their similarity to `embedding` if there is one.
    pub(super) fn search(
        &self,
        text: &str,
        embedding: Option<&[f32]>,
        limit: usize,
    ) -> Result<SearchHits, Fault> {
        let searcher = self.index.searcher();
        let words = match query::build(text, &searcher, &self.index.fields)? {
            Some(query) => ChunkIndex::search(&searcher, &query, limit)?,
            None => Vec::new(),
        };
        let words = words.into_iter().map(|(score, address)| (address, f64::from(score))).collect();
        let mut meaning: Vec<(DocAddress, f64)> = Vec::new();
        if let Some(embedding) = embedding {
            let vectors = self.vectors.lock();
            for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
                for (document, hash) in hashes(segment)? {
                    if let Some(similarity) = vectors.similarity(hash, embedding) {
                        meaning.push((DocAddress::new(ordinal, document), f64::from(similarity)));
                    }
                }
            }
            meaning.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            meaning.truncate(limit);
        }
        Ok(SearchHits { searcher, words, meaning })
    }

    pub(super) fn texts(&self, passages: &[(u64, DocAddress)]) -> Result<HashMap<u64, String>, Fault> {
        let searcher = self.index.searcher();
        let text =
            |(hash, address): &(u64, DocAddress)| Ok((*hash, self.index.chunk(&searcher, *address)?.text));
        passages.iter().map(text).collect()
    }

    /// The passages without an embedding, each text once.
    pub(super) fn without_embedding(&self) -> Result<HashMap<u64, DocAddress>, Fault> {
        let searcher = self.index.searcher();
        let vectors = self.vectors.lock();
        let mut missing = HashMap::new();
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let new = hashes(segment)?.filter(|(_, hash)| !vectors.contains(*hash));
            missing.extend(new.map(|(document, hash)| (hash, DocAddress::new(ordinal, document))));
        }
        Ok(missing)
    }
}

/// The results of a search in one index.
pub(super) struct SearchHits {
    searcher: tantivy::Searcher,
    pub(super) words: Vec<(DocAddress, f64)>,
    pub(super) meaning: Vec<(DocAddress, f64)>,
}

impl SearchHits {
    pub(super) fn chunk(&self, index: &OpenIndex, address: DocAddress) -> Result<StoredChunk, Fault> {
        index.index.chunk(&self.searcher, address)
    }
}

/// The passages of a segment and the hashes of their texts.
fn hashes(segment: &SegmentReader) -> Result<impl Iterator<Item = (u32, u64)>, Fault> {
    let column = segment.fast_fields().u64("hash").map_err(|error| fault("read the index", &error))?;
    Ok(segment
        .doc_ids_alive()
        .filter_map(move |document| Some((document, column.first(document)?)))
        .collect::<Vec<_>>()
        .into_iter())
}

/// `None` if the system can't watch the folders: they may have more folders than it watches.
fn watch(roots: &Roots, freshness: &Arc<Freshness>) -> Option<RecommendedWatcher> {
    let weak = Arc::downgrade(freshness);
    let on_event = move |event: notify::Result<notify::Event>| {
        let is_read = event.as_ref().is_ok_and(|event| event.kind.is_access());
        if let Some(freshness) = weak.upgrade().filter(|_| !is_read) {
            freshness.is_fresh.store(false, Ordering::Release);
        }
    };
    let mut watcher = notify::recommended_watcher(on_event).ok()?;
    let paths: Vec<&Path> = roots.folders().collect();
    paths.into_iter().try_for_each(|path| watcher.watch(path, RecursiveMode::Recursive)).ok()?;
    Some(watcher)
}
