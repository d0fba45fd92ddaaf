//! One turn in the making: asks the model and runs its tools with what was prepared.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use api_types::events::{Event, TurnRestarted};
use api_types::ids::{MessageId, Seq};

use super::chat::Chat;
use super::parts::TurnParts;
use super::prepared::Prepared;
use super::stream::{State, Stream};
use super::turn::{Step, Turn};
use crate::bus::{Signal, Topic};
use crate::ctx::{Actor, OpCtx};
use crate::lanes::entry::{Call, Entry};
use crate::lanes::head::{Await, LaneView};
use crate::lanes::inbox::{Body, Message};
use crate::lanes::usage::Usage;
use crate::models::{
    self, Answer, Arguments, Message as ModelMessage, Provider, Request, Segment, Stop, ToolCall,
    ToolOutcome,
};
use crate::runtime::Timestamp;

/// Longest model call, with all its tries.
const MODEL_TIME_MAX: Duration = Duration::from_secs(20 * 60);
/// Tries after a provider said when to come back.
const BACK_OFFS_MAX: usize = 5;

/// A turn in the making.
#[derive(Debug)]
pub struct TurnSession {
    pub(super) prepared: Prepared,
    back_offs: std::sync::atomic::AtomicUsize,
}

/// What a model call ended with.
pub enum StepOutcome {
    /// The model asks for tools: the entry that records it.
    Calls(Entry),
    /// The model answered.
    Answer(Final),
    /// It failed; what to know and do.
    Failed(String),
    /// The provider wants to be left alone for a while.
    Wait {
        /// Records the wait.
        entry: Entry,
        /// The same, for the head.
        wait: Await,
        /// When to ask again.
        until: Timestamp,
    },
}

/// The model's last word.
pub struct Final {
    /// The text.
    pub text: String,
    /// What people should know of it.
    pub notices: Vec<String>,
    /// Tokens of the call.
    pub usage: Usage,
}

/// Someone ends the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// The control message.
    pub request: Seq,
    /// It ends the process, too.
    pub closes: bool,
}

impl Interrupt {
    /// The first control message that is meant for this turn.
    #[must_use]
    pub fn find(control: &[Message], turn: &Turn) -> Option<Self> {
        let first_input = turn.inputs.iter().min().copied().unwrap_or_default();
        let meant = |message: &&Message| match &message.message.body {
            Body::Close => true,
            Body::Cancel { turn: Some(named) } => *named == turn.id,
            // One that was sent before the turn's first message was meant for an earlier turn.
            Body::Cancel { turn: None } => message.seq > first_input,
            _ => false,
        };
        let found = control.iter().find(meant)?;
        Some(Self { request: found.seq, closes: matches!(found.message.body, Body::Close) })
    }
}

impl TurnSession {
    /// A turn with these surroundings.
    #[must_use]
    pub fn new(prepared: Prepared) -> Self {
        Self { prepared, back_offs: std::sync::atomic::AtomicUsize::new(0) }
    }

    /// How often the turn may ask the model.
    #[must_use]
    pub fn steps_max(&self) -> usize {
        self.prepared.steps_max
    }

    /// Tells watchers that what they saw of this turn's running step is void.
    pub fn tell_restart(&self, parts: &TurnParts, view: &LaneView, topic: &Topic, turn: Seq) {
        let event = Event::TurnRestarted(TurnRestarted {
            think_process_id: view.id.clone(),
            turn_id: turn,
            attempt: 1,
            reason: "the turn goes on after a restart of the service".to_owned(),
        });
        parts.bus.publish(topic, Signal::Overlay(Arc::new(event)));
    }

    /// All that the model reads of the conversation: the chat, then the turn's steps.
    #[must_use]
    pub fn messages(&self, chat: &Chat, turn: &Turn) -> Vec<Arc<Segment>> {
        let mut messages = chat.segments().to_vec();
        messages
            .extend(turn.steps.iter().flat_map(step_messages).map(|m| Arc::new(Segment::new(m))));
        messages
    }

    /// Asks the model once.
    pub async fn ask(
        &self,
        parts: &TurnParts,
        view: &LaneView,
        topic: &Topic,
        turn: &Turn,
        messages: Vec<Arc<Segment>>,
        message: &MessageId,
    ) -> StepOutcome {
        if let Some(problem) = &self.prepared.problem {
            return StepOutcome::Failed(problem.clone());
        }
        let request = Request {
            model: self.prepared.model.clone(),
            system: self.prepared.system.clone(),
            tools: Arc::clone(&self.prepared.tools),
            messages,
            max_tokens: self.prepared.max_tokens,
            temperature: self.prepared.temperature,
        };
        let mut ctx = OpCtx::new(topic.tenant.clone(), Actor::User(view.spec.user.clone()));
        ctx.deadline = tokio::time::Instant::now() + MODEL_TIME_MAX;
        let sink = Stream {
            bus: parts.bus.as_ref(),
            topic,
            lane: &view.id,
            process: &view.spec.name,
            turn: turn.id,
            message,
            state: Mutex::new(State::default()),
        };
        let answer = parts.providers.call(&ctx, &request, &sink).await;
        sink.flush();
        self.outcome(answer, parts.clock.now())
    }

    fn outcome(&self, answer: Result<Answer, models::Error>, now: Timestamp) -> StepOutcome {
        match answer {
            Ok(answer) if !answer.calls.is_empty() => StepOutcome::Calls(model_entry(answer, now)),
            Ok(answer) => last_word(answer),
            Err(error) => self.failure(error, now),
        }
    }

    fn failure(&self, error: models::Error, now: Timestamp) -> StepOutcome {
        let tried = self.back_offs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        match error.retry_after() {
            Some(pause) if tried < BACK_OFFS_MAX => {
                let until =
                    Timestamp(now.0 + i64::try_from(pause.as_millis()).unwrap_or(i64::MAX / 2));
                let id = format!("back-off-{tried}");
                let wait = Await { id: id.clone(), kind: "back-off".to_owned(), due_at: until };
                let entry = Entry::Awaiting { id, what: error.to_string(), due_at: until };
                StepOutcome::Wait { entry, wait, until }
            }
            _ => StepOutcome::Failed(error.to_string()),
        }
    }
}

fn usage(answer: &Answer) -> Usage {
    let u = answer.usage;
    Usage {
        input: u.input,
        output: u.output,
        cache_read: u.cache_read,
        cache_write: u.cache_write,
        calls: 1,
    }
}

fn model_entry(answer: Answer, at: Timestamp) -> Entry {
    let usage = usage(&answer);
    let call = |call: ToolCall| Call {
        id: call.id,
        name: call.name,
        arguments: as_written(call.arguments),
    };
    Entry::Model {
        text: answer.text,
        calls: answer.calls.into_iter().map(call).collect(),
        carry: answer.carry,
        usage,
        at,
    }
}

/// The arguments as the model wrote them.
fn as_written(arguments: Arguments) -> String {
    match arguments {
        Arguments::Json(value) => value.to_string(),
        Arguments::Malformed { raw, .. } => raw,
    }
}

fn last_word(answer: Answer) -> StepOutcome {
    let usage = usage(&answer);
    if answer.text.trim().is_empty() {
        let why = match answer.stop {
            Stop::Refusal => "the model declined to answer",
            Stop::MaxTokens => {
                "the model used all its tokens before it said anything; raise the recipe's `maxTokens`"
            }
            _ => "the model answered nothing; send the message again",
        };
        return StepOutcome::Failed(why.to_owned());
    }
    let notices = match &answer.stop {
        Stop::MaxTokens => {
            vec!["the answer is cut: it reached the recipe's `maxTokens`".to_owned()]
        }
        Stop::Refusal => vec!["the model declined to go on".to_owned()],
        _ => Vec::new(),
    };
    StepOutcome::Answer(Final { text: answer.text, notices, usage })
}

/// A step as the model reads it: its call, the outcomes, and what the user said meanwhile.
fn step_messages(step: &Step) -> Vec<ModelMessage> {
    let calls = step.calls.iter().map(|c| ToolCall {
        id: c.call.id.clone(),
        name: c.call.name.clone(),
        arguments: Arguments::parse(&c.call.arguments),
    });
    let outcomes = step.calls.iter().filter_map(|c| {
        let result = c.result.as_ref()?;
        Some(ToolOutcome {
            call: c.call.id.clone(),
            name: c.call.name.clone(),
            content: result.content.clone(),
            is_error: result.is_error,
        })
    });
    let mut messages = vec![
        ModelMessage::Assistant {
            text: step.text.clone(),
            calls: calls.collect(),
            carry: step.carry.clone(),
        },
        ModelMessage::Results(outcomes.collect()),
    ];
    messages.extend(step.steered.iter().map(|text| ModelMessage::User { text: text.clone() }));
    messages
}
