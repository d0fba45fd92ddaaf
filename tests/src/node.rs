//! The product's own commands, as a user starts them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

/// A command that was built beside this test or benchmark.
///
/// # Errors
/// It is not there; the message says how to build it.
pub fn built(name: &str) -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder =
        own.parent().and_then(Path::parent).context("a test lies in target/<profile>/deps")?;
    let path = folder.join(name);
    ensure!(
        path.exists(),
        "{} is missing: run `cargo build --workspace --bins` first",
        path.display()
    );
    Ok(path)
}

/// What a brain writes for its first client.
#[derive(Clone, Debug, Deserialize)]
pub struct Bootstrap {
    /// Its address.
    pub url: String,
    /// Its tenant.
    pub tenant: String,
    /// That tenant's project.
    pub project: String,
    /// That tenant's user.
    pub user: String,
    /// That user's token.
    pub token: String,
}

/// How to start a brain.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Variables, such as the address of a provider.
    pub env: Vec<(String, String)>,
    /// Where to listen; `None` = any free port.
    pub listen: Option<String>,
}

impl Options {
    /// A brain whose model is served by this address in the wire format of `provider`.
    #[must_use]
    pub fn model(provider: &str, url: &str) -> Self {
        let pairs = match provider {
            "anthropic" => vec![
                ("BRAIN_MODEL", "anthropic/fake"),
                ("ANTHROPIC_API_KEY", "test-key"),
                ("ANTHROPIC_BASE_URL", url),
            ],
            _ => vec![
                ("BRAIN_MODEL", "openai/fake"),
                ("OPENAI_API_KEY", "test-key"),
                ("OPENAI_BASE_URL", url),
            ],
        };
        Self {
            env: pairs.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
            listen: None,
        }
    }
}

/// A running brain. Dropping it kills it.
#[derive(Debug)]
pub struct Node {
    child: Child,
    /// Its first line.
    pub ready: Value,
    /// Its data.
    pub data: PathBuf,
    options: Options,
    folder: Option<TempDir>,
}

impl Node {
    /// Starts a brain on an empty folder.
    ///
    /// # Errors
    /// It is not built, or does not become ready.
    pub fn start(options: Options) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        let mut node = Self::start_on(&data, options)?;
        node.folder = Some(folder);
        Ok(node)
    }

    /// Starts a brain on a folder that may have data.
    ///
    /// # Errors
    /// It is not built, or does not become ready.
    pub fn start_on(data: &Path, options: Options) -> anyhow::Result<Self> {
        let mut child = serve(data, &options)?.spawn()?;
        let out = child.stdout.take().context("no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let ready: Value = serde_json::from_str(&line).with_context(|| {
            format!("brain did not become ready: {line:?}; see {}", log_of(data).display())
        })?;
        Ok(Self { child, ready, data: data.to_owned(), options, folder: None })
    }

    /// Kills it without warning, as a power failure does.
    ///
    /// # Errors
    /// The system refuses.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Tells it to stop, and waits until it has.
    ///
    /// # Errors
    /// The system refuses, or it ended with a failure.
    pub fn stop(&mut self) -> anyhow::Result<()> {
        let told = Command::new("kill").arg(self.pid().to_string()).status()?;
        ensure!(told.success(), "kill: {told}");
        let ended = self.child.wait()?;
        ensure!(ended.success(), "brain: {ended}; see {}", log_of(&self.data).display());
        Ok(())
    }

    /// Kills it and starts another on the same data and address.
    ///
    /// # Errors
    /// As [`Node::start_on`].
    pub fn restart(&mut self) -> anyhow::Result<()> {
        self.kill()?;
        let folder = self.folder.take();
        let address = self.ready["http"].as_str().and_then(|url| url.strip_prefix("http://"));
        let options = Options { listen: address.map(str::to_owned), ..self.options.clone() };
        *self = Self::start_on(&self.data.clone(), options)?;
        self.folder = folder;
        Ok(())
    }

    /// What it wrote for its first client.
    ///
    /// # Errors
    /// The file is missing or malformed.
    pub fn bootstrap(&self) -> anyhow::Result<Bootstrap> {
        Ok(serde_json::from_slice(&std::fs::read(self.data.join("bootstrap.json"))?)?)
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Runs foot against it.
    ///
    /// # Errors
    /// It is not built.
    pub fn foot(&self, args: &[&str]) -> anyhow::Result<Foot> {
        let b = self.bootstrap()?;
        foot(args, &[("BRAIN_URL", &b.url), ("BRAIN_TOKEN", &b.token)])
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The command that serves on this folder and a free port.
///
/// # Errors
/// It is not built.
pub fn serve(data: &Path, options: &Options) -> anyhow::Result<Command> {
    std::fs::create_dir_all(data.parent().unwrap_or(data))?;
    let log = std::fs::File::options().create(true).append(true).open(log_of(data))?;
    let mut command = Command::new(built("brain")?);
    let listen = options.listen.as_deref().unwrap_or("127.0.0.1:0");
    command.args(["serve", "--listen", listen, "--data"]).arg(data);
    command.env_clear().env("BRAIN_LOG", "info").env("RUST_BACKTRACE", "1");
    command.envs(options.env.iter().map(|(k, v)| (k, v))).stdout(Stdio::piped()).stderr(log);
    Ok(command)
}

/// Where a brain on this folder logs.
#[must_use]
pub fn log_of(data: &Path) -> PathBuf {
    data.with_extension("log")
}

/// What a run of foot said.
#[derive(Debug)]
pub struct Foot {
    /// Its exit code.
    pub code: i32,
    /// Data.
    pub out: String,
    /// Everything else.
    pub err: String,
}

impl Foot {
    /// Its output lines as JSON.
    ///
    /// # Errors
    /// A line is no JSON.
    pub fn lines(&self) -> anyhow::Result<Vec<Value>> {
        let line =
            |line: &str| serde_json::from_str(line).with_context(|| format!("no JSON: {line:?}"));
        self.out.lines().map(line).collect()
    }
}

/// A foot command with a home of its own and nothing of this process's environment.
///
/// # Errors
/// It is not built.
pub fn foot_command(args: &[&str], env: &[(&str, &str)]) -> anyhow::Result<(Command, TempDir)> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new(built("foot")?);
    command.args(args).env_clear().env("FOOT_HOME", home.path()).env("HOME", home.path());
    command.envs(env.iter().copied()).current_dir(home.path()).stdin(Stdio::null());
    Ok((command, home))
}

/// Runs foot to its end.
///
/// # Errors
/// It is not built.
pub fn foot(args: &[&str], env: &[(&str, &str)]) -> anyhow::Result<Foot> {
    let (mut command, _home) = foot_command(args, env)?;
    let Output { status, stdout, stderr } = command.output()?;
    Ok(Foot {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&stdout).into_owned(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
    })
}
