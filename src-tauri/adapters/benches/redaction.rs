//! What it costs to search a tool result of one megabyte for twenty keys in all disguises.
//!
//! `cargo bench -p plait-adapters --bench redaction` runs it.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures::executor::block_on;
use plait_adapters::keys::{KeyOwner, KeyRetention, KeyStore};
use secrecy::SecretString;

const MEGABYTE: usize = 1 << 20;

fn redaction(criterion: &mut Criterion) {
    let keys = KeyStore::in_memory();
    let mut random = fastrand::Rng::with_seed(0);
    for index in 0..20 {
        let body: String = (0..40).map(|_| random.alphanumeric()).collect();
        let owner = KeyOwner::new(&format!("provider-{index}"), None);
        let key = SecretString::from(format!("sk-proj-{body}"));
        let set = block_on(keys.set(&owner, &key, KeyRetention::Session));
        assert!(set.is_ok(), "a valid key is taken");
    }
    let prose = "The quick brown fox jumps over the \"lazy\" dog at https://example.com/path?x=1%20b in 2024. Größe! ";
    let base64 = (0..MEGABYTE).map(|_| random.alphanumeric()).collect();
    let mut group = criterion.benchmark_group("redaction");
    group.throughput(Throughput::Bytes(MEGABYTE as u64));
    for (name, text) in [("prose", prose.repeat(MEGABYTE / prose.len())), ("base64", base64)] {
        group.bench_function(name, |bencher| bencher.iter(|| keys.redaction().text(black_box(&text)).len()));
    }
    group.finish();
}

criterion_group!(benches, redaction);
criterion_main!(benches);
