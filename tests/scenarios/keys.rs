//! Keys, from the terminal to the server and nowhere else: not in a file, not in a journal, not on the screen, also where
//! the server echoes them.

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

use crate::support::binary::{CliOutput, Home, with_store};
use crate::support::fixture;
use crate::support::journal::Journal;

const KEY: &str = "sk-proj-NEVER-TO-BE-SEEN-0123456789abcdef";
const WRONG: &str = "sk-proj-WRONG-AND-NEVER-SEEN-EITHER-98765";

/// How the server treats whoever has the right key. Whoever has not gets a 401 that echoes what was sent.
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
    let said = |text: &str| json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
    let events = match server.behavior {
        ServerBehavior::Answers => vec![said("Yes.")],
        ServerBehavior::EchoesInAnError => {
            vec![json!({ "error": { "message": format!("broke with {sent}"), "code": 400 } })]
        }
        ServerBehavior::EchoesInAReply => {
            sent.as_bytes().chunks(5).map(|part| said(str::from_utf8(part).unwrap())).collect()
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

/// Runs `plait` with this on its standard input and these variables.
fn with(home: &Home, args: &[&str], input: &str, set: &[(&str, &str)]) -> CliOutput {
    let mut command = home.command(args);
    command.stdin(Stdio::piped()).envs(set.iter().copied());
    let mut child = with_store(|| command.spawn().unwrap());
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let said: CliOutput = child.wait_with_output().unwrap().into();
    assert_unseen(&format!("{said:?}"), args.join(" ").as_str());
    said
}

fn assert_unseen(text: &str, place: &str) {
    for key in [KEY, WRONG] {
        assert!(!text.contains(&key[..16]), "a key is in {place}: {text}");
    }
}

/// Looks at every byte that is kept.
fn assert_unkept(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_unkept(&path);
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

/// The journal of the run that was last.
async fn last_journal(home: &Home) -> Journal {
    let mut options = Options::new(home.path());
    options.keys = Some(KeyStore::in_memory());
    let app = with_store(|| Plait::open(options).unwrap());
    let run = app.runs().latest().unwrap().unwrap();
    let journal = Journal(app.call(ShowRun { run }).await.unwrap().entries);
    app.close().await.unwrap();
    journal
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_kept_sealed_used_and_removed() {
    let (home, server) = (Home::default(), Server::start(ServerBehavior::Answers).await);
    home.provider_at(&server.url).await;
    let said = with(&home, &["keys", "set", "openai"], &format!("  {KEY}\n"), &[]);
    assert_eq!((said.code, said.out.as_str()), (0, ""), "{said:#?}");
    assert!(said.err.contains("keys.sealed") && said.err.contains("keys.secret"), "it says where: {said:#?}");
    let listed = with(&home, &["keys", "list"], "", &[]);
    assert!(listed.out.contains("…cdef") && listed.out.contains("keys.sealed"), "{listed:#?}");
    let listed: Value = serde_json::from_str(&with(&home, &["keys", "list", "--json"], "", &[]).out).unwrap();
    let openai = listed.as_array().unwrap().iter().find(|one| one["provider"] == "openai").unwrap();
    assert_eq!(openai["key"], json!({ "source": "file", "ending": "cdef" }));

    let tested = with(&home, &["providers", "test", "openai"], "", &[]);
    assert!(tested.code == 0 && tested.out.starts_with("openai replied with 2 models in "), "{tested:#?}");
    let tested = with(&home, &["providers", "test", "openai", "--model", "small", "--json"], "", &[]);
    let report: Value = serde_json::from_str(&tested.out).unwrap();
    assert_eq!((tested.code, &report["tested"], &report["fault"]), (0, &json!("call"), &Value::Null));
    assert_eq!(with(&home, &["providers", "models", "openai"], "", &[]).out, "large\nsmall\n");
    let run = with(&home, &["run", &one_call(), "--json"], "", &[]);
    assert_eq!((run.code, run.last_type().as_str()), (0, "run.finished"), "{run:#?}");
    assert_eq!(server.authorizations(), vec![format!("Bearer {KEY}"); 4]);
    assert_unkept(home.path());

    assert_eq!(with(&home, &["keys", "rm", "openai"], "", &[]).err, "Removed the key of openai.\n");
    assert_eq!(with(&home, &["keys", "rm", "openai"], "", &[]).err, "No key of openai is stored.\n");
    let tested = with(&home, &["providers", "test", "openai"], "", &[]);
    assert!(tested.code == 1 && tested.err.starts_with("error[provider.unauthorized]: "), "{tested:#?}");
    assert_eq!(server.authorizations(), [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_key_is_reported_and_changes_no_history() {
    let (home, server) = (Home::default(), Server::start(ServerBehavior::Answers).await);
    home.provider_at(&server.url).await;
    assert_eq!(with(&home, &["keys", "set", "openai"], WRONG, &[]).code, 0);
    let tested = with(&home, &["providers", "test", "openai"], "", &[]);
    assert_eq!((tested.code, tested.out.as_str()), (1, ""));
    assert!(
        tested.err.contains("Authorization: Bearer [key of openai]"),
        "the server's own words: {tested:#?}"
    );
    assert!(tested.err.contains("help: Check the key of `openai`"), "{tested:#?}");
    let run = with(&home, &["run", &one_call(), "--json"], "", &[]);
    assert_eq!(run.last_type(), "run.finished", "the error went out on its port: {run:#?}");
    let journal = last_journal(&home).await;
    assert_eq!(journal.fault("chat"), "provider.unauthorized");
    assert_eq!(journal.history("main"), []);
    assert_eq!(server.authorizations(), vec![format!("Bearer {WRONG}"); 2], "it is not tried again");
    assert_unkept(home.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_echoes_is_nowhere() {
    for behavior in [ServerBehavior::EchoesInAnError, ServerBehavior::EchoesInAReply] {
        let (home, server) = (Home::default(), Server::start(behavior).await);
        home.provider_at(&server.url).await;
        with(&home, &["keys", "set", "openai"], KEY, &[]);
        for args in [&["run", &one_call()][..], &["run", &one_call(), "--json"], &["runs", "show", "last"]] {
            with(&home, args, "", &[]);
        }
        let journal = with(&home, &["runs", "show", "last", "--json"], "", &[]).out;
        assert!(journal.contains("[key of openai]"), "{behavior:?}: it says what stood there: {journal}");
        assert_eq!(server.authorizations(), vec![format!("Bearer {KEY}"); 2]);
        assert_unkept(home.path());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passphrase_locks_and_a_changed_file_is_reported() {
    let (home, server) = (Home::default(), Server::start(ServerBehavior::Answers).await);
    home.provider_at(&server.url).await;
    let phrase = [("PLAIT_KEYS_PASSPHRASE", "correct horse")];
    let said = with(&home, &["keys", "set", "openai"], KEY, &phrase);
    assert!(said.code == 0 && !said.err.contains("keys.secret"), "{said:#?}");
    assert!(!home.path().join("keys.secret").exists());
    assert_eq!(with(&home, &["providers", "test", "openai"], "", &phrase).code, 0);
    for (set, code) in
        [(&[][..], "keys.passphrase_missing"), (&[("PLAIT_KEYS_PASSPHRASE", "no")], "keys.wrong_passphrase")]
    {
        let tested = with(&home, &["providers", "test", "openai"], "", set);
        assert!(
            tested.code == 1 && tested.err.contains(code) && tested.err.contains("help: "),
            "{tested:#?}"
        );
        assert!(with(&home, &["keys", "list"], "", set).out.contains(code));
    }
    let sealed = home.path().join("keys.sealed");
    let mut bytes = std::fs::read(&sealed).unwrap();
    bytes[60] ^= 1;
    std::fs::write(&sealed, &bytes).unwrap();
    let said = with(&home, &["keys", "set", "openai"], KEY, &phrase);
    assert!(said.code == 1 && said.err.contains("error[keys.wrong_passphrase]"), "{said:#?}");
    assert_eq!(std::fs::read(&sealed).unwrap(), bytes, "it is not written over");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let home = Home::default();
    for (args, input, code) in [
        (&["keys", "set", "nobody"][..], KEY, "provider.unknown"),
        (&["keys", "set", "offline"], KEY, "provider.no_key"),
        (&["keys", "set", "openai"], "", "keys.bad_key"),
        (&["keys", "set", "openai"], "two\nlines", "keys.bad_key"),
        (&["keys", "rm", "nobody"], "", "provider.unknown"),
        (&["providers", "test", "nobody"], "", "provider.unknown"),
    ] {
        // Read to its end or not, writing to it is no error of the test's.
        let mut command = home.command(args);
        command.stdin(Stdio::piped());
        let mut child = with_store(|| command.spawn().unwrap());
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let said: CliOutput = child.wait_with_output().unwrap().into();
        assert!(said.code == 2 && said.err.starts_with(&format!("error[{code}]: ")), "{args:?}: {said:#?}");
    }
    let typed = home.plait(&["keys", "set", "openai", "sk-on-the-command-line"]);
    assert_eq!(typed.code, 2, "a key is no argument: {typed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ollama_is_found_by_itself() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let tags = || async { Json(json!({ "models": [{ "name": "llama3.2:1b" }, { "name": "all-minilm" }] })) };
    let router = Router::new().route("/api/tags", axum::routing::get(tags));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let home = Home::default();
    let said = with(&home, &["providers", "list", "--json"], "", &[("OLLAMA_HOST", &address)]);
    let listed: Value = serde_json::from_str(&said.out).unwrap();
    let found = listed["found"].as_array().unwrap().iter().find(|one| one["software"] == "Ollama").unwrap();
    assert_eq!(found["providers"], json!(["ollama"]), "the provider goes where it is: {listed:#}");
    assert_eq!(found["models"], json!(["all-minilm", "llama3.2:1b"]));
    let table = with(&home, &["providers", "list"], "", &[("OLLAMA_HOST", &address)]).out;
    assert!(table.contains("running: Ollama, 2 models") && table.contains(&address), "{table}");
}

#[tokio::test]
async fn a_session_key_a_status_and_a_provider_that_goes() {
    let home = Home::default();
    let mut options = Options::new(home.path());
    options.keys = Some(KeyStore::in_file(home.path(), None));
    let app = Plait::open(options).unwrap();
    let ask = async |name: &str, args: Value| {
        let reply = dispatch(&app, name, args).await.unwrap();
        assert_unseen(&reply.to_string(), name);
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
    // Gone, and back under the same name: perhaps somewhere else.
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
        json!(["echo", "script"])
    );
    let wrong =
        dispatch(&app, "provider.setKey", json!({ "provider": "mine", "key": [KEY] })).await.unwrap_err();
    assert_unseen(&format!("{wrong:?}"), "an error of arguments");
    app.close().await.unwrap();
}
