//! The documents that come with the product are what this crate says a good document is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::compose::{ActiveSkillView, Body, compose};
use crate::load::{Input, Loaded, load};
use crate::recipe;
use crate::skill::{Dialect, LoadMode};
use crate::template::Template;

/// Tools that a bundled document may name.
const TOOLS: [&str; 12] = [
    "manual_list",
    "manual_read",
    "doc_list",
    "doc_read",
    "doc_find",
    "doc_grep",
    "doc_write",
    "doc_edit",
    "recipe_list",
    "recipe_describe",
    "current_time",
    "whoami",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../brain/bundled/_vance")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Names in a folder, sorted.
fn names(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn skill(name: &str) -> (Loaded, String) {
    let path = format!("skills/{name}/SKILL.md");
    let text = read(&path);
    let exists = |file: &str| root().join(format!("skills/{name}/{file}")).is_file();
    let input = Input { path: &path, folder: name, bytes: text.as_bytes(), files: Some(&exists) };
    (load(input), text.clone())
}

fn variables(tier: &str) -> Map<String, Value> {
    let variables = json!({
        "tier": tier, "model": "m", "provider": "p", "mode": "NORMAL", "profile": "foot",
        "recipe": "default", "engine": "ford", "lang": "Deutsch", "params": { "maxIterations": 40 },
    });
    variables.as_object().expect("a map").clone()
}

#[test]
fn the_agreed_documents_are_there() {
    assert_eq!(
        names("skills"),
        ["code-review", "commit-message", "decision-frame", "explain-code"]
    );
    assert_eq!(
        names("recipes"),
        ["analyze.yaml", "code-read.yaml", "default.yaml", "quick-lookup.yaml"]
    );
    assert_eq!(names("prompts"), ["ford-prompt.md"]);
    assert_eq!(names("manuals"), ["skill-authoring.md"]);
}

#[test]
fn skills_load_without_any_problem() {
    for name in names("skills") {
        let (loaded, _) = skill(&name);
        assert_eq!(loaded.diagnostics, [], "{name}");
        assert!(loaded.is_valid(), "{name}");
        assert_eq!(loaded.head.dialect, Dialect::Native, "{name}");
        assert!(!loaded.head.triggers.is_empty(), "{name}");
        for tool in &loaded.head.tools {
            assert!(TOOLS.contains(&tool.as_str()), "{name}: {tool}");
        }
    }
}

#[test]
fn skills_compose_for_small_and_large_models() {
    for name in names("skills") {
        for tier in ["small", "large"] {
            let (loaded, text) = skill(&name);
            let docs: Vec<_> = loaded
                .head
                .reference_docs
                .iter()
                .map(|doc| (doc, read(&format!("skills/{name}/{}", doc.file))))
                .collect();
            let of = |mode| docs.iter().filter(move |(doc, _)| doc.load_mode == mode);
            let view = ActiveSkillView {
                name: &name,
                description: &loaded.head.description,
                body: Body::new(loaded.body_of(text.as_bytes()), loaded.head.template),
                args: None,
                inline_docs: of(LoadMode::Inline)
                    .map(|(doc, text)| (doc.title.as_str(), text.as_str()))
                    .collect(),
                on_demand: of(LoadMode::OnDemand)
                    .map(|(doc, _)| (doc.title.as_str(), doc.summary.as_deref()))
                    .collect(),
            };
            let section = compose(&[view], &variables(tier));
            assert_eq!(section.dropped, [], "{name}");
            let text = section.text.expect("a section");
            assert!(!text.contains("{%") && !text.contains("\n\n\n"), "{name}, {tier}: {text}");
        }
    }
}

#[test]
fn the_review_skill_has_a_reference_of_each_kind() {
    let (loaded, _) = skill("code-review");
    let modes: Vec<_> =
        loaded.head.reference_docs.iter().map(|doc| (doc.title.as_str(), doc.load_mode)).collect();
    assert_eq!(
        modes,
        [("Review Checklist", LoadMode::Inline), ("Defect Patterns", LoadMode::OnDemand)]
    );
}

#[test]
fn recipes_load_without_any_problem_and_render() {
    for file in names("recipes") {
        let stem = file.strip_suffix(".yaml").expect("a recipe");
        let text = read(&format!("recipes/{file}"));
        let loaded = recipe::load(recipe::Input { path: &file, stem, bytes: text.as_bytes() });
        assert_eq!(loaded.diagnostics, [], "{file}");
        let recipe = loaded.recipe.expect("a recipe");
        assert_eq!(recipe.engine, "ford");
        for profile in ["foot", "web", "daemon"] {
            let applied = recipe.apply(profile, &Map::new());
            for tool in applied.tools.add.iter().chain(&applied.tools.remove) {
                assert!(TOOLS.contains(&tool.as_str()), "{file}: {tool}");
            }
            for prompt in applied.prompt_prefix.iter().chain(&applied.prompt_prefix_append) {
                renders(prompt, &file);
            }
        }
    }
}

#[test]
fn the_engine_prompt_renders_and_names_real_tools() {
    let prompt = read("prompts/ford-prompt.md");
    renders(&prompt, "ford-prompt");
    let named = prompt.split('`').skip(1).step_by(2).filter(|word| word.contains('_'));
    for tool in named {
        assert!(TOOLS.contains(&tool), "{tool}");
    }
}

#[track_caller]
fn renders(prompt: &str, what: &str) {
    let template = Template::compile(prompt).unwrap_or_else(|error| panic!("{what}: {error}"));
    for tier in ["small", "large"] {
        let text =
            template.render(&variables(tier)).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(!text.trim().is_empty() && !text.contains("\n\n\n"), "{what}, {tier}: {text}");
    }
}

/// An example of the manual: ` ```markdown skill=NAME files=a,b invalid `.
struct Example {
    name: String,
    files: Vec<String>,
    is_invalid: bool,
    text: String,
    line: usize,
}

fn examples(manual: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut lines = manual.lines().enumerate();
    while let Some((line, fence)) = lines.next() {
        let Some(info) = fence.strip_prefix("```markdown ") else { continue };
        let words: BTreeMap<&str, &str> = info
            .split_whitespace()
            .map(|word| word.split_once('=').unwrap_or((word, "")))
            .collect();
        let text: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        examples.push(Example {
            name: words["skill"].to_owned(),
            files: words
                .get("files")
                .map(|files| files.split(',').map(str::to_owned).collect())
                .unwrap_or_default(),
            is_invalid: words.contains_key("invalid"),
            text: text.join("\n") + "\n",
            line: line + 1,
        });
    }
    examples
}

#[test]
fn every_example_of_the_manual_is_what_it_says() {
    let examples = examples(&read("manuals/skill-authoring.md"));
    assert!(examples.len() >= 12 && examples.iter().any(|example| example.is_invalid));
    let mut dialects = Vec::new();
    for Example { name, files, is_invalid, text, line } in examples {
        let exists = |file: &str| files.iter().any(|known| known == file);
        let input =
            Input { path: &name, folder: &name, bytes: text.as_bytes(), files: Some(&exists) };
        let loaded = load(input);
        assert_eq!(!loaded.is_valid(), is_invalid, "line {line}: {:#?}", loaded.diagnostics);
        if !is_invalid {
            assert_eq!(loaded.diagnostics, [], "line {line}");
            dialects.push(loaded.head.dialect);
            if loaded.head.template {
                renders(loaded.body_of(text.as_bytes()), &name);
            }
        }
    }
    assert!(dialects.contains(&Dialect::Native) && dialects.contains(&Dialect::Portable));
}

#[test]
fn every_fence_of_the_manual_that_holds_a_head_is_an_example() {
    let manual = read("manuals/skill-authoring.md");
    let heads = manual.matches("```markdown").count();
    assert_eq!(heads, examples(&manual).len());
    assert!(!manual.contains("```\n---") && !manual.contains("```yaml"));
}
