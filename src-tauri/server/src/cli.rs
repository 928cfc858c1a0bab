//! The command line.

mod identities;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use plait_api::{ErrorReply, Options, Plait, data_dir};
use plait_host_store::TenantName;
use plait_journal::ENGINE_REVISION;
use reqwest::Url;

use crate::callbacks::Callbacks;
use crate::certificate::CertificateFiles;
use crate::codes;
use crate::kept_runs::{KeptFor, KeptRuns, KeptTime};
use crate::limits::Limits;
use crate::published::Published;
use crate::publishing;
use crate::retention;
use crate::roles::Role;
use crate::run_transfer;
use crate::serve::{ServeOptions, serve};
use crate::tenant_folders::{TenantFolders, options_of};
use crate::tokens::TokenFile;
use crate::worker::{EndpointOptions, WorkerOptions, work};
use identities::IdentitiesCommand;

/// Who published a flow without a token.
const TERMINAL: &str = "terminal";

/// Serve flows over HTTP, for people and programs with tokens.
#[derive(Debug, Parser)]
#[command(name = "plait-server", version, about, max_term_width = 100)]
#[command(after_help = "\
Examples:
  plait-server tokens add --name ann --role runner --expires 30d
  plait-server publish greet hello.flow.json
  plait-server serve --embedded --listen 127.0.0.1:8080")]
pub(crate) struct Cli {
    /// The data directory, as of `plait`.
    #[arg(long, value_name = "DIR", env = "PLAIT_HOME", global = true)]
    data: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the data directory until Ctrl+C.
    Serve(ServeArgs),
    /// Drive runs of a database until Ctrl+C.
    Worker(WorkerArgs),
    /// Move runs between the data directory and a database, or remove old ones from it.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Add, list or revoke tokens. A host that runs knows of it at once.
    #[command(subcommand)]
    Tokens(TokensCommand),
    /// Add, list or remove identity providers (OIDC), whose tokens are let in as well. A host that runs knows of it at once.
    #[command(subcommand)]
    Identities(IdentitiesCommand),
    /// Add or list tenants: each has flows, runs, conversations, settings and keys of its own.
    #[command(subcommand)]
    Tenants(TenantsCommand),
    /// Check a flow and serve it under a name, as a new version.
    Publish(PublishArgs),
    /// Print the secret that callbacks are signed with. Receivers check them with it.
    CallbackSecret {
        #[command(flatten)]
        tenant: TenantArgs,
    },
    /// List the published flows, or the versions of one.
    Published {
        /// The name of a flow.
        name: Option<String>,
        #[command(flatten)]
        tenant: TenantArgs,
    },
    /// Serve an earlier version of a published flow again.
    RollBack {
        /// The name of the flow.
        name: String,
        /// The number of the version.
        version: u32,
        #[command(flatten)]
        tenant: TenantArgs,
    },
    /// Serve a flow no longer. Its versions are kept.
    Unpublish {
        /// The name of the flow.
        name: String,
        #[command(flatten)]
        tenant: TenantArgs,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Prints its address when it listens. Runs that were interrupted go on. `plait` and the window on this machine use the data directory \
through the host while it runs. `/openapi.json` describes the routes.")]
struct ServeArgs {
    /// In this process, with the files of the data directory.
    #[arg(long, required_unless_present = "database")]
    embedded: bool,
    /// Workers drive the runs of published flows, whose truth is in this PostgreSQL database.
    #[arg(
        long,
        value_name = "URL",
        env = "PLAIT_DATABASE",
        hide_env_values = true,
        conflicts_with = "embedded"
    )]
    database: Option<String>,
    /// Restate decides which worker drives a run: the address of its ingress. Repeat it for several nodes: the next one is asked when one does not
    /// answer. The workers need `--restate-listen`.
    #[arg(long, value_name = "URL", env = "PLAIT_RESTATE", value_delimiter = ',', requires = "database")]
    restate: Vec<Url>,
    /// The folder with the flows: the only files that requests name. `host/flows` in the data directory, if left out; tools of flows read
    /// and write files only in a folder outside of it.
    #[arg(long, value_name = "DIR")]
    flows: Option<PathBuf>,
    /// A folder with a folder of flows for each tenant beside the default one. `host/flows` in the data directory of the tenant, if left
    /// out.
    #[arg(long, value_name = "DIR")]
    tenant_flows: Option<PathBuf>,
    /// The address to listen on. Port 0 lets the system choose one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// An address at which `/metrics` is answered for Prometheus, without a token and without encryption: one that only it reaches.
    #[arg(long, value_name = "ADDRESS")]
    metrics_listen: Option<SocketAddr>,
    /// The certificate to encrypt with, followed by its chain, in PEM. Read again when the file has changed.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Listen also where others than this machine reach the host, without encryption: behind a proxy that encrypts.
    #[arg(long, conflicts_with = "tls_certificate")]
    plain_http: bool,
    /// How long runs stay in the database after their end, such as `90d`, at least an hour; `TENANT=TIME` says it for one tenant, `TENANT=forever`
    /// keeps all of its runs. Repeat it. All are kept, if left out. Those that wait or continue a conversation stay in any case.
    #[arg(
        long = "keep-runs",
        value_name = "[TENANT=]TIME",
        requires = "database",
        conflicts_with = "embedded"
    )]
    keep_runs: Vec<KeptFor>,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Prints its ID when it works. Settings, keys, grants and the folder with the flows are those of this machine: they have to be the same \
for the host and all of its workers. Each process needs a data directory of its own.")]
struct WorkerArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// After how many seconds others take over what a worker drove that died.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=3600))]
    lease: u32,
    /// Whose runs it drives; repeat it for several tenants. All tenants in the data directory, if left out.
    #[arg(long = "tenant", value_name = "NAME")]
    tenants: Vec<TenantName>,
    /// The folder with the flows, as of the host. Flows in it reach no files outside of it.
    #[arg(long, value_name = "DIR")]
    flows: Option<PathBuf>,
    /// The folder with a folder of flows for each tenant beside the default one, as of the host.
    #[arg(long, value_name = "DIR")]
    tenant_flows: Option<PathBuf>,
    /// How many runs of each tenant it drives at once. Those that wait for a person do not count.
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_runs: u32,
    /// Restate decides which runs it drives, and asks it at this address over HTTP/2. One that all workers share, such as that of a balancer, is
    /// registered with Restate.
    #[arg(long, value_name = "ADDRESS")]
    restate_listen: Option<SocketAddr>,
    /// The public key that Restate signs its requests with; repeat it while the key is changed. Others are refused.
    #[arg(
        long = "restate-key",
        value_name = "KEY",
        env = "PLAIT_RESTATE_KEY",
        value_delimiter = ',',
        requires = "restate_listen"
    )]
    restate_keys: Vec<String>,
    /// Listen for Restate also where others than this machine reach the worker, without `--restate-key`: in a network that only Restate and the
    /// workers are in.
    #[arg(long, requires = "restate_listen", conflicts_with = "restate_keys")]
    restate_unsigned: bool,
    /// What a worker in a test of upgrades says instead of the revision of its engine. Released programs have no such option.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, default_value_t = ENGINE_REVISION)]
    test_revision: u32,
}

impl WorkerArgs {
    fn revision(&self) -> u32 {
        #[cfg(debug_assertions)]
        return self.test_revision;
        #[cfg(not(debug_assertions))]
        return ENGINE_REVISION;
    }
}

#[derive(Debug, Args)]
struct TenantArgs {
    /// Whose it is.
    #[arg(long, value_name = "NAME", default_value_t)]
    tenant: TenantName,
}

impl TenantArgs {
    /// The data directory of the tenant. `host.tenant_unknown`.
    fn home(&self, home: &Path) -> Result<PathBuf, ErrorReply> {
        TenantFolders::of(home).find(&self.tenant)
    }
}

#[derive(Debug, Args)]
struct DatabaseArgs {
    /// The PostgreSQL database.
    #[arg(long = "database", value_name = "URL", env = "PLAIT_DATABASE", hide_env_values = true)]
    url: String,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// Store a run of the data directory in the database, with its child runs. It stays in the data directory.
    Import {
        /// Its ID, or the beginning of it.
        run: String,
        #[command(flatten)]
        tenant: TenantArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Store a run of the database in the data directory, with its child runs. It stays in the database.
    Export {
        /// Its ID.
        run: String,
        #[command(flatten)]
        tenant: TenantArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Remove runs of the database that ended long ago, with what only they used, and print their IDs. Those that wait or continue a conversation stay.
    /// The audit log of the data directory names each.
    Prune {
        /// How long runs stay after their end, such as `90d`; at least an hour.
        #[arg(long, value_name = "TIME")]
        keep: KeptTime,
        /// Print what would be removed.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        tenant: TenantArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Debug, Subcommand)]
enum TokensCommand {
    /// Add a token and print it. It is shown this once, and stored as a hash.
    Add {
        /// Who will have it; it stands in the audit log.
        #[arg(long)]
        name: String,
        /// What it may be used for. Each role includes those before it.
        #[arg(long, value_enum, required_unless_present = "hook")]
        role: Option<Role>,
        /// The published flow that another system begins: the token is a part of the address that it sends to, and opens nothing else.
        #[arg(long, value_name = "FLOW", conflicts_with = "role")]
        hook: Option<String>,
        #[command(flatten)]
        tenant: TenantArgs,
        /// After which time it is refused, such as `30d` or `12h`. Never, if left out.
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
    },
    /// List the tokens: name, role, id, when they expire, and their tenant.
    List,
    /// Revoke a token.
    Revoke {
        /// Its name, or its id.
        name: String,
    },
}

#[derive(Debug, Subcommand)]
enum TenantsCommand {
    /// Add a tenant, and print its data directory. A host that runs knows of it at once.
    Add {
        /// Small letters, digits, `-` and `_`.
        name: TenantName,
    },
    /// List the tenants with their data directories.
    List,
}

#[derive(Debug, Args)]
struct PublishArgs {
    /// The name under which it is served.
    name: String,
    /// The flow. Its sub-flows become part of the version. Its runs have the grants of this file, and may read in its folder as far as these
    /// allow.
    file: PathBuf,
    #[command(flatten)]
    tenant: TenantArgs,
}

impl Cli {
    /// Executes the command.
    pub(crate) fn execute(self) -> Result<(), ErrorReply> {
        let home = data_dir(self.data)?;
        match self.command {
            Command::Serve(args) => block_on(serve(ServeOptions {
                flows: args.flows.unwrap_or_else(|| home.join("host").join("flows")),
                tenant_flows: args.tenant_flows,
                home,
                database: args.database,
                restate: args.restate,
                listen: args.listen,
                metrics_listen: args.metrics_listen,
                certificate: args
                    .tls_certificate
                    .zip(args.tls_key)
                    .map(|(certificate, key)| CertificateFiles { certificate, key }),
                plain_http: args.plain_http,
                limits: args.limits,
                kept_runs: KeptRuns::from(args.keep_runs),
            })),
            Command::Worker(args) => block_on(work(WorkerOptions {
                id: WorkerOptions::new_id(args.revision()),
                home,
                database: args.database.url,
                tenants: args.tenants,
                flows: args.flows,
                tenant_flows: args.tenant_flows,
                lease: Duration::from_secs(args.lease.into()),
                max_runs: args.max_runs,
                restate: args.restate_listen.map(|listen| EndpointOptions {
                    listen,
                    keys: args.restate_keys,
                    allow_unsigned: args.restate_unsigned,
                }),
            })),
            Command::Runs(RunsCommand::Import { run, tenant, database }) => {
                block_on(run_transfer::import(&tenant.home(&home)?, &run, &database.url, &tenant.tenant))
            }
            Command::Runs(RunsCommand::Export { run, tenant, database }) => {
                block_on(run_transfer::export(&tenant.home(&home)?, &run, &database.url, &tenant.tenant))
            }
            Command::Runs(RunsCommand::Prune { keep, dry_run, tenant, database }) => {
                tenant.home(&home)?;
                let (url, tenant) = (&database.url, &tenant.tenant);
                block_on(async {
                    if dry_run {
                        retention::print_expired(url, tenant, keep).await
                    } else {
                        retention::prune(&home, url, tenant, keep).await
                    }
                })
            }
            Command::Tokens(command) => tokens(&home, command),
            Command::Identities(command) => block_on(identities::execute(&home, command)),
            Command::Tenants(command) => tenants(&home, command),
            Command::CallbackSecret { tenant } => {
                println!("{}", Callbacks::of(&tenant.home(&home)?).secret()?.text());
                Ok(())
            }
            Command::Publish(args) => block_on(publish(&args.tenant.home(&home)?, args)),
            Command::Published { name, tenant } => {
                list_published(&Published::of(&tenant.home(&home)?), name.as_deref())
            }
            Command::RollBack { name, version, tenant } => {
                Published::of(&tenant.home(&home)?).roll_back(&name, version)?;
                println!("{name}: version {version} is served.");
                Ok(())
            }
            Command::Unpublish { name, tenant } => {
                Published::of(&tenant.home(&home)?).remove(&name)?;
                println!("{name} is served no longer.");
                Ok(())
            }
        }
    }
}

fn tenants(home: &Path, command: TenantsCommand) -> Result<(), ErrorReply> {
    let folders = TenantFolders::of(home);
    match command {
        TenantsCommand::Add { name } => println!("{}", folders.add(&name)?.display()),
        TenantsCommand::List => {
            for name in folders.list()? {
                println!("{name}\t{}", folders.find(&name)?.display());
            }
        }
    }
    Ok(())
}

fn tokens(home: &Path, command: TokensCommand) -> Result<(), ErrorReply> {
    let file = TokenFile::of(home);
    match command {
        TokensCommand::Add { name, role, hook, tenant, expires } => {
            let published = Published::of(&tenant.home(home)?);
            if let Some(flow) = &hook {
                published.current(flow)?;
            }
            let use_of_it = match hook {
                Some(_) => "The other system posts to `/hooks/TOKEN` of the host.",
                None => "Clients send it as `Authorization: Bearer TOKEN`.",
            };
            println!(
                "{}",
                file.add(&name, role.unwrap_or(Role::Runner), hook, tenant.tenant, expires.as_deref())?
            );
            eprintln!("This token is shown once. {use_of_it}");
        }
        TokensCommand::List => {
            for token in file.list()?.iter() {
                let expires = match token.expires_at {
                    _ if token.has_expired() => "expired".to_owned(),
                    Some(at) => format!("expires {at:.0}"),
                    None => "does not expire".to_owned(),
                };
                let role = match &token.hook {
                    Some(flow) => format!("hook of {flow}"),
                    None => token.role.name().to_owned(),
                };
                let (name, tenant) = (&token.name, &token.tenant);
                println!("{name}\t{role}\t{}\t{expires}\t{tenant}", token.id);
            }
        }
        TokensCommand::Revoke { name } => {
            file.revoke(&name)?;
            println!("{name} is revoked.");
        }
    }
    Ok(())
}

async fn publish(home: &Path, PublishArgs { name, file, tenant }: PublishArgs) -> Result<(), ErrorReply> {
    let path = std::path::absolute(&file).ok().and_then(|path| path.into_os_string().into_string().ok());
    let path = path.ok_or_else(|| {
        let message = format!("`{}` cannot be the name of a flow's file.", file.display());
        ErrorReply::new(codes::FLOW_NOT_FOUND, message)
    })?;
    // Beside a host that runs, which has the data directory open.
    let plait = Plait::open(Options { read_only: true, ..options_of(&tenant.tenant, home) })?;
    let about =
        publishing::publish(&plait, Published::of(home), name.clone(), path, TERMINAL.to_owned()).await?;
    println!("{name}: version {} is served.", about.version);
    Ok(())
}

fn list_published(published: &Published, name: Option<&str>) -> Result<(), ErrorReply> {
    match name {
        Some(name) => {
            for about in published.versions(name)? {
                println!("{}\t{:.0}\t{}", about.version, about.at, about.by);
            }
        }
        None => {
            for served in published.list()? {
                println!("{}\tversion {}\t{}", served.name, served.about.version, served.title);
            }
        }
    }
    Ok(())
}

fn block_on(command: impl Future<Output = Result<(), ErrorReply>>) -> Result<(), ErrorReply> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        ErrorReply::new(codes::HOST_ADDRESS, format!("The worker threads could not be started: {error}."))
    })?;
    let result = runtime.block_on(command);
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}
