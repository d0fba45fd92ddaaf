use std::fmt::Write as _;

use api_types::skills::{SkillScope as L, SkillState as S, SkillVerdict as V};
use proptest::prelude::*;

use super::*;

fn copies(layers: &[(L, S)]) -> Vec<Copy<()>> {
    layers.iter().map(|&(scope, state)| Copy { scope, state, content: () }).collect()
}

fn verdicts(resolution: &Resolution<()>) -> Vec<(L, V, bool)> {
    let row = |r: &Ranked<()>| (r.scope(), r.verdict, r.barred.is_none());
    resolution.candidates().iter().map(row).collect()
}

/// Each expectation: layer, verdict, whether `name@layer` may be activated.
#[track_caller]
fn check(layers: &[(L, S)], locks: &[L], expect: &[(L, V, bool)]) {
    assert_eq!(verdicts(&resolve(copies(layers), locks)), expect, "{layers:?} locks {locks:?}");
}

#[test]
fn the_nearest_copy_counts_until_it_is_deleted() {
    let all = [L::User, L::Local, L::Project, L::Vance, L::Resource].map(|l| (l, S::Valid));
    for gone in 0..all.len() {
        let mut expect = vec![(all[gone].0, V::Wins, true)];
        expect.extend(all[gone + 1..].iter().map(|(l, _)| (*l, V::Shadowed, true)));
        check(&all[gone..], &[], &expect);
    }
    check(&[], &[], &[]);
}

#[test]
fn a_disabled_copy_hides_the_outer_ones() {
    check(
        &[(L::User, S::Disabled), (L::Vance, S::Valid)],
        &[],
        &[(L::User, V::WinsDisabled, false), (L::Vance, V::HiddenByDisabled, false)],
    );
    check(
        &[(L::User, S::Valid), (L::Vance, S::Disabled)],
        &[],
        &[(L::User, V::Wins, true), (L::Vance, V::Shadowed, false)],
    );
    // The project switched it off: a copy of one's own does not open the way to the tenant's.
    check(
        &[(L::User, S::Valid), (L::Project, S::Disabled), (L::Vance, S::Valid)],
        &[],
        &[
            (L::User, V::Wins, true),
            (L::Project, V::Shadowed, false),
            (L::Vance, V::Shadowed, false),
        ],
    );
}

#[test]
fn an_invalid_copy_shadows_and_the_outer_one_is_reached_only_by_its_layer() {
    check(
        &[(L::Project, S::Invalid), (L::Resource, S::Valid)],
        &[],
        &[(L::Project, V::WinsInvalid, false), (L::Resource, V::ShadowedByInvalid, true)],
    );
}

#[test]
fn a_lock_makes_its_layer_win_over_nearer_ones() {
    let both = [(L::User, S::Valid), (L::Vance, S::Valid), (L::Resource, S::Valid)];
    check(
        &both,
        &[L::Vance],
        &[
            (L::User, V::Overruled, false),
            (L::Vance, V::Wins, true),
            (L::Resource, V::Shadowed, true),
        ],
    );
    // Both lock: the tenant's counts.
    check(
        &[(L::Project, S::Valid), (L::Vance, S::Valid)],
        &[L::Project, L::Vance],
        &[(L::Project, V::Overruled, false), (L::Vance, V::Wins, true)],
    );
    // The locking layer has no copy: the bundled one is what is protected.
    check(
        &[(L::User, S::Valid), (L::Resource, S::Valid)],
        &[L::Vance],
        &[(L::User, V::Overruled, false), (L::Resource, V::Wins, true)],
    );
    // Nothing to protect.
    check(&[(L::User, S::Valid)], &[L::Vance], &[(L::User, V::Wins, true)]);
    // A locked copy that is switched off makes the name unusable for everyone; an overruled
    // disabled copy hides nothing.
    check(
        &[(L::User, S::Disabled), (L::Vance, S::Valid)],
        &[L::Vance],
        &[(L::User, V::Overruled, false), (L::Vance, V::Wins, true)],
    );
    check(
        &[(L::User, S::Valid), (L::Vance, S::Disabled), (L::Resource, S::Valid)],
        &[L::Vance],
        &[
            (L::User, V::Overruled, false),
            (L::Vance, V::WinsDisabled, false),
            (L::Resource, V::HiddenByDisabled, false),
        ],
    );
}

#[test]
fn reasons_name_the_layer_that_decides() {
    let resolution = resolve(
        copies(&[(L::User, S::Valid), (L::Project, S::Disabled), (L::Vance, S::Valid)]),
        &[],
    );
    let reasons: Vec<String> = resolution.candidates().iter().map(Ranked::reason).collect();
    assert_eq!(
        reasons,
        [
            "the user copy counts",
            "the user copy is nearer and counts",
            "the user copy is nearer and counts; the switched-off project copy would hide it",
        ]
    );
}

/// The rule again, word by word and without thought of speed.
fn oracle(layers: &[(L, S)], locks: &[L]) -> Vec<(L, V, bool)> {
    let present: Vec<(L, S)> =
        L::ALL.iter().filter_map(|l| layers.iter().find(|(x, _)| x == l)).copied().collect();
    let start = [L::Vance, L::Project]
        .into_iter()
        .find(|l| locks.contains(l))
        .filter(|lock| present.iter().any(|(l, _)| l >= lock));
    let counted: Vec<(L, S)> =
        present.iter().filter(|(l, _)| start.is_none_or(|s| *l >= s)).copied().collect();
    let rank = |&(layer, state): &(L, S)| {
        let Some(place) = counted.iter().position(|(l, _)| *l == layer) else {
            return (layer, V::Overruled, false);
        };
        let verdict = match (place, counted[0].1) {
            (0, S::Valid) => V::Wins,
            (0, S::Disabled) => V::WinsDisabled,
            (0, S::Invalid) => V::WinsInvalid,
            (_, S::Valid) => V::Shadowed,
            (_, S::Disabled) => V::HiddenByDisabled,
            (_, S::Invalid) => V::ShadowedByInvalid,
        };
        let hidden = counted[..place].iter().any(|(_, s)| *s == S::Disabled);
        (layer, verdict, state == S::Valid && !hidden)
    };
    present.iter().map(rank).collect()
}

fn state() -> impl Strategy<Value = Option<S>> {
    prop_oneof![Just(None), Just(Some(S::Valid)), Just(Some(S::Disabled)), Just(Some(S::Invalid))]
}

proptest! {
    #[test]
    fn equals_the_rule_written_out(
        states in proptest::array::uniform5(state()),
        tenant_lock: bool,
        project_lock: bool,
        reversed: bool,
    ) {
        let mut layers: Vec<(L, S)> =
            L::ALL.into_iter().zip(states).filter_map(|(l, s)| Some((l, s?))).collect();
        if reversed {
            layers.reverse();
        }
        let mut locks = Vec::new();
        locks.extend(project_lock.then_some(L::Project));
        locks.extend(tenant_lock.then_some(L::Vance));
        let resolution = resolve(copies(&layers), &locks);
        prop_assert_eq!(verdicts(&resolution), oracle(&layers, &locks));
        let winning = |r: &&Ranked<()>| r.verdict == V::Wins;
        prop_assert_eq!(resolution.winner(), resolution.candidates().iter().find(winning));
        prop_assert!(resolution.winner().is_none_or(|winner| winner.barred.is_none()));
        prop_assert_eq!(resolution.decider().is_none(), layers.is_empty());
    }
}

/// The table of the manual: an inner and an outer copy, without a lock and with the outer
/// layer's lock.
fn table() -> String {
    let states = [
        ("none", None),
        ("valid", Some(S::Valid)),
        ("disabled", Some(S::Disabled)),
        ("invalid", Some(S::Invalid)),
    ];
    let mut table = String::from(
        "| inner copy | outer copy | outer layer locks | by plain name | `name@inner` | `name@outer` |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for lock in [false, true] {
        for (inner_text, inner) in states {
            for (outer_text, outer) in states {
                let layers = [(L::Project, inner), (L::Vance, outer)];
                let layers: Vec<_> = layers.iter().filter_map(|(l, s)| Some((*l, (*s)?))).collect();
                let locks: &[L] = if lock { &[L::Vance] } else { &[] };
                let resolution = resolve(copies(&layers), locks);
                let by_name = match resolution.decider() {
                    None => "unknown",
                    Some(r) => match (r.scope(), r.verdict) {
                        (L::Project, V::Wins) => "**inner**",
                        (_, V::Wins) => "**outer**",
                        (L::Project, V::WinsDisabled) => "refused: inner is switched off",
                        (_, V::WinsDisabled) => "refused: outer is switched off",
                        (L::Project, _) => "refused: inner has errors",
                        (_, _) => "refused: outer has errors",
                    },
                };
                let at = |layer| match resolution.at(layer) {
                    None => "unknown",
                    Some(r) => match r.barred {
                        None => "can be activated",
                        Some(Bar::Disabled) => "shown only: switched off",
                        Some(Bar::Invalid) => "shown only: has errors",
                        Some(Bar::HiddenBy(_)) => "shown only: hidden by inner",
                        Some(Bar::LockedBy(_)) => "shown only: locked",
                    },
                };
                let locked = if lock { "yes" } else { "no" };
                let (inner, outer) = (at(L::Project), at(L::Vance));
                writeln!(
                    table,
                    "| {inner_text} | {outer_text} | {locked} | {by_name} | {inner} | {outer} |"
                )
                .unwrap();
            }
        }
    }
    table
}

#[test]
fn the_manual_shows_the_truth_table() {
    let manual = include_str!("../../../../docs/skills-cascade.md");
    let table = table();
    assert!(manual.contains(&table), "docs/skills-cascade.md must contain:\n{table}");
}
