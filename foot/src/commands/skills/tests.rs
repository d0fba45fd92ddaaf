use super::*;

pub(super) fn summary(name: &str, layer: &str, state: SkillState) -> SkillSummaryDto {
    SkillSummaryDto {
        name: name.parse().unwrap(),
        title: "Code Review".to_owned(),
        description: format!("What {name} does,\nin two lines."),
        version: "1.0.0".to_owned(),
        tags: vec!["a".to_owned(), "b".to_owned()],
        source: SkillScope::from_cli(layer).unwrap(),
        state,
        enabled: state != SkillState::Disabled,
        argument_hint: None,
        diagnostics: vec![DiagnosticDto {
            code: "some-code".to_owned(),
            severity: SeverityDto::Error,
            message: "wrong".to_owned(),
            path: "SKILL.md".to_owned(),
            line: 3,
            column: 1,
            fix: None,
        }],
    }
}

#[test]
fn a_name_may_say_its_layer() {
    let got: NameAtLayer = "Code-Review@tenant".parse().unwrap();
    assert_eq!((got.name.as_str(), got.layer), ("code-review", Some(SkillScope::Vance)));
    assert_eq!(got.to_string(), "code-review@tenant");
    assert_eq!("a".parse::<NameAtLayer>().unwrap().layer, None);
    assert!("a@nowhere".parse::<NameAtLayer>().unwrap_err().contains("bundled"));
    assert!("../a".parse::<NameAtLayer>().is_err());
}
