//! Three workers, two hosts, a database and three nodes of Restate, and what happens to them.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use reqwest::Method;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use serde_json::json;

use super::clients::Target;
use super::link::Link;
use super::network::{self, Network};
use super::workload::{Job, publish_all};
use crate::cluster::{Worker, copy_host};
use crate::database_conversations::check_turns;
use crate::postgres::Postgres;
use crate::process::{Data, Version, command};
use crate::restate_server::{Balancer, Restate};

const WORKERS: usize = 3;
const HOSTS: usize = 2;
const NODES: usize = 3;
const DATABASE: &str = "plait";
/// Longer than the lease of a worker.
const LONGER_THAN_A_LEASE: Duration = Duration::from_millis(2_500);

/// How long a node is without its cable.
const PULLED: Duration = Duration::from_secs(30);

/// What decides which worker drives a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Leases,
    Restate,
    /// Each node has a cable of its own.
    WiredRestate,
}

/// What happens to a process. One that dies or ends is started again.
#[derive(Clone, Copy, Debug)]
pub enum Disruption {
    KillWorker(usize),
    EndWorker(usize),
    /// It stands still longer than its lease lasts, and then goes on.
    StopWorker(usize),
    /// The database does not hear from it longer than its lease lasts, while models and hosts do.
    CutWorker(usize),
    /// Its disk takes nothing more for a while.
    FillDisk(usize),
    KillHost(usize),
    KillDatabase,
    KillRestate(usize),
    /// Its cable is pulled for half a minute.
    PullCable(usize),
}

impl Disruption {
    /// So many, by a seed.
    pub fn any(count: usize, seed: u64, driver: Driver) -> Vec<Self> {
        let mut state = seed;
        let mut next = |below: u64| {
            // Numerical Recipes' generator: which one does not matter here.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % below).unwrap()
        };
        let kinds = if driver == Driver::Leases { 12 } else { 16 };
        let one = |_| match next(kinds) {
            0..=3 => Self::KillWorker(next(WORKERS as u64)),
            4..=5 => Self::EndWorker(next(WORKERS as u64)),
            6..=7 => Self::StopWorker(next(WORKERS as u64)),
            8 => Self::KillHost(next(HOSTS as u64)),
            9 => Self::KillDatabase,
            10 => Self::CutWorker(next(WORKERS as u64)),
            11 => Self::FillDisk(next(WORKERS as u64)),
            _ => Self::KillRestate(next(NODES as u64)),
        };
        (0..count).map(one).collect()
    }
}

pub struct Processes {
    // Dropped in this order: the processes first, what they use then.
    workers: Vec<Worker>,
    links: Vec<Link>,
    hosts: Vec<(Child, Data)>,
    restate: Option<(Restate, Balancer)>,
    network: Option<Network>,
    postgres: Postgres,
    database: String,
    target: Target,
}

impl Processes {
    pub async fn start(model: &str, driver: Driver) -> Self {
        let (postgres, data) = (Postgres::start(), Data::new());
        let database = postgres.database(DATABASE);
        {
            let host = data.serve();
            host.set_provider(model).await;
        }
        publish_all(&data);
        let other = copy_host(&data);
        let network = (driver == Driver::WiredRestate).then(|| Network::new(NODES));
        let restate = match (driver, &network) {
            (Driver::Leases, _) => None,
            (_, None) => Some((Restate::start(NODES).await, Balancer::start().await)),
            (_, Some(network)) => {
                Some((Restate::start_at(network.places()).await, Balancer::start_at(network::ADDRESS).await))
            }
        };
        let key = restate.as_ref().map(|(restate, _)| restate.key());
        let links: Vec<_> = (0..WORKERS).map(|_| Link::start(postgres.folder())).collect();
        let workers: Vec<_> = links.iter().map(|link| start_worker(&data, link, key.as_deref())).collect();
        if let Some((restate, balancer)) = &restate {
            balancer.set(workers.iter().filter_map(|worker| worker.restate.clone()));
            restate.register(&balancer.url).await;
        }
        let (target, mut hosts) = (Target::of(&data, ""), Vec::new());
        target.urls.lock().clear();
        for data in [data, other] {
            let (child, url) = serve(&data, &database, restate.as_ref().map(|(restate, _)| restate));
            target.urls.lock().push(url);
            hosts.push((child, data));
        }
        Self { workers, links, hosts, restate, network, postgres, database, target }
    }

    pub fn target(&self) -> Target {
        self.target.clone()
    }

    pub async fn disturb(&mut self, disruption: Disruption) {
        match disruption {
            Disruption::KillWorker(worker) => {
                self.workers[worker].child.kill().unwrap();
                self.restart_worker(worker);
            }
            Disruption::EndWorker(worker) => {
                kill_process(Pid::from_child(&self.workers[worker].child), Signal::TERM).unwrap();
                tokio::task::block_in_place(|| self.workers[worker].child.wait().unwrap());
                self.restart_worker(worker);
            }
            Disruption::StopWorker(worker) => {
                let process = Pid::from_child(&self.workers[worker].child);
                kill_process(process, Signal::STOP).unwrap();
                tokio::time::sleep(LONGER_THAN_A_LEASE).await;
                kill_process(process, Signal::CONT).unwrap();
            }
            Disruption::CutWorker(worker) => self.links[worker].cut(LONGER_THAN_A_LEASE).await,
            Disruption::FillDisk(worker) => {
                let process = Pid::from_child(&self.workers[worker].child);
                // Those of this process, which it has inherited.
                let before = getrlimit(Resource::Fsize);
                let full = Rlimit { current: Some(0), ..before };
                prlimit(Some(process), Resource::Fsize, full).unwrap();
                tokio::time::sleep(LONGER_THAN_A_LEASE).await;
                prlimit(Some(process), Resource::Fsize, before).unwrap();
            }
            Disruption::KillHost(host) => tokio::task::block_in_place(|| self.restart_host(host)),
            Disruption::KillDatabase => tokio::task::block_in_place(|| {
                self.postgres.kill();
                self.postgres.restart();
            }),
            Disruption::KillRestate(node) => {
                let (restate, _) = self.restate.as_mut().unwrap();
                restate.kill(node);
                restate.restart(node).await;
            }
            Disruption::PullCable(node) => {
                let (network, (restate, _)) =
                    (self.network.as_ref().unwrap(), self.restate.as_ref().unwrap());
                let cut = async || assert!(!restate.answers(node).await, "it is cut off");
                network.pull_cable(node, PULLED, cut).await;
            }
        }
    }

    fn restart_worker(&mut self, worker: usize) {
        let settings = &self.hosts[0].1;
        let key = self.restate.as_ref().map(|(restate, _)| restate.key());
        self.workers[worker] =
            tokio::task::block_in_place(|| start_worker(settings, &self.links[worker], key.as_deref()));
        if let Some((_, balancer)) = &self.restate {
            balancer.set(self.workers.iter().filter_map(|worker| worker.restate.clone()));
        }
    }

    fn restart_host(&mut self, host: usize) {
        let (child, data) = &mut self.hosts[host];
        child.kill().unwrap();
        child.wait().unwrap();
        let (started, url) = serve(data, &self.database, self.restate.as_ref().map(|(restate, _)| restate));
        *child = started;
        self.target.urls.lock()[host] = url;
    }

    /// Restate has no open invocation when all runs have ended.
    pub async fn check_restate(&self) {
        if let Some((restate, _)) = &self.restate {
            restate.rests().await;
        }
    }

    /// Each conversation has its turns, one whole after the other.
    pub async fn check_conversations(&self, jobs: &[Job]) {
        let count = jobs.iter().filter_map(|job| job.conversation).max().map_or(0, |last| last + 1);
        for number in 0..count {
            let turns = jobs.iter().filter(|job| job.conversation == Some(number));
            let mut expected: Vec<String> = turns.filter_map(|job| job.input.clone()).collect();
            let page = json!({ "conversation": self.target.conversation(number).await });
            let (status, said) = self
                .target
                .ask_until_answered(Method::POST, "/commands/conversations.messages", Some(&page))
                .await;
            assert_eq!(status, 200, "{said}");
            let mut inputs = check_turns(&said);
            inputs.sort();
            expected.sort();
            assert_eq!(inputs, expected);
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for (child, _) in &mut self.hosts {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start_worker(settings: &Data, link: &Link, restate_key: Option<&str>) -> Worker {
    let database = &link.url(DATABASE);
    // The connections of all have to find a place in the database.
    let args = ["--max-runs", "8", "--lease", "2"];
    match restate_key {
        Some(key) => Worker::start_for_restate(&Version::current(), settings.path(), database, key, &args),
        None => Worker::start_with(settings.path(), database, &args),
    }
}

fn serve(data: &Data, database: &str, restate: Option<&Restate>) -> (Child, String) {
    let limits = ["--requests-per-minute", "100000", "--runs-per-token", "1000"];
    let mut args = [&["serve", "--listen", "127.0.0.1:0", "--database", database], &limits[..]].concat();
    let ingress = restate.map(|restate| restate.ingress().join(","));
    args.extend(ingress.iter().flat_map(|urls| ["--restate", urls]));
    let mut child = command(data.path(), &args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    assert!(url.starts_with("http"), "the host does not start: {url}");
    (child, url.trim().to_owned())
}
