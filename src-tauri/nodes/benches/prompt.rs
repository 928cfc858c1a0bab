//! The prompt pipeline: trimming a long history, counting new text, taking a snapshot.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-nodes --bench prompt` this one.

#[path = "workload/workload.rs"]
mod workload;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_llm::context::{Content, ContextRecord, ContextType, History, Message, Role};
use plait_llm::loop_history::{
    ConversationScope, ConversationSettings, HistoryManagement, HistoryTurn, LoopConversation, LoopHistory,
};
use plait_llm::memory::{MemoryChange, MemorySummary, MemoryTurn, WorkflowMemory};
use plait_llm::models::{Correction, ModelConfig};
use plait_llm::tokens;
use plait_llm::tool::ToolSpec;
use plait_nodes::prompt::{BlockInputs, Call, LoopTurns, MemoryView, Partner, prepare, trim};
use workload::{BenchError, FirstError};

/// Messages of the history and tokens of each: a million tokens in total.
const MESSAGES: usize = 10_000;
const TOKENS: u32 = 100;
/// Room for all but the oldest turn, so that the whole history is scanned.
const ROOM: u64 = (MESSAGES as u64 - 1) * TOKENS as u64;
/// A snapshot must cost the same at each of these lengths.
const LENGTHS: [usize; 3] = [10, 1_000, 100_000];
/// Turns of the workflow's memory, as many as a flow keeps by default.
const TURNS: usize = 12;
/// Iterations of a conversational loop, and the turns that its history has before them.
const ITERATIONS: u64 = 100;
const HISTORY_LENGTHS: [usize; 2] = [100, 10_000];
/// The model of the tokenizer to compare.
const MODEL: &str = "gpt-4o";

fn main() -> Result<(), BenchError> {
    let mut criterion = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots()
        .configure_from_args();
    let errors = FirstError::default();
    bench_trim(&mut criterion, &errors);
    bench_count(&mut criterion)?;
    bench_snapshot(&mut criterion);
    bench_blocks(&mut criterion, &errors);
    bench_loop_history(&mut criterion, &errors);
    criterion.final_summary();
    errors.into_result()
}

fn bench_trim(criterion: &mut Criterion, errors: &FirstError) {
    let history = history(MESSAGES);
    let counts: Vec<u32> = history.iter().map(|message| message.tokens).collect();
    let mut group = criterion.benchmark_group("trim");
    group.throughput(Throughput::Elements(MESSAGES as u64));
    group.bench_function(BenchmarkId::new("bare", MESSAGES), |bencher| {
        bencher.iter(|| {
            // Stops where the room ends, like `trim`.
            let mut used = 0_u64;
            let fits = |tokens: &&u32| {
                used += u64::from(**tokens);
                used <= ROOM
            };
            black_box(&counts).iter().rev().take_while(fits).count()
        });
    });
    group.bench_function(BenchmarkId::new("engine", MESSAGES), |bencher| {
        bencher.iter(|| {
            errors.capture(trim(black_box(&history), None, ROOM).map_err(|found| format!("{found:?}")))
        });
    });
}

fn bench_count(criterion: &mut Criterion) -> Result<(), BenchError> {
    let text =
        "The strands cross once in every round, and each keeps its color: 3 threads, 2 hands.\n".repeat(100);
    let bare = tiktoken_rs::o200k_base_singleton();
    if bare.encode_ordinary(&text).len() as u64 != tokens::count(MODEL, &text) {
        return Err("the two counts differ".into());
    }
    let mut group = criterion.benchmark_group("count");
    group.throughput(Throughput::Elements(text.len() as u64));
    group.bench_function(BenchmarkId::new("bare", text.len()), |bencher| {
        bencher.iter(|| bare.encode_ordinary(black_box(&text)).len());
    });
    group.bench_function(BenchmarkId::new("engine", text.len()), |bencher| {
        bencher.iter(|| tokens::count(MODEL, black_box(&text)));
    });
    Ok(())
}

fn bench_snapshot(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("snapshot");
    for length in LENGTHS {
        let context = ContextRecord::new("main".into(), ContextType::Main, "offline", "echo")
            .with_history(history(length));
        group.throughput(Throughput::Elements(length as u64));
        group.bench_function(BenchmarkId::new("engine", length), |bencher| {
            bencher.iter(|| black_box(&context).clone());
        });
    }
}

/// A whole prompt with the blocks of tools, memory and partner, over a long history in which none of the turns is.
fn bench_blocks(criterion: &mut Criterion, errors: &FirstError) {
    let context =
        ContextRecord::new("main".into(), ContextType::Main, "openai", MODEL).with_history(history(MESSAGES));
    let text = "What the strands have in common is their color. ".repeat(20);
    let turn = |number: usize| MemoryTurn {
        origins: Origins::NONE,
        label: Some(format!("Agent {}", number % 3)),
        text: text.clone(),
        node: Some("agent".into()),
        message: Some(format!("agent#{number}/1").into()),
        tokens: 200,
    };
    let mut memory = WorkflowMemory::default();
    let summary = Some(MemorySummary { origins: Origins::NONE, text: text.clone(), tokens: 200 });
    memory.apply(&MemoryChange { turns: (0..TURNS).map(turn).collect(), summary, ..MemoryChange::default() });
    let view =
        MemoryView { memory, recent_turns: TURNS, reader: "chat".into(), iteration: Some(1), partner: None };
    let partner = Partner { label: Some("Agent 1".to_owned()), node: None };
    let tools: Vec<ToolSpec> = (0..16)
        .map(|number| ToolSpec {
            instructions: Some(text.clone()),
            ..ToolSpec::new(
                format!("tool_{number}"),
                "A tool.",
                serde_json::json!({ "type": "object" }),
                "native",
            )
        })
        .collect();
    let config = ModelConfig {
        provider: "openai".to_owned(),
        model: MODEL.to_owned(),
        max_tokens: None,
        window: 128_000,
        reserve: 4_000,
        correction: Correction::default(),
        caution: 1_000,
        prompt_only: false,
    };
    let author = Activation { node: "chat".into(), epoch: Epoch::root() };
    let question = Arc::new(Message::plain("question".into(), Role::User, text, author, 200));
    let blocks =
        BlockInputs { settings: None, retrieval: None, memory: Some(&view), partner: Some(&partner) };
    let call = Call {
        context: &context,
        config: &config,
        question: &question,
        tools: &tools,
        blocks,
        turns: None,
        steps: &[],
    };
    let mut group = criterion.benchmark_group("blocks");
    group.throughput(Throughput::Elements(1));
    group.bench_function(BenchmarkId::new("engine", 1), |bencher| {
        bencher.iter(|| errors.capture(prepare(black_box(call)).map_err(|fault| fault.to_string())));
    });
}

/// 100 iterations of a conversational loop with a first history of this length: each adds two turns, and one call takes
/// all of it. The agent has said as much in a context before, which does not count as turns.
fn bench_loop_history(criterion: &mut Criterion, errors: &FirstError) {
    let config = ModelConfig {
        provider: "openai".to_owned(),
        model: MODEL.to_owned(),
        max_tokens: None,
        window: 100_000_000,
        reserve: 4_000,
        correction: Correction::default(),
        caution: 1_000,
        prompt_only: false,
    };
    let question = history(1).front().cloned();
    let Some(question) = question else { return };
    let management = HistoryManagement { max_tokens: Some(u32::MAX), ..HistoryManagement::default() };
    let settings = Arc::new(ConversationSettings {
        conversation: true,
        history_management: management,
        ..ConversationSettings::default()
    });
    let owner = Activation { node: "loop".into(), epoch: Epoch::root() };
    let agents: Vec<plait_core::id::NodeId> = vec!["agent".into()];
    let scope = ConversationScope {
        owner: owner.clone(),
        order: Arc::new(agents.iter().cloned().zip(0..).collect()),
        speakers: Arc::new(agents.into_iter().collect()),
        others_write: false,
    };
    for length in HISTORY_LENGTHS {
        let inside = Activation { node: "agent".into(), epoch: Epoch::root().child(0) };
        let said_in_context = history(length)
            .iter()
            .map(|message| Arc::new(Message { author: inside.clone(), ..Message::clone(message) }))
            .collect();
        let context = ContextRecord::new("main".into(), ContextType::Main, "openai", MODEL)
            .with_history(said_in_context);
        let mut group = criterion.benchmark_group(format!("loop_history_{length}"));
        group.throughput(Throughput::Elements(ITERATIONS));
        let said: Vec<HistoryTurn> = history(length)
            .iter()
            .map(|message| HistoryTurn { message: Arc::clone(message), pinned: false })
            .collect();
        let first: LoopHistory = said.iter().cloned().collect();
        group.bench_function(BenchmarkId::new("bare", length), |bencher| {
            bencher.iter(|| {
                let mut turns: Vec<Arc<Message>> =
                    said.iter().map(|turn| Arc::clone(&turn.message)).collect();
                for _ in 0..ITERATIONS {
                    turns.extend([Arc::clone(&question), Arc::clone(&question)]);
                    let mut used = 0;
                    let fits = |turn: &&Arc<Message>| {
                        used += u64::from(turn.tokens);
                        u32::try_from(used).is_ok()
                    };
                    let kept = turns.iter().rev().take_while(fits).count();
                    let sent = turns[turns.len() - kept..].iter().chain([&question]).cloned();
                    black_box(sent.collect::<Vec<_>>());
                }
            });
        });
        group.bench_function(BenchmarkId::new("engine", length), |bencher| {
            bencher.iter(|| {
                let mut turns = first.clone();
                for _ in 0..ITERATIONS {
                    turns.push(HistoryTurn { message: Arc::clone(&question), pinned: false });
                    turns.push(HistoryTurn { message: Arc::clone(&question), pinned: false });
                    let conversation = LoopConversation {
                        settings: Arc::clone(&settings),
                        owner: owner.clone(),
                        received: std::collections::BTreeMap::new(),
                        appended: turns.len(),
                        turns: turns.clone(),
                        summary: None,
                        no_summary: None,
                        window_room: None,
                        summarizer: None,
                        start: None,
                        scope: scope.clone(),
                    };
                    let loop_turns = LoopTurns::new(&conversation, true, None, MODEL, |_| true);
                    let call = Call {
                        context: &context,
                        config: &config,
                        question: &question,
                        tools: &[],
                        blocks: BlockInputs::default(),
                        turns: Some(&loop_turns),
                        steps: &[],
                    };
                    errors.capture(prepare(black_box(call)).map_err(|fault| fault.to_string()));
                }
            });
        });
    }
}

/// A history of this length, user and assistant alternating.
fn history(length: usize) -> History {
    let message = |at: usize| {
        Arc::new(Message {
            origins: Origins::NONE,
            id: format!("m{at}").into(),
            role: if at.is_multiple_of(2) { Role::User } else { Role::Assistant },
            content: Content::Text(String::new()),
            reasoning: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            provider_state: None,
            repeats: None,
            truncated: false,
            is_error: false,
            author: Activation { node: "chat".into(), epoch: Epoch::root() },
            tokens: TOKENS,
            hash: plait_llm::context::KeptHash::default(),
        })
    };
    (0..length).map(message).collect()
}
