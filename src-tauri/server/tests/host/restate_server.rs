//! Restate for a test: one node or a cluster, in a temporary folder, and a balancer of connections before the workers.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rcgen::{KeyPair, PKCS_ED25519};
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::process::JsonBody as _;

/// How often a server is asked whether it is there.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// After how long a node that does not answer counts as one that cannot be reached.
const REACH_TIMEOUT: Duration = Duration::from_secs(2);

/// Dropping it kills the nodes.
pub struct Restate {
    // Dropped in this order.
    nodes: Vec<Node>,
    folder: TempDir,
    client: Client,
}

struct Node {
    place: Place,
    admin: u16,
    ingress: u16,
    child: Child,
}

/// Where a node runs.
#[derive(Clone, Debug)]
pub struct Place {
    pub address: String,
    /// Its network namespace, if that is not the one of the test.
    pub namespace: Option<PathBuf>,
}

impl Restate {
    /// Nodes that replicate everything to two of them if there are several. They sign what they ask of workers.
    pub async fn start(count: usize) -> Self {
        Self::start_at(vec![Place { address: "127.0.0.1".to_owned(), namespace: None }; count]).await
    }

    /// The same, each at its place.
    pub async fn start_at(places: Vec<Place>) -> Self {
        let count = places.len();
        let folder = tempfile::tempdir().unwrap();
        let key = KeyPair::generate_for(&PKCS_ED25519).unwrap();
        std::fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
        let ports = free_ports(3 * count);
        let fabrics: Vec<(&str, u16)> =
            places.iter().zip(ports.chunks(3)).map(|(place, ports)| (&*place.address, ports[0])).collect();
        let nodes = places.iter().enumerate().map(|(number, place)| {
            let [_, admin, ingress] = ports[3 * number..][..3].try_into().unwrap();
            let settings = settings(folder.path(), number, &fabrics, (admin, ingress));
            std::fs::write(folder.path().join(format!("{number}.toml")), settings).unwrap();
            Node { admin, ingress, child: spawn(folder.path(), number, place), place: place.clone() }
        });
        let restate = Self { nodes: nodes.collect(), folder, client: Client::new() };
        for node in 0..count {
            restate.wait(node).await;
        }
        restate
    }

    /// The addresses that hosts send to.
    pub fn ingress(&self) -> Vec<String> {
        self.nodes.iter().map(|node| format!("http://{}:{}", node.place.address, node.ingress)).collect()
    }

    /// The public key that requests are signed with, as the first node prints it.
    pub fn key(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("0.log")).unwrap();
        let start = log.find("publickeyv1_").unwrap_or_else(|| panic!("no key: {log}"));
        log[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    }

    /// Ends a node without a word to anyone.
    pub fn kill(&mut self, node: usize) {
        self.nodes[node].child.kill().unwrap();
        self.nodes[node].child.wait().unwrap();
    }

    /// Starts a node again, and waits until it answers.
    pub async fn restart(&mut self, node: usize) {
        self.nodes[node].child = spawn(self.folder.path(), node, &self.nodes[node].place);
        self.wait(node).await;
    }

    /// Whether a node can be reached from here.
    pub async fn answers(&self, node: usize) -> bool {
        let Node { place, admin, .. } = &self.nodes[node];
        let health = self.client.get(format!("http://{}:{admin}/health", place.address));
        health.timeout(REACH_TIMEOUT).send().await.is_ok()
    }

    async fn wait(&self, node: usize) {
        let Node { place: Place { address, .. }, admin, ingress, .. } = &self.nodes[node];
        for health in
            [format!("http://{address}:{admin}/health"), format!("http://{address}:{ingress}/restate/health")]
        {
            while !self.client.get(&health).send().await.is_ok_and(|response| response.status().is_success())
            {
                tokio::time::sleep(LOOK_INTERVAL).await;
            }
        }
    }

    /// Has the workers at an address asked from now on.
    pub async fn register(&self, workers: &str) {
        let (status, body) = self.ask("deployments", &json!({ "uri": workers })).await;
        assert!(matches!(status, 200 | 201), "{status} {body}");
    }

    /// The invocations that have not ended, as Restate lists them.
    pub async fn open_invocations(&self) -> Vec<Value> {
        let query = "SELECT target, status, last_failure FROM sys_invocation WHERE status <> 'completed'";
        loop {
            let (status, mut body) = self.ask("query", &json!({ "query": query })).await;
            if status == 200 {
                return serde_json::from_value(body["rows"].take()).unwrap();
            }
            // A node that was killed led a part of them, and the next one does not yet.
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    /// Resolves when no invocation is open any more.
    pub async fn rests(&self) {
        while !self.open_invocations().await.is_empty() {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    async fn ask(&self, path: &str, body: &Value) -> (u16, Value) {
        let Node { place, admin, .. } = &self.nodes[0];
        let url = format!("http://{}:{admin}/{path}", place.address);
        let request = self.client.post(url).header("accept", "application/json").json_body(body);
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `cargo xtask test` installs it. The script of the package starts the program of the platform, and would not end it when it is killed.
fn program() -> PathBuf {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/restate/node_modules/@restatedev");
    let (system, processor) = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", "aarch64") => ("darwin", "arm64"),
        ("macos", _) => ("darwin", "x64"),
        (_, "aarch64") => ("linux", "arm64"),
        _ => ("linux", "x64"),
    };
    let program = modules.join(format!("restate-server-{system}-{processor}/bin/restate-server"));
    assert!(
        program.exists(),
        "Restate is missing: `cargo xtask test` installs it, or `npm ci` in tests/restate"
    );
    program
}

fn spawn(folder: &Path, node: usize, place: &Place) -> Child {
    let log =
        std::fs::File::options().create(true).append(true).open(folder.join(format!("{node}.log"))).unwrap();
    let mut command = match &place.namespace {
        None => Command::new(program()),
        Some(namespace) => {
            let mut enter = Command::new("nsenter");
            enter.arg(format!("--net={}", namespace.display())).arg(program());
            enter
        }
    };
    command.arg("--config-file").arg(folder.join(format!("{node}.toml"))).env_clear();
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

fn settings(folder: &Path, node: usize, fabrics: &[(&str, u16)], (admin, ingress): (u16, u16)) -> String {
    let addresses: Vec<String> =
        fabrics.iter().map(|(address, port)| format!("\"http://{address}:{port}\"")).collect();
    let (addresses, (address, fabric), provisions) = (addresses.join(", "), fabrics[node], node == 0);
    let replication = fabrics.len().min(2);
    let folder = folder.display();
    format!(
        r#"
cluster-name = "plait"
node-name = "node-{node}"
base-dir = "{folder}/{node}"
listen-mode = "tcp"
bind-address = "{address}:{fabric}"
advertised-address = "http://{address}:{fabric}"
auto-provision = {provisions}
default-num-partitions = 3
default-replication = {replication}
disable-telemetry = true
log-format = "compact"
log-disable-ansi-codes = true
rocksdb-total-memory-size = "64.0 MiB"
gossip-failure-threshold = 5

[metadata-client]
type = "replicated"
addresses = [{addresses}]

[admin]
bind-address = "{address}:{admin}"
disable-web-ui = true

[ingress]
bind-address = "{address}:{ingress}"

[worker.invoker]
request-identity-private-key-pem-file = "{folder}/key.pem"
http2-keep-alive-interval = "1s"
http2-keep-alive-timeout = "1s"
"#
    )
}

/// Ports that nothing listens on, below those that systems give to outgoing connections: a node that starts again finds its own free.
fn free_ports(count: usize) -> Vec<u16> {
    let first = 20_000 + (std::process::id() * 41 % 10_000) as u16;
    let free = (first..32_000).filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    let ports: Vec<u16> = free.take(count).collect();
    assert_eq!(ports.len(), count);
    ports
}

/// Hands connections to workers, one after the other. Dropping it ends it.
pub struct Balancer {
    pub url: String,
    workers: Arc<Mutex<Vec<String>>>,
    /// How many connections it has handed on.
    count: Arc<AtomicUsize>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Balancer {
    pub async fn start() -> Self {
        Self::start_at("127.0.0.1").await
    }

    /// At an address of this machine.
    pub async fn start_at(address: &str) -> Self {
        let listener = tokio::net::TcpListener::bind((address, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let workers = Arc::<Mutex<Vec<String>>>::default();
        let count = Arc::<AtomicUsize>::default();
        let (known, next) = (Arc::clone(&workers), Arc::clone(&count));
        let accepting = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(hand_on(connection, Arc::clone(&known), Arc::clone(&next)));
            }
        });
        Self { url, workers, count, accepting }
    }

    /// How many connections it has handed to workers.
    pub fn connections(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The addresses of the workers from now on.
    pub fn set(&self, workers: impl IntoIterator<Item = String>) {
        *self.workers.lock() = workers.into_iter().collect();
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn hand_on(mut connection: TcpStream, workers: Arc<Mutex<Vec<String>>>, next: Arc<AtomicUsize>) {
    let workers = workers.lock().clone();
    let first = next.fetch_add(1, Ordering::Relaxed);
    for turn in 0..workers.len() {
        let worker = &workers[(first + turn) % workers.len()];
        if let Ok(mut to) = TcpStream::connect(worker.trim_start_matches("http://")).await {
            // Either side may go away.
            let _ = tokio::io::copy_bidirectional(&mut connection, &mut to).await;
            return;
        }
    }
}
