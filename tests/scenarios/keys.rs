//! Keys reach the server and appear nowhere else: not in files, journals or output, even if the server echoes them.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use plait_api::keys::KeyStore;
use plait_api::runs::ShowRun;
use plait_api::{Options, Plait, dispatch};
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::fixture;
use crate::support::journal::Journal;

const KEY: &str = "sk-proj-NEVER-TO-BE-SEEN-0123456789abcdef";
const WRONG: &str = "sk-proj-WRONG-AND-NEVER-SEEN-EITHER-98765";

/// How the server responds to the right key. A wrong key gets a 401 that echoes the header.
#[derive(Clone, Copy, Debug)]
enum ServerBehavior {
    Answers,
    EchoesInAnError,
    EchoesInAReply,
}

#[derive(Clone)]
struct Server {
    url: String,
    behavior: ServerBehavior,
    authorizations: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(behavior: ServerBehavior) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = Self { url, behavior, authorizations: Arc::default() };
        let router = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        server
    }

    fn authorizations(&self) -> Vec<String> {
        std::mem::take(&mut self.authorizations.lock().unwrap())
    }
}

async fn answer(State(server): State<Server>, request: Request) -> Response {
    let sent = request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let sent = sent.unwrap_or_default();
    server.authorizations.lock().unwrap().push(sent.clone());
    if sent != format!("Bearer {KEY}") {
        let error = json!({ "error": { "message": format!("Wrong: Authorization: {sent}"), "code": sent } });
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    if request.uri().path() == "/v1/models" {
        return Json(json!({ "data": [{ "id": "small" }, { "id": "large" }] })).into_response();
    }
    let output = |text: &str| json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
    let events = match server.behavior {
        ServerBehavior::Answers => vec![output("Yes.")],
        ServerBehavior::EchoesInAnError => {
            vec![json!({ "error": { "message": format!("broke with {sent}"), "code": 400 } })]
        }
        ServerBehavior::EchoesInAReply => {
            sent.as_bytes().chunks(5).map(|part| output(str::from_utf8(part).unwrap())).collect()
        }
    };
    let mut body = String::new();
    for event in &events {
        body.push_str("data: ");
        body.push_str(&event.to_string());
        body.push_str("\n\n");
    }
    body.push_str(
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    );
    ([("content-type", "text/event-stream")], body).into_response()
}

/// Runs `plait` with this standard input and these environment variables.
fn plait_with(home: &Home, args: &[&str], input: &str, set: &[(&str, &str)]) -> CliOutput {
    let mut command = home.command(args);
    command.stdin(Stdio::piped()).envs(set.iter().copied());
    let mut child = with_store_lock(|| command.spawn().unwrap());
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output: CliOutput = child.wait_with_output().unwrap().into();
    assert_no_key_in(&format!("{output:?}"), args.join(" ").as_str());
    output
}

fn assert_no_key_in(text: &str, place: &str) {
    for key in [KEY, WRONG] {
        assert!(!text.contains(&key[..16]), "a key is in {place}: {text}");
    }
}

/// Checks every file in a folder.
fn assert_no_key_on_disk(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_no_key_on_disk(&path);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            for key in [KEY, WRONG] {
                let part = &key.as_bytes()[..16];
                assert!(!bytes.windows(part.len()).any(|window| window == part), "{}", path.display());
            }
        }
    }
}

fn one_call() -> String {
    fixture("flows/one-call.flow.json").display().to_string()
}

/// The journal of the latest run.
async fn last_journal(home: &Home) -> Journal {
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_memory());
    let app = with_store_lock(|| Plait::open(options).unwrap());
    let run = app.runs().latest().unwrap().unwrap();
    let journal = Journal(app.call(ShowRun { run }).await.unwrap().entries);
    app.close().await.unwrap();
    journal
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_stored_encrypted_used_and_removed() {
    let (home, server) = (Home::default(), Server::start(ServerBehavior::Answers).await);
    home.set_provider_url(&server.url).await;
    let output = plait_with(&home, &["keys", "set", "openai"], &format!("  {KEY}\n"), &[]);
    assert_eq!((output.code, output.out.as_str()), (0, ""), "{output:#?}");
    assert!(
        output.err.contains("keys.sealed") && output.err.contains("keys.secret"),
        "it names the files: {output:#?}"
    );
    let listed = plait_with(&home, &["keys", "list"], "", &[]);
    assert!(listed.out.contains("…cdef") && listed.out.contains("keys.sealed"), "{listed:#?}");
    let listed: Value =
        serde_json::from_str(&plait_with(&home, &["keys", "list", "--json"], "", &[]).out).unwrap();
    let openai = listed.as_array().unwrap().iter().find(|one| one["provider"] == "openai").unwrap();
    assert_eq!(openai["key"], json!({ "source": "file", "ending": "cdef" }));

    let tested = plait_with(&home, &["providers", "test", "openai"], "", &[]);
    assert!(tested.code == 0 && tested.out.starts_with("openai replied with 2 models in "), "{tested:#?}");
    let tested = plait_with(&home, &["providers", "test", "openai", "--model", "small", "--json"], "", &[]);
    let report: Value = serde_json::from_str(&tested.out).unwrap();
    assert_eq!((tested.code, &report["tested"], &report["fault"]), (0, &json!("call"), &Value::Null));
    assert_eq!(plait_with(&home, &["providers", "models", "openai"], "", &[]).out, "large\nsmall\n");
    let run = plait_with(&home, &["run", &one_call(), "--json"], "", &[]);
    assert_eq!((run.code, run.last_type().as_str()), (0, "run.finished"), "{run:#?}");
    assert_eq!(server.authorizations(), vec![format!("Bearer {KEY}"); 4]);
    assert_no_key_on_disk(home.path());

    assert_eq!(plait_with(&home, &["keys", "rm", "openai"], "", &[]).err, "Removed the key of openai.\n");
    assert_eq!(plait_with(&home, &["keys", "rm", "openai"], "", &[]).err, "No key of openai is stored.\n");
    let tested = plait_with(&home, &["providers", "test", "openai"], "", &[]);
    assert!(tested.code == 1 && tested.err.starts_with("error[provider.unauthorized]: "), "{tested:#?}");
    assert_eq!(server.authorizations(), [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_key_is_reported_and_changes_no_history() {
    let (home, server) = (Home::default(), Server::start(ServerBehavior::Answers).await);
    home.set_provider_url(&server.url).await;
    assert_eq!(plait_with(&home, &["keys", "set", "openai"], WRONG, &[]).code, 0);
    let tested = plait_with(&home, &["providers", "test", "openai"], "", &[]);
    assert_eq!((tested.code, tested.out.as_str()), (1, ""));
    assert!(
        tested.err.contains("Authorization: Bearer [key of openai]"),
        "the server's message: {tested:#?}"
    );
    assert!(tested.err.contains("help: Check the key of `openai`"), "{tested:#?}");
    let run = plait_with(&home, &["run", &one_call(), "--json"], "", &[]);
    assert_eq!(run.last_type(), "run.finished", "the error went out on its port: {run:#?}");
    let journal = last_journal(&home).await;
    assert_eq!(journal.fault("chat"), "provider.unauthorized");
    assert_eq!(journal.history("main"), []);
    assert_eq!(server.authorizations(), vec![format!("Bearer {WRONG}"); 2], "it is not retried");
    assert_no_key_on_disk(home.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn echoed_key_appears_nowhere() {
    for behavior in [ServerBehavior::EchoesInAnError, ServerBehavior::EchoesInAReply] {
        let (home, server) = (Home::default(), Server::start(behavior).await);
        home.set_provider_url(&server.url).await;
        plait_with(&home, &["keys", "set", "openai"], KEY, &[]);
        for args in [&["run", &one_call()][..], &["run", &one_call(), "--json"], &["runs", "show", "last"]] {
            plait_with(&home, args, "", &[]);
        }
        let journal = plait_with(&home, &["runs", "show", "last", "--json"], "", &[]).out;
        assert!(
            journal.contains("[key of openai]"),
            "{behavior:?}: the key is replaced by its name: {journal}"
        );
        assert_eq!(server.authorizations(), vec![format!("Bearer {KEY}"); 2]);
        assert_no_key_on_disk(home.path());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn passphrase_is_required_and_a_changed_file_is_reported() {
    let (home, server) = (Home::default(), Server::start(ServerBehavior::Answers).await);
    home.set_provider_url(&server.url).await;
    let phrase = [("PLAIT_KEYS_PASSPHRASE", "correct horse")];
    let output = plait_with(&home, &["keys", "set", "openai"], KEY, &phrase);
    assert!(output.code == 0 && !output.err.contains("keys.secret"), "{output:#?}");
    assert!(!home.path().join("keys.secret").exists());
    assert_eq!(plait_with(&home, &["providers", "test", "openai"], "", &phrase).code, 0);
    for (set, code) in
        [(&[][..], "keys.passphrase_missing"), (&[("PLAIT_KEYS_PASSPHRASE", "no")], "keys.wrong_passphrase")]
    {
        let tested = plait_with(&home, &["providers", "test", "openai"], "", set);
        assert!(
            tested.code == 1 && tested.err.contains(code) && tested.err.contains("help: "),
            "{tested:#?}"
        );
        assert!(plait_with(&home, &["keys", "list"], "", set).out.contains(code));
    }
    let sealed = home.path().join("keys.sealed");
    let mut bytes = std::fs::read(&sealed).unwrap();
    bytes[60] ^= 1;
    std::fs::write(&sealed, &bytes).unwrap();
    let output = plait_with(&home, &["keys", "set", "openai"], KEY, &phrase);
    assert!(output.code == 1 && output.err.contains("error[keys.wrong_passphrase]"), "{output:#?}");
    assert_eq!(std::fs::read(&sealed).unwrap(), bytes, "the file is unchanged");
}

#[test]
fn invalid_key_commands_are_refused() {
    let home = Home::default();
    for (args, input, code) in [
        (&["keys", "set", "nobody"][..], KEY, "provider.unknown"),
        (&["keys", "set", "offline"], KEY, "provider.no_key"),
        (&["keys", "set", "openai"], "", "keys.bad_key"),
        (&["keys", "set", "openai"], "two\nlines", "keys.bad_key"),
        (&["keys", "rm", "nobody"], "", "provider.unknown"),
        (&["providers", "test", "nobody"], "", "provider.unknown"),
    ] {
        // The command may exit without reading its input.
        let mut command = home.command(args);
        command.stdin(Stdio::piped());
        let mut child = with_store_lock(|| command.spawn().unwrap());
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output: CliOutput = child.wait_with_output().unwrap().into();
        assert!(
            output.code == 2 && output.err.starts_with(&format!("error[{code}]: ")),
            "{args:?}: {output:#?}"
        );
    }
    let typed = home.plait(&["keys", "set", "openai", "sk-on-the-command-line"]);
    assert_eq!(typed.code, 2, "a key is not an argument: {typed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn running_ollama_is_detected() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let tags = || async { Json(json!({ "models": [{ "name": "llama3.2:1b" }, { "name": "all-minilm" }] })) };
    let router = Router::new().route("/api/tags", axum::routing::get(tags));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let home = Home::default();
    let output = plait_with(&home, &["providers", "list", "--json"], "", &[("OLLAMA_HOST", &address)]);
    let listed: Value = serde_json::from_str(&output.out).unwrap();
    // Another one may run at the default port of this machine.
    let is_ollama = |one: &&Value| one["software"] == "Ollama" && one["providers"] == json!(["ollama"]);
    let found = listed["found"].as_array().unwrap().iter().find(is_ollama);
    let found = found.unwrap_or_else(|| panic!("the provider goes where it is: {listed:#}"));
    assert_eq!(found["models"], json!(["all-minilm", "llama3.2:1b"]));
    let table = plait_with(&home, &["providers", "list"], "", &[("OLLAMA_HOST", &address)]).out;
    assert!(table.contains("running: Ollama, 2 models") && table.contains(&address), "{table}");
}

#[tokio::test]
async fn session_key_ends_with_its_provider() {
    let home = Home::default();
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_file(home.path(), None));
    let app = Plait::open(options).unwrap();
    let ask = async |name: &str, args: Value| {
        let reply = dispatch(&app, name, args).await.unwrap();
        assert_no_key_in(&reply.to_string(), name);
        reply
    };
    let of = |status: &Value, name: &str| {
        status["providers"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned()
    };
    let mut settings = ask("settings.get", json!({})).await;
    settings["providers"]["mine"] = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:9/v1" });
    ask("settings.set", json!({ "settings": settings })).await;
    let set = ask("provider.setKey", json!({ "provider": "mine", "key": KEY, "keep": "session" })).await;
    assert_eq!(set["key"], json!({ "source": "session", "ending": "cdef" }));
    let set = ask("provider.setKey", json!({ "provider": "mine", "key": KEY })).await;
    assert_eq!((&set["key"]["source"], &set["builtIn"]), (&json!("file"), &json!(false)));
    let status = ask("provider.status", json!({})).await;
    assert_eq!(of(&status, "offline").unwrap()["takesKey"], false);
    assert_eq!(status["keyPlace"]["source"], "file");
    // A provider that is removed and added again may be another server: its session key is gone.
    let mine = settings["providers"].as_object_mut().unwrap().remove("mine").unwrap();
    ask("settings.set", json!({ "settings": settings })).await;
    assert_eq!(of(&ask("provider.status", json!({})).await, "mine"), None);
    settings["providers"]["mine"] = mine;
    ask("settings.set", json!({ "settings": settings })).await;
    assert_eq!(of(&ask("provider.status", json!({})).await, "mine").unwrap()["key"], json!({}));
    let report = ask("provider.test", json!({ "provider": "mine" })).await;
    assert_eq!(report["fault"]["code"], "provider.unreachable", "{report}");
    assert_eq!(
        ask("provider.test", json!({ "provider": "offline" })).await["models"],
        json!(["echo", "prompt", "script"])
    );
    let wrong =
        dispatch(&app, "provider.setKey", json!({ "provider": "mine", "key": [KEY] })).await.unwrap_err();
    assert_no_key_in(&format!("{wrong:?}"), "an error of arguments");
    app.close().await.unwrap();
}

#[tokio::test]
async fn key_stays_with_its_host_in_the_window() {
    let home = Home::default();
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_file(home.path(), None));
    let app = Plait::open(options).unwrap();
    let ask = async |name: &str, args: Value| dispatch(&app, name, args).await.unwrap();
    let status = async |name: &str| {
        let status = ask("provider.status", json!({})).await;
        status["providers"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
    };
    let move_to = async |name: &str, url: &str| {
        let mut settings = ask("settings.get", json!({})).await;
        settings["providers"][name]["baseUrl"] = json!(url);
        ask("settings.set", json!({ "settings": settings })).await
    };
    for keep in ["stored", "session"] {
        move_to("openai", "https://api.openai.com/v1").await;
        ask("provider.setKey", json!({ "provider": "openai", "key": KEY, "keep": keep })).await;
        move_to("openai", "https://api.openai.com/v2").await;
        assert_eq!(status("openai").await["key"]["ending"], "cdef", "another path is the same host");
        move_to("openai", "https://proxy.example/v1").await;
        let removed = json!({ "removedWith": "https://api.openai.com" });
        assert_eq!(status("openai").await["key"], removed, "the person sees why the key is gone");
        move_to("openai", "https://api.openai.com/v1").await;
        assert_eq!(status("openai").await["key"]["source"], Value::Null, "it does not come back");
    }
    let set = ask("provider.setKey", json!({ "provider": "openai", "key": KEY })).await;
    assert_eq!(set["key"]["removedWith"], Value::Null);
    // The variable of a vendor goes to the vendor, or where a person names it.
    let moved = move_to("anthropic", "https://proxy.example").await;
    assert_eq!(moved["providers"]["anthropic"]["keyEnv"], Value::Null);
    assert_eq!(status("anthropic").await["key"]["removedWith"], "https://api.anthropic.com");
    let mut settings = ask("settings.get", json!({})).await;
    settings["providers"]["anthropic"]["keyEnv"] = json!("ANTHROPIC_API_KEY");
    let named = ask("settings.set", json!({ "settings": settings })).await;
    assert_eq!(named["providers"]["anthropic"]["keyEnv"], "ANTHROPIC_API_KEY");
    app.close().await.unwrap();
}

/// Settings can be changed without Plait: the key is not sent to the new host either, and the terminal says why.
#[tokio::test(flavor = "multi_thread")]
async fn key_stays_with_its_host_in_the_terminal() {
    let (first, second) =
        (Server::start(ServerBehavior::Answers).await, Server::start(ServerBehavior::Answers).await);
    let home = Home::default();
    home.set_provider_url(&first.url).await;
    assert_eq!(plait_with(&home, &["keys", "set", "openai"], KEY, &[]).code, 0);
    assert_eq!(plait_with(&home, &["providers", "test", "openai"], "", &[]).code, 0);
    let file = home.path().join("settings.json");
    let mut settings: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    settings["providers"]["openai"]["baseUrl"] = json!(second.url);
    settings["providers"]["openai"]["keyEnv"] = json!("PLAIT_TEST_VARIABLE_THAT_IS_NOT_SET");
    std::fs::write(&file, settings.to_string()).unwrap();
    assert_eq!(home.plait(&["doctor", "--accept-edits"]).code, 0);
    let tested = plait_with(&home, &["providers", "test", "openai"], "", &[]);
    let host = second.url.trim_end_matches("/v1");
    assert!(tested.code == 1 && tested.err.contains(&format!("none is stored for {host}")), "{tested:?}");
    assert!(tested.err.contains("when the base URL changes to another, enter it again"), "{tested:?}");
    assert!(second.authorizations().is_empty(), "nothing was sent");
    assert_eq!(first.authorizations(), [format!("Bearer {KEY}")]);
}
