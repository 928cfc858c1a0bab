//! A tenant sends every route and every command of the host's own description the ids, names and files of another one. A route that is new
//! is among them; a command with an argument of a new type makes this fail until it has a value here.

use std::path::Path;

use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::process::{Data, Host, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply};
use crate::tenants::Tenant;

/// In the names of everything that the owner has. Who guesses one learns that it is not there.
const NAME: &str = "sesame-name";
/// In the content of everything that the owner has.
const CONTENT: &str = "sesame-content";

/// Commands that find nothing by another tenant's name or id, and for which that is no error.
const FINDS_NOTHING: [&str; 4] = [
    // There is nothing to drop or to stop.
    "autosave.drop",
    "knowledge.cancel",
    // Runs that have no children.
    "runs.list",
    // Nothing is left to be tried, so no run is read.
    "run.continueInquiry",
];

/// Commands that make something of the caller's own, whatever its name.
const MAKES_OWN: [&str; 3] = ["autosave.put", "knowledge.add", "users.add"];

/// A tenant whose data nobody else may see, and the ids of it.
struct Owner {
    tenant: Tenant,
    ids: Map<String, Value>,
}

impl Owner {
    async fn new(tenant: Tenant, host: &Host<'_>) -> Self {
        let mut ask = ask_flow();
        ask["description"] = json!(CONTENT);
        tenant.flow(&format!("{NAME}.flow.json"), &ask);
        let mut chat = chat_flow();
        chat["nodes"]["start"]["config"]["systemInstructions"] = json!(CONTENT);
        tenant.flow(&format!("{NAME}-chat.flow.json"), &chat);
        let folder = tenant.flows.clone();
        std::fs::write(folder.join("notes.md"), format!("# Notes\n\n{CONTENT} and more.\n")).unwrap();
        for name in [NAME.to_owned(), format!("{NAME}-chat")] {
            tenant.publish(host, &name).await;
        }
        let path = folder.join(format!("{NAME}.flow.json")).canonicalize().unwrap();
        let mut ids = Map::new();
        let mut put = |name: &str, value: &Value| {
            assert!(value.is_string(), "{name}: {value}");
            ids.insert(name.to_owned(), value.clone());
        };
        let (_, waiting) = tenant.post(host, &format!("/flows/{NAME}/runs"), json!({})).await;
        put("run", &waiting["run"]);
        let flow = json!({ "name": "Helper", "path": format!("{NAME}-chat.flow.json") });
        let opened = tenant.command(host, "conversations.open", json!({ "flow": flow })).await;
        put("conversation", &opened["id"]);
        let input = json!({ "input": CONTENT, "conversation": opened["id"] });
        let (_, ended) = tenant.post(host, &format!("/flows/{NAME}-chat/runs"), input).await;
        put("ended", &ended["run"]);
        let file = json!({ "name": format!("{NAME}.txt"), "data": "c2VzYW1lLWNvbnRlbnQ=" });
        put("attachment", &tenant.command(host, "attachment.add", file).await["hash"]);
        let memory = json!({ "content": { "kind": "fact", "text": CONTENT } });
        put("memory", &tenant.command(host, "memories.add", memory).await["id"]);
        let template = json!({ "name": NAME, "flow": ask });
        put("template", &tenant.command(host, "templates.save", template).await["id"]);
        let mut edited = ask.clone();
        edited["name"] = json!(CONTENT);
        let proposal = json!({ "path": format!("{NAME}.flow.json"), "flow": edited, "note": CONTENT });
        put("proposal", &tenant.command(host, "proposal.make", proposal).await["proposal"]["id"]);
        tenant.command(host, "autosave.put", json!({ "key": NAME, "flow": ask })).await;
        tenant.command(host, "users.add", json!({ "name": NAME })).await;
        tenant.command(host, "knowledge.add", json!({ "name": NAME, "paths": ["notes.md"] })).await;
        tenant.command(host, "knowledge.reindex", json!({ "name": NAME })).await;
        let key = json!({ "provider": "openai", "key": format!("sk-{CONTENT}-0123456789") });
        tenant.command(host, "provider.setKey", key).await;
        put("path", &json!(path.display().to_string()));
        Self { tenant, ids }
    }

    fn id(&self, name: &str) -> &str {
        self.ids[name].as_str().unwrap()
    }

    /// All that it has, as its own commands say.
    async fn everything(&self, host: &Host<'_>) -> Vec<Value> {
        let mut found = Vec::new();
        for command in [
            "runs.list",
            "conversations.list",
            "published.list",
            "knowledge.list",
            "memories.list",
            "templates.list",
            "proposal.list",
            "autosave.list",
            "users.list",
            "settings.get",
            "provider.status",
            "flow.recent",
            "usage.byDay",
        ] {
            found.push(self.tenant.command(host, command, json!({})).await);
        }
        for run in ["run", "ended"] {
            found.push(self.tenant.command(host, "runs.show", json!({ "run": self.id(run) })).await);
        }
        let messages = json!({ "conversation": self.id("conversation") });
        found.push(self.tenant.command(host, "conversations.messages", messages).await);
        found.push(json!(std::fs::read_to_string(self.id("path")).unwrap()));
        found
    }
}

/// What a request names that is the owner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Nothing,
    /// By an id or a name.
    Thing,
    File,
}

/// The fields of an object in TypeScript, outermost ones only: name, type, and whether it is needed.
fn fields(text: &str) -> Vec<(String, String, bool)> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let Some(body) = plain.trim().strip_prefix('{').and_then(|body| body.trim_end().strip_suffix('}')) else {
        return Vec::new();
    };
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for char in body.chars() {
        match char {
            '{' | '<' | '[' | '(' => depth += 1,
            '}' | '>' | ']' | ')' => depth -= 1,
            _ => {}
        }
        if char == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(char);
        }
    }
    let field = |part: &String| {
        let (name, of) = part.split_once(':')?;
        let (name, is_needed) = match name.trim().strip_suffix('?') {
            Some(name) => (name, false),
            None => (name.trim(), true),
        };
        Some((name.to_owned(), of.trim().to_owned(), is_needed))
    };
    parts.iter().filter_map(field).collect()
}

/// What of the owner's a field can name.
fn owned_value(owner: &Owner, command: &str, name: &str, of: &str) -> Option<(Names, Value)> {
    if MAKES_OWN.contains(&command) && of == "string" && name != "path" {
        return None;
    }
    let thing = |id: &str| Some((Names::Thing, json!(owner.id(id))));
    let domain = command.split('.').next().unwrap();
    let path = || json!(owner.id("path"));
    match (domain, name, of) {
        (_, _, "RunId") => {
            thing(if command == "run.retry" || command == "lens.search" { "ended" } else { "run" })
        }
        (_, _, "Array<RunId>") => Some((Names::Thing, json!([owner.id("run"), owner.id("ended")]))),
        (_, _, "ConversationId") => thing("conversation"),
        (_, _, "AttachmentHash") => thing("attachment"),
        (_, _, "MemoryId") => thing("memory"),
        (_, _, "Array<MemoryId>") => Some((Names::Thing, json!([owner.id("memory")]))),
        ("runs", "prefix", _) => thing("run"),
        ("conversations", "prefix", _) => thing("conversation"),
        ("memories", "prefix", _) => thing("memory"),
        ("templates", "id", _) => thing("template"),
        ("proposal", "id", _) => thing("proposal"),
        ("knowledge", "name" | "base", _) | ("users" | "mcp", "name", _) | ("autosave", "key", _) => {
            Some((Names::Thing, json!(NAME)))
        }
        ("knowledge", "bases", _) => Some((Names::Thing, json!([NAME]))),
        (_, "user", "UserName") => Some((Names::Thing, json!(NAME))),
        (_, "path" | "file" | "flowPath" | "recording", "string") | ("knowledge", "flow", "string") => {
            Some((Names::File, path()))
        }
        ("flow", "source", "string") => Some((Names::File, path())),
        (_, "paths", _) => Some((Names::File, json!([path()]))),
        (_, "flow", "ConversationFlow") => Some((Names::File, json!({ "name": NAME, "path": path() }))),
        _ => None,
    }
}

/// Something that a field takes. `None` for a type that has no value here yet.
fn any_value(name: &str, of: &str) -> Option<Value> {
    let first = of.split(['|', ' ']).next().unwrap_or_default();
    Some(match (name, first) {
        ("data", "string") => json!("eA=="),
        ("path" | "file" | "flowPath" | "recording", "string") => json!("own.flow.json"),
        ("json", "string") => json!("{}"),
        (_, "string" | "MessageId") => json!("x"),
        (_, "number") => json!(1),
        (_, "boolean") => json!(false),
        (_, "unknown" | "Record<string," | "Settings") => json!({}),
        ("expressions" | "cases" | "paths", "Array<string>") => json!(["x"]),
        (_, array) if array.starts_with("Array<") => json!([]),
        (_, "Flow") => ask_flow(),
        (_, "NodeId") => json!("ask"),
        (_, "Epoch") => json!([]),
        (_, "PortName") => json!("message"),
        (_, "ExportFormat") => json!("json"),
        (_, "DebugVerb") => json!("continue"),
        (_, "GuardedDocument") => json!("grants"),
        (_, "LineageDirection") => json!("from"),
        (_, "LineageSpot") => json!({ "kind": "output", "node": "ask", "epoch": [], "port": "message" }),
        (_, "MemoryContent") => json!({ "kind": "fact", "text": "x" }),
        (_, "ConversationFlow") => json!({ "name": "own" }),
        (_, "Breakpoint") => json!({ "id": "b", "node": "ask" }),
        (_, "ImportReport") => json!({ "format": "n8n", "name": "x", "nodes": [], "edges": [], "notes": [] }),
        _ => return None,
    })
}

/// The bodies for a command: one with all that can name something of the owner's, for ids and for files apart.
fn bodies(owner: &Owner, command: &str, body: &Value) -> Vec<(Names, Value)> {
    let described = body["description"].as_str().unwrap_or_default();
    let run = owner.id("run");
    let of_text = match described.strip_prefix("TypeScript: ").unwrap_or_default().trim() {
        "Record<symbol, never>" => return vec![(Names::Nothing, json!({}))],
        "RerunRequest" => {
            let own = json!({ "run": run, "flow": ask_flow(), "path": owner.id("path") });
            return vec![(Names::Thing, json!({ "run": run })), (Names::File, own)];
        }
        "RunRequest" => {
            let in_conversation = json!({ "flow": chat_flow(), "conversation": owner.id("conversation") });
            let file = json!({ "flow": ask_flow(), "path": owner.id("path") });
            return vec![(Names::Thing, in_conversation), (Names::File, file)];
        }
        _ if command == "run.continueInquiry" => {
            let inquiry = json!({ "before": run, "after": run, "samples": 1, "swaps": [], "trials": [] });
            return vec![(Names::Thing, json!({ "inquiry": inquiry }))];
        }
        text => text,
    };
    let fields = fields(of_text);
    let theirs: Vec<_> = fields.iter().map(|(name, of, _)| owned_value(owner, command, name, of)).collect();
    let mut found = Vec::new();
    for names in [Names::Thing, Names::File] {
        if !theirs.iter().flatten().any(|(of, _)| *of == names) {
            continue;
        }
        let mut args = Map::new();
        for ((name, of, is_needed), their) in fields.iter().zip(&theirs) {
            let value = match their {
                Some((of, value)) if *of == names => value.clone(),
                _ if !is_needed => continue,
                Some((Names::Thing, value)) => value.clone(),
                _ => {
                    any_value(name, of).unwrap_or_else(|| panic!("{command}: {name}: {of} has no value here"))
                }
            };
            args.insert(name.clone(), value);
        }
        found.push((names, Value::Object(args)));
    }
    if found.is_empty() {
        let needed = fields.iter().filter(|(_, _, is_needed)| *is_needed);
        let args = needed.map(|(name, of, _)| {
            let value =
                any_value(name, of).unwrap_or_else(|| panic!("{command}: {name}: {of} has no value here"));
            (name.clone(), value)
        });
        found.push((Names::Nothing, Value::Object(args.collect())));
    }
    found
}

/// A request that the description of the host allows.
struct Probe {
    method: Method,
    path: String,
    names: Names,
    body: Option<Value>,
    is_read: bool,
}

/// All routes and commands, with all that they can name of the owner's.
async fn probes(host: &Host<'_>, owner: &Owner) -> Vec<Probe> {
    let document: Value = serde_json::from_str(
        &reqwest::get(format!("{}/openapi.json", host.url)).await.unwrap().text().await.unwrap(),
    )
    .unwrap();
    let mut probes = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let is_read = operation["x-least-role"] == "viewer";
            let probe = |path: &str, names, body| Probe {
                method: method.clone(),
                path: path.to_owned(),
                names,
                body,
                is_read,
            };
            match path.strip_prefix("/commands/") {
                // Of the host itself, with schemas.
                Some("host.runTree") => {
                    let body = json!({ "run": owner.id("ended") });
                    probes.push(probe(path, Names::Thing, Some(body)));
                }
                Some("published.list") => probes.push(probe(path, Names::Nothing, Some(json!({})))),
                Some("published.publish") => {
                    let body = json!({ "name": "own", "path": owner.id("path") });
                    probes.push(probe(path, Names::File, Some(body)));
                }
                Some("published.rollBack" | "published.read") => {
                    probes.push(probe(path, Names::Thing, Some(json!({ "name": NAME, "version": 1 }))));
                }
                Some(command) if command.starts_with("published.") => {
                    probes.push(probe(path, Names::Thing, Some(json!({ "name": NAME }))));
                }
                Some(command) => {
                    for (names, body) in bodies(owner, command, schema) {
                        probes.push(probe(path, names, Some(body)));
                    }
                }
                // It names nothing, and does not end.
                None if path == "/runs/changes" => {}
                None if path == "/v1/chat/completions" => {
                    let messages = json!([{ "role": "user", "content": "Hi" }]);
                    let body = json!({ "model": format!("{NAME}-chat"), "messages": messages });
                    probes.push(probe(path, Names::Thing, Some(body)));
                }
                None => {
                    let filled = path.replace("{run}", owner.id("run")).replace("{name}", NAME);
                    let names = if filled == *path { Names::Nothing } else { Names::Thing };
                    let body = (method == Method::POST).then(|| json!({}));
                    probes.push(probe(&filled, names, body));
                }
            }
        }
    }
    probes
}

#[tokio::test]
async fn no_route_gives_a_tenant_what_is_another_ones() {
    let (data, flows) = (Data::new(), tempfile::tempdir().unwrap());
    let folder = flows.path().to_str().unwrap();
    let host = data.serve_with(&["--requests-per-minute", "1000000", "--tenant-flows", folder]);
    probe_host(&data, &host, flows.path(), || None::<()>).await;
}

#[cfg(unix)]
#[tokio::test]
async fn no_route_gives_a_tenant_what_another_one_has_in_a_database() {
    use crate::cluster::{Cluster, Worker};
    let (cluster, flows) = (Cluster::new(), tempfile::tempdir().unwrap());
    let folder = flows.path().to_str().unwrap();
    let serve = ["--listen", "127.0.0.1:0", "--database", &cluster.database];
    let more = ["--requests-per-minute", "1000000", "--tenant-flows", folder];
    let host = cluster.data.serve_as(&[&serve[..], &more].concat());
    let start = || Some(Worker::start(cluster.data.path(), &cluster.database));
    probe_host(&cluster.data, &host, flows.path(), start).await;
}

/// `work` starts what drives runs, if it is not the host.
async fn probe_host<W>(data: &Data, host: &Host<'_>, flows: &Path, work: impl FnOnce() -> Option<W>) {
    let model = ModelServer::start(|_, _| ServerReply::Text(CONTENT.to_owned())).await;
    let [owner, stranger] = ["owner", "stranger"].map(|name| {
        let tenant = Tenant::add(data, name);
        Tenant { flows: flows.join(name), ..tenant }
    });
    owner.set_provider(host, &model.url).await;
    let _worker = work();
    let owner = Owner::new(owner, host).await;
    stranger.flow("own.flow.json", &ask_flow());
    let before = owner.everything(host).await;

    let probes = probes(host, &owner).await;
    assert!(probes.len() > 150, "{}", probes.len());
    let mut wrong = Vec::new();
    for probe in &probes {
        let said = probe.body.as_ref().map(Value::to_string).unwrap_or_default();
        let said = format!("{} {} {said}", probe.method, probe.path);
        let (status, body) =
            stranger.request(&host.url, probe.method.clone(), &probe.path, probe.body.as_ref()).await;
        let answer = body.to_string();
        let code = body["error"]["code"].as_str().unwrap_or_default();
        let command = probe.path.trim_start_matches("/commands/");
        let is_right = match probe.names {
            // A document that nobody changed cannot be accepted.
            Names::Nothing => status.as_u16() < 500 || code == "store.changed_outside",
            Names::Thing if FINDS_NOTHING.contains(&command) => status == 200,
            Names::Thing => matches!(status.as_u16(), 401 | 403 | 404),
            Names::File => status == 403 && code == "host.path",
        };
        // Names that were asked for may be repeated.
        let ids = owner.ids.values().filter_map(Value::as_str).filter(|id| !said.contains(id));
        let mut secrets = ids.chain([CONTENT]).chain((!said.contains(NAME)).then_some(NAME));
        if !is_right || secrets.any(|secret| answer.contains(secret)) {
            wrong.push(format!("{said}: {status} {}", answer.chars().take(300).collect::<String>()));
        }
    }
    assert!(wrong.is_empty(), "{} of {} answers are wrong:\n{}", wrong.len(), probes.len(), wrong.join("\n"));
    assert_eq!(owner.everything(host).await, before, "something of the owner's was changed");

    // The same requests of the owner find what they name.
    for probe in probes.iter().filter(|probe| probe.is_read && probe.names == Names::Thing) {
        if probe.path.ends_with("/events") {
            continue;
        }
        let (status, body) =
            owner.tenant.request(&host.url, probe.method.clone(), &probe.path, probe.body.as_ref()).await;
        assert!(
            !matches!(status.as_u16(), 401 | 403 | 404),
            "{} {:?}: {status} {body}",
            probe.path,
            probe.body
        );
    }
}
