//! The connection to PostgreSQL, and its tables.

use std::borrow::Cow;
use std::future::Future;
use std::str::FromStr as _;
use std::time::Duration;

use plait_core::error::Fault;
use plait_core::id::RunId;
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use uuid::Uuid;

use crate::codes;
use crate::tenant_name::TenantName;
use crate::topics::Topic;

/// How long a statement may take. A connection that is gone without a word must not keep a run.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The changes of the tables, in order. Those that were released are never edited.
const MIGRATIONS: [(i64, &str, &str); 5] = [
    (1, "runs", include_str!("../migrations/1_runs.sql")),
    (2, "sharing", include_str!("../migrations/2_sharing.sql")),
    (3, "board", include_str!("../migrations/3_board.sql")),
    (4, "retention", include_str!("../migrations/4_retention.sql")),
    (5, "traces", include_str!("../migrations/5_traces.sql")),
];

/// The tables of a tenant. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) pool: PgPool,
    /// What its channels begin with.
    channels: String,
}

impl Database {
    /// Connects and brings the tables of a tenant up to date: those of the default one where the database looks for tables by itself,
    /// those of another one in a schema of its own, and its connections look nowhere else. Faults `host.database`, `host.database_newer`.
    pub async fn open(url: &str, connections: u32, tenant: &TenantName) -> Result<Self, Fault> {
        let mut options = PgConnectOptions::from_str(url)
            .map_err(|error| fault("read the address of the database", &error))?
            .application_name("plait");
        let mut schemas = Vec::new();
        if !tenant.is_default() {
            // Quoted: the name may have a hyphen.
            let schema = format!("\"tenant_{tenant}\"");
            options = options.options([("search_path", &schema)]);
            schemas.push(Cow::Owned(schema));
        }
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(CONNECT_TIMEOUT)
            .connect_with(options)
            .await
            .map_err(|error| fault("connect to the database", &error))?;
        let migrations = MIGRATIONS.map(|(version, name, sql)| {
            Migration::new(version, Cow::Borrowed(name), MigrationType::Simple, sql.into_sql_str(), false)
        });
        let mut migrator = Migrator::with_migrations(migrations.into());
        migrator.create_schemas = schemas.into();
        let migrated = migrator.run(&pool).await;
        migrated.map_err(|error| match error {
            MigrateError::VersionMissing(version) => {
                let message =
                    format!("A newer version of Plait has changed the database (to form {version}).");
                Fault::new(codes::HOST_DATABASE_NEWER, message).hint("Use that version.")
            }
            error => Fault::new(codes::HOST_DATABASE, format!("The tables could not be made: {error}.")),
        })?;
        let channels = if tenant.is_default() { "plait".to_owned() } else { format!("plait_{tenant}") };
        Ok(Self { pool, channels })
    }

    /// The channel of a topic: other tenants have others.
    pub(crate) fn channel(&self, topic: Topic) -> String {
        format!("{}_{}", self.channels, topic.name())
    }

    /// Closes the connections, when those who receive notices have let theirs go: their next one is an error.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// Whether it was closed, or is being closed.
    pub fn is_closed(&self) -> bool {
        self.pool.is_closed()
    }
}

/// What a statement gives, in time.
pub(crate) async fn within_time<T>(
    doing: &str,
    statement: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, Fault> {
    match tokio::time::timeout(STATEMENT_TIMEOUT, statement).await {
        Ok(done) => done.map_err(|error| fault(doing, &error)),
        Err(_) => Err(unavailable(format!("The host could not {doing}: the database does not answer."))),
    }
}

fn fault(doing: &str, error: &sqlx::Error) -> Fault {
    unavailable(format!("The host could not {doing}: {error}."))
}

fn unavailable(message: String) -> Fault {
    Fault::new(codes::HOST_DATABASE, message)
        .hint("Check `--database` and whether PostgreSQL runs. Nothing that was stored is lost.")
}

/// The id of a run as the tables have it. Fault `run.bad_id`.
pub(crate) fn uuid_of(run: &RunId) -> Result<Uuid, Fault> {
    Uuid::try_parse(run.as_str())
        .map_err(|_| Fault::new(codes::RUN_BAD_ID, format!("`{run}` is not a run's id.")))
}

/// The same back.
pub(crate) fn run_id(id: Uuid) -> RunId {
    id.to_string().into()
}

/// A number that the tables hold signed.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
