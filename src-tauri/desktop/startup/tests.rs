use super::*;
use crate::codes;

#[tokio::test]
async fn commands_wait_until_the_application_is_open() {
    let (reporter, startup) = Startup::<&str>::begin();
    assert!(startup.opened().is_none());
    let waiting = startup.application();
    let opening = async {
        reporter.progress(1, 2);
        tokio::task::yield_now().await;
        reporter.end(Ok(Arc::new("open")));
    };
    let (opened, ()) = tokio::join!(waiting, opening);
    assert_eq!(opened.as_deref(), Ok(&"open"));
    assert_eq!(startup.opened().as_deref(), Some(&"open"));
}

#[tokio::test]
async fn progress_is_followed_to_the_end() {
    let (reporter, startup) = Startup::<&str>::begin();
    reporter.progress(1, 3);
    let mut seen = Vec::new();
    let following = startup.follow(Duration::ZERO, |Progress { done, total }| {
        seen.push((done, total));
        match done {
            1 => reporter.progress(3, 3),
            _ => reporter.end(Ok(Arc::new("open"))),
        }
        true
    });
    assert_eq!(following.await, Ok(()));
    assert_eq!(seen, [(1, 3), (3, 3)]);
}

#[tokio::test]
async fn failure_reaches_everybody_who_waits() {
    let failure = ErrorReply::new(codes::STORE_LOCKED, "Another process writes the data directory.");
    let (reporter, startup) = Startup::<&str>::begin();
    reporter.end(Err(failure.clone()));
    assert_eq!(startup.application().await, Err(failure.clone()));
    assert_eq!(startup.follow(Duration::ZERO, |_| true).await, Err(failure));
    assert!(startup.opened().is_none());

    let (reporter, startup) = Startup::<&str>::begin();
    drop(reporter);
    assert_eq!(startup.application().await.map_err(|error| error.code), Err(codes::APP_INTERNAL));
    let followed = startup.follow(Duration::ZERO, |_| true).await;
    assert_eq!(followed.map_err(|error| error.code), Err(codes::APP_INTERNAL));
}
