//! Calls the native tools through their host.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::json;

use super::*;

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

fn invocation(name: &str, arguments: Value) -> ToolInvocation {
    ToolInvocation::new(ToolSpec::new(name, "", json!({}), "native"), arguments)
}

async fn call_in(folder: Option<&std::path::Path>, name: &str, arguments: Value) -> Result<Value, String> {
    let folder = folder.map(|folder| folder.to_str().expect("text").to_owned());
    let call = ToolInvocation { folder, ..invocation(name, arguments) };
    NativeTools::with_clock(FileAccess::default(), Arc::new(Noon))
        .call(call)
        .await
        .map_err(|fault| fault.code.to_string())
}

async fn call(name: &str, arguments: Value) -> Result<Value, String> {
    call_in(None, name, arguments).await
}

#[test]
fn list_contains_names_and_schemas() {
    let tools = NativeTools::new(FileAccess::default());
    let names: Vec<_> = tools.list().into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["calculator", "current_time", "read_file"]);
    assert!(tools.0.iter().all(RegisteredTool::has_schema));
    assert_eq!(
        tools.list()[2].parameters,
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
    let fault = NativeTools::new(FileAccess::default())
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
    fs::write(folder.join("image"), [0xff, 0xd8, 0xff]).expect("written");
    assert_eq!(read("image").await, Err("tool.not_text".into()));
    fs::write(folder.join("exact"), vec![b'a'; 256 << 10]).expect("written");
    fs::write(folder.join("large"), vec![b'a'; (256 << 10) + 1]).expect("written");
    assert!(read("exact").await.is_ok());
    assert_eq!(read("large").await, Err("tool.too_large".into()));
    assert_eq!(call("read_file", json!({"path": "x"})).await, Err("tool.no_folder".into()));
}
