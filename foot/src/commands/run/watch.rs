//! What a run waits for, and what it makes of what it hears. Pure.

use api_types::events::{
    Event, ProcessProgress, SkillOperation, SkillOutcome, StatusTag, TurnClosed, TurnOutcome,
    UsageDto,
};
use api_types::frames::{ReplyFrame, SessionBound};
use api_types::ids::{LaneId, ProcessName, Seq, SessionId, SkillName};
use api_types::sessions::{ChatMessageDto, ChatRole, ProcessSummaryDto, ThinkProcessStatus};
use api_types::skills::ActiveSkillRefDto;
use serde::Serialize;

use crate::client::{Answer, Body, Rest};
use crate::exit::Exit;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Print this piece of the answer.
    Print(String),
    /// The present text is complete.
    EndText,
    /// What was printed of the present text is void; this is it.
    Replace(String),
    /// Tell people.
    Note(String),
    /// Ask for the process's state: no event says that nothing will happen.
    LookAtProcess,
    /// There is nothing more to wait for.
    Done,
}

/// What became of one `--skill`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkillResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    skill: Option<SkillName>,
    outcome: SkillOutcome,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// How a run ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<SessionId>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<TurnOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    usage: UsageDto,
    skills: Vec<SkillResult>,
    active_skills: Vec<ActiveSkillRefDto>,
}

impl RunResult {
    /// How the program ends.
    pub(super) fn exit(&self) -> Exit {
        let failed = self.skills.iter().any(|skill| skill.outcome == SkillOutcome::Failed);
        match self.outcome {
            Some(TurnOutcome::ModelFailed) => Exit::Model,
            Some(TurnOutcome::Done) | None if !failed => Exit::Done,
            _ => Exit::Failed,
        }
    }

    /// What people should know of the turn.
    pub(super) fn trouble(&self) -> Option<String> {
        let Some(outcome) = self.outcome else {
            let failed = self.skills.iter().any(|skill| skill.outcome == SkillOutcome::Failed);
            let session = self.session_id.as_ref().filter(|_| !failed)?;
            return Some(format!(
                "no skill supplied a turn; go on with `foot run --session {session} -p PROMPT`"
            ));
        };
        let what = match outcome {
            TurnOutcome::Done => return None,
            TurnOutcome::Cancelled => "the turn was cancelled",
            TurnOutcome::ModelFailed => "the model failed",
            TurnOutcome::LimitReached => "the turn reached its limit",
            TurnOutcome::Failed => "the turn failed",
        };
        let message = self.message.as_ref();
        Some(message.map_or_else(|| what.to_owned(), |message| format!("{what}: {message}")))
    }
}

/// The state of a run.
#[derive(Debug)]
pub(super) struct Watch {
    prompt: Option<String>,
    activations: usize,
    session: Option<SessionBound>,
    /// Activations of which the outcome is not known yet.
    waiting: Vec<Seq>,
    /// Our places in the inbox.
    ours: Vec<Seq>,
    message: Option<Seq>,
    /// What is said now belongs to this run: a resumed session may be in the middle of a turn.
    mine: bool,
    open_turn: Option<Seq>,
    looking: bool,
    /// Events are missing: so many replies tell where things stand.
    recovering: bool,
    answer: Answer,
    result: RunResult,
}

impl Watch {
    pub(super) fn new(prompt: Option<String>, activations: usize) -> Self {
        Self {
            prompt,
            activations,
            session: None,
            waiting: Vec::new(),
            ours: Vec::new(),
            message: None,
            mine: false,
            open_turn: None,
            looking: false,
            recovering: false,
            answer: Answer::default(),
            result: RunResult {
                session_id: None,
                text: String::new(),
                outcome: None,
                message: None,
                usage: UsageDto::default(),
                skills: Vec::new(),
                active_skills: Vec::new(),
            },
        }
    }

    /// The process, once it is known.
    pub(super) fn process_name(&self) -> Option<&ProcessName> {
        self.session.as_ref().map(|session| &session.chat_process_name)
    }

    /// The turn that runs.
    pub(super) fn open_turn(&self) -> Option<Seq> {
        self.open_turn
    }

    /// How things stand.
    pub(super) fn result(&self) -> RunResult {
        self.result.clone()
    }

    /// The messages and the process will be read again.
    pub(super) fn events_missing(&mut self) {
        self.recovering = true;
        self.looking = true;
    }

    /// Takes in what the brain says.
    pub(super) fn on(&mut self, body: &Body) -> Vec<Act> {
        match body {
            Body::Reply(_, ReplyFrame::SessionBootstrap(bound)) => self.bound(bound),
            Body::Reply(_, ReplyFrame::ProcessList(list)) => self.processes(&list.processes),
            Body::Reply(_, ReplyFrame::ProcessMessages(reply)) => self.messages(&reply.messages),
            Body::Event(event) => self.event(event),
            Body::Unknown { kind, problem } if !problem.contains("unknown variant") => {
                vec![Act::Note(format!("a frame {kind} can't be read: {problem}"))]
            }
            Body::Reply(..) | Body::Refused(..) | Body::Unknown { .. } => Vec::new(),
        }
    }

    fn bound(&mut self, bound: &SessionBound) -> Vec<Act> {
        let activations = self.activations.min(bound.queued.len());
        self.waiting = bound.queued[..activations].to_vec();
        self.ours.clone_from(&bound.queued);
        self.message = self.prompt.as_ref().and(bound.queued.last().copied());
        self.mine = bound.session_created;
        self.result.session_id = Some(bound.session_id.clone());
        self.result.active_skills.clone_from(&bound.active_skills);
        self.session = Some(bound.clone());
        Vec::new()
    }

    fn is_ours(&self, process: &LaneId) -> bool {
        self.session.as_ref().is_some_and(|session| session.chat_process_id == *process)
    }

    fn event(&mut self, event: &Event) -> Vec<Act> {
        match event {
            Event::SkillOperation(operation) if self.is_ours(&operation.process_id) => {
                self.skill(operation)
            }
            Event::ProcessProgress(progress) if self.is_ours(&progress.process_id) => {
                self.progress(progress)
            }
            Event::ChatMessageStreamChunk(chunk)
                if self.is_ours(&chunk.think_process_id) && chunk.role == ChatRole::Assistant =>
            {
                let text = if self.mine { self.answer.chunk(chunk) } else { "" };
                print(text)
            }
            Event::TurnRestarted(restarted) if self.is_ours(&restarted.think_process_id) => {
                self.answer.restarted();
                Vec::new()
            }
            Event::ChatMessageAppended(message) if self.is_ours(&message.think_process_id) => {
                self.appended(message)
            }
            Event::TurnClosed(closed) if self.is_ours(&closed.process_id) => self.closed(closed),
            Event::ProcessStatus(changed) if self.is_ours(&changed.process_id) => {
                if changed.status == ThinkProcessStatus::Closed { self.gone() } else { Vec::new() }
            }
            Event::Error(error) => vec![Act::Note(error.error_message.clone())],
            _ => Vec::new(),
        }
    }

    fn skill(&mut self, operation: &SkillOperation) -> Vec<Act> {
        self.result.active_skills.clone_from(&operation.active_skills);
        let Some(at) = self.waiting.iter().position(|seq| Some(*seq) == operation.queued) else {
            return Vec::new();
        };
        self.waiting.remove(at);
        let mut acts = Vec::new();
        if operation.outcome == SkillOutcome::Failed {
            acts.push(Act::Note(operation.message.clone()));
        }
        self.result.skills.push(SkillResult {
            skill: operation.skill.clone(),
            outcome: operation.outcome,
            message: operation.message.clone(),
            reason: operation.reason.clone(),
        });
        if self.waiting.is_empty() {
            acts.extend(self.look());
        }
        acts
    }

    /// Whether a turn may never come: without a prompt, or with one that needed a skill that
    /// was refused.
    fn is_doubtful(&self) -> bool {
        let failed = self.result.skills.iter().any(|skill| skill.outcome == SkillOutcome::Failed);
        self.message.is_none() || failed
    }

    fn look(&mut self) -> Option<Act> {
        if !self.is_doubtful() || self.looking || !self.waiting.is_empty() {
            return None;
        }
        self.looking = true;
        Some(Act::LookAtProcess)
    }

    fn processes(&mut self, processes: &[ProcessSummaryDto]) -> Vec<Act> {
        if !std::mem::take(&mut self.looking) {
            return Vec::new();
        }
        let found = processes.iter().find(|process| self.is_ours(&process.process_id));
        let busy = found.is_some_and(|process| process.status == ThinkProcessStatus::Running);
        let recovering = std::mem::take(&mut self.recovering);
        if busy || (self.open_turn.is_some() && !recovering) {
            return Vec::new();
        }
        if recovering {
            return self.recovered(found);
        }
        if self.waiting.is_empty() && self.is_doubtful() { vec![Act::Done] } else { Vec::new() }
    }

    /// Nothing runs. Either our message was answered meanwhile, or it still waits.
    fn recovered(&mut self, process: Option<&ProcessSummaryDto>) -> Vec<Act> {
        if let Some(process) = process {
            self.result.active_skills.clone_from(&process.active_skills);
        }
        if !self.mine {
            return Vec::new();
        }
        if self.result.text.is_empty() {
            self.result.outcome = Some(TurnOutcome::Failed);
            self.result.message = Some("no answer was found after events were lost".to_owned());
        } else {
            self.result.outcome = Some(TurnOutcome::Done);
        }
        vec![Act::Done]
    }

    /// The newest messages of the process, read again.
    fn messages(&mut self, messages: &[ChatMessageDto]) -> Vec<Act> {
        let asked = messages.iter().rposition(|message| self.is_question(message));
        let Some(asked) = asked else {
            self.mine = false;
            return Vec::new();
        };
        self.mine = true;
        let answer =
            messages[asked..].iter().rev().find(|message| message.role == ChatRole::Assistant);
        answer.map_or_else(Vec::new, |answer| self.appended(answer))
    }

    fn is_question(&self, message: &ChatMessageDto) -> bool {
        message.role == ChatRole::User
            && self.prompt.as_ref().is_none_or(|prompt| *prompt == message.content)
    }

    fn progress(&mut self, progress: &ProcessProgress) -> Vec<Act> {
        match progress.tag {
            StatusTag::EngineTurnStart => {
                self.open_turn = progress.turn_id;
                // Without a prompt the turn behind our activations is the one.
                if self.prompt.is_none() && self.waiting.len() < self.activations {
                    self.mine = true;
                }
                Vec::new()
            }
            StatusTag::Metrics if self.mine => {
                let rest = self.answer.step_ended();
                complete(rest)
            }
            StatusTag::Info => vec![Act::Note(progress.text.clone())],
            _ => Vec::new(),
        }
    }

    fn appended(&mut self, message: &ChatMessageDto) -> Vec<Act> {
        match message.role {
            ChatRole::User => {
                self.mine |= self.prompt.is_some() && self.is_question(message);
                Vec::new()
            }
            ChatRole::Assistant if self.mine => {
                self.result.text.clone_from(&message.content);
                complete(self.answer.appended(&message.content))
            }
            ChatRole::Assistant | ChatRole::System => Vec::new(),
        }
    }

    fn closed(&mut self, closed: &TurnClosed) -> Vec<Act> {
        self.open_turn = None;
        let ours = closed.settled.iter().any(|seq| self.ours.contains(seq));
        if ours {
            add(&mut self.result.usage, &closed.usage);
            self.result.outcome = Some(closed.outcome);
            self.result.message.clone_from(&closed.message);
        }
        let done = match self.message {
            Some(message) => closed.settled.contains(&message),
            None => ours && self.waiting.is_empty(),
        };
        if done {
            return vec![Act::Done];
        }
        self.look().into_iter().collect()
    }

    fn gone(&mut self) -> Vec<Act> {
        self.result.outcome = Some(TurnOutcome::Failed);
        self.result.message = Some("the session was closed".to_owned());
        vec![Act::Done]
    }
}

fn print(text: &str) -> Vec<Act> {
    if text.is_empty() { Vec::new() } else { vec![Act::Print(text.to_owned())] }
}

fn complete(rest: Rest) -> Vec<Act> {
    let mut acts = match rest {
        Rest::Continues(rest) => print(&rest),
        Rest::Replaces(text) => vec![Act::Replace(text)],
    };
    acts.push(Act::EndText);
    acts
}

fn add(total: &mut UsageDto, more: &UsageDto) {
    total.tokens_in += more.tokens_in;
    total.tokens_out += more.tokens_out;
    total.cache_read += more.cache_read;
    total.cache_write += more.cache_write;
    total.llm_calls += more.llm_calls;
}
