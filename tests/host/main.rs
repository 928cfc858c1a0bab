//! A host over loopback HTTP: the real application behind the editor's page in a browser, for tests and development.
//!
//! Prints its address once it answers. It ends when its standard input does, so it never outlives the process that
//! started it. Listens on 127.0.0.1 only and knows no users: everyone who reaches the port may run flows.

mod page;
mod routes;

use std::error::Error;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use plait_api::keys::KeyStore;
use plait_api::{Options, Plait};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// How long closing may take.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The application over loopback HTTP, for tests and development
#[derive(Parser)]
struct Args {
    /// The data directory
    #[arg(long)]
    home: PathBuf,
    /// The folder of the built page
    #[arg(long)]
    page: Option<PathBuf>,
    /// The port; 0 for a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

fn main() -> ExitCode {
    let served = tokio::runtime::Runtime::new()
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(serve(Args::parse())));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(args: Args) -> Result<(), Box<dyn Error>> {
    // Neither the person's keychain nor their model servers.
    let keys = KeyStore::in_file(&args.home, None);
    let plait =
        Arc::new(Plait::open(Options { keys: Some(keys), ..Options::new(args.home, plait_app::parts()) })?);
    let commands = routes::router(Arc::clone(&plait));
    let router = match args.page {
        Some(folder) => commands.merge(page::router(folder)?),
        None => commands,
    };
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await?;
    println!("http://{}", listener.local_addr()?);
    tokio::select! {
        served = axum::serve(listener, router).into_future() => served?,
        _ = input_ended() => {}
    }
    tokio::time::timeout(SHUTDOWN_TIMEOUT, plait.close()).await??;
    Ok(())
}

/// Resolves when standard input ends. On a thread of its own, which nothing waits for.
fn input_ended() -> oneshot::Receiver<()> {
    let (ended, receiver) = oneshot::channel();
    std::thread::spawn(move || {
        // Whether it ends or cannot be read, nobody is left to serve.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        let _ = ended.send(());
    });
    receiver
}
