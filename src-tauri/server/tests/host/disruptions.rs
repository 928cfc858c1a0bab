//! Runs of many kinds on three workers and two hosts, whose processes are killed, ended, stopped and cut off, whose disks fill up, and whose database is killed, with three nodes of
//! Restate or without: the outputs and the requests to the model are those of one undisturbed machine.

pub mod clients;
mod link;
mod network;
mod processes;
pub mod workload;

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use serde_json::Value;

use crate::process::Data;
use crate::server::ModelServer;
use clients::{Outcome, complete};
use processes::{Disruption, Driver, Processes};
use workload::{Job, jobs, publish_all, reply};

/// How a model's words are spaced, so that calls are under way when something happens.
const WORD_INTERVAL: Duration = Duration::from_millis(15);

/// How long after one another runs begin while a cable is pulled.
const PACE: Duration = Duration::from_millis(500);

/// What the clients got, and what the model was asked.
pub struct Played {
    pub outcomes: Vec<Outcome>,
    pub requests: BTreeMap<String, usize>,
}

pub fn count(model: &ModelServer) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for call in model.calls() {
        *counts.entry(workload::without_call_ids(&call)).or_default() += 1;
    }
    counts
}

/// Undisturbed, on one machine.
pub async fn play_alone(jobs: &[Job]) -> Played {
    let model = ModelServer::start(|request, _| reply(request, Duration::ZERO)).await;
    let data = Data::new();
    let host = data.serve_with(&["--requests-per-minute", "100000", "--runs-per-token", "1000"]);
    host.set_provider(&model.url).await;
    publish_all(&data);
    let target = clients::Target::of(&data, &host.url);
    let outcomes = join_all(jobs.iter().map(|job| complete(&target, job))).await;
    Played { outcomes, requests: count(&model) }
}

async fn play_disturbed(jobs: &[Job], disruptions: &[Disruption], driver: Driver, calls: usize) -> Played {
    let model = ModelServer::start(|request, _| reply(request, WORD_INTERVAL)).await;
    let mut processes = Processes::start(&model.url, driver).await;
    let target = processes.target();
    // Where a cable is pulled, runs begin all the time that it is.
    let pace = if driver == Driver::WiredRestate { PACE } else { Duration::ZERO };
    let clients = join_all((0..).zip(jobs).map(|(number, job)| {
        let target = &target;
        async move {
            tokio::time::sleep(pace * number).await;
            complete(target, job).await
        }
    }));
    let disturb = async {
        for (number, disruption) in (1..).zip(disruptions) {
            // Spread over the calls of the model.
            let at = calls * number / (disruptions.len() + 1);
            crate::cluster::until(|| model.call_count() >= at).await;
            processes.disturb(*disruption).await;
        }
    };
    let (outcomes, ()) = tokio::join!(clients, disturb);
    processes.check_conversations(jobs).await;
    processes.check_restate().await;
    Played { outcomes, requests: count(&model) }
}

/// Plays jobs alone and disturbed, and compares.
async fn compare(jobs: &[Job], disruptions: &[Disruption], driver: Driver) {
    let alone = play_alone(jobs).await;
    let calls = alone.requests.values().sum();
    let played = play_disturbed(jobs, disruptions, driver, calls).await;
    for (job, (alone, played)) in jobs.iter().zip(alone.outcomes.iter().zip(&played.outcomes)) {
        assert_eq!(played.status, "finished", "{job:?}");
        // Nothing that was stored was bought again.
        assert_eq!(alone.tokens, played.tokens, "{job:?}");
        // The turns of a conversation come in any order, so what they say is checked by what is in it.
        if !job.is_turn() {
            assert_eq!(alone, played, "{job:?}");
        }
    }
    let of_runs = |requests: &BTreeMap<String, usize>| -> Vec<String> {
        requests.keys().filter(|request| !request.contains(workload::TURN)).cloned().collect()
    };
    assert_eq!(of_runs(&alone.requests), of_runs(&played.requests), "the same requests");
    // What was on its way when something happened, or had arrived and was not stored, is asked again.
    let made: usize = played.requests.values().sum();
    println!(
        "{} runs, {} disruptions, {driver:?}: {calls} requests, of which {} were made again",
        jobs.len(),
        disruptions.len(),
        made - calls
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_those_of_one_machine_when_processes_die() {
    use Disruption::{CutWorker, EndWorker, FillDisk, KillDatabase, KillHost, KillWorker, StopWorker};
    compare(
        &jobs(18),
        &[
            KillWorker(0),
            KillHost(0),
            StopWorker(1),
            CutWorker(0),
            EndWorker(2),
            KillDatabase,
            FillDisk(2),
            KillWorker(1),
        ],
        Driver::Leases,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_those_of_one_machine_when_restate_and_workers_die() {
    use Disruption::{EndWorker, KillHost, KillRestate, KillWorker};
    let disruptions = [
        KillWorker(0),
        KillRestate(0),
        EndWorker(2),
        KillRestate(1),
        KillHost(0),
        KillWorker(1),
        KillRestate(2),
    ];
    compare(&jobs(18), &disruptions, Driver::Restate).await;
}

/// Half a minute without a word from the node that the hosts ask first, while runs begin, go on and are answered.
#[tokio::test(flavor = "multi_thread")]
async fn runs_are_those_of_one_machine_when_the_cable_of_a_node_is_pulled() {
    if !network::runs_inside("disruptions::runs_are_those_of_one_machine_when_the_cable_of_a_node_is_pulled")
    {
        compare(&jobs(60), &[Disruption::PullCable(0)], Driver::WiredRestate).await;
    }
}

/// Takes some minutes: `cargo test -p plait-server --test host -- --ignored --nocapture many_runs`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; the short one above runs with the others"]
async fn many_runs_are_those_of_one_machine_when_processes_die() {
    compare(&jobs(200), &Disruption::any(40, 7, Driver::Leases), Driver::Leases).await;
}

/// The same with Restate: `… -- --ignored --nocapture many_runs_of_restate`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; the short one above runs with the others"]
async fn many_runs_of_restate_are_those_of_one_machine_when_processes_die() {
    compare(&jobs(200), &Disruption::any(40, 7, Driver::Restate), Driver::Restate).await;
}

fn as_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
