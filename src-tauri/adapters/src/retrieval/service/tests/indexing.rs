//! The files that are indexed, and when: changes, restarts, damage, stopping.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn changed_new_and_removed_files_are_indexed_before_the_next_search() {
    let world = World::with_base();
    assert_eq!(world.sources("soup").await, ["food.txt"]);
    world.write("docs/food.txt", "Only bread is free.\n");
    world.write("docs/new.md", "The soup moved here.\n");
    fs::remove_file(world.path("docs/travel/trains.md")).unwrap();
    // A watcher of the system reports later than the write returns.
    for _ in 0..500 {
        if world.bases.named("handbook").unwrap().base.is_stale() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut soup = world.sources("soup").await;
    for _ in 0..200 {
        if soup == ["new.md"] && world.sources("train").await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        soup = world.sources("soup").await;
    }
    assert_eq!(soup, ["new.md"]);
    assert_eq!(world.sources("train").await, Vec::<String>::new());
    assert_eq!(world.sources("bread").await, ["food.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn update_reads_only_what_changed() {
    let world = World::with_base();
    world.bases.reindex("handbook", false, none()).await.unwrap();
    world.write("docs/food.txt", "The soup is hot now.\n");
    let seen: Arc<SyncMutex<Vec<u64>>> = Arc::default();
    let progress: updates::OnProgress = {
        let seen = Arc::clone(&seen);
        Arc::new(move |now| seen.lock().push(now.bytes))
    };
    world.bases.reindex("handbook", false, Arc::clone(&progress)).await.unwrap();
    assert_eq!(seen.lock().last(), Some(&21), "the changed file alone");
    seen.lock().clear();
    world.bases.reindex("handbook", false, Arc::clone(&progress)).await.unwrap();
    assert_eq!(seen.lock().last(), Some(&0), "nothing");
    seen.lock().clear();
    let status = world.bases.reindex("handbook", true, progress).await.unwrap();
    assert!(seen.lock().last() > Some(&100), "everything");
    assert_eq!((status.files, status.chunks), (3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn bases_survive_a_restart_and_read_only_searches_them() {
    let world = World::with_base();
    assert_eq!(world.sources("soup").await, ["food.txt"]);
    let world = world.reopened(true);
    world.write("docs/food.txt", "Nothing.\n");
    assert_eq!(world.sources("soup").await, ["food.txt"], "as it was indexed");
    let world = world.reopened(false);
    assert_eq!(world.sources("soup").await, Vec::<String>::new());
    assert_eq!(world.bases.list().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_index_is_rebuilt() {
    let world = World::with_base();
    assert_eq!(world.sources("soup").await, ["food.txt"]);
    for damage in ["truncate", "flip", "meta", "gone"] {
        let index = world.path("home/knowledge/handbook/index");
        match damage {
            "meta" => fs::write(index.join("meta.json"), "{").unwrap(),
            "gone" => fs::remove_dir_all(&index).unwrap(),
            _ => {
                for file in fs::read_dir(&index).unwrap().flatten() {
                    if file.path().extension().is_some_and(|kind| kind == "store" || kind == "idx") {
                        let mut bytes = fs::read(file.path()).unwrap();
                        let middle = bytes.len() / 2;
                        if damage == "truncate" {
                            bytes.truncate(middle);
                        } else {
                            bytes[middle] ^= 0xff;
                        }
                        fs::write(file.path(), bytes).unwrap();
                    }
                }
            }
        }
        let again = World::open(world.root.path(), &world.topics, &world.redaction, false);
        let world = World {
            root: tempfile::tempdir().unwrap(),
            bases: again,
            topics: Arc::default(),
            redaction: Arc::default(),
        };
        assert_eq!(world.sources("soup").await, ["food.txt"], "{damage}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn indexing_can_be_stopped_and_keeps_what_it_has() {
    let world = World::with_base();
    for number in 0..400 {
        world.write(&format!("docs/many/{number}.md"), format!("Number {number} is about trains."));
    }
    let bases = world.bases.clone();
    let stop: updates::OnProgress = Arc::new(move |now| {
        if now.bytes > 0 {
            bases.cancel("handbook").unwrap();
        }
    });
    let fault = world.bases.reindex("handbook", false, stop).await.unwrap_err();
    assert_eq!(fault.code, "knowledge.stopped");
    let status = world.bases.status("handbook").unwrap();
    assert_eq!(status.state, BaseState::Failed);
    assert!((1..403).contains(&status.files), "{}", status.files);
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    assert_eq!((status.state, status.files), (BaseState::Ready, 403));
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_search_stops_its_indexing() {
    let world = World::with_base();
    for number in 0..400 {
        world.write(&format!("docs/many/{number}.md"), format!("Number {number} is about trains."));
    }
    let (started, began) = tokio::sync::oneshot::channel();
    let started = SyncMutex::new(Some(started));
    let progress: updates::OnProgress = Arc::new(move |now| {
        if now.bytes > 0
            && let Some(started) = started.lock().take()
        {
            let _ = started.send(());
        }
    });
    let bases = world.bases.clone();
    let task = tokio::spawn(async move { bases.reindex("handbook", false, progress).await });
    began.await.unwrap();
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    // The next caller waits for the lock and continues from there.
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    assert_eq!((status.state, status.files), (BaseState::Ready, 403));
}
