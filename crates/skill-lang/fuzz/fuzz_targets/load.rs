//! Any bytes load without a panic; fixes and rewriting leave the body alone.
//!
//! `cargo +nightly fuzz run load -- -max_len=65536`

#![no_main]

use libfuzzer_sys::fuzz_target;
use skill_lang::diagnostic::apply_fixes;
use skill_lang::load::{Input, Loaded, State, load};
use skill_lang::rewrite::rewrite;

fn load_text(text: &str) -> Loaded {
    load(Input { path: "SKILL.md", folder: "x", bytes: text.as_bytes(), files: Some(&|_| true) })
}

fuzz_target!(|bytes: &[u8]| {
    let loaded = load(Input { path: "SKILL.md", folder: "x", bytes, files: Some(&|_| true) });
    assert_eq!(loaded.state == State::Valid, loaded.errors().next().is_none());
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if loaded.state == State::Unreadable {
        return;
    }
    let body = loaded.body_of(bytes);
    assert!(text.ends_with(body));
    let (fixed, _) = apply_fixes(text, &loaded.diagnostics);
    assert_eq!(load_text(&fixed).body_of(fixed.as_bytes()), body);
    if let Ok(changed) = rewrite(text, &[("license", Some(serde_json::json!("a: b\n---\nc")))]) {
        let again = load_text(&changed);
        assert_eq!(again.body_of(changed.as_bytes()), body);
        assert_eq!(again.head.license.as_deref(), Some("a: b\n---\nc"));
    }
});
