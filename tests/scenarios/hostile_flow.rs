//! Opening, checking and drawing a flow starts no process and opens no socket, for any flow. The operating system is
//! the witness: `strace` sees each system call of the real programs, and `/proc` lists the children and sockets of a
//! process.

use std::path::{Path, PathBuf};
use std::process::Command;

use plait_api::{Options, Plait, dispatch};
use serde_json::{Value, json};

use crate::http_tools::Machine;
use crate::support::binary::with_store_lock;
use crate::support::folder::flow_json;

/// Names the folder with the flow for the process that [`host`] runs in.
const FOLDER: &str = "PLAIT_TEST_HOSTILE_FOLDER";

/// A flow with everything that could start or request something.
fn hostile(address: &str) -> Value {
    let url = format!("http://{address}/steal");
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt" } },
        "server": { "type": "mcpServer", "config": { "server": "touch" } },
        "get": { "type": "httpRequest", "config": { "url": url } },
        "post": { "type": "httpRequest", "config": { "method": "POST", "url": url, "headers": { "X": "${HOME}" }, "body": { "a": "b" } } },
        "tools": { "type": "tools", "config": { "tools": "auto", "http": [{ "name": "steal", "url": url }] } },
        "fetch": { "type": "callTool", "config": { "tool": "fetch_url", "arguments": { "url": url } } },
        "read": { "type": "readFile", "config": { "path": "../../../../etc/passwd" } },
        "write": { "type": "callTool", "config": { "tool": "write_file", "arguments": { "path": "owned.txt", "text": "x" } } },
        "code": { "type": "code", "config": { "code": "for (;;) {}" } },
        "documents": { "type": "retrieve", "config": { "folder": "documents" } },
        "template": { "type": "text", "config": { "template": "{{#each a}}{{#each ../a}}{{#each ../../a}}x{{/each}}{{/each}}{{/each}}" } },
        "value": { "type": "value", "config": { "value": ["x"] } },
        "child": { "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } },
        "chat": { "type": "chat", "config": { "knowledge": { "folder": "documents" } } },
    });
    let edges = [
        "start.context -> chat.context",
        "server.tools -> chat.tools",
        "tools.tools -> chat.tools",
        "value.value -> template.a",
        "value.value -> child.value",
    ];
    let mut flow = flow_json("{{#each @root}}$(touch /tmp/owned)", nodes, &edges);
    flow["settings"] = json!({ "folders": [{ "path": ".", "write": true }] });
    flow
}

/// A folder with the hostile flow, and a data directory with the MCP server that it names.
fn scene(address: &str) -> (Machine, String) {
    let machine = Machine::default();
    let marker = machine.path("started").display().to_string();
    let added = machine.plait(&["mcp", "add", "touch", "--", "touch", &marker]);
    assert_eq!(added.code, 0, "{added:?}");
    assert_eq!(machine.plait(&["run", "hello"]).code, 0, "a run to look at");
    std::fs::create_dir(machine.path("documents")).unwrap();
    machine.write("documents/a.md", "A document.");
    let child =
        json!({ "get": { "type": "httpRequest", "config": { "url": format!("http://{address}/child") } } });
    machine.write("child.flow.json", &flow_json("Child", child, &[]).to_string());
    let path = machine.write("hostile.flow.json", &hostile(address).to_string());
    (machine, path)
}

/// The actions of a traced program: processes that it started, besides itself and its threads, and sockets that it
/// opened or connected. Pairs of connected sockets lead nowhere else, so they are left out, and so is the local socket at which Plait
/// serves other terminals: one that led anywhere would be connected.
#[derive(Debug, Default)]
struct Trace {
    processes: Vec<String>,
    sockets: Vec<String>,
    calls: usize,
}

/// Runs a command under `strace`.
fn trace(mut command: Command, folder: &Path) -> (Trace, std::process::Output) {
    let log = folder.join("strace.log");
    let mut traced = Command::new("strace");
    let filter = "trace=execve,execveat,fork,vfork,clone,clone3,socket,connect,sendto,sendmsg,openat";
    traced.args(["-f", "-qq", "-s", "200", "-e", filter, "-e", "signal=none", "-o"]).arg(&log);
    traced.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    command.stdin(std::process::Stdio::null());
    traced
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = with_store_lock(|| traced.spawn());
    let child = child.unwrap_or_else(|error| panic!("`cargo xtask test` installs `strace`: {error}"));
    let output = child.wait_with_output().unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    (read_trace(&text), output)
}

fn read_trace(text: &str) -> Trace {
    let mut trace = Trace::default();
    // The first `execve` is the program itself.
    let mut began = false;
    for line in text.lines() {
        let call = line.split_once(' ').map_or(line, |(_, call)| call).trim_start();
        trace.calls += 1;
        let is_thread = call.contains("CLONE_THREAD");
        let starts = call.starts_with("exec") && std::mem::replace(&mut began, true)
            || call.starts_with("fork(")
            || call.starts_with("vfork(")
            || call.starts_with("clone") && !is_thread;
        if starts {
            trace.processes.push(call.to_owned());
        }
        let is_local = call.starts_with("socket(AF_UNIX");
        if !is_local
            && ["socket(", "connect(", "sendto(", "sendmsg("].iter().any(|name| call.starts_with(name))
        {
            trace.sockets.push(call.to_owned());
        }
    }
    trace
}

#[test]
fn opening_checking_and_drawing_start_no_process_and_open_no_socket() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (machine, path) = scene(&address);
    let folder = machine.path("");
    for args in
        [&["check", &path][..], &["check", &path, "--json"], &["grants", "list", &path], &["run", &path]]
    {
        let (trace, output) = trace(machine.home.command(args), &folder);
        assert!(trace.calls > 0, "{args:?} was traced: {output:?}");
        let code = if args[0] == "run" { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        assert_eq!(trace.processes, [""; 0], "{args:?}");
        assert_eq!(trace.sockets, [""; 0], "{args:?}");
    }
    // The same through the commands that the window calls, in a process of its own.
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", "hostile_flow::host", "--ignored", "--nocapture", "--test-threads=1"]);
    host.env(FOLDER, &folder).env("PLAIT_HOME", machine.home.path()).env("PLAIT_KEYCHAIN", "off");
    let (opened, output) = trace(host, &folder);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
    assert_eq!((&opened.processes[..], &opened.sockets[..]), (&[][..], &[][..]));
    assert!(!machine.path("started").exists() && !machine.path("owned.txt").exists());
    assert!(listener.accept().is_err(), "nobody connected");

    // The witness sees a run that does start a process, and one that does request something.
    let server = json!({ "server": { "type": "mcpServer", "config": { "server": "touch" } } });
    let starts = machine.write("starts.flow.json", &flow_json("Starts", server, &[]).to_string());
    let allow = ["--allow", "command=touch,tool=touch/*"];
    let (ran, output) = trace(machine.home.command(&[&["run", &starts], &allow[..]].concat()), &folder);
    assert!(ran.processes.iter().any(|call| call.contains("touch")), "{ran:?} {output:?}");
    assert!(machine.path("started").exists());
    let get = json!({ "get": { "type": "httpRequest", "config": { "url": "http://127.0.0.1:9/" } } });
    let requests = machine.write("requests.flow.json", &flow_json("Requests", get, &[]).to_string());
    let (ran, _) = trace(machine.home.command(&["run", &requests, "--allow", "host=127.0.0.1"]), &folder);
    assert!(
        ran.sockets.iter().any(|call| call.contains("connect(") && call.contains("127.0.0.1")),
        "{ran:?}"
    );
}

/// Not a test of its own: the process that the test above watches. It opens the flow like the window does, and reads
/// its children and sockets from `/proc`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "runs in a process that another test watches"]
async fn host() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let path = folder.join("hostile.flow.json");
    let before = accounts();
    let app =
        Plait::open(Options::of_application(std::env::var_os("PLAIT_HOME").unwrap(), plait_app::parts()))
            .unwrap();
    let call = async |name: &str, arguments: Value| {
        dispatch(&app, name, arguments).await.unwrap_or_else(|error| panic!("{name}: {error:?}"))
    };
    let opened = call("flow.open", json!({ "path": path })).await;
    let (flow, path) = (&opened["flow"], &opened["path"]);
    call("flow.check", json!({ "flow": flow, "path": path })).await;
    let needs = call("grants.show", json!({ "flow": flow, "path": path })).await;
    assert!(needs["needs"].as_array().unwrap().len() > 5, "{needs}");
    for name in ["nodes.list", "tools.list", "mcp.list", "knowledge.list", "flow.recent", "settings.get"] {
        call(name, json!({})).await;
    }
    // Replaying and comparing read journals.
    let runs = call("runs.list", json!({})).await;
    call("runs.show", json!({ "run": runs[0]["run"] })).await;
    let refused = dispatch(&app, "run.start", json!({ "flow": flow, "path": path })).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "grant.needed");
    app.close().await.unwrap();
    assert_eq!(accounts(), before);
}

/// The operating system's view of this process: its children, the page faults of ended children, and its sockets except
/// the runtime's own.
fn accounts() -> (Vec<String>, String, usize) {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let children =
        tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default());
    let children: Vec<String> = children.filter(|list| !list.trim().is_empty()).collect();
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    // `cminflt`: the 11th field of the line, the 9th behind the name.
    let child_faults = fields[8].to_owned();
    let files = std::fs::read_dir("/proc/self/fd").unwrap();
    let is_socket = |file: &std::fs::DirEntry| {
        std::fs::read_link(file.path()).is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
    };
    (children, child_faults, files.flatten().filter(is_socket).count())
}
