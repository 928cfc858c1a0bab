use std::path::Path;

use plait_api::Options;

use super::*;

fn open(home: &Path) -> Arc<Plait> {
    Arc::new(Plait::open(Options::new(home)).unwrap())
}

#[tokio::test]
async fn commands_wait_until_the_application_is_open() {
    let home = tempfile::tempdir().unwrap();
    let (reporter, startup) = Startup::begin();
    assert!(startup.opened().is_none());
    let waiting = tokio::spawn({
        let startup = startup.clone();
        async move { startup.plait().await.map(|plait| plait.home().to_owned()) }
    });
    reporter.progress(1, 2);
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    reporter.end(Ok(open(home.path())));
    assert_eq!(waiting.await.unwrap().unwrap(), home.path());
    assert!(startup.opened().is_some());
}

#[tokio::test]
async fn progress_is_followed_to_the_end() {
    let home = tempfile::tempdir().unwrap();
    let (reporter, startup) = Startup::begin();
    reporter.progress(1, 3);
    let (told, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let following = tokio::spawn({
        let startup = startup.clone();
        async move { startup.follow(Duration::ZERO, |progress| told.send(progress).is_ok()).await }
    });
    assert_eq!(seen.recv().await, Some(Progress { done: 1, total: 3 }));
    reporter.progress(3, 3);
    assert_eq!(seen.recv().await, Some(Progress { done: 3, total: 3 }));
    reporter.end(Ok(open(home.path())));
    assert_eq!(following.await.unwrap(), Ok(()));
    assert_eq!(seen.recv().await, None);
}

#[tokio::test]
async fn failure_reaches_everybody_who_waits() {
    let failure = ErrorReply::new(ErrorCode::StoreLocked, "Another process writes the data directory.");
    let (reporter, startup) = Startup::begin();
    reporter.end(Err(failure.clone()));
    assert_eq!(startup.plait().await.err(), Some(failure.clone()));
    assert_eq!(startup.follow(Duration::ZERO, |_| true).await, Err(failure));
    assert!(startup.opened().is_none());

    let (reporter, startup) = Startup::begin();
    drop(reporter);
    assert_eq!(startup.plait().await.err().map(|error| error.code), Some(ErrorCode::AppInternal));
    assert_eq!(startup.follow(Duration::ZERO, |_| true).await.map_err(|error| error.code), Err(ErrorCode::AppInternal));
}
