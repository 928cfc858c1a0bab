//! A PostgreSQL server for a test: a cluster of its own in a temporary folder, reached by a socket there.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use tempfile::TempDir;

/// Whom Debian's packages run PostgreSQL as. The server refuses to run as root.
const NOBODY: u32 = 65_534;

pub struct Postgres {
    programs: PathBuf,
    folder: TempDir,
    server: Mutex<Child>,
}

/// The folder with the programs of the newest version. `cargo xtask test` installs them.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest =
        versions.map(|version| version.path().join("bin")).filter(|bin| bin.join("initdb").exists()).max();
    let in_path = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).find(|folder| folder.join("initdb").exists())
    };
    newest
        .or_else(in_path)
        .unwrap_or_else(|| panic!("PostgreSQL is missing: `cargo xtask setup` installs it"))
}

impl Postgres {
    pub fn start() -> Self {
        let (programs, folder) = (programs(), tempfile::tempdir().unwrap());
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let mut init = command(&programs, "initdb");
        init.args([
            "--username=plait",
            "--auth=trust",
            "--no-sync",
            "--encoding=UTF8",
            "--locale=C",
            "--pgdata",
        ]);
        let output = init.arg(folder.path().join("data")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let server = Mutex::new(serve(&programs, folder.path()));
        let started = Self { programs, folder, server };
        started.wait();
        started
    }

    /// The address of a database of this name, which is made.
    pub fn database(&self, name: &str) -> String {
        let mut create = command(&self.programs, "createdb");
        create.args(["--username=plait", "--host"]).arg(self.folder.path()).arg(name);
        assert!(create.status().unwrap().success());
        self.url(name)
    }

    /// What is in a database, in PostgreSQL's own compressed format.
    pub fn dump(&self, name: &str) -> Vec<u8> {
        let mut dump = command(&self.programs, "pg_dump");
        dump.args(["--username=plait", "--no-owner", "--format=custom", "--compress=9", "--host"]);
        let output = dump.arg(self.folder.path()).arg(name).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Puts what was dumped into an empty database.
    pub fn restore(&self, name: &str, dump: &Path) {
        let mut restore = command(&self.programs, "pg_restore");
        restore.args(["--username=plait", "--no-owner", "--exit-on-error", "--dbname", name, "--host"]);
        restore.arg(self.folder.path()).stdin(std::fs::File::open(dump).unwrap());
        assert!(restore.status().unwrap().success());
    }

    /// Executes SQL in a database.
    pub fn execute(&self, name: &str, sql: &str) {
        let mut execute = command(&self.programs, "psql");
        execute.args(["--username=plait", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", name, "--host"]);
        execute.arg(self.folder.path()).args(["--command", sql]);
        assert!(execute.status().unwrap().success());
    }

    fn url(&self, name: &str) -> String {
        Self::url_at(self.folder.path(), name)
    }

    /// The address of a database, of the server whose socket is in a folder.
    pub fn url_at(folder: &Path, name: &str) -> String {
        format!("postgres://plait@localhost/{name}?host={}", folder.display())
    }

    /// The folder with its socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Ends the server without a word to anyone.
    pub fn kill(&self) {
        let mut server = self.server.lock().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    /// Starts it again after it was killed.
    pub fn restart(&self) {
        let mut server = self.server.lock().unwrap();
        // The processes of its connections keep its memory until they have noticed, and as long a new server ends at once.
        while !self.is_ready() {
            if server.try_wait().unwrap().is_some() {
                *server = serve(&self.programs, self.folder.path());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn wait(&self) {
        while !self.is_ready() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn is_ready(&self) -> bool {
        let mut ready = command(&self.programs, "pg_isready");
        ready.arg("--quiet").arg("--host").arg(self.folder.path());
        ready.status().unwrap().success()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It ends its own processes, which a killed one would leave.
        let _ = command(&self.programs, "pg_ctl")
            .args(["stop", "--mode=immediate", "--silent", "--pgdata"])
            .arg(self.folder.path().join("data"))
            .status();
        let _ = self.server.get_mut().unwrap().wait();
    }
}

fn serve(programs: &Path, folder: &Path) -> Child {
    let mut serve = command(programs, "postgres");
    serve.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
    serve.args([
        "-c",
        "listen_addresses=",
        "-c",
        "max_connections=60",
        "-c",
        "shared_buffers=16MB",
        "-c",
        "fsync=off",
    ]);
    serve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn command(programs: &Path, name: &str) -> Command {
    let mut command = Command::new(programs.join(name));
    command.env("LC_ALL", "C").stdin(Stdio::null()).current_dir("/");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}
