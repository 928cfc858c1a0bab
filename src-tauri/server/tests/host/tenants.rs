//! Tenants of a host: each token reaches the data of one, and two with the same names and ids do not meet.

use std::path::{Path, PathBuf};

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::process::{Data, Host, JsonBody as _, ask_flow, chat_flow, command, read};
use crate::server::{ModelServer, ServerReply};
use crate::subflows::{calling, saying};

/// A flow that says whose it is.
pub fn fixed_flow(text: &str) -> Value {
    let mut flow = saying(text);
    flow["name"] = json!(format!("Flow of {text}"));
    flow
}

/// A tenant with a token for an admin of it.
pub struct Tenant {
    pub name: &'static str,
    pub token: String,
    pub home: PathBuf,
    /// The folder with its flows.
    pub flows: PathBuf,
}

impl Tenant {
    /// Adds it to a host, which may run.
    pub fn add(data: &Data, name: &'static str) -> Self {
        data.execute(&["tenants", "add", name]);
        Self::of(data, name)
    }

    /// Another token of a tenant that is there.
    pub fn of(data: &Data, name: &'static str) -> Self {
        let owner = format!("{name}-admin");
        let token = data.execute(&["tokens", "add", "--name", &owner, "--role", "admin", "--tenant", name]);
        let home = match name {
            "default" => data.path().to_owned(),
            name => data.path().join("tenants").join(name),
        };
        Self { name, token, flows: home.join("host/flows"), home }
    }

    /// Writes a flow into its folder.
    pub fn flow(&self, name: &str, flow: &Value) {
        std::fs::create_dir_all(&self.flows).unwrap();
        std::fs::write(self.flows.join(name), flow.to_string()).unwrap();
    }

    pub async fn request(
        &self,
        url: &str,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> (StatusCode, Value) {
        let request = Client::new().request(method, format!("{url}{path}")).bearer_auth(&self.token);
        let request = match body {
            Some(body) => request.json_body(body),
            None => request,
        };
        read(request.send().await.unwrap()).await
    }

    pub async fn post(&self, host: &Host<'_>, path: &str, body: Value) -> (StatusCode, Value) {
        self.request(&host.url, Method::POST, path, Some(&body)).await
    }

    pub async fn get(&self, host: &Host<'_>, path: &str) -> (StatusCode, Value) {
        self.request(&host.url, Method::GET, path, None).await
    }

    /// Executes a command, which has to succeed.
    pub async fn command(&self, host: &Host<'_>, name: &str, args: Value) -> Value {
        let (status, body) = self.post(host, &format!("/commands/{name}"), args).await;
        assert_eq!(status, 200, "{}: {name}: {body}", self.name);
        body
    }

    /// Publishes a flow of its folder under its name there.
    pub async fn publish(&self, host: &Host<'_>, name: &str) {
        let publish = json!({ "name": name, "path": format!("{name}.flow.json") });
        self.command(host, "published.publish", publish).await;
    }

    /// Lets the provider `openai` be the server at this URL.
    pub async fn set_provider(&self, host: &Host<'_>, url: &str) {
        let provider = json!({ "kind": "openAi", "baseUrl": url, "keyEnv": null });
        let patch = json!({ "patch": { "providers": { "openai": provider } } });
        self.command(host, "settings.change", patch).await;
    }
}

#[tokio::test]
async fn tenants_with_the_same_names_and_ids_do_not_meet() {
    const RUN: &str = "0192f3a0-0000-7000-8000-000000000001";
    let data = Data::new();
    let host = data.serve();
    // Also those that are added while the host runs.
    let tenants = ["acme", "bolt", "default"].map(|name| match name {
        "default" => Tenant::of(&data, name),
        name => Tenant::add(&data, name),
    });
    for tenant in &tenants {
        tenant.flow("same.flow.json", &fixed_flow(tenant.name));
        assert_eq!(tenant.get(&host, "/runs").await.1, json!({ "runs": [] }));
        tenant.publish(&host, "same").await;
        let begin = json!({ "run": RUN });
        let (status, state) = tenant.post(&host, "/flows/same/runs", begin.clone()).await;
        assert_eq!((status.as_u16(), &state["outputs"]["out"]["value"]), (200, &json!(tenant.name)));
        // Asked again, it is the tenant's own that is answered.
        let (_, state) = tenant.post(&host, "/flows/same/runs", begin).await;
        assert_eq!(state["outputs"]["out"]["value"], tenant.name);
    }
    for tenant in &tenants {
        let (_, board) = tenant.get(&host, "/runs").await;
        assert_eq!(board["runs"].as_array().unwrap().len(), 1, "{board}");
        let (_, state) = tenant.get(&host, &format!("/runs/{RUN}")).await;
        assert_eq!(state["outputs"]["out"]["value"], tenant.name);
        let shown = tenant.command(&host, "runs.show", json!({ "run": RUN })).await;
        let others = tenants.iter().filter(|other| other.name != tenant.name);
        for other in others.filter(|other| other.name != "default") {
            assert!(!shown.to_string().contains(other.name), "{shown}");
        }
        let served = tenant.command(&host, "published.list", json!({})).await;
        assert_eq!(served[0]["title"], format!("Flow of {}", tenant.name));
    }
    // What one removes is there for the others.
    tenants[0].command(&host, "runs.remove", json!({ "run": RUN })).await;
    tenants[0].command(&host, "published.remove", json!({ "name": "same" })).await;
    assert_eq!(tenants[0].get(&host, &format!("/runs/{RUN}")).await.0, 404);
    assert_eq!(tenants[0].post(&host, "/flows/same/runs", json!({})).await.0, 404);
    for tenant in &tenants[1..] {
        assert_eq!(tenant.get(&host, &format!("/runs/{RUN}")).await.0, 200);
        assert_eq!(tenant.post(&host, "/flows/same/runs", json!({})).await.0, 200);
    }
    let audit = data.audit();
    let begun = audit.iter().filter(|entry| entry["path"] == "/flows/same/runs" && entry["status"] == 200);
    let names: std::collections::BTreeSet<_> = begun.map(|entry| entry["tenant"].as_str().unwrap()).collect();
    assert_eq!(names, ["acme", "bolt", "default"].into());
    assert!(audit.iter().all(|entry| entry["token"].is_null() || entry["tenant"].is_string()));
}

#[tokio::test]
async fn keys_and_models_of_a_tenant_are_its_own() {
    const KEY: &str = "sk-of-acme-0123456789abcdef";
    let model = ModelServer::start(|_, _| ServerReply::Text("Hello".to_owned())).await;
    let data = Data::new();
    let [acme, bolt] = ["acme", "bolt"].map(|name| Tenant::add(&data, name));
    let own = Tenant::of(&data, "default");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let host =
        data.serve_in(&[("HOST_MODEL_KEY", "sk-of-the-host-0123456789")], &["--metrics-listen", &port]);
    for tenant in [&acme, &bolt, &own] {
        tenant.flow("help.flow.json", &chat_flow());
        // A variable of the host is named, which only the default tenant has.
        let provider = json!({ "kind": "openAi", "baseUrl": model.url, "keyEnv": "HOST_MODEL_KEY" });
        let patch = json!({ "patch": { "providers": { "openai": provider } } });
        tenant.command(&host, "settings.change", patch).await;
        tenant.publish(&host, "help").await;
    }
    acme.command(&host, "provider.setKey", json!({ "provider": "openai", "key": KEY })).await;
    let chat = json!({ "model": "help", "messages": [{ "role": "user", "content": "Hi" }] });
    let sent_key = async |tenant: &Tenant| {
        let before = model.authorizations().len();
        let (status, body) = tenant.post(&host, "/v1/chat/completions", chat.clone()).await;
        (status.as_u16(), model.authorizations().get(before).cloned().unwrap_or_default(), body)
    };
    let (status, head, body) = sent_key(&acme).await;
    assert!(status == 200 && head.contains(KEY), "{status} {head} {body}");
    let (status, head, _) = sent_key(&own).await;
    assert!(status == 200 && head.contains("sk-of-the-host-0123456789"), "{status} {head}");
    let (_, head, body) = sent_key(&bolt).await;
    assert!(!head.contains("sk-of-"), "{head} {body}");
    assert!(!body.to_string().contains("sk-of-"));

    // On the disk, the key is encrypted, in the data directory of its tenant.
    assert!(acme.home.join("keys.sealed").exists());
    assert!(!bolt.home.join("keys.sealed").exists() && !data.path().join("keys.sealed").exists());
    assert!(!files_contain(data.path(), KEY.as_bytes()));

    let metrics = reqwest::get(format!("http://{port}/metrics")).await.unwrap().text().await.unwrap();
    for line in [
        r#"plait_model_calls_total{tenant="acme",model="openai/scripted"} 1"#,
        r#"plait_model_calls_total{model="openai/scripted"} 1"#,
        r#"plait_runs{tenant="acme",status="finished"} 1"#,
        r#"plait_requests_total{tenant="acme",method="POST",route="/v1/chat/completions",status="200"} 1"#,
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
    }
}

/// Whether a file below a folder has these bytes.
fn files_contain(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            return files_contain(&entry.path(), bytes);
        }
        kind.is_file()
            && std::fs::read(entry.path()).unwrap().windows(bytes.len()).any(|window| window == bytes)
    })
}

#[tokio::test]
async fn tenants_are_added_on_the_machine_alone() {
    let data = Data::new();
    let fails = |args: &[&str]| {
        let output = command(data.path(), args).output().unwrap();
        assert!(!output.status.success(), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let for_nobody = ["tokens", "add", "--name", "x", "--role", "admin", "--tenant", "nobody"];
    assert!(fails(&for_nobody).contains("There is no tenant `nobody`"));
    assert!(fails(&["publish", "x", "x.flow.json", "--tenant", "nobody"]).contains("There is no tenant"));
    for bad in ["../up", "Acme", "", "a.b"] {
        assert!(fails(&["tenants", "add", bad]).contains("cannot be the name of a tenant"), "{bad}");
    }
    let acme = Tenant::add(&data, "acme");
    assert!(fails(&["tenants", "add", "acme"]).contains("already"));
    assert!(fails(&["tenants", "add", "default"]).contains("already"));
    let listed = data.execute(&["tenants", "list"]);
    assert_eq!(
        listed.lines().map(|line| line.split('\t').next().unwrap()).collect::<Vec<_>>(),
        ["default", "acme"]
    );
    assert!(data.execute(&["tokens", "list"]).contains("acme-admin\tadmin\t"));

    // Published on the machine, for one tenant.
    acme.flow("greet.flow.json", &fixed_flow("acme"));
    let file = acme.flows.join("greet.flow.json").display().to_string();
    data.execute(&["publish", "greet", &file, "--tenant", "acme"]);
    assert!(data.execute(&["published", "--tenant", "acme"]).starts_with("greet\tversion 1"));
    assert_eq!(data.execute(&["published"]), "");

    let host = data.serve();
    assert_eq!(acme.post(&host, "/flows/greet/runs", json!({})).await.0, 200);
    assert_eq!(host.post("admin", "/flows/greet/runs", json!({})).await.0, 404);
    // Programs, the network and the environment of the machine are not the tenant's.
    let server = json!({ "json": json!({ "command": "true" }).to_string(), "name": "x" });
    let (status, body) = acme.post(&host, "/commands/mcp.add", server.clone()).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (403, &json!("host.machine_only")));
    assert_eq!(host.post("admin", "/commands/mcp.add", server).await.0, 200);
    // One that is gone.
    let gone = Tenant::add(&data, "gone");
    std::fs::remove_dir_all(&gone.home).unwrap();
    let (status, body) = gone.get(&host, "/runs").await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (403, &json!("host.tenant_unknown")));
}

#[tokio::test]
async fn tenant_that_cannot_be_opened_keeps_no_other_one_waiting() {
    let data = Data::new();
    let [acme, bolt] = ["acme", "bolt"].map(|name| Tenant::add(&data, name));
    // Another process has its data directory.
    let store = acme.home.join("runs");
    std::fs::write(&store, "no folder").unwrap();
    let host = data.serve();
    assert_eq!(acme.get(&host, "/runs").await.0, 500);
    assert_eq!(bolt.get(&host, "/runs").await.0, 200);
    std::fs::remove_file(&store).unwrap();
    assert_eq!(acme.get(&host, "/runs").await.0, 200);
}

#[tokio::test]
async fn requests_of_one_tenant_leave_room_for_others() {
    let data = Data::new();
    let [acme, bolt] = ["acme", "bolt"].map(|name| Tenant::add(&data, name));
    let host = data.serve_with(&["--requests-per-tenant", "1"]);
    acme.flow("ask.flow.json", &ask_flow());
    acme.publish(&host, "ask").await;
    let (_, asked) = acme.post(&host, "/flows/ask/runs", json!({})).await;
    let events = format!("{}/runs/{}/events", host.url, asked["run"].as_str().unwrap());
    let stream = Client::new().get(events).bearer_auth(&acme.token).send().await.unwrap();
    let (status, body) = acme.get(&host, "/runs").await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (429, &json!("host.busy")));
    assert_eq!(bolt.get(&host, "/runs").await.0, 200);
    drop(stream);
}

#[cfg(unix)]
#[tokio::test]
async fn interrupted_runs_of_a_tenant_go_on_before_anybody_asks() {
    let (model, data) = (crate::process::interrupted_model().await, Data::new());
    let acme = Tenant::add(&data, "acme");
    {
        let host = data.serve();
        acme.flow("two.flow.json", &crate::cluster::two_chats());
        acme.set_provider(&host, &model.url).await;
        acme.publish(&host, "two").await;
        let request = Client::new().post(format!("{}/flows/two/runs", host.url)).bearer_auth(&acme.token);
        let begun = tokio::spawn(request.json_body(&json!({ "input": "Go" })).send());
        crate::cluster::until(|| model.calls().len() == 2).await;
        begun.abort();
    }
    let host = data.serve();
    crate::cluster::until(|| model.calls().len() == 3).await;
    let (_, board) = acme.get(&host, "/runs").await;
    let run = board["runs"][0]["run"].as_str().unwrap();
    let (_, state) = acme.get(&host, &format!("/runs/{run}?wait=60")).await;
    assert_eq!(state["status"], "finished");
    assert_eq!(host.get("admin", &format!("/runs/{run}")).await.0, 404);
}

#[tokio::test]
async fn files_of_a_tenant_lead_to_no_files_of_another_one() {
    const SECRET: &str = "sesame";
    let (data, flows) = (Data::new(), tempfile::tempdir().unwrap());
    let host = data.serve_with(&["--tenant-flows", flows.path().to_str().unwrap()]);
    let [owner, stranger] = ["owner", "stranger"].map(|name| {
        let tenant = Tenant::add(&data, name);
        Tenant { flows: flows.path().join(name), ..tenant }
    });
    // Around the folders of both: what is below would be one project elsewhere.
    std::fs::create_dir(flows.path().join(".git")).unwrap();
    owner.flow("secret.flow.json", &fixed_flow(SECRET));
    for (tenant, file) in [(&owner, "secret.flow.json"), (&stranger, "../owner/secret.flow.json")] {
        let parent = calling(file);
        tenant.flow("parent.flow.json", &parent);
        let start = json!({ "flow": parent, "path": "parent.flow.json" });
        let begun = tenant.command(&host, "run.start", start).await;
        let (_, state) =
            tenant.get(&host, &format!("/runs/{}?wait=60", begun["run"].as_str().unwrap())).await;
        let publish = json!({ "name": "parent", "path": "parent.flow.json" });
        let (published, refused) = tenant.post(&host, "/commands/published.publish", publish).await;
        if tenant.name == "owner" {
            assert_eq!((&state["outputs"]["out"]["value"], published.as_u16()), (&json!(SECRET), 200));
            continue;
        }
        for refused in [&state, &refused] {
            assert!(refused.to_string().contains("subflow.outside_project"), "{refused}");
            assert!(!refused.to_string().contains(SECRET), "{refused}");
        }
    }
    // As a tool of a flow could write it.
    stranger.flow("own.flow.json", &fixed_flow("own"));
    let secret = owner.flows.join("secret.flow.json").display().to_string();
    let write = |flow: &str, case: &str| {
        let suite = format!("version: 1\nflow: {flow}\ncases:\n  - name: one\n    {case}\n");
        std::fs::write(stranger.flows.join("mine.tests.yaml"), suite).unwrap();
        stranger.post(&host, "/commands/suite.open", json!({ "file": "mine.tests.yaml" }))
    };
    let recording = format!("recording: {secret}");
    for (flow, case) in [
        (&*secret, "live: true"),
        ("../owner/secret.flow.json", "live: true"),
        ("own.flow.json", &recording),
        ("own.flow.json", "recording: ../owner/secret.flow.json"),
    ] {
        let (status, body) = write(flow, case).await;
        assert_eq!((status.as_u16(), &body["error"]["code"]), (422, &json!("suite.not_read")), "{body}");
        assert!(!body.to_string().contains(SECRET), "{body}");
    }
    let (status, body) = write("own.flow.json", "live: true").await;
    assert_eq!(status, 200, "{body}");
}
