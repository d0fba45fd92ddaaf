//! What a model turned out not to accept. Formats grow faster than their names: the same endpoint refuses for one model
//! what it wants for another, and says so. Then the request is made again without it, and the next one knows.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::openai::LimitField;

/// Most models that are remembered for one provider; with more, all are forgotten.
const MODELS_MAX: usize = 256;

/// How a request differs from the usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Adjust {
    /// Send no sampling temperature.
    pub(crate) no_temperature: bool,
    /// Don't send back what an answer carried.
    pub(crate) no_carry: bool,
    /// Ask for tools without reasoning.
    pub(crate) no_reasoning: bool,
    /// Don't ask for token counts.
    pub(crate) no_counts: bool,
    /// Name the limit of the answer so.
    pub(crate) limit: Option<LimitField>,
}

impl Adjust {
    /// The change that answers a provider's complaint; `None` if there is none, or if it was made already.
    pub(crate) fn after(self, complaint: &str) -> Option<Self> {
        let complaint = complaint.to_lowercase();
        let says = |word: &str| complaint.contains(word);
        let mut next = self;
        if says("max_completion_tokens") && says("max_tokens") {
            next.limit = Some(LimitField::MaxCompletionTokens);
        } else if says("max_completion_tokens") {
            next.limit = Some(LimitField::MaxTokens);
        } else if says("reasoning_effort") {
            next.no_reasoning = true;
        } else if says("temperature") || says("sampling") {
            next.no_temperature = true;
        } else if says("stream_options") || says("include_usage") {
            next.no_counts = true;
        } else if says("thinking") || says("signature") || says("reasoning") {
            next.no_carry = true;
        }
        (next != self).then_some(next)
    }
}

/// What is known of the models of one provider.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<HashMap<String, Adjust>>);

impl Known {
    /// What is known of a model.
    pub(crate) fn of(&self, model: &str) -> Adjust {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(model).copied().unwrap_or_default()
    }

    /// Remembers what made a request succeed. What an answer carries is a matter of the conversation, not of the model.
    pub(crate) fn learn(&self, model: &str, adjust: Adjust) {
        let lasting = Adjust { no_carry: false, ..adjust };
        if lasting == self.of(model) {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == MODELS_MAX {
            known.clear();
        }
        known.insert(model.to_owned(), lasting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(complaint: &str, expect: Option<Adjust>) {
        let adjusted = Adjust::default().after(complaint);
        assert_eq!(adjusted, expect, "{complaint}");
        assert_eq!(adjusted.and_then(|adjust| adjust.after(complaint)), None, "once only");
    }

    #[test]
    fn complaints_are_met_once() {
        let plain = Adjust::default();
        check(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Some(Adjust { limit: Some(LimitField::MaxCompletionTokens), ..plain }),
        );
        check(
            "Unrecognized request argument supplied: max_completion_tokens",
            Some(Adjust { limit: Some(LimitField::MaxTokens), ..plain }),
        );
        check(
            "Function tools with reasoning_effort are not supported for m in /v1/chat/completions.",
            Some(Adjust { no_reasoning: true, ..plain }),
        );
        check(
            "Unsupported value: 'temperature' does not support 0.2 with this model.",
            Some(Adjust { no_temperature: true, ..plain }),
        );
        check(
            "messages.1.content.0: Invalid `signature` in `thinking` block.",
            Some(Adjust { no_carry: true, ..plain }),
        );
        check(
            "extra fields not permitted: stream_options",
            Some(Adjust { no_counts: true, ..plain }),
        );
        check("messages: at least one message is required", None);
    }
}
