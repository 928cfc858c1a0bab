use std::path::PathBuf;

use tokio::sync::mpsc;

use super::*;

#[tokio::test]
async fn second_start_hands_its_flow_over() {
    let home = tempfile::tempdir().unwrap();
    let (sender, mut opened) = mpsc::unbounded_channel();
    tokio::spawn(listen(home.path(), move |flow| drop(sender.send(flow))).unwrap());
    for flow in [
        InitialFlow::File(PathBuf::from("/a b/ü\n.flow.json")),
        InitialFlow::Example("hello".to_owned()),
        InitialFlow::None,
    ] {
        assert!(hand_over(home.path(), &flow).await);
        assert_eq!(opened.recv().await, Some(flow));
    }
}

#[tokio::test]
async fn nobody_takes_what_no_process_listens_for() {
    let home = tempfile::tempdir().unwrap();
    assert!(!hand_over(home.path(), &InitialFlow::None).await);
    assert!(!hand_over(&home.path().join("missing"), &InitialFlow::None).await);
}

#[tokio::test]
async fn socket_that_a_crash_left_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    let left = ListenerOptions::new().name(name(home.path()).unwrap()).reclaim_name(false).create_tokio();
    drop(left.unwrap());
    assert!(!hand_over(home.path(), &InitialFlow::None).await);
    tokio::spawn(listen(home.path(), |_| ()).unwrap());
    assert!(hand_over(home.path(), &InitialFlow::None).await);
}

#[tokio::test]
async fn other_words_are_not_taken() {
    let home = tempfile::tempdir().unwrap();
    tokio::spawn(listen(home.path(), |flow| panic!("{flow:?}")).unwrap());
    let endless = vec![b'x'; 100_000];
    for words in [&b"GET / HTTP/1.1\n"[..], b"\xff\n", b"\"none\n", &endless] {
        let mut stream = Stream::connect(name(home.path()).unwrap()).await.unwrap();
        // It may hang up before it has read all.
        let _ = stream.write_all(words).await;
        let _ = stream.shutdown().await;
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer).await;
        assert_eq!(answer, "");
    }
}
