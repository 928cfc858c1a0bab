//! Runs in a real PostgreSQL: the same records as in the files, one writer at a time, requests in order.

#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod conversations;
mod leases;
mod listings;
mod records;
mod replies;
mod requests;
mod retention;
mod tenants;

#[path = "../../../../tests/support/postgres.rs"]
#[allow(dead_code, reason = "other tests use the other part of it")]
mod postgres;
#[path = "../../../store/tests/store/support.rs"]
#[allow(dead_code, reason = "the tests of the store use the other part of it")]
mod support;

use std::sync::Arc;
use std::time::Duration;

use plait_core::id::RunId;
use plait_host_store::{Database, Lease, LeasedRuns, Listing, TenantName, WorkerId};
use plait_store::{RunDatabase, Store};
use tempfile::TempDir;
use tokio::runtime::{Handle, Runtime};
use uuid::Uuid;

use postgres::Postgres;

/// Longer than any test.
const HOUR: Duration = Duration::from_hours(1);
/// Over before the next statement.
const MOMENT: Duration = Duration::ZERO;

/// The revision of the engine that workers of tests have.
const REVISION: u32 = 7;

fn as_worker(id: Uuid) -> WorkerId {
    WorkerId { id, revision: REVISION }
}

/// A database with its tables.
struct Rig {
    postgres: Postgres,
    runtime: Runtime,
    database: Database,
}

impl Rig {
    fn new() -> Self {
        let postgres = Postgres::start();
        let runtime = Runtime::new().unwrap();
        let database =
            runtime.block_on(Database::open(&postgres.database("plait"), 8, &TenantName::default())).unwrap();
        Self { postgres, runtime, database }
    }

    /// A tree that is begun, with a lease of it.
    fn begin(&self, root: &RunId, worker: Uuid, lease: Duration) -> Lease {
        self.runtime.block_on(async {
            self.database.begin(root, None, ("run.start", "{}"), &Listing::default()).await.unwrap();
            self.claim(worker, lease).await
        })
    }

    /// The lease of the only tree that has work.
    async fn claim(&self, worker: Uuid, lease: Duration) -> Lease {
        let mut claimed = self.database.claim(as_worker(worker), lease, 10).await.unwrap();
        assert_eq!(claimed.len(), 1);
        claimed.remove(0)
    }

    /// A data directory of a process that has this lease.
    fn process(&self, lease: &Lease) -> Process {
        let handle: Handle = self.runtime.handle().clone();
        let leased = Arc::new(LeasedRuns::new(self.database.clone(), handle));
        leased.add(lease);
        let home = tempfile::tempdir().unwrap();
        let database = Arc::clone(&leased) as Arc<dyn RunDatabase>;
        let store = Store::open_with_database(home.path(), database, &mut |_, _| ()).unwrap();
        Process { store, home, leased }
    }
}

struct Process {
    store: Store,
    home: TempDir,
    leased: Arc<LeasedRuns>,
}
