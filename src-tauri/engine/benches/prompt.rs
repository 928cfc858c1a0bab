//! What the prompt pipeline costs: trimming a long history, counting new text, taking a snapshot.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-engine --bench prompt` does alone.

#[path = "workload/workload.rs"]
mod workload;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use plait_engine::context::{Content, ContextRecord, ContextType, History, Message, Role};
use plait_engine::id::{Activation, Epoch};
use plait_engine::prompt::{tokens, trim};
use workload::{Failure, Wrong};

/// How long the history is, in messages, and what each takes: a million tokens in all.
const MESSAGES: usize = 10_000;
const TOKENS: u32 = 100;
/// What fits of it: all but the oldest turn, so that the whole history is looked at.
const ROOM: u64 = (MESSAGES as u64 - 1) * TOKENS as u64;
/// The lengths between which a snapshot must cost the same.
const LENGTHS: [usize; 3] = [10, 1_000, 100_000];
/// The tokenizer is compared on this model's.
const MODEL: &str = "gpt-4o";

fn main() -> Result<(), Wrong> {
    let mut criterion = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots()
        .configure_from_args();
    let failure = Failure::default();
    trimming(&mut criterion, &failure);
    counting(&mut criterion)?;
    snapshots(&mut criterion);
    criterion.final_summary();
    failure.end()
}

fn trimming(criterion: &mut Criterion, failure: &Failure) {
    let history = history(MESSAGES);
    let counts: Vec<u32> = history.iter().map(|message| message.tokens).collect();
    let mut group = criterion.benchmark_group("trim");
    group.throughput(Throughput::Elements(MESSAGES as u64));
    group.bench_function(BenchmarkId::new("bare", MESSAGES), |bencher| {
        bencher.iter(|| {
            // Stops where the room ends, as trimming does: no way around looking at each in turn.
            let mut taken = 0_u64;
            let fits = |tokens: &&u32| {
                taken += u64::from(**tokens);
                taken <= ROOM
            };
            black_box(&counts).iter().rev().take_while(fits).count()
        });
    });
    group.bench_function(BenchmarkId::new("engine", MESSAGES), |bencher| {
        bencher.iter(|| {
            failure.unless(trim(black_box(&history), None, ROOM).map_err(|found| format!("{found:?}")))
        });
    });
}

fn counting(criterion: &mut Criterion) -> Result<(), Wrong> {
    let text =
        "The strands cross once in every round, and each keeps its color: 3 threads, 2 hands.\n".repeat(100);
    let bare = tiktoken_rs::o200k_base_singleton();
    if bare.encode_ordinary(&text).len() as u64 != tokens::count(MODEL, &text) {
        return Err("the two count differently".into());
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

fn snapshots(criterion: &mut Criterion) {
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

/// A conversation of that many messages, user and assistant by turns.
fn history(length: usize) -> History {
    let message = |at: usize| {
        Arc::new(Message {
            id: format!("m{at}").into(),
            role: if at.is_multiple_of(2) { Role::User } else { Role::Assistant },
            content: Content::Text(String::new()),
            reasoning: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            provider_state: None,
            author: Activation { node: "chat".into(), epoch: Epoch::root() },
            tokens: TOKENS,
        })
    };
    (0..length).map(message).collect()
}
