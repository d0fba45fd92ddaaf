//! The one resolver: from the copies of a name in all layers to the one that counts.
//!
//! Pure. Listing, activation, triggers, model tools and recipes all ask this function, so they
//! can't disagree. `docs/skills-cascade.md` holds the truth table, which a test keeps true.

use api_types::skills::{SkillScope, SkillState, SkillVerdict};

/// A copy of a skill in one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy<C> {
    /// The layer.
    pub scope: SkillScope,
    /// Whether the copy could be used if it stood alone.
    pub state: SkillState,
    /// The copy.
    pub content: C,
}

/// A copy and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked<C> {
    /// The copy.
    pub copy: Copy<C>,
    /// What became of it.
    pub verdict: SkillVerdict,
    /// The layer whose copy decides the name.
    pub decided_by: SkillScope,
    /// Why not even `name@layer` activates this copy.
    pub barred: Option<Bar>,
}

/// Why a copy can be shown, but not activated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// It is switched off itself.
    Disabled,
    /// It has errors itself.
    Invalid,
    /// The copy of this nearer layer is switched off, and hides it.
    HiddenBy(SkillScope),
    /// This outer layer locks the name.
    LockedBy(SkillScope),
}

impl<C> Ranked<C> {
    /// The layer that the copy is in.
    #[must_use]
    pub fn scope(&self) -> SkillScope {
        self.copy.scope
    }

    /// The verdict in words.
    #[must_use]
    pub fn reason(&self) -> String {
        let (here, by) = (self.copy.scope.cli_name(), self.decided_by.cli_name());
        let mut reason = match self.verdict {
            SkillVerdict::Wins => format!("the {here} copy counts"),
            SkillVerdict::WinsDisabled => format!(
                "the {here} copy counts and is switched off, so the name can't be used; \
                 set `enabled: true` in it, or delete it to get the next outer copy"
            ),
            SkillVerdict::WinsInvalid => format!(
                "the {here} copy counts and has errors, so the name can't be used; \
                 repair it, or delete it to get the next outer copy"
            ),
            SkillVerdict::Shadowed => format!("the {by} copy is nearer and counts"),
            SkillVerdict::HiddenByDisabled => {
                format!("the {by} copy is nearer and switched off, which hides this one")
            }
            SkillVerdict::ShadowedByInvalid => {
                format!("the {by} copy is nearer and has errors; it shadows this one all the same")
            }
            SkillVerdict::Overruled => {
                format!("the name is locked (`skills.locked`), so the {by} copy counts")
            }
        };
        if let (Some(Bar::HiddenBy(layer)), SkillVerdict::Shadowed) = (self.barred, self.verdict) {
            reason.push_str("; the switched-off ");
            reason.push_str(layer.cli_name());
            reason.push_str(" copy would hide it");
        }
        reason
    }
}

/// All copies of a name, nearest first, each with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution<C> {
    candidates: Vec<Ranked<C>>,
    decider: Option<usize>,
}

impl<C> Resolution<C> {
    /// All copies, nearest first.
    #[must_use]
    pub fn candidates(&self) -> &[Ranked<C>] {
        &self.candidates
    }

    /// The copy that decides: it counts, or makes the name unusable. `None`: no copy at all.
    #[must_use]
    pub fn decider(&self) -> Option<&Ranked<C>> {
        self.decider.map(|index| &self.candidates[index])
    }

    /// The copy that an activation by plain name uses.
    #[must_use]
    pub fn winner(&self) -> Option<&Ranked<C>> {
        self.decider().filter(|ranked| ranked.verdict == SkillVerdict::Wins)
    }

    /// The copy of one layer: what `name@layer` means.
    #[must_use]
    pub fn at(&self, scope: SkillScope) -> Option<&Ranked<C>> {
        self.candidates.iter().find(|ranked| ranked.scope() == scope)
    }
}

/// Ranks the copies of one name.
///
/// `copies` may come in any order, at most one for each layer. `locks` are the layers that lock
/// the name; where several do, the outermost counts. A lock makes its layer's copy win over every
/// nearer one; where that layer has none, the next outer copy is what it protects; where there is
/// none either, it has no effect.
#[must_use]
pub fn resolve<C>(
    copies: impl IntoIterator<Item = Copy<C>>,
    locks: &[SkillScope],
) -> Resolution<C> {
    let mut copies: Vec<Copy<C>> = copies.into_iter().collect();
    copies.sort_by_key(|copy| copy.scope);
    let Some(nearest) = copies.first().map(|copy| copy.scope) else {
        return Resolution { candidates: Vec::new(), decider: None };
    };
    let locked = locks.iter().max().and_then(|lock| copies.iter().position(|c| c.scope >= *lock));
    let decider = locked.unwrap_or(0);
    let overruling = (copies[decider].scope > nearest).then(|| copies[decider].scope);
    let (decided_by, state) = (copies[decider].scope, copies[decider].state);
    let mut hidden_by = None;
    let rank = |copy: Copy<C>| {
        let overruled = overruling.filter(|lock| copy.scope < *lock);
        let barred = bar(copy.state, overruled, hidden_by);
        // A nearer copy that a lock overrules hides nothing.
        if overruled.is_none() && copy.state == SkillState::Disabled && hidden_by.is_none() {
            hidden_by = Some(copy.scope);
        }
        let verdict = verdict(copy.scope, decided_by, state);
        Ranked { copy, verdict, decided_by, barred }
    };
    Resolution { candidates: copies.into_iter().map(rank).collect(), decider: Some(decider) }
}

fn verdict(scope: SkillScope, decided_by: SkillScope, state: SkillState) -> SkillVerdict {
    match (scope.cmp(&decided_by), state) {
        (std::cmp::Ordering::Less, _) => SkillVerdict::Overruled,
        (std::cmp::Ordering::Equal, SkillState::Valid) => SkillVerdict::Wins,
        (std::cmp::Ordering::Equal, SkillState::Disabled) => SkillVerdict::WinsDisabled,
        (std::cmp::Ordering::Equal, SkillState::Invalid) => SkillVerdict::WinsInvalid,
        (std::cmp::Ordering::Greater, SkillState::Valid) => SkillVerdict::Shadowed,
        (std::cmp::Ordering::Greater, SkillState::Disabled) => SkillVerdict::HiddenByDisabled,
        (std::cmp::Ordering::Greater, SkillState::Invalid) => SkillVerdict::ShadowedByInvalid,
    }
}

fn bar(
    state: SkillState,
    overruled: Option<SkillScope>,
    hidden_by: Option<SkillScope>,
) -> Option<Bar> {
    match state {
        SkillState::Disabled => return Some(Bar::Disabled),
        SkillState::Invalid => return Some(Bar::Invalid),
        SkillState::Valid => {}
    }
    overruled.map(Bar::LockedBy).or(hidden_by.map(Bar::HiddenBy))
}

#[cfg(test)]
mod tests;
