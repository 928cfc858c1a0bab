//! Upgrades while runs wait for a person: a host and its worker are replaced by those of the next version, one after the other, or what an
//! earlier version left in the database is gone on with.
//!
//! `PLAIT_LAST_SERVER` names the program of an earlier version to upgrade from, which has to be there. Without it, that is the program of
//! today. The next version is always the program of today, whose workers say that their engine has the next revision.

use std::path::{Path, PathBuf};

use futures::future::join_all;
use serde_json::json;

use crate::cluster::{Cluster, Worker, until};
use crate::disruptions::clients::{Outcome, Target, begin, complete};
use crate::disruptions::workload::{Job, asking_jobs, publish_all, reply};
use crate::disruptions::{Played, count, play_alone};
use crate::process::{Data, Host, Version, ask_flow};
use crate::restate_server::{Balancer, Restate};
use crate::server::ModelServer;

/// How many runs wait.
const RUNS: usize = 50;

/// How many requests of a model are made before the old of two workers ends.
const ANSWERED_BESIDE: usize = 8;

/// The version to upgrade from.
fn last() -> Version {
    std::env::var_os("PLAIT_LAST_SERVER").map_or_else(Version::current, Version::at)
}

/// A database with runs that wait, as a worker of an earlier version left it.
fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/hosts/waiting-runs.dump")
}

async fn model() -> ModelServer {
    ModelServer::start(|request, _| reply(request, std::time::Duration::ZERO)).await
}

async fn all_wait(target: &Target, jobs: &[Job]) {
    for state in join_all(jobs.iter().map(|job| begin(target, job))).await {
        assert_eq!(state["status"], "waiting", "{state}");
    }
}

async fn complete_all(target: &Target, jobs: &[Job]) -> Vec<Outcome> {
    join_all(jobs.iter().map(|job| complete(target, job))).await
}

/// The outputs and the replies that were paid are those of one machine that was never upgraded.
fn assert_same(jobs: &[Job], alone: &Played, outcomes: &[Outcome]) {
    for (job, (alone, outcome)) in jobs.iter().zip(alone.outcomes.iter().zip(outcomes)) {
        assert_eq!((alone, outcome.status.as_str()), (outcome, "finished"), "{job:?}");
    }
}

fn serve<'d>(data: &'d Data, database: &str, restate: Option<&(Restate, Balancer)>) -> Host<'d> {
    let ingress = restate.map(|(restate, _)| restate.ingress().join(","));
    let mut args = vec!["--listen", "127.0.0.1:0", "--database", database];
    args.extend(["--requests-per-minute", "100000", "--runs-per-token", "1000"]);
    args.extend(ingress.iter().flat_map(|urls| ["--restate", urls]));
    data.serve_as(&args)
}

fn start_worker(
    version: &Version,
    data: &Data,
    database: &str,
    restate: Option<&(Restate, Balancer)>,
) -> Worker {
    let key = restate.map(|(restate, _)| restate.key());
    let of_restate = key.iter().flat_map(|key| ["--restate-listen", "127.0.0.1:0", "--restate-key", key]);
    let args: Vec<&str> = ["--lease", "2"].into_iter().chain(of_restate).collect();
    Worker::start_version(version, data.path(), database, &args)
}

fn balance<'w>(restate: Option<&(Restate, Balancer)>, workers: impl IntoIterator<Item = &'w Worker>) {
    if let Some((_, balancer)) = restate {
        balancer.set(workers.into_iter().filter_map(|worker| worker.restate.clone()));
    }
}

/// Two thirds of the runs are gone on with while an old and a new worker are there and the old one ends, one while the host is replaced.
async fn roll(restate: Option<&(Restate, Balancer)>) {
    let (jobs, model, new) = (asking_jobs(RUNS), model().await, Version::next());
    let alone = play_alone(&jobs).await;
    let mut cluster = Cluster::of(last());
    cluster.data.serve().set_provider(&model.url).await;
    publish_all(&cluster.data);

    let database = cluster.database.clone();
    let old_worker = start_worker(&cluster.data.version, &cluster.data, &database, restate);
    balance(restate, [&old_worker]);
    if let Some((restate, balancer)) = restate {
        restate.register(&balancer.url).await;
    }
    let old_host = serve(&cluster.data, &database, restate);
    let target = Target::of(&cluster.data, &old_host.url);
    all_wait(&target, &jobs).await;

    // Restate asks the old worker, too, which refuses what the new one has driven.
    let (first, third) = jobs.split_at(RUNS * 2 / 3);
    let new_worker = start_worker(&new, &cluster.data, &database, restate);
    balance(restate, [&old_worker, &new_worker]);
    let before = model.call_count();
    let end_worker = async {
        until(|| model.call_count() >= before + ANSWERED_BESIDE).await;
        balance(restate, [&new_worker]);
        tokio::task::block_in_place(|| old_worker.end());
    };
    let (mut outcomes, ()) = tokio::join!(complete_all(&target, first), end_worker);

    let clients = {
        let (target, third) = (target.clone(), third.to_vec());
        tokio::spawn(async move { complete_all(&target, &third).await })
    };
    old_host.end();
    cluster.data.version = new;
    let new_host = serve(&cluster.data, &database, restate);
    *target.urls.lock() = vec![new_host.url.clone()];
    outcomes.extend(clients.await.unwrap());

    assert_same(&jobs, &alone, &outcomes);
    // What was on its way in a worker that ended is asked again, and nothing else is asked.
    let made = count(&model);
    assert_eq!(made.keys().collect::<Vec<_>>(), alone.requests.keys().collect::<Vec<_>>());
    let sum = |requests: &std::collections::BTreeMap<String, usize>| requests.values().sum::<usize>();
    println!(
        "{} requests, of which {} were made again",
        sum(&alone.requests),
        sum(&made) - sum(&alone.requests)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_runs_go_on_while_workers_and_host_are_replaced_by_newer_ones() {
    roll(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_runs_of_restate_go_on_while_workers_and_host_are_replaced_by_newer_ones() {
    let restate = (Restate::start(1).await, Balancer::start().await);
    roll(Some(&restate)).await;
}

/// `PLAIT_WRITE_WAITING_RUNS=1 PLAIT_LAST_SERVER=PROGRAM` records the database anew, with the program of an earlier version.
#[tokio::test(flavor = "multi_thread")]
async fn runs_that_an_earlier_version_left_waiting_go_on() {
    let (jobs, model) = (asking_jobs(RUNS), model().await);
    if std::env::var_os("PLAIT_WRITE_WAITING_RUNS").is_some() {
        record(&jobs, &model).await;
    }
    let alone = play_alone(&jobs).await;
    let cluster = Cluster::new();
    cluster.postgres.restore("plait", &recorded());
    cluster.data.serve().set_provider(&model.url).await;
    publish_all(&cluster.data);
    let host = serve(&cluster.data, &cluster.database, None);
    let target = Target::of(&cluster.data, &host.url);
    // Without a worker: nothing is to be done.
    all_wait(&target, &jobs).await;
    let _worker = start_worker(&Version::current(), &cluster.data, &cluster.database, None);
    assert_same(&jobs, &alone, &complete_all(&target, &jobs).await);
}

async fn record(jobs: &[Job], model: &ModelServer) {
    let cluster = Cluster::of(last());
    cluster.data.serve().set_provider(&model.url).await;
    publish_all(&cluster.data);
    let host = serve(&cluster.data, &cluster.database, None);
    let worker = start_worker(&cluster.data.version, &cluster.data, &cluster.database, None);
    all_wait(&Target::of(&cluster.data, &host.url), jobs).await;
    worker.end();
    drop(host);
    std::fs::create_dir_all(recorded().parent().unwrap()).unwrap();
    std::fs::write(recorded(), cluster.postgres.dump("plait")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn run_of_a_newer_worker_is_left_to_newer_workers() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let start = |version: Version| {
        Worker::start_version(&version, cluster.data.path(), &cluster.database, &["--lease", "1"])
    };
    let newer = start(Version::next());
    let (_, asked) = host.post("runner", "/flows/ask/runs", json!({})).await;
    assert_eq!(asked["status"], "waiting", "{asked}");
    newer.end();
    let older = start(Version::current());
    let (status, refused) = host.answer(&asked, "Ann").await;
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (503, &json!("host.newer_worker")), "{refused}");
    assert_eq!(older.journals(), 0, "it is left alone");
    // What was asked was kept.
    let _newer = start(Version::next());
    let path = format!("/runs/{}?wait=60", asked["run"].as_str().unwrap());
    let (_, state) = host.get("viewer", &path).await;
    assert_eq!(state["outputs"]["out"]["value"], "Ann", "{state}");
}
