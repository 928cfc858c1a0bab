//! The index of a base: its passages, and a record of each indexed file. Both are in one commit, so they always agree.
//!
//! An index with any problem is removed and rebuilt: everything in it comes from the files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use plait_core::error::Fault;
use plait_llm::retriever::passage_tokens;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tantivy::collector::{DocSetCollector, TopDocs};
use tantivy::query::{Query, TermQuery};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
    Value as _,
};
use tantivy::{
    DocAddress, Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument,
    Term, doc,
};

use super::chunking::Chunk;
use super::private_directory::PrivateDirectory;
use super::tokenizer::{ANALYZER, analyzer};
use crate::codes;
use plait_store::private_files;

/// How many blocks of stored passages stay unpacked, of 16 KB each: 16 MB. A search reads as many blocks as it finds passages, and unpacking
/// them would take longer than the search itself.
const CACHED_BLOCKS: usize = 1_024;

/// The stored data of a passage besides its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredChunk {
    pub(super) source: String,
    pub(super) offset: u64,
    pub(super) line: u64,
    pub(super) heading: String,
    /// The [`passage_tokens`] of the text. Unknown in an index of an earlier version.
    #[serde(default)]
    pub(super) tokens: Option<u32>,
    #[serde(skip)]
    pub(super) text: String,
}

/// The record of an indexed file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    pub(super) source: String,
    pub(super) size: u64,
    pub(super) modified: u64,
    pub(super) chunks: u64,
    /// Why nothing of it is indexed.
    pub(super) skipped: Option<Fault>,
}

pub(super) struct Fields {
    /// The text of a passage.
    pub(super) text: Field,
    /// The names of the file and the headings above the passage.
    pub(super) title: Field,
    /// The file, as one term.
    source: Field,
    /// The first bytes of the hash of a passage's text.
    pub(super) hash: Field,
    /// 1 for files; passages have none.
    is_file: Field,
    /// [`StoredChunk`] or [`FileRecord`] as JSON.
    record: Field,
}

pub(super) struct ChunkIndex {
    index: Index,
    reader: IndexReader,
    pub(super) fields: Fields,
}

impl ChunkIndex {
    /// Opens the index in `folder`. One that is missing, damaged or of another form is rebuilt, if it may be written.
    /// Fault `knowledge.index`.
    pub(super) fn open(folder: &Path, may_write: bool) -> Result<Self, Fault> {
        match Self::open_existing(folder) {
            Ok(index) => Ok(index),
            Err(why) if !may_write => Err(fault("open the index", &why)),
            Err(_) => Self::create(folder).map_err(|error| fault("create the index", &error)),
        }
    }

    fn open_existing(folder: &Path) -> Result<Self, String> {
        let to_text = |error: tantivy::TantivyError| error.to_string();
        let index = PrivateDirectory::open(folder).and_then(Index::open).map_err(to_text)?;
        let (schema, fields) = schema();
        if index.schema() != schema {
            return Err("it is of another version".to_owned());
        }
        if !index.validate_checksum().map_err(to_text)?.is_empty() {
            return Err("it is damaged".to_owned());
        }
        Self::with(index, fields).map_err(to_text)
    }

    fn create(folder: &Path) -> tantivy::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        private_files::create_folder(folder)?;
        let (schema, fields) = schema();
        let directory = PrivateDirectory::open(folder)?;
        Self::with(Index::create(directory, schema, IndexSettings::default())?, fields)
    }

    fn with(index: Index, fields: Fields) -> tantivy::Result<Self> {
        index.tokenizers().register(ANALYZER, analyzer());
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(CACHED_BLOCKS)
            .try_into()?;
        Ok(Self { index, reader, fields })
    }

    /// The state of the last commit that was [loaded](Self::reload).
    pub(super) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// Loads the last commit.
    pub(super) fn reload(&self) -> Result<(), Fault> {
        self.reader.reload().map_err(|error| fault("load the index", &error))
    }

    /// A writer for many or a few files.
    pub(super) fn writer(&self, is_large: bool) -> Result<IndexWriter, Fault> {
        let (threads, bytes) = if is_large { (2, 160 << 20) } else { (1, 20 << 20) };
        self.index.writer_with_num_threads(threads, bytes).map_err(|error| fault("write the index", &error))
    }

    /// The record of each indexed file, by its name.
    pub(super) fn files(&self) -> Result<HashMap<String, FileRecord>, Fault> {
        let searcher = self.searcher();
        let query = TermQuery::new(Term::from_field_u64(self.fields.is_file, 1), IndexRecordOption::Basic);
        let read = || -> tantivy::Result<HashMap<String, FileRecord>> {
            let mut addresses: Vec<_> = searcher.search(&query, &DocSetCollector)?.into_iter().collect();
            // Stored order: each block is read once.
            addresses.sort();
            let mut files = HashMap::with_capacity(addresses.len());
            for address in addresses {
                let document: TantivyDocument = searcher.doc(address)?;
                if let Some(record) = self.record::<FileRecord>(&document) {
                    files.insert(record.source.clone(), record);
                }
            }
            Ok(files)
        };
        read().map_err(|error| fault("read the index", &error))
    }

    /// Replaces the passages and the record of a file.
    pub(super) fn put_file(
        &self,
        writer: &IndexWriter,
        record: &FileRecord,
        chunks: &[Chunk],
    ) -> tantivy::Result<()> {
        let Fields { text, title, source, hash, is_file, record: stored } = &self.fields;
        self.remove_file(writer, &record.source);
        for chunk in chunks {
            let json = to_json(&StoredChunk {
                source: record.source.clone(),
                offset: chunk.offset as u64,
                line: chunk.line as u64,
                heading: chunk.heading.clone(),
                tokens: Some(passage_tokens(&chunk.text)),
                text: String::new(),
            });
            writer.add_document(doc!(
                *text => chunk.text.as_str(),
                *title => format!("{} {}", record.source, chunk.heading),
                *source => record.source.as_str(),
                *hash => text_hash(&chunk.text),
                *stored => json,
            ))?;
        }
        writer.add_document(doc!(
            *source => record.source.as_str(),
            *is_file => 1_u64,
            *stored => to_json(record),
        ))?;
        Ok(())
    }

    /// Removes the passages and the record of a file.
    pub(super) fn remove_file(&self, writer: &IndexWriter, source: &str) {
        writer.delete_term(Term::from_field_text(self.fields.source, source));
    }

    /// The best passages for a query.
    pub(super) fn search(
        searcher: &Searcher,
        query: &dyn Query,
        limit: usize,
    ) -> Result<Vec<(f32, DocAddress)>, Fault> {
        searcher
            .search(query, &TopDocs::with_limit(limit).order_by_score())
            .map_err(|error| fault("search the index", &error))
    }

    /// The passage at an address.
    pub(super) fn chunk(&self, searcher: &Searcher, address: DocAddress) -> Result<StoredChunk, Fault> {
        let document: TantivyDocument =
            searcher.doc(address).map_err(|error| fault("read the index", &error))?;
        let chunk = self
            .record::<StoredChunk>(&document)
            .ok_or_else(|| fault("read the index", &"a record is broken"))?;
        let text = document.get_first(self.fields.text).and_then(|text| text.as_str()).unwrap_or_default();
        Ok(StoredChunk { text: text.to_owned(), ..chunk })
    }

    fn record<T: for<'a> Deserialize<'a>>(&self, document: &TantivyDocument) -> Option<T> {
        let json = document.get_first(self.fields.record)?.as_str()?.to_owned();
        serde_json::from_str(&json).ok()
    }
}

fn to_json(record: &impl Serialize) -> String {
    // Records are made of texts and numbers, which always have a JSON form.
    serde_json::to_string(record).unwrap_or_default()
}

/// What identifies the text of a passage among the others of its base.
pub(super) fn text_hash(text: &str) -> u64 {
    let hash = Sha256::digest(text.as_bytes());
    u64::from_le_bytes(std::array::from_fn(|index| hash[index]))
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexing =
        TextFieldIndexing::default().set_tokenizer(ANALYZER).set_index_option(IndexRecordOption::WithFreqs);
    let indexed = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        text: schema.add_text_field("text", indexed.clone() | STORED),
        title: schema.add_text_field("title", indexed),
        source: schema.add_text_field("source", STRING),
        hash: schema.add_u64_field("hash", FAST),
        is_file: schema.add_u64_field("is_file", INDEXED),
        record: schema.add_text_field("record", STORED),
    };
    (schema.build(), fields)
}

/// The fault when something cannot be done with an index.
pub(super) fn fault(what: &str, error: &dyn std::fmt::Display) -> Fault {
    Fault::new(codes::KNOWLEDGE_INDEX, format!("Could not {what} of the knowledge base: {error}."))
        .hint("Check that there is room on the disk, then index the knowledge base again.")
}
