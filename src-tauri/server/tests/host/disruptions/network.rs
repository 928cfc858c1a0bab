//! A network in which each node has a cable of its own that can be pulled: network namespaces, joined by a bridge. What was sent is lost then, and
//! neither side learns why.
//!
//! A test that uses it runs itself again in namespaces in which it may make that: those of root, or of a user alone.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::restate_server::Place;

/// Set in a test that has a network of its own.
const INSIDE: &str = "PLAIT_TEST_NETWORK";
/// How a process gets a network of its own: as root, and as anyone. A user keeps the own id, since PostgreSQL refuses to run as root.
const WAYS: [&[&str]; 2] = [&["--net"], &["--user", "--map-current-user", "--keep-caps", "--net"]];
/// The address of hosts, workers and clients.
pub const ADDRESS: &str = "10.77.0.1";

/// Runs a test in a network of its own, to its good end. False in there, where the test goes on.
pub fn runs_inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        ip("link set lo up");
        return false;
    }
    let works = |way: &&&[&str]| {
        let mut attempt = Command::new("unshare");
        attempt.args(**way).args(["ip", "link", "set", "lo", "up"]);
        attempt.output().is_ok_and(|output| output.status.success())
    };
    let way = WAYS.iter().find(works).unwrap_or_else(|| {
        panic!(
            "This system allows no network of its own to a test. Install `iproute2` and `util-linux`, and run the test as root, or allow user \
             namespaces: `sysctl kernel.unprivileged_userns_clone=1`, `sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
        )
    });
    let mut again = Command::new("unshare");
    again.args(*way).arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
    assert!(again.env(INSIDE, "1").status().unwrap().success(), "{test} fails in its network");
    true
}

/// The nodes, each with a namespace as long as this is there.
pub struct Network {
    namespaces: Vec<Child>,
}

impl Network {
    pub fn new(nodes: usize) -> Self {
        ip("link add plait type bridge");
        ip(&format!("addr add {ADDRESS}/24 dev plait"));
        ip("link set plait up");
        let namespaces = (0..nodes).map(|node| {
            // It ends with its input, when this process does.
            let mut hold = Command::new("unshare");
            hold.args(["--net", "sh", "-c", "echo there; exec cat"]);
            let mut namespace = hold.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let mut there = String::new();
            BufReader::new(namespace.stdout.take().unwrap()).read_line(&mut there).unwrap();
            assert_eq!(there, "there\n", "node {node} has no network");
            ip(&format!("link add node{node} type veth peer name wire netns {}", namespace.id()));
            ip(&format!("link set node{node} master plait up"));
            let mut enter = Command::new("nsenter");
            enter.arg(format!("--net=/proc/{}/ns/net", namespace.id())).args(["sh", "-c"]);
            let address = address_of(node);
            enter.arg(format!(
                "ip link set lo up && ip addr add {address}/24 dev wire && ip link set wire up"
            ));
            assert!(enter.status().unwrap().success(), "node {node} has no address");
            namespace
        });
        Self { namespaces: namespaces.collect() }
    }

    /// Where the nodes run.
    pub fn places(&self) -> Vec<Place> {
        let places = self.namespaces.iter().enumerate().map(|(node, namespace)| Place {
            address: address_of(node),
            namespace: Some(format!("/proc/{}/ns/net", namespace.id()).into()),
        });
        places.collect()
    }

    /// Nothing arrives for so long, and what was sent meanwhile is lost; `cut` is called amid that.
    pub async fn pull_cable(&self, node: usize, time: Duration, cut: impl AsyncFnOnce()) {
        assert!(node < self.namespaces.len());
        ip(&format!("link set node{node} down"));
        cut().await;
        tokio::time::sleep(time).await;
        ip(&format!("link set node{node} up"));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for namespace in &mut self.namespaces {
            // It may have ended.
            let _ = namespace.kill();
            let _ = namespace.wait();
        }
    }
}

fn address_of(node: usize) -> String {
    format!("10.77.0.{}", 10 + node)
}

fn ip(args: &str) {
    let status = Command::new("ip").args(args.split(' ')).status().unwrap();
    assert!(status.success(), "ip {args}");
}
