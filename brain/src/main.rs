//! The `brain` command: read the configuration, build, serve, drain.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use brain::app::App;
use brain::config::{Config, ProcessEnvironment, Values};
use clap::{Parser, Subcommand};

/// Stores skills, resolves them, activates them on processes and runs the turns.
#[derive(Parser)]
#[command(name = "brain", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a node.
    Serve(ConfigArgs),
    /// Print the effective configuration, each value with its source.
    Config(ConfigArgs),
    /// Print the OpenAPI document.
    Openapi,
    /// Print schemas.
    Schema {
        #[command(subcommand)]
        of: Schema,
    },
}

#[derive(Subcommand)]
enum Schema {
    /// JSON Schema of all WebSocket frames.
    Ws,
}

#[derive(clap::Args)]
struct ConfigArgs {
    /// Folder of the embedded store.
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// Address and port.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Configuration file (TOML).
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// all, gateway or worker.
    #[arg(long)]
    role: Option<String>,
}

impl ConfigArgs {
    fn values(&self) -> Result<Values, brain::config::Error> {
        let flags = [
            ("data", self.data.clone()),
            ("listen", self.listen.clone()),
            ("role", self.role.clone()),
        ];
        Values::collect(self.config.as_deref(), &ProcessEnvironment, &flags)
    }
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("brain: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => serve(Config::read(&args.values()?)?),
        Command::Config(args) => {
            let values = args.values()?;
            let lines = values
                .printable()
                .map(|(key, value, source)| format!("{} = {value:?} ({source})", key.name));
            print(&lines.collect::<Vec<_>>().join("\n"))
        }
        Command::Openapi => print(&serde_json::to_string_pretty(
            &brain::api::rest::openapi::document(env!("CARGO_PKG_VERSION")),
        )?),
        Command::Schema { of: Schema::Ws } => {
            print(&serde_json::to_string_pretty(&brain::api::ws::schema::document())?)
        }
    }
}

/// Prints a line of data.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).context("can't write to standard output")
}

fn serve(config: Config) -> anyhow::Result<()> {
    start_log(&config.log)?;
    // One provider of cryptography for the whole process, before anything may want TLS.
    drop(rustls::crypto::ring::default_provider().install_default());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let app = App::build(config)?;
        let ready = app.start().await?;
        print(&ready.to_string())?;
        app.run_until_stopped().await?;
        Ok(())
    })
}

fn start_log(filter: &str) -> anyhow::Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_new(filter).with_context(|| {
        format!("log = {filter:?} is no filter; write for instance info,brain::lanes=debug")
    })?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    Ok(())
}
