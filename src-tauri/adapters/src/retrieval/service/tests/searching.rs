//! The results of a search, and passages that are left out.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn first_search_indexes_and_finds_with_place_and_score() {
    let world = World::with_base();
    let found = world.search("How do I book a TRAIN?").await;
    let chunk = &found.used[0];
    assert_eq!(found.used.len(), 1);
    assert_eq!(
        (chunk.passage.base.as_str(), chunk.passage.source.as_str()),
        ("handbook", "travel/trains.md")
    );
    assert_eq!((chunk.passage.offset, chunk.passage.line, chunk.passage.heading.as_str()), (0, 1, "Trains"));
    assert_eq!(chunk.passage.length, chunk.text.len() as u64);
    assert!(chunk.passage.score > 0.0 && chunk.passage.matched == Match::Words);
    assert!(chunk.text.contains("booked by the office"));
    let status = world.bases.status("handbook").unwrap();
    assert_eq!((status.state, status.files, status.chunks, status.embedded), (BaseState::Ready, 3, 3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn cap_and_duplicates_leave_out_with_the_reason() {
    let world = World::with_base();
    world.write(
        "docs/copy.md",
        "# Trains\n\nTrains are booked by the office. A railway ticket is refunded.\n",
    );
    let request = RetrievalRequest {
        query: "train".to_owned(),
        bases: vec![KnowledgeRef::Base("handbook".to_owned())],
        max_tokens: 60,
        model: String::new(),
        folder: None,
        progress: none(),
    };
    let found = world.bases.retrieve(request.clone()).await.unwrap();
    assert_eq!((found.used.len(), found.left_out.len()), (1, 1));
    assert_eq!(found.left_out[0].reason, LeftOutReason::Duplicate { of: 1 });
    let found = world.bases.retrieve(RetrievalRequest { max_tokens: 20, ..request }).await.unwrap();
    assert!(found.used.is_empty() && found.to_block().is_empty());
    assert!(matches!(found.left_out[0].reason, LeftOutReason::Cap { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn embeddings_find_by_meaning_and_are_bought_once() {
    let world = World::with_base();
    world.bases.remove("handbook").await.unwrap();
    world.bases.add(world.definition(true)).unwrap();
    let found = world.search("Any meal?").await;
    assert_eq!(found.used[0].passage.source, "food.txt", "it has no word of the query");
    assert_eq!(found.used[0].passage.matched, Match::Meaning);
    let bought = || world.topics.requests.lock().iter().map(Vec::len).sum::<usize>();
    assert_eq!(bought(), 3 + 1, "three passages and the query");
    world.write("docs/food.txt", "The soup is served at noon.\n");
    world.bases.reindex("handbook", true, none()).await.unwrap();
    assert_eq!(bought(), 3 + 1 + 1, "the changed passage only");
    assert_eq!(world.bases.status("handbook").unwrap().embedded, 4);
    // Both rankings agree.
    let found = world.search("train").await;
    assert_eq!(
        (found.used[0].passage.source.as_str(), found.used[0].passage.matched),
        ("travel/trains.md", Match::Both)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn search_goes_by_words_while_the_embedding_server_is_gone() {
    let world = World::with_base();
    world.bases.remove("handbook").await.unwrap();
    *world.topics.fails.lock() = true;
    world.bases.add(world.definition(true)).unwrap();
    let found = world.search("train").await;
    assert_eq!(found.used[0].passage.source, "travel/trains.md");
    let codes: Vec<_> = found.notices.iter().map(|fault| fault.code.as_str()).collect();
    assert!(codes.contains(&"knowledge.embeddings"), "{codes:?}");
    assert_eq!(world.bases.status("handbook").unwrap().state, BaseState::Failed);
    *world.topics.fails.lock() = false;
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    assert_eq!((status.state, status.embedded), (BaseState::Ready, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_words_and_never_syntax() {
    let world = World::with_base();
    for query in
        ["soup AND (", "text:soup^9999", "\"soup", "soup~", "NOT soup", "[soup TO *]", "\0soup\u{202e}"]
    {
        assert_eq!(world.sources(query).await, ["food.txt"], "{query}");
    }
    assert_eq!(world.sources(&format!("{} soup", "word ".repeat(2000))).await, ["food.txt"]);
    assert_eq!(world.sources("…!?").await, Vec::<String>::new());
    let fault = world.ask("  ", KnowledgeRef::Base("handbook".to_owned())).await.unwrap_err();
    assert_eq!(fault.code, "knowledge.no_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn source_shows_the_text_around_a_passage() {
    let world = World::with_base();
    let lines: Vec<String> = (1..=40_000).map(|line| format!("Line {line} of the book.\n")).collect();
    let long = lines.concat();
    world.write("docs/long.md", &long);
    let base = || KnowledgeRef::Base("handbook".to_owned());
    let whole = world.bases.source(base(), None, "food.txt".to_owned(), 4).await.unwrap();
    assert_eq!((whole.text.as_str(), whole.offset, whole.line), ("The soup is free on Fridays.\n", 0, 1));
    let offset = long.find("Line 30000 ").unwrap() as u64;
    let part = world.bases.source(base(), None, "long.md".to_owned(), offset).await.unwrap();
    assert!(part.text.len() < 500 << 10);
    assert_eq!(part.text.lines().next(), Some(format!("Line {} of the book.", part.line).as_str()));
    assert!(part.text[usize::try_from(offset - part.offset).unwrap()..].starts_with("Line 30000 "));
}
