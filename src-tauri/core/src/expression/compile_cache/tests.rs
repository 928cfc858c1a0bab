use super::*;

fn count_compiles(cache: &CompileCache<usize>, sources: impl Iterator<Item = usize>) -> usize {
    let mut count = 0;
    for source in sources {
        cache.get_or_compile(&source.to_string(), || {
            count += 1;
            source
        });
    }
    count
}

#[test]
fn expression_in_use_is_compiled_once_while_others_come_and_go() {
    let cache = CompileCache::new();
    let alternating = (1..2_000).flat_map(|other| [0, other]);
    assert_eq!(count_compiles(&cache, alternating), 2_000);
}

#[test]
fn cache_holds_a_bounded_number_of_expressions() {
    let cache = CompileCache::new();
    count_compiles(&cache, 0..10 * MAX_ENTRIES.get());
    assert_eq!(cache.0.lock().len(), MAX_ENTRIES.get());
}
