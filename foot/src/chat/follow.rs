//! What a chat makes of what it hears.

use api_types::events::{
    Event, ProcessProgress, SkillOperation, SkillOutcome, StatusTag, TurnClosed, TurnOutcome,
};
use api_types::frames::{ClientFrame, Empty, ProcessMessages, ReplyFrame};
use api_types::ids::{LaneId, Seq};
use api_types::sessions::{ChatMessageDto, ChatRole, ThinkProcessStatus};

use super::{Chat, skills, tokens};
use crate::client::{Body, Next, Rest};
use crate::error::{Error, Result};
use crate::output::one_line;

/// Messages that are shown when a session is taken up again.
const MESSAGES_MAX: u32 = 6;

/// What is waited for before the next line is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Nothing.
    Nothing,
    /// The answer to a request.
    Reply(String),
    /// The turn that settles our message.
    Message(Seq),
    /// The outcome of our change to the skills.
    Skill(Seq),
    /// Whether a turn follows from it.
    Look(String),
    /// The end of the running turn.
    Turn,
}

impl Chat<'_> {
    pub(super) fn hear(&mut self, next: Next) -> Result<()> {
        match next {
            Next::Frame(incoming) => self.frame(&incoming.body),
            Next::Lost(problem) => {
                self.aside(&format!("connection lost ({problem}); trying again"))
            }
            Next::Back => self.aside("connected again"),
            Next::Resync(reason) => {
                self.aside(&format!("{reason}; reading the messages again"))?;
                self.ask_for_messages();
                if self.wait != Wait::Nothing {
                    self.open_turn = None;
                    self.look();
                }
                Ok(())
            }
        }
    }

    fn aside(&mut self, text: &str) -> Result<()> {
        Ok(self.screen.aside(&self.editor, text)?)
    }

    fn frame(&mut self, body: &Body) -> Result<()> {
        match body {
            Body::Reply(to, reply) => self.reply(to, reply),
            Body::Refused(to, error) => {
                if self.wait == Wait::Reply(to.clone()) || self.wait == Wait::Look(to.clone()) {
                    self.wait = Wait::Nothing;
                }
                self.aside(&error.error_message)
            }
            Body::Event(event) => self.event(event),
            Body::Unknown { .. } => Ok(()),
        }
    }

    fn reply(&mut self, to: &str, reply: &ReplyFrame) -> Result<()> {
        let awaited = self.wait == Wait::Reply(to.to_owned());
        match reply {
            ReplyFrame::ProcessSteer(queued) if awaited => {
                let known = self.dealt.contains(&queued.queued);
                self.wait = if known { Wait::Nothing } else { Wait::Message(queued.queued) };
            }
            ReplyFrame::ProcessSkill(response) if awaited => match response.queued {
                Some(seq) if self.dealt.contains(&seq) => self.look(),
                Some(seq) => self.wait = Wait::Skill(seq),
                None => self.wait = Wait::Nothing,
            },
            ReplyFrame::ProcessSkill(response) if self.asked_for_names.as_deref() == Some(to) => {
                self.names.set(skills::names(&response.available_skills));
            }
            ReplyFrame::ProcessMessages(reply)
                if self.asked_for_messages.as_deref() == Some(to) =>
            {
                self.show_missed(&reply.messages)?;
            }
            ReplyFrame::ProcessList(list) if self.wait == Wait::Look(to.to_owned()) => {
                let ours = |id: &LaneId| *id == self.session.chat_process_id;
                let found = list.processes.iter().find(|process| ours(&process.process_id));
                let busy =
                    found.is_some_and(|process| process.status == ThinkProcessStatus::Running);
                let turn = busy || self.open_turn.is_some();
                self.wait = if turn { Wait::Turn } else { Wait::Nothing };
            }
            _ => {}
        }
        Ok(())
    }

    /// Asks whether a turn runs: no event says that none will.
    fn look(&mut self) {
        self.wait = Wait::Look(self.link.request(ClientFrame::ProcessList(Empty {})));
    }

    pub(super) fn ask_for_messages(&mut self) {
        let process_name = self.session.chat_process_name.clone();
        let request = ProcessMessages { process_name, limit: Some(MESSAGES_MAX) };
        self.asked_for_messages = Some(self.link.request(ClientFrame::ProcessMessages(request)));
    }

    /// Messages that stand behind the last one that was shown.
    fn show_missed(&mut self, messages: &[ChatMessageDto]) -> Result<()> {
        self.asked_for_messages = None;
        let last = messages
            .iter()
            .rposition(|message| Some(&message.chat_message_id) == self.last_seen.as_ref());
        for message in &messages[last.map_or(0, |last| last + 1)..] {
            match message.role {
                ChatRole::User => self.aside(&format!("› {}", one_line(&message.content)))?,
                ChatRole::Assistant => self.message(message)?,
                ChatRole::System => {}
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<()> {
        let ours = |process: &LaneId| *process == self.session.chat_process_id;
        match event {
            // Who types is not disturbed by pieces; the message comes whole.
            Event::ChatMessageStreamChunk(chunk)
                if ours(&chunk.think_process_id)
                    && chunk.role == ChatRole::Assistant
                    && self.wait != Wait::Nothing =>
            {
                self.spinner.doing("");
                let text = self.answer.chunk(chunk);
                self.screen.piece(text)?;
            }
            Event::TurnRestarted(restarted) if ours(&restarted.think_process_id) => {
                self.answer.restarted();
                self.aside(&restarted.reason)?;
            }
            Event::ChatMessageAppended(message)
                if ours(&message.think_process_id) && message.role == ChatRole::Assistant =>
            {
                self.message(message)?;
            }
            Event::ChatMessageAppended(message) if ours(&message.think_process_id) => {
                self.last_seen = Some(message.chat_message_id.clone());
            }
            Event::ProcessProgress(progress) if ours(&progress.process_id) => {
                self.progress(progress)?;
            }
            Event::SkillOperation(operation) if ours(&operation.process_id) => {
                self.skill(operation)?;
            }
            Event::TurnClosed(closed) if ours(&closed.process_id) => self.closed(closed)?,
            Event::ProcessStatus(changed)
                if ours(&changed.process_id) && changed.status == ThinkProcessStatus::Closed =>
            {
                return Err(Error::failed("the session was closed"));
            }
            Event::Error(error) => self.aside(&error.error_message)?,
            _ => {}
        }
        Ok(())
    }

    /// A whole message: completes what was streamed, or stands for itself.
    fn message(&mut self, message: &ChatMessageDto) -> Result<()> {
        self.last_seen = Some(message.chat_message_id.clone());
        if self.wait == Wait::Nothing {
            self.answer = crate::client::Answer::default();
            return Ok(self.screen.message_above(&self.editor, &message.content)?);
        }
        let rest = self.answer.appended(&message.content);
        self.complete(rest)
    }

    fn complete(&mut self, rest: Rest) -> Result<()> {
        match rest {
            Rest::Continues(text) => self.screen.piece(&text)?,
            Rest::Replaces(text) => {
                self.screen.end_text()?;
                self.screen.note("the answer began anew; what stands above of it is void")?;
                self.screen.piece(&text)?;
            }
        }
        Ok(self.screen.end_text()?)
    }

    fn progress(&mut self, progress: &ProcessProgress) -> Result<()> {
        match progress.tag {
            StatusTag::EngineTurnStart => self.open_turn = progress.turn_id,
            StatusTag::Metrics => {
                if let Some(usage) = &progress.usage {
                    self.spinner.add_tokens(tokens(usage));
                }
                let rest = self.answer.step_ended();
                if self.wait != Wait::Nothing {
                    self.complete(rest)?;
                }
            }
            StatusTag::ToolStart => {
                self.spinner.doing(progress.tool.as_deref().unwrap_or_default());
                self.aside(&format!("· {}", progress.text))?;
            }
            StatusTag::ToolEnd => self.spinner.doing(""),
            StatusTag::Info => self.aside(&progress.text)?,
            StatusTag::EngineTurnEnd => {}
        }
        Ok(())
    }

    fn skill(&mut self, operation: &SkillOperation) -> Result<()> {
        self.active.clone_from(&operation.active_skills);
        let mark = if operation.outcome == SkillOutcome::Failed { "✗" } else { "·" };
        self.aside(&format!("{mark} {}", operation.message))?;
        self.dealt.extend(operation.queued);
        if let Wait::Skill(seq) = self.wait
            && operation.queued == Some(seq)
        {
            self.look();
        }
        Ok(())
    }

    fn closed(&mut self, closed: &TurnClosed) -> Result<()> {
        self.open_turn = None;
        self.dealt.extend(&closed.settled);
        let ours = match &self.wait {
            Wait::Message(seq) => closed.settled.contains(seq),
            Wait::Turn => true,
            _ => false,
        };
        let waited = self.wait != Wait::Nothing;
        self.answer = crate::client::Answer::default();
        if waited {
            self.screen.end_text()?;
        }
        let what = match closed.outcome {
            TurnOutcome::Done => None,
            TurnOutcome::Cancelled => Some("cancelled"),
            TurnOutcome::ModelFailed => Some("the model failed"),
            TurnOutcome::LimitReached => Some("the turn reached its limit"),
            TurnOutcome::Failed => Some("the turn failed"),
        };
        if let Some(what) = what {
            let reason =
                closed.message.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
            self.aside(&format!("{what}{reason}"))?;
        }
        if ours {
            self.wait = Wait::Nothing;
            let missing = tokens(&closed.usage).saturating_sub(self.spinner.tokens());
            self.spinner.add_tokens(missing);
            if self.editor.is_terminal() {
                let sum = self.spinner.sum();
                self.screen.note(&sum)?;
            }
        }
        Ok(())
    }
}
