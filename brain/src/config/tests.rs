use std::collections::BTreeMap;

use super::*;

fn read(
    file: Option<&str>,
    env: &[(&str, &str)],
    flags: &[(&'static str, &str)],
) -> Result<(Config, Values), Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("brain.toml");
    if let Some(text) = file {
        std::fs::write(&path, text).unwrap();
    }
    let env: BTreeMap<&str, &str> = env.iter().copied().collect();
    let flags: Vec<_> = flags.iter().map(|(k, v)| (*k, Some((*v).to_owned()))).collect();
    let values = Values::collect(file.map(|_| path.as_path()), &env, &flags)?;
    Ok((Config::read(&values)?, values))
}

#[test]
fn later_sources_win() {
    let file =
        Some("listen = \"127.0.0.1:1\"\nmodel = \"openai/x\"\n[ollama]\nhost = \"http://h\"\n");
    let (config, values) =
        read(file, &[("BRAIN_LISTEN", "127.0.0.1:2")], &[("listen", "127.0.0.1:3")]).unwrap();
    assert_eq!(config.listen.port(), 3);
    assert_eq!(config.models.ollama_host.as_deref(), Some("http://h"));
    let listen = values.printable().find(|(key, ..)| key.name == "listen").unwrap();
    assert_eq!(listen.2, &Source::Flag);
}

#[test]
fn secrets_are_never_printed() {
    let (config, values) = read(None, &[("ANTHROPIC_API_KEY", "sk-secret")], &[]).unwrap();
    let printed: Vec<String> = values.printable().map(|(_, value, _)| value).collect();
    assert!(!printed.iter().any(|v| v.contains("sk-secret")));
    assert!(!format!("{config:?}").contains("sk-secret"));
}

#[track_caller]
fn check_refused(file: Option<&str>, env: &[(&str, &str)], says: &[&str]) {
    let error = read(file, env, &[]).unwrap_err().to_string();
    for part in says {
        assert!(error.contains(part), "{error:?} lacks {part:?}");
    }
}

#[test]
fn wrong_values_are_named_with_their_source() {
    check_refused(Some("lisen = \"x\""), &[], &["brain.toml", "`lisen`", "`listen`"]);
    check_refused(Some("listen = "), &[], &["brain.toml", "line 1"]);
    check_refused(
        None,
        &[("BRAIN_LISTEN", "nowhere")],
        &["listen", "nowhere", "BRAIN_LISTEN", "127.0.0.1:9990"],
    );
    check_refused(None, &[("BRAIN_MODEL", "gpt")], &["BRAIN_MODEL", "gpt", "anthropic/NAME"]);
    check_refused(None, &[("BRAIN_ROLE", "boss")], &["BRAIN_ROLE", "gateway"]);
}
