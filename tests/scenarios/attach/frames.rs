//! What does not belong on the socket.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};

use super::*;

fn connect(home: &Home) -> UnixStream {
    let stream = UnixStream::connect(home.path().join("owner/owner.sock")).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// A frame: its length and its JSON.
fn frame(value: &Value) -> Vec<u8> {
    let json = value.to_string();
    let length = u32::try_from(json.len()).unwrap().to_be_bytes();
    [&length[..], json.as_bytes()].concat()
}

fn read_frame(stream: &mut UnixStream) -> Option<Value> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut json = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut json).ok()?;
    Some(serde_json::from_slice(&json).unwrap())
}

fn hello() -> Value {
    json!({ "protocol": 1, "plait": env!("CARGO_PKG_VERSION"), "user": null })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_and_other_versions_are_refused_and_the_owner_goes_on() {
    let home = Home::default();
    let owner = Owner::open(&home);
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\0\0\0\x03abc", b"\0\0\0\x02{}"] {
        let mut stream = connect(&home);
        stream.write_all(garbage).unwrap();
        let refused = read_frame(&mut stream).expect("an answer");
        assert_eq!(refused["refused"]["code"], "owner.unreadable", "{refused}");
        assert_eq!(read_frame(&mut stream), None, "it is closed");
    }
    for (protocol, version) in [(1, "0.0.9"), (2, env!("CARGO_PKG_VERSION"))] {
        let mut stream = connect(&home);
        stream.write_all(&frame(&json!({ "protocol": protocol, "plait": version }))).unwrap();
        let refused = read_frame(&mut stream).unwrap();
        assert_eq!(refused["refused"]["code"], "owner.other_version", "{refused}");
        assert!(refused["refused"]["message"].as_str().unwrap().contains(version));
    }
    // A frame of 1 GB, after a hello and in place of one.
    let mut stream = connect(&home);
    stream.write_all(&frame(&hello())).unwrap();
    assert_eq!(read_frame(&mut stream), Some(json!("welcome")));
    let call = json!({ "id": 7, "ask": { "call": { "name": "app.info", "args": {} } } });
    stream.write_all(&frame(&call)).unwrap();
    assert_eq!(read_frame(&mut stream).unwrap()["reply"]["id"], 7);
    stream.write_all(&(1_u32 << 30).to_be_bytes()).unwrap();
    assert_eq!(read_frame(&mut stream), None, "it is closed");
    let mut stream = connect(&home);
    stream.write_all(&(1_u32 << 30).to_be_bytes()).unwrap();
    assert_eq!(read_frame(&mut stream).unwrap()["refused"]["code"], "owner.unreadable");
    // A client that asks for much and reads nothing.
    let mut deaf = connect(&home);
    deaf.write_all(&frame(&hello())).unwrap();
    for id in 0..100 {
        let call = json!({ "id": id, "ask": { "call": { "name": "nodes.list", "args": {} } } });
        deaf.write_all(&frame(&call)).unwrap();
    }
    let done = home.plait(&["run", "hello"]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert_eq!(owner.runs().await.len(), 1);
    drop(deaf);
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn socket_of_something_else_is_a_clear_error() {
    let home = Home::default();
    // It has the data directory and does not serve.
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    std::fs::create_dir_all(home.path().join("owner")).unwrap();
    let listener = UnixListener::bind(home.path().join("owner/owner.sock")).unwrap();
    let other_version =
        json!({ "refused": { "code": "owner.other_version", "message": "Plait 9 has it open." } });
    let answers = [b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), frame(&other_version)];
    let serving = std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 64]).unwrap();
            stream.write_all(&answer).unwrap();
        }
    });
    for code in ["owner.unreadable", "owner.other_version"] {
        let refused = home.plait(&["run", "hello"]);
        assert!(refused.code == 1 && refused.err.contains(&format!("error[{code}]")), "{refused:#?}");
    }
    serving.join().unwrap();
    plait.close().await.unwrap();
    drop(plait);
    // The next owner takes the place of what was left.
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
}
