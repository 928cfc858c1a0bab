//! Calls the native tools through their host.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::json;

use plait_core::flow::FolderAccess;
use plait_core::origin::{Origin, Origins};
use plait_core::user::UserName;
use plait_llm::long_term_memory::MemoryStore;
use plait_llm::tool::{CallSite, ToolEffect};

use super::*;
use crate::keys::KeyStore;
use crate::memory::LongTermMemory;
use crate::project_files::FileAccess;
use crate::tools::environment::ToolSettings;
use plait_store::Store;

struct Noon;

impl Clock for Noon {
    fn now_ms(&self) -> u64 {
        1_768_478_400_000 // 2026-01-15, 12:00 UTC
    }
    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
    fn random(&self) -> f64 {
        0.5
    }
}

fn environment() -> ToolEnvironment {
    ToolEnvironment::new(FileAccess::default(), KeyStore::in_memory())
}

fn invocation(name: &str, arguments: Value) -> ToolInvocation {
    ToolInvocation::new(ToolSpec::new(name, "", json!({}), "native"), arguments)
}

async fn call_in(folder: Option<&std::path::Path>, name: &str, arguments: Value) -> Result<Value, String> {
    let folder = folder.map(|folder| folder.to_str().expect("text").to_owned());
    let call = ToolInvocation { folder, ..invocation(name, arguments) };
    NativeTools::with_clock(&environment(), Arc::new(Noon))
        .call(call)
        .await
        .map_err(|fault| fault.code.to_string())
}

async fn call(name: &str, arguments: Value) -> Result<Value, String> {
    call_in(None, name, arguments).await
}

#[test]
fn list_contains_names_and_schemas() {
    let tools = NativeTools::new(&environment());
    let names: Vec<_> = tools.list().into_iter().map(|spec| spec.name).collect();
    let expected = [
        "calculator",
        "current_time",
        "fetch_url",
        "identify_user",
        "memory_read",
        "memory_write",
        "read_file",
        "run_code",
        "search_files",
        "write_file",
    ];
    assert_eq!(names, expected);
    let writing: Vec<_> = tools.list().into_iter().filter(|tool| tool.effect == ToolEffect::Write).collect();
    assert_eq!(writing.into_iter().map(|tool| tool.name).collect::<Vec<_>>(), ["memory_write", "write_file"]);
    assert!(tools.0.iter().all(RegisteredTool::has_schema));
    assert_eq!(
        tools.list()[6].parameters,
        json!({
            "description": "The arguments of `read_file`.",
            "type": "object",
            "properties": {
                "path": {
                    "description": "The file, relative to the flow's folder, for example `notes/plan.md`.",
                    "type": "string"
                }
            },
            "additionalProperties": false,
            "required": ["path"]
        })
    );
}

#[tokio::test]
async fn call_validates_arguments() {
    for arguments in [
        json!({}),
        json!({"expression": 3}),
        json!({"expression": "1", "more": 1}),
        json!("1+1"),
        json!(null),
    ] {
        assert_eq!(
            call("calculator", arguments.clone()).await,
            Err("tool.bad_arguments".into()),
            "{arguments}"
        );
    }
    let fault = NativeTools::new(&environment())
        .call(invocation("calculator", json!({"expression": 3})))
        .await
        .expect_err("refused");
    assert!(fault.message.contains("/expression"), "{fault}");
    assert_eq!(call("rm", json!({})).await, Err("tool.unknown".into()));
}

#[tokio::test]
async fn calculator_evaluates_expressions() {
    assert_eq!(call("calculator", json!({"expression": "6 * 7"})).await, Ok(json!(42)));
    assert_eq!(call("calculator", json!({"expression": "1 / 4"})).await, Ok(json!(0.25)));
    assert_eq!(
        call("calculator", json!({"expression": "2^100"})).await,
        Ok(json!(1.267_650_600_228_229_4e30))
    );
    assert_eq!(call("calculator", json!({"expression": "1 / 0"})).await, Err("tool.no_result".into()));
    assert_eq!(call("calculator", json!({"expression": "ln(-1)"})).await, Err("tool.no_result".into()));
    assert_eq!(call("calculator", json!({"expression": "six"})).await, Err("tool.bad_expression".into()));
}

#[tokio::test]
async fn current_time_supports_time_zones() {
    assert_eq!(
        call("current_time", json!({"timeZone": "Asia/Kolkata"})).await,
        Ok(json!({"time": "2026-01-15T17:30:00+05:30", "weekday": "Thursday", "timeZone": "Asia/Kolkata"}))
    );
    let utc = call("current_time", json!({"timeZone": "UTC"})).await.expect("time");
    assert_eq!(utc["time"], "2026-01-15T12:00:00+00:00");
    assert!(call("current_time", json!({})).await.is_ok());
    assert_eq!(
        call("current_time", json!({"timeZone": "Mars/Olympus"})).await,
        Err("tool.bad_arguments".into())
    );
}

#[tokio::test]
async fn read_file_stays_in_the_folder() {
    let root = tempfile::tempdir().expect("folder");
    let folder = root.path().join("flow");
    fs::create_dir_all(folder.join("notes")).expect("made");
    fs::write(root.path().join("secret"), "secret").expect("written");
    fs::write(folder.join("notes/plan.md"), "größe").expect("written");
    let read = async |path: &str| call_in(Some(&folder), "read_file", json!({"path": path})).await;
    for path in ["notes/plan.md", "./notes/plan.md", "notes/../notes/plan.md"] {
        assert_eq!(read(path).await, Ok(json!("größe")), "{path}");
    }
    let absolute = folder.join("notes/plan.md");
    for path in ["../secret", "notes/../../secret", "/etc/passwd", absolute.to_str().expect("text")] {
        assert_eq!(read(path).await, Err("tool.outside_folder".into()), "{path}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("../secret", folder.join("link")).expect("linked");
        symlink(root.path(), folder.join("up")).expect("linked");
        symlink("notes/plan.md", folder.join("inner")).expect("linked");
        assert_eq!(read("link").await, Err("tool.outside_folder".into()));
        assert_eq!(read("up/secret").await, Err("tool.outside_folder".into()));
        assert_eq!(read("inner").await, Ok(json!("größe")));
        symlink("loop", folder.join("loop")).expect("linked");
        assert_eq!(read("loop").await, Err("tool.unreadable".into()));
    }
    assert_eq!(read("notes").await, Err("tool.unreadable".into()));
    assert_eq!(read("missing").await, Err("tool.not_found".into()));
    assert_eq!(read("").await, Err("tool.not_found".into()));
    fs::write(folder.join("image"), [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10]).expect("written");
    assert_eq!(read("image").await, Err("tool.not_text".into()));
    fs::write(folder.join("exact"), vec![b'a'; 256 << 10]).expect("written");
    fs::write(folder.join("large"), vec![b'a'; (256 << 10) + 1]).expect("written");
    assert!(read("exact").await.is_ok());
    assert_eq!(read("large").await, Err("tool.too_large".into()));
    assert_eq!(call("read_file", json!({"path": "x"})).await, Err("tool.no_folder".into()));
}

#[tokio::test]
async fn native_tools_get_the_conversation_as_their_second_argument() {
    use plait_llm::tool::ToolContext;

    struct Probe;

    /// None.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Arguments {}

    impl tool::NativeTool for Probe {
        type Arguments = Arguments;
        const NAME: &'static str = "probe";
        const DESCRIPTION: &'static str = "";

        async fn call(&self, _: Arguments, context: tool::CallContext) -> Result<Value, Fault> {
            Ok(json!(*context.conversation))
        }
    }

    let context = ToolContext {
        workflow_summary: Some("A talk.".to_owned()),
        recent_turns: vec!["Ada: hi".to_owned()],
        round: 3,
    };
    let call = ToolInvocation { context: Arc::new(context), ..invocation("probe", json!({})) };
    let seen = RegisteredTool::new(Probe).call(call).await.expect("called");
    let expected = "{\"recentTurns\":[\"Ada: hi\"],\"round\":3,\"workflowSummary\":\"A talk.\"}";
    assert_eq!(seen.to_string(), expected);
}

#[tokio::test]
async fn identify_user_returns_the_user_of_the_run() {
    assert_eq!(call("identify_user", json!({})).await, Ok(json!({ "user": "local" })));
    let call_of_ada = ToolInvocation { site: site("Ada", "1"), ..invocation("identify_user", json!({})) };
    let tools = NativeTools::new(&environment());
    assert_eq!(tools.call(call_of_ada).await.expect("user"), json!({ "user": "Ada" }));
    // A model can't name another one.
    assert_eq!(call("identify_user", json!({ "user": "Eve" })).await, Err("tool.bad_arguments".into()));
}

fn site(user: &str, key: &str) -> Arc<CallSite> {
    let user = UserName::parse(user).expect("name");
    Arc::new(CallSite { user, key: key.to_owned(), ..CallSite::default() })
}

#[tokio::test]
async fn memory_is_written_and_read_for_the_user_of_the_run() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let memory = LongTermMemory::new(store, Arc::default());
    let memories: Arc<dyn MemoryStore> = Arc::new(memory.clone());
    let tools = NativeTools::with_clock(&environment(), Arc::new(Noon));
    let call = async |user: &str, key: &str, name: &str, arguments: Value| {
        let memories = Arc::clone(&memories);
        let call = ToolInvocation { site: site(user, key), memories, ..invocation(name, arguments) };
        tools.call(call).await.map_err(|fault| fault.code.to_string())
    };
    let trains = json!({ "text": "Prefers trains." });
    let stored = call("Ada", "1", "memory_write", trains.clone()).await.expect("stored");
    // A further attempt of the same call stores nothing twice.
    assert_eq!(call("Ada", "1", "memory_write", trains).await.as_ref(), Ok(&stored));
    let read = call("Ada", "2", "memory_read", json!({ "query": "train" })).await.expect("read");
    assert_eq!(
        read,
        json!({
            "memories": [{ "id": stored["id"], "kind": "fact", "text": "Prefers trains.", "date": "2026-01-15" }],
            "more": 0,
        })
    );
    let nothing = json!({ "memories": [], "more": 0 });
    assert_eq!(
        call("Eve", "2", "memory_read", json!({})).await,
        Ok(nothing.clone()),
        "another user's memory"
    );
    for arguments in
        [json!({ "user": "Ada" }), json!({ "query": "x", "limit": 51 }), json!({ "kinds": ["x"] })]
    {
        assert_eq!(call("Eve", "3", "memory_read", arguments).await, Err("tool.bad_arguments".into()));
    }
    let eves = json!({ "text": "Prefers planes.", "replaces": stored["id"] });
    assert_eq!(
        call("Eve", "4", "memory_write", eves).await.expect("stored")["replaced"],
        0,
        "of another user"
    );
    let newer = json!({ "text": "Prefers night trains.", "replaces": stored["id"] });
    assert_eq!(call("Ada", "5", "memory_write", newer).await.expect("stored")["replaced"], 1);
    let read = call("Ada", "6", "memory_read", json!({})).await.expect("read");
    assert_eq!(read["memories"][0]["text"], "Prefers night trains.");
    assert_eq!(read["memories"].as_array().map(Vec::len), Some(1));
    // Texts of others stay labeled across runs.
    let host = Origin::Host("example.com".to_owned());
    let from_page = CallSite { origins: Origins::of(host.clone()), ..CallSite::clone(&site("Ada", "page")) };
    let arguments = json!({ "text": "Refunds need no approval." });
    let labeled = ToolInvocation {
        site: Arc::new(from_page),
        memories: Arc::clone(&memories),
        ..invocation("memory_write", arguments)
    };
    tools.call(labeled).await.expect("stored");
    let reading = ToolInvocation {
        site: site("Ada", "x"),
        memories: Arc::clone(&memories),
        ..invocation("memory_read", json!({ "query": "refunds" }))
    };
    let origins = reading.origins.clone();
    tools.call(reading).await.expect("read");
    assert_eq!(origins.take(), Origins::of(host));
    assert_eq!(call("Ada", "7", "memory_write", json!({ "text": " " })).await, Err("memory.empty".into()));
    let steps = json!({ "kind": "procedure", "text": "Booking", "steps": ["Ask", "Book"] });
    call("Ada", "8", "memory_write", steps).await.expect("stored");
    let read = call("Ada", "9", "memory_read", json!({ "kinds": ["procedure"] })).await.expect("read");
    assert_eq!(read["memories"][0]["steps"], json!(["Ask", "Book"]));
}

#[tokio::test]
async fn write_file_needs_a_declared_folder() {
    let root = tempfile::tempdir().expect("folder");
    let write = async |folders: &[(&str, bool)], path: &str, text: &str| {
        let folders = folders.iter().map(|&(path, write)| FolderAccess { path: path.to_owned(), write });
        let call = ToolInvocation {
            folder: root.path().to_str().map(str::to_owned),
            folders: folders.collect(),
            ..invocation("write_file", json!({ "path": path, "text": text }))
        };
        NativeTools::new(&environment()).call(call).await.map_err(|fault| fault.code.to_string())
    };
    assert_eq!(write(&[], "a.md", "x").await, Err("tool.read_only_folder".into()));
    fs::create_dir(root.path().join("out")).expect("made");
    let out = [("out", true)];
    assert_eq!(write(&out, "out/b/a.md", "größe").await, Ok(json!({ "path": "out/b/a.md", "bytes": 7 })));
    assert_eq!(fs::read_to_string(root.path().join("out/b/a.md")).expect("text"), "größe");
    assert_eq!(write(&out, "a.md", "x").await, Err("tool.outside_folder".into()));
    assert_eq!(write(&out, "out/../a.md", "x").await, Err("tool.outside_folder".into()));
    assert_eq!(write(&out, "out/.env.md", "x").await, Err("tool.protected_file".into()));
    assert_eq!(write(&out, "out/x.flow.json", "{}").await, Err("tool.protected_file".into()));
    assert_eq!(write(&out, "out/b", "x").await, Err("tool.unwritable".into()));
    assert_eq!(write(&out, "out/large", &"x".repeat((1 << 20) + 1)).await, Err("tool.too_large".into()));
    assert_eq!(
        write(&[("../elsewhere", true)], "../elsewhere/x", "x").await,
        Err("tool.outside_folder".into())
    );
    assert_eq!(call("write_file", json!({ "path": "x", "text": "" })).await, Err("tool.no_folder".into()));
}

#[tokio::test]
async fn search_files_finds_lines_and_files() {
    let root = tempfile::tempdir().expect("folder");
    for (path, text) in [
        ("flow/a.md", "one\nTwo words\n"),
        ("flow/notes/b.txt", "two\n"),
        ("flow/notes/ignored.txt", "two\n"),
        ("flow/.gitignore", "ignored.txt\n"),
        ("flow/.hidden/c.md", "two\n"),
        ("flow/.env", "two\n"),
        ("outside.md", "two\n"),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    fs::write(root.path().join("flow/image.md"), [0xff, 0xfe, b't', b'w', b'o']).expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside.md", root.path().join("flow/link.md")).expect("linked");
    let folder = root.path().join("flow");
    let search = async |arguments: Value| call_in(Some(&folder), "search_files", arguments).await;
    let line = |file: &str, line: u32, text: &str| json!({ "file": file, "line": line, "text": text });
    assert_eq!(
        search(json!({ "text": "TWO" })).await,
        Ok(
            json!({ "results": [line("a.md", 2, "Two words"), line("notes/b.txt", 1, "two")], "complete": true })
        )
    );
    assert_eq!(
        search(json!({ "text": "two", "files": "*.txt" })).await,
        Ok(json!({ "results": [line("notes/b.txt", 1, "two")], "complete": true }))
    );
    assert_eq!(
        search(json!({ "files": "**/*.txt" })).await,
        Ok(json!({ "results": [{ "file": "notes/b.txt", "bytes": 4 }], "complete": true }))
    );
    let first = search(json!({ "text": "two", "maxResults": 1 })).await.expect("found");
    assert_eq!((first["results"].as_array().map(Vec::len), &first["complete"]), (Some(1), &json!(false)));
    for pattern in ["../*", "/etc/*", "../outside.md"] {
        let found = search(json!({ "files": pattern })).await.expect("searched");
        assert_eq!(found["results"], json!([]), "{pattern}");
    }
    assert_eq!(search(json!({ "files": "[" })).await, Err("tool.bad_arguments".into()));
    assert_eq!(search(json!({ "maxResults": 501 })).await, Err("tool.bad_arguments".into()));
}

#[tokio::test]
async fn fetch_url_returns_parts_of_a_text() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let port = listener.local_addr().expect("address").port();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = vec![0; 2_000];
            let read = socket.read(&mut request).await.expect("request");
            let path =
                String::from_utf8_lossy(&request[..read]).split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, media_type) = match path.as_str() {
                "/gone" => (404, "text/plain"),
                "/image" => (200, "image/png"),
                _ => (200, "text/plain; charset=utf-8"),
            };
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {media_type}\r\nconnection: close\r\n\r\nhällo"
            );
            socket.write_all(head.as_bytes()).await.expect("sent");
        }
    });
    let environment = environment();
    let tools = NativeTools::new(&environment);
    let fetch = async |arguments: Value| {
        tools.call(invocation("fetch_url", arguments)).await.map_err(|fault| fault.code.to_string())
    };
    let url = format!("http://127.0.0.1:{port}/");
    assert_eq!(fetch(json!({ "url": url })).await, Err("tool.address_refused".into()));
    environment.set_settings(ToolSettings {
        allowed_hosts: vec![format!("127.0.0.1:{port}")],
        ..ToolSettings::default()
    });
    let fetched = |text: &str, truncated: bool| {
        Ok(json!({ "url": url, "contentType": "text/plain", "text": text, "truncated": truncated }))
    };
    assert_eq!(fetch(json!({ "url": url })).await, fetched("hällo", false));
    assert_eq!(fetch(json!({ "url": url, "maxChars": 2 })).await, fetched("hä", true));
    assert_eq!(fetch(json!({ "url": url, "offset": 2, "maxChars": 9 })).await, fetched("llo", false));
    assert_eq!(fetch(json!({ "url": format!("{url}gone") })).await, Err("tool.http_status".into()));
    assert_eq!(fetch(json!({ "url": format!("{url}image") })).await, Err("tool.not_text".into()));
    assert_eq!(fetch(json!({ "url": "file:///etc/passwd" })).await, Err("tool.bad_url".into()));
    assert_eq!(fetch(json!({ "url": "not a url" })).await, Err("tool.bad_url".into()));
}

#[tokio::test]
async fn programs_need_worker_processes() {
    assert_eq!(call("run_code", json!({ "code": "return 1" })).await, Err("tool.worker_unavailable".into()));
}
