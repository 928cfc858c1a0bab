//! Searching 10,000 passages beside bare tantivy, and indexing 100 MB of Markdown.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-adapters --bench retrieval` this one.

#[path = "../../nodes/benches/workload/figures.rs"]
mod figures;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use figures::{Figures, is_selected};
use plait_adapters::retrieval::{BaseDefinition, Embedder, EmbeddingModel, KnowledgeBases, KnowledgeOptions};
use plait_adapters::{FileAccess, Redaction};
use plait_core::error::Fault;
use plait_llm::retriever::{KnowledgeRef, MAX_CANDIDATES, RetrievalRequest, Retriever as _};
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{STORED, Schema, TEXT, Value as _};
use tantivy::{Index, ReloadPolicy, TantivyDocument, doc};

const PASSAGES: usize = 10_000;
const CORPUS_BYTES: usize = 100 << 20;
const FILE_BYTES: usize = 64 << 10;
const QUERIES: usize = 500;
const WARM_UP: usize = 50;
const WORDS: usize = 20_000;
const MB: f64 = 1e6;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct NoEmbeddings;

#[async_trait]
impl Embedder for NoEmbeddings {
    async fn embed(&self, _: &EmbeddingModel, _: &[String]) -> std::result::Result<Vec<Vec<f32>>, Fault> {
        Ok(Vec::new())
    }
}

/// Texts of words as rare as those of a language: the n-th is used 1/n times as often as the first.
struct Writer {
    random: fastrand::Rng,
    words: Vec<String>,
}

impl Writer {
    fn new() -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let word = |random: &mut fastrand::Rng| {
            let length = random.usize(3..11);
            (0..length).map(|_| random.lowercase()).collect()
        };
        let words = (0..WORDS).map(|_| word(&mut random)).collect();
        Self { random, words }
    }

    fn word(&mut self) -> &str {
        // The inverse of the distribution: ranks are spread evenly on a logarithmic scale.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a rank of the list"
        )]
        let rank = (WORDS as f64).powf(self.random.f64()) as usize;
        &self.words[rank.min(WORDS - 1)]
    }

    fn sentence(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word().to_owned()).collect::<Vec<_>>().join(" ")
    }

    /// A section of about 300 tokens.
    fn section(&mut self) -> String {
        let mut text = format!("## {}\n\n", self.sentence(4));
        for _ in 0..4 {
            for _ in 0..4 {
                text += &self.sentence(12);
                text += ". ";
            }
            text += "\n\n";
        }
        text
    }
}

fn main() -> Result<()> {
    if !is_selected("retrieval") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut figures = Figures::default();
    runtime.block_on(measure_search(&mut figures))?;
    runtime.block_on(measure_indexing(&mut figures))?;
    figures.write("retrieval")?;
    Ok(())
}

fn open(root: &Path) -> Result<KnowledgeBases> {
    let home = root.join("home");
    let bases = KnowledgeBases::new(KnowledgeOptions {
        access: FileAccess::new(None, Some(&home)),
        home,
        redaction: Arc::new(Redaction::default()),
        workers: None,
        embedder: Arc::new(NoEmbeddings),
        read_only: false,
    });
    let paths = vec![root.join("docs").display().to_string()];
    bases.add(BaseDefinition { name: "base".to_owned(), paths, embeddings: None })?;
    Ok(bases)
}

async fn measure_search(figures: &mut Figures) -> Result<()> {
    let root = tempfile::tempdir()?;
    fs::create_dir(root.path().join("docs"))?;
    let mut writer = Writer::new();
    let sections: Vec<String> = (0..PASSAGES).map(|_| writer.section()).collect();
    for (number, part) in sections.chunks(20).enumerate() {
        fs::write(root.path().join(format!("docs/{number}.md")), part.concat())?;
    }
    let queries: Vec<String> = (0..QUERIES + WARM_UP).map(|_| writer.sentence(8)).collect();
    let bases = open(root.path())?;
    let status = bases.reindex("base", false, Arc::new(|_| ())).await?;
    println!("{} passages", status.chunks);

    let mut ours = Vec::with_capacity(QUERIES);
    for (number, query) in queries.iter().enumerate() {
        let request = RetrievalRequest {
            query: query.clone(),
            bases: vec![KnowledgeRef::Base("base".to_owned())],
            max_tokens: 2000,
            model: String::new(),
            folder: None,
            progress: Arc::new(|_| ()),
        };
        let begin = Instant::now();
        let found = bases.retrieve(request).await?;
        if number >= WARM_UP {
            ours.push(begin.elapsed());
        }
        assert!(!found.used.is_empty(), "every query has words of the passages");
    }
    let bare = search_bare(&sections, &queries)?;
    let (ours, bare) = (percentile_95(ours), percentile_95(bare));
    figures.add("retrieval", "search of 10,000 passages", ours.as_secs_f64() * 1e3, "ms");
    figures.add("retrieval", "bare tantivy", bare.as_secs_f64() * 1e3, "ms");
    Ok(())
}

/// The same searches by tantivy alone: parse the query, rank, read the texts.
fn search_bare(sections: &[String], queries: &[String]) -> Result<Vec<Duration>> {
    let folder = tempfile::tempdir()?;
    let mut schema = Schema::builder();
    let text = schema.add_text_field("text", TEXT | STORED);
    let index = Index::create_in_dir(folder.path(), schema.build())?;
    let mut writer = index.writer_with_num_threads(2, 100 << 20)?;
    for section in sections {
        writer.add_document(doc!(text => section.as_str()))?;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let parser = QueryParser::for_index(&index, vec![text]);
    let mut times = Vec::with_capacity(QUERIES);
    for (number, query) in queries.iter().enumerate() {
        let begin = Instant::now();
        let searcher = reader.searcher();
        let (query, _) = parser.parse_query_lenient(query);
        let found = searcher.search(&*query, &TopDocs::with_limit(MAX_CANDIDATES).order_by_score())?;
        let mut bytes = 0;
        for (_, address) in found {
            let document: TantivyDocument = searcher.doc(address)?;
            bytes += document.get_first(text).and_then(|text| text.as_str()).map_or(0, str::len);
        }
        if number >= WARM_UP {
            times.push(begin.elapsed());
        }
        assert!(bytes > 0, "every query has words of the passages");
    }
    Ok(times)
}

async fn measure_indexing(figures: &mut Figures) -> Result<()> {
    let root = tempfile::tempdir()?;
    fs::create_dir(root.path().join("docs"))?;
    let mut writer = Writer::new();
    let mut written = 0;
    for number in 0.. {
        let mut text = format!("# {}\n\n", writer.sentence(3));
        while text.len() < FILE_BYTES {
            text += &writer.section();
        }
        fs::write(root.path().join(format!("docs/{number}.md")), &text)?;
        written += text.len();
        if written >= CORPUS_BYTES {
            break;
        }
    }
    let bases = open(root.path())?;
    let begin = Instant::now();
    bases.reindex("base", false, Arc::new(|_| ())).await?;
    let seconds = begin.elapsed().as_secs_f64();
    #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
    figures.add("retrieval", "indexing Markdown", written as f64 / MB / seconds, "MB/s");
    Ok(())
}

fn percentile_95(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() * 95 / 100]
}
