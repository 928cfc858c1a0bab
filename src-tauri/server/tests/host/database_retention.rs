//! How long ended runs stay in a database.

use serde_json::{Value, json};

use crate::cluster::{Cluster, copy_host};
use crate::process::{Data, Host, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply};
use crate::tenants::{Tenant, fixed_flow};

/// Lets the ends of all runs be some days earlier.
fn age(cluster: &Cluster, schema: &str, days: u32) {
    let age = format!("UPDATE {schema}.run_trees SET ended_at = ended_at - interval '{days} days'");
    cluster.postgres.execute("plait", &age);
}

async fn listed(host: &Host<'_>) -> Vec<Value> {
    let (status, board) = host.get("viewer", "/runs").await;
    assert_eq!(status, 200, "{board}");
    board["runs"].as_array().unwrap().iter().map(|run| run["run"].clone()).collect()
}

/// Resolves when the host has removed what is no longer kept.
async fn until_listed(host: &Host<'_>, runs: &[&Value]) {
    while listed(host).await.iter().ne(runs.iter().copied()) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// What the audit log says of removed runs: by whom, of which tenant, and which.
fn removals(data: &Data) -> Vec<[Value; 3]> {
    let entries = data.audit().into_iter().filter(|entry| !entry["removed"].is_null());
    entries.map(|entry| ["name", "tenant", "removed"].map(|key| entry[key].clone())).collect()
}

async fn play(host: &Host<'_>) -> (Value, Value) {
    let (_, state) =
        host.post("runner", "/flows/chat/runs", json!({ "input": "Go", "replies": "any" })).await;
    assert_eq!(state["status"], "finished", "{state}");
    (state["run"].clone(), state["outputs"]["chat"]["response"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_remove_runs_that_ended_long_ago_and_spending_stays() {
    let model = ModelServer::start(|_, before| ServerReply::Text(before.to_string())).await;
    let cluster = Cluster::new();
    let worker = {
        let host = cluster.host();
        host.set_provider(&model.url).await;
        cluster.publish("chat", &chat_flow());
        cluster.publish("ask", &ask_flow());
        cluster.worker()
    };
    let spent = || worker.file("spending.log");
    let other_data = copy_host(&cluster.data);
    let (old, asked, conversed) = {
        let host = cluster.host();
        let (old, _) = play(&host).await;
        let (_, asked) = host.post("runner", "/flows/ask/runs", json!({})).await;
        let (_, opened) = host
            .post("runner", "/commands/conversations.open", json!({ "flow": { "name": "Helper" } }))
            .await;
        let body = json!({ "input": "Hello", "conversation": opened["id"] });
        let (_, conversed) = host.post("runner", "/flows/chat/runs", body).await;
        assert_eq!(conversed["status"], "finished", "{conversed}");
        (old, asked, conversed)
    };
    age(&cluster, "public", 40);
    // A host that keeps all, and has a copy of the run.
    let keeping = cluster.host();
    assert_eq!(keeping.post("viewer", "/commands/runs.show", json!({ "run": old })).await.0, 200);
    let (new, reused) = play(&keeping).await;
    assert_eq!(reused, "0", "the reply of the old run is taken");
    let (calls, ledger) = (model.call_count(), spent());
    assert_eq!(listed(&keeping).await, [&new, &conversed["run"], &asked["run"], &old].map(Value::clone));

    let removing = cluster.host_with(&other_data, &["--keep-runs", "30d"]);
    let left = [&new, &conversed["run"], &asked["run"]];
    until_listed(&removing, &left).await;
    assert_eq!(listed(&keeping).await, left.map(Value::clone));
    for host in [&keeping, &removing] {
        let (status, gone) = host.post("viewer", "/commands/runs.show", json!({ "run": old })).await;
        assert_eq!((status.as_u16(), &gone["error"]["code"]), (404, &json!("run.unknown")), "{gone}");
        assert_eq!(host.get("viewer", &format!("/runs/{}", old.as_str().unwrap())).await.0, 404);
    }
    assert_eq!(removals(&other_data), [["--keep-runs".into(), "default".into(), old]]);
    assert_eq!(removals(&cluster.data), Vec::<[Value; 3]>::new());
    // What it bought is bought anew, and what was spent on it is still counted.
    assert_eq!(spent(), ledger);
    assert_eq!(removing.output_for(&asked, "Ann").await, "Ann");
    let (_, again) = play(&removing).await;
    assert_eq!((again, model.call_count()), (json!(calls.to_string()), calls + 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tenant_keeps_its_runs_as_long_as_is_said_for_it() {
    let cluster = Cluster::new();
    cluster.data.execute(&["tenants", "add", "acme"]);
    let refused =
        cluster.data.refused(&["serve", "--database", &cluster.database, "--keep-runs", "amce=30d"]);
    assert!(refused.contains("host.tenant_unknown"), "{refused}");
    let refused = cluster.data.refused(&["serve", "--embedded", "--keep-runs", "30d"]);
    assert!(refused.contains("--embedded"), "{refused}");
    let (own, acme) = (Tenant::of(&cluster.data, "default"), Tenant::of(&cluster.data, "acme"));
    let runs = {
        let host = cluster.host();
        let _worker = cluster.worker();
        let mut runs = Vec::new();
        for tenant in [&own, &acme, &acme] {
            tenant.flow("fixed.flow.json", &fixed_flow(tenant.name));
            tenant.publish(&host, "fixed").await;
            let (_, state) = tenant.post(&host, "/flows/fixed/runs", json!({})).await;
            assert_eq!(state["status"], "finished", "{state}");
            runs.push(state["run"].clone());
        }
        runs
    };
    age(&cluster, "public", 40);
    age(&cluster, "tenant_acme", 40);
    let oldest = format!(
        "UPDATE tenant_acme.run_trees SET ended_at = ended_at - interval '20 days' WHERE root = '{}'",
        runs[1].as_str().unwrap()
    );
    cluster.postgres.execute("plait", &oldest);
    let host = cluster.host_with(&cluster.data, &["--keep-runs", "30d", "--keep-runs", "acme=50d"]);
    let is_listed = async |tenant: &Tenant, run: &Value| {
        let (_, board) = tenant.get(&host, "/runs").await;
        board["runs"].as_array().unwrap().iter().any(|listed| listed["run"] == *run)
    };
    while is_listed(&own, &runs[0]).await || is_listed(&acme, &runs[1]).await {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(is_listed(&acme, &runs[2]).await);
    let mut removed = removals(&cluster.data);
    removed.sort_by_key(|[_, tenant, _]| tenant.to_string());
    let of = |tenant: &str, run: &Value| ["--keep-runs".into(), tenant.into(), run.clone()];
    assert_eq!(removed, [of("acme", &runs[1]), of("default", &runs[0])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn old_runs_are_removed_by_hand() {
    let model = ModelServer::start(|_, before| ServerReply::Text(before.to_string())).await;
    let cluster = Cluster::new();
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("chat", &chat_flow());
    let _worker = cluster.worker();
    let (old, _) = play(&host).await;
    age(&cluster, "public", 40);
    let (new, _) = play(&host).await;
    let prune = |more: &[&str]| {
        let args = ["runs", "prune", "--keep", "30d", "--database", &cluster.database];
        cluster.data.execute(&[&args, more].concat())
    };
    assert_eq!(prune(&["--dry-run"]), old.as_str().unwrap());
    assert_eq!(listed(&host).await, [new.clone(), old.clone()]);
    assert_eq!(prune(&[]), old.as_str().unwrap());
    assert_eq!(prune(&[]), "");
    assert_eq!(listed(&host).await, [new]);
    assert_eq!(removals(&cluster.data), [["terminal".into(), "default".into(), old]]);
    let unknown = cluster.data.refused(&[
        "runs",
        "prune",
        "--keep",
        "30d",
        "--tenant",
        "acme",
        "--database",
        &cluster.database,
    ]);
    assert!(unknown.contains("host.tenant_unknown"), "{unknown}");
}
