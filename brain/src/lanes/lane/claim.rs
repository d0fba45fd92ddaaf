//! Taking messages out of the inbox, and opening a turn with them.

use api_types::events::SkillOutcome;
use api_types::ids::{MessageId, Seq, SkillName};
use api_types::sessions::{ChatRole, ThinkProcessStatus};

use super::{Lane, Leave};
use crate::ctx::OpCtx;
use crate::lanes::entry::Entry;
use crate::lanes::inbox::{Body, Message, Outcome};
use crate::lanes::writer::Write;
use crate::runtime::Timestamp;
use crate::turns::activation::{self, Change};
use crate::turns::session::TurnSession;
use crate::turns::turn::Turn;

/// Most bytes of messages that one claim takes; a single larger one is taken alone.
const CLAIM_BYTES_MAX: usize = 256 * 1024;

impl Lane {
    /// Takes the longest run of skill changes followed by chat messages, as one claim.
    pub(super) async fn take(&mut self, work: Vec<Message>) -> Result<(), Leave> {
        let is_skill = |m: &Message| matches!(m.message.body, Body::Skill { .. });
        let skills = work.iter().take_while(|m| is_skill(m)).count();
        let chats = fitting(&work[skills..], |m| !is_skill(m));
        let mut claim = Claim::default();
        for message in &work[..skills] {
            self.change_skills(message, &mut claim).await;
        }
        for message in chats {
            claim.chat(message, self.message_id());
        }
        if claim.inputs.is_empty() {
            let Claim { entries, settle, .. } = claim;
            self.commit(Write { entries, settle, ..Write::default() }).await?;
            return Ok(());
        }
        self.open_turn(claim).await
    }

    /// Decides one skill change and notes its effects in the claim.
    async fn change_skills(&mut self, message: &Message, claim: &mut Claim) {
        let parts = &self.shared.parts.turns;
        let Body::Skill { command, skill, one_shot, args } = &message.message.body else { return };
        let request = activation::Request {
            command: *command,
            skill: skill.as_ref(),
            one_shot: *one_shot,
            args: args.as_deref(),
        };
        let ctx = OpCtx::new(self.ctx.tenant.clone(), message.message.actor.clone());
        let change: Change =
            activation::decide(parts, &ctx, &self.view, &request, self.now()).await;
        claim.failed |= change.outcome == SkillOutcome::Failed;
        self.view.head.active_skills.clone_from(&change.active);
        let outcome =
            if change.outcome == SkillOutcome::Failed { Outcome::Failed } else { Outcome::Done };
        claim.entries.push(Entry::Skill {
            request: Some(message.seq),
            skill: skill.as_ref().map(|skill| skill.name.clone()),
            outcome: change.outcome,
            message: change.message,
            reason: change.reason,
            active: change.active,
        });
        if change.prompts.is_empty() {
            claim.settle.push((message.seq, outcome));
            return;
        }
        claim.inputs.push(message.seq);
        for prompt in change.prompts {
            claim.messages.push(Entry::Message {
                id: self.message_id(),
                role: ChatRole::User,
                content: prompt.text,
                sender: Some(prompt.sender),
                at: message.message.at,
            });
        }
    }

    /// Opens a turn with what was claimed, in one commit, and runs it.
    async fn open_turn(&mut self, claim: Claim) -> Result<(), Leave> {
        let at = self.now();
        let parts = &self.shared.parts.turns;
        let prepared = parts.prepare(&self.fresh_ctx(), &self.view, None).await;
        let turn_seq = Seq(self.writer.tail().0 + 1 + claim.entries.len() as u64);
        let mut entries = claim.entries;
        entries.push(Entry::TurnOpened {
            at,
            inputs: claim.inputs.clone(),
            skills: prepared.pinned(),
            model: prepared.model_name(),
        });
        entries.extend(claim.messages);
        entries.extend(self.notices(prepared.left_out(), at));
        self.view.head.open_turn = Some(turn_seq);
        self.view.head.status = ThinkProcessStatus::Running;
        let write = Write {
            entries,
            claim: Some((turn_seq, claim.inputs)),
            settle: claim.settle,
            ..Write::default()
        };
        let rows = self.commit(write).await?;
        rows.iter().for_each(|row| self.chat.push(&row.entry));
        let open = rows
            .iter()
            .position(|row| row.seq == turn_seq)
            .map_or(&rows[..0], |from| &rows[from..]);
        let turn = Turn::fold(open).expect("a turn was just opened");
        let session = TurnSession::new(prepared);
        self.go_on(turn, session, false).await
    }

    /// Says once of each skill that can't be used why it is left out.
    fn notices(&mut self, left_out: &[(SkillName, String)], at: Timestamp) -> Vec<Entry> {
        self.left_out.retain(|name| left_out.iter().any(|(other, _)| other == name));
        let new = left_out.iter().filter(|(name, _)| self.left_out.insert(name.clone()));
        new.map(|(name, why)| Entry::Notice {
            text: format!("skill {name} is left out: {why}"),
            at,
        })
        .collect()
    }

    /// Goes on with a turn that was read back from the log.
    pub(super) async fn run_turn(&mut self, turn: Turn, recovered: bool) -> Result<(), Leave> {
        let parts = &self.shared.parts.turns;
        let prepared = parts.prepare(&self.fresh_ctx(), &self.view, Some(&turn)).await;
        let session = TurnSession::new(prepared);
        session.tell_restart(&self.shared.parts.turns, &self.view, &self.topic, turn.id);
        self.go_on(turn, session, recovered).await
    }
}

/// What one claim takes, and what becomes of it.
#[derive(Default)]
pub(super) struct Claim {
    /// Entries that stand before the turn: skill changes.
    entries: Vec<Entry>,
    /// The turn's first messages.
    pub(super) messages: Vec<Entry>,
    pub(super) inputs: Vec<Seq>,
    settle: Vec<(Seq, Outcome)>,
    /// A skill change of this claim was refused.
    failed: bool,
}

impl Claim {
    /// Takes a chat message, unless it depends on a skill change that was refused.
    pub(super) fn chat(&mut self, message: &Message, id: MessageId) {
        let Body::Chat { text, needs_skills, .. } = &message.message.body else { return };
        if self.failed && *needs_skills {
            self.settle.push((message.seq, Outcome::Failed));
            return;
        }
        self.inputs.push(message.seq);
        self.messages.push(Entry::Message {
            id,
            role: ChatRole::User,
            content: text.clone(),
            sender: Some(message.message.actor.sender()),
            at: message.message.at,
        });
    }
}

/// The first messages that are `wanted`, as many as one claim may take.
pub(super) fn fitting<'a>(
    messages: &'a [Message],
    wanted: impl Fn(&Message) -> bool + 'a,
) -> impl Iterator<Item = &'a Message> {
    let mut bytes = 0;
    messages.iter().take_while(move |message| {
        let first = bytes == 0;
        bytes += message.message.body.bytes();
        wanted(message) && (first || bytes <= CLAIM_BYTES_MAX)
    })
}
