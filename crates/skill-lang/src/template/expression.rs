//! Rewrites the expressions of one tag, copying everything it does not change.

use super::lexer::{self, End, Kind, Token};
use super::rewrite::literal;
use super::source_map::Writer;
use super::{Failure, NESTING_MAX, check};

/// The expressions of one tag and where their rewriting goes.
pub(super) struct Expressions<'t> {
    pub(super) source: &'t str,
    pub(super) tokens: &'t [Token],
    pub(super) writer: &'t mut Writer,
    pub(super) depth: usize,
}

impl Expressions<'_> {
    fn text(&self, index: usize) -> &str {
        self.tokens[index].text(self.source)
    }

    /// Copies tokens `from..to` and the blanks in front of each.
    pub(super) fn verbatim(&mut self, from: usize, to: usize) {
        if from < to {
            let start = self.blanks_from(from);
            self.writer.copy(self.source, start..self.tokens[to - 1].end);
        }
    }

    /// Offset where the blanks in front of a token begin.
    fn blanks_from(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(self.tokens[index].start, |before| self.tokens[before].end)
    }

    /// First token in `from..to`, outside of brackets, for which `wanted` holds.
    fn find(&self, from: usize, to: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let mut at = from;
        while at < to {
            if wanted(at) {
                return Some(at);
            }
            at = match self.tokens[at].kind {
                Kind::Open(close) => close + 1,
                _ => at + 1,
            };
        }
        None
    }

    fn is(&self, index: usize, texts: &[&str]) -> bool {
        let token = self.tokens[index];
        matches!(token.kind, Kind::Operator | Kind::Name)
            && texts.contains(&token.text(self.source))
    }

    /// Whether the name at `index` stands where an operator does, rather than as a variable or attribute.
    fn is_word_operator(&self, index: usize, from: usize, to: usize, words: &[&str]) -> bool {
        self.is(index, words)
            && index > from
            && index + 1 < to
            && self.tokens[index - 1].ends_value()
            && !(index > from + 1 && self.is(index - 1, &["is"]))
            && !self.is(index - 1, &["is", "not", "and", "or", "in"])
            && (self.tokens[index + 1].begins_value() || self.is(index + 1, &["-"]))
    }

    /// Items separated by commas.
    pub(super) fn list(&mut self, from: usize, to: usize, is_map: bool) -> Result<(), Failure> {
        let mut from = from;
        while let Some(comma) = self.find(from, to, |at| self.is(at, &[","])) {
            self.item(from, comma, is_map)?;
            self.verbatim(comma, comma + 1);
            from = comma + 1;
        }
        self.item(from, to, is_map)
    }

    /// `expression`, `name = expression` or `key: expression`.
    fn item(&mut self, from: usize, to: usize, is_map: bool) -> Result<(), Failure> {
        let separator = if is_map { ":" } else { "=" };
        match self.find(from, to, |at| self.is(at, &[separator])) {
            Some(at) => {
                self.conditional(from, at)?;
                self.verbatim(at, at + 1);
                self.conditional(at + 1, to)
            }
            None => self.conditional(from, to),
        }
    }

    /// `condition ? yes : no`, the loosest operator.
    fn conditional(&mut self, from: usize, to: usize) -> Result<(), Failure> {
        let Some(question) = self.find(from, to, |at| self.is(at, &["?"])) else {
            return self.inline_if(from, to);
        };
        self.enter(question)?;
        let colon = self.colon_of(question, to)?;
        for (from, to) in [(from, question), (question + 1, colon), (colon + 1, to)] {
            if from == to {
                return Err(Failure::new(
                    self.tokens[question].start,
                    "`a ? b : c` needs all three parts",
                ));
            }
        }
        let place = self.tokens[question].start;
        self.writer.insert(" ((", place);
        self.conditional(question + 1, colon)?;
        self.writer.insert(") if (", place);
        self.inline_if(from, question)?;
        self.writer.insert(") else (", place);
        self.conditional(colon + 1, to)?;
        self.writer.insert("))", place);
        self.depth -= 1;
        Ok(())
    }

    fn colon_of(&self, question: usize, to: usize) -> Result<usize, Failure> {
        let mut open = 0_usize;
        let mut at = question;
        while let Some(found) = self.find(at, to, |at| self.is(at, &["?", ":"])) {
            open = if self.is(found, &["?"]) { open + 1 } else { open - 1 };
            if open == 0 {
                return Ok(found);
            }
            at = found + 1;
        }
        Err(Failure::new(
            self.tokens[question].start,
            "this `?` has no `:`; write `condition ? yes : no`",
        ))
    }

    /// Parts between `if`, `else`, `or` and `and`.
    fn inline_if(&mut self, from: usize, to: usize) -> Result<(), Failure> {
        let mut from = from;
        while let Some(word) = self.find(from, to, |at| self.is_connective(at)) {
            self.clause(from, word)?;
            self.verbatim(word, word + 1);
            from = word + 1;
        }
        self.clause(from, to)
    }

    fn is_connective(&self, index: usize) -> bool {
        let is_attribute = index > 0 && self.is(index - 1, &["."]);
        !is_attribute && self.is(index, &["if", "else", "or", "and"])
    }

    /// A comparison, possibly with `not` in front.
    fn clause(&mut self, from: usize, to: usize) -> Result<(), Failure> {
        let mut from = from;
        while from < to && self.is(from, &["not"]) {
            self.verbatim(from, from + 1);
            from += 1;
        }
        let words = ["contains", "matches"];
        let Some(word) = self.find(from, to, |at| self.is_word_operator(at, from, to, &words))
        else {
            return self.operands(from, to);
        };
        let test = if self.is(word, &["contains"]) { ") is containing(" } else { ") is matching(" };
        let place = self.tokens[word].start;
        self.enter(word)?;
        self.writer.insert(" (", place);
        self.operands(from, word)?;
        self.writer.insert(test, place);
        self.clause(word + 1, to)?;
        self.writer.insert(")", place);
        self.depth -= 1;
        Ok(())
    }

    /// Values and the operators that bind tighter than comparisons.
    fn operands(&mut self, from: usize, to: usize) -> Result<(), Failure> {
        let mut at = from;
        while at < to {
            at = if self.is_word_operator(at, from, to, &["equals"]) {
                self.writer.insert(" ==", self.tokens[at].start);
                at + 1
            } else if self.is(at, &["??", ".."]) {
                self.postfix_operator(at, to)?
            } else {
                self.value(at)?
            };
        }
        Ok(())
    }

    /// `a ?? b` and `a..b` become filters of `a`, so that the left side needs no bracket.
    fn postfix_operator(&mut self, at: usize, to: usize) -> Result<usize, Failure> {
        let filter = if self.is(at, &["??"]) { "|coalesce(" } else { "|upto(" };
        let place = self.tokens[at].start;
        let end = self.operand_end(at + 1, to);
        if end == at + 1 {
            return Err(Failure::new(
                place,
                format!("`{}` needs a value on its right", self.text(at)),
            ));
        }
        self.enter(at)?;
        self.writer.insert(filter, place);
        self.operands(at + 1, end)?;
        self.writer.insert(")", place);
        self.depth -= 1;
        Ok(end)
    }

    /// End of the operand that begins at `from`: a sign, a value, and its attributes, indexes and calls.
    fn operand_end(&self, from: usize, to: usize) -> usize {
        let mut at = from;
        while at < to && self.is(at, &["-", "+"]) {
            at += 1;
        }
        if at >= to || !self.tokens[at].begins_value() {
            return from;
        }
        at = self.behind(at);
        while at < to {
            match self.tokens[at].kind {
                Kind::Open(close) if self.text(at) != "{" => at = close + 1,
                Kind::Operator if self.text(at) == "." && at + 1 < to => at += 2,
                _ => break,
            }
        }
        at
    }

    fn behind(&self, index: usize) -> usize {
        match self.tokens[index].kind {
            Kind::Open(close) => close + 1,
            _ => index + 1,
        }
    }

    /// One token, or a bracket with all it holds; returns the index behind it.
    fn value(&mut self, index: usize) -> Result<usize, Failure> {
        match self.tokens[index].kind {
            Kind::Open(close) => {
                self.enter(index)?;
                self.verbatim(index, index + 1);
                self.bracket(index, close)?;
                self.verbatim(close, close + 1);
                self.depth -= 1;
                Ok(close + 1)
            }
            Kind::Text if check::is_pattern(self.source, self.tokens, index) => {
                let pattern = check::pattern_of(self.text(index));
                self.writer.insert(" ", self.tokens[index].start);
                self.writer.insert(&literal(&pattern), self.tokens[index].start);
                Ok(index + 1)
            }
            Kind::Text if self.text(index).starts_with('"') && self.text(index).contains("#{") => {
                self.interpolation(index)?;
                Ok(index + 1)
            }
            _ => {
                self.verbatim(index, index + 1);
                Ok(index + 1)
            }
        }
    }

    fn bracket(&mut self, open: usize, close: usize) -> Result<(), Failure> {
        let is_map = self.text(open) == "{";
        let is_index = self.text(open) == "[" && open > 0 && self.tokens[open - 1].ends_value();
        if !is_index {
            return self.list(open + 1, close, is_map);
        }
        // An index may be a slice, whose colons are no part of a conditional.
        let mut from = open + 1;
        if self.find(from, close, |at| self.is(at, &["?"])).is_none() {
            while let Some(colon) = self.find(from, close, |at| self.is(at, &[":"])) {
                self.conditional(from, colon)?;
                self.verbatim(colon, colon + 1);
                from = colon + 1;
            }
        }
        self.conditional(from, close)
    }

    /// `"a #{b} c"` becomes `("a " ~ (b) ~ " c")`; the chain of `~` counts as nesting, which it is to the engine.
    fn interpolation(&mut self, index: usize) -> Result<(), Failure> {
        let Token { start, end, .. } = self.tokens[index];
        let depth = self.depth;
        self.writer.insert(" (\"", start);
        let mut at = start + 1;
        while let Some(found) = self.source[at..end - 1].find("#{") {
            let open = at + found;
            self.enter(index)?;
            self.writer.copy(self.source, at..open);
            self.writer.insert("\" ~ (", open);
            at = self.interpolated(open, end - 1)?;
            self.writer.insert(") ~ \"", at);
        }
        self.writer.copy(self.source, at..end - 1);
        self.writer.insert("\")", end);
        self.depth = depth;
        Ok(())
    }

    /// Rewrites the expression of `#{…}` at `open`; returns the offset behind it.
    fn interpolated(&mut self, open: usize, limit: usize) -> Result<usize, Failure> {
        let source = &self.source[..limit];
        let inner =
            lexer::tokens(source, open, open + 2, End::Interpolation).map_err(|failure| {
                Failure::new(failure.offset, format!("in `#{{…}}`: {}", failure.message))
            })?;
        if inner.list.is_empty() {
            return Err(Failure::new(open, "there is nothing between `#{` and `}`"));
        }
        let depth = self.depth;
        let mut nested = Expressions { source, tokens: &inner.list, writer: self.writer, depth };
        nested.list(0, inner.list.len(), false)?;
        Ok(inner.after)
    }

    fn enter(&mut self, index: usize) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            let place = self.tokens[index].start;
            return Err(Failure::new(
                place,
                format!("this expression is nested deeper than {NESTING_MAX}"),
            ));
        }
        Ok(())
    }
}
