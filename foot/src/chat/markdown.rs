//! Markdown as it streams, coloured. The text itself is never changed: without its colours the
//! output is the input, so nothing is lost, moved or hidden, however the pieces are cut.

/// Deepest indentation at which a list item is looked for, in blanks.
const INDENT_MAX: usize = 16;
/// Longest marker of a block, in characters; a longer run is plain text.
const MARKER_CHARS_MAX: usize = 40;

const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const CODE: &str = "\x1b[36m";
const ITEM: &str = "\x1b[33m";

/// What a line is, once its first characters tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Plain,
    Heading,
    /// A list item, or a quotation.
    Item,
    /// A fence of this character and length.
    Fence(char, usize),
}

/// Colours text as it arrives.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    /// The first characters of a line, until they tell what it is.
    lead: String,
    /// The lead is decided, the line goes on.
    in_line: bool,
    heading: bool,
    fence: Option<(char, usize)>,
    bold: bool,
    code: bool,
    /// Stars whose meaning the next character tells.
    stars: usize,
    /// A colour is on.
    styled: bool,
}

impl Markdown {
    /// Takes a piece; returns what can be shown.
    pub(super) fn push(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        for c in text.chars() {
            if self.in_line { self.inline(c, &mut out) } else { self.start(c, &mut out) }
        }
        out
    }

    /// The text ends here; returns what was held back.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        if !self.lead.is_empty() {
            let lead = std::mem::take(&mut self.lead);
            self.begin(Block::Plain, &lead, &mut out);
        }
        self.settle_stars(None, &mut out);
        self.end_style(&mut out);
        *self = Self::default();
        out
    }

    /// At the start of a line.
    fn start(&mut self, c: char, out: &mut String) {
        if c == '\n' {
            let lead = std::mem::take(&mut self.lead);
            let block = self.line_end(&lead);
            self.begin(block, &lead, out);
            self.inline('\n', out);
            return;
        }
        self.lead.push(c);
        if let Some(block) = self.decide() {
            let lead = std::mem::take(&mut self.lead);
            self.begin(block, &lead, out);
        }
    }

    /// What a line is whose first characters are all of it.
    fn line_end(&self, lead: &str) -> Block {
        match marker(lead) {
            Some((c, length)) if is_fence(c) && length >= 3 => Block::Fence(c, length),
            _ => Block::Plain,
        }
    }

    /// What the line is; `None` while its first characters could still be several things.
    fn decide(&self) -> Option<Block> {
        let rest = self.lead.trim_start_matches(' ');
        let indent = self.lead.len() - rest.len();
        if indent > INDENT_MAX || rest.chars().count() > MARKER_CHARS_MAX {
            return Some(Block::Plain);
        }
        let first = rest.chars().next()?;
        if self.fence.is_some() {
            let run = rest.trim_end_matches([' ', '\r']);
            let same = is_fence(first) && run.chars().all(|c| c == first);
            return if same { None } else { Some(Block::Plain) };
        }
        let run = rest.chars().take_while(|c| *c == first).count();
        let behind = rest.chars().nth(run);
        match first {
            '#' if run > 6 => Some(Block::Plain),
            '#' => behind.map(|c| if c == ' ' { Block::Heading } else { Block::Plain }),
            '`' | '~' => behind.map(|_| match run {
                3.. => Block::Fence(first, run),
                _ => Block::Plain,
            }),
            '-' | '*' | '+' | '>' if run == 1 => {
                behind.map(|c| if c == ' ' { Block::Item } else { Block::Plain })
            }
            '0'..='9' => number(rest),
            _ => Some(Block::Plain),
        }
    }

    /// Shows the first characters of a line as what they are.
    fn begin(&mut self, block: Block, lead: &str, out: &mut String) {
        self.in_line = true;
        match block {
            Block::Heading => {
                self.heading = true;
                self.style(out);
                out.push_str(lead);
            }
            Block::Fence(c, length) => {
                self.fence = match self.fence {
                    Some((open, least)) if open == c && length >= least => None,
                    Some(open) => Some(open),
                    None => Some((c, length)),
                };
                self.styled = true;
                out.push_str(DIM);
                out.push_str(lead);
                // The rest of the line names a language.
                self.heading = false;
            }
            Block::Item => {
                let text = lead.trim_end_matches(' ');
                out.push_str(ITEM);
                out.push_str(text);
                out.push_str(RESET);
                out.push_str(&lead[text.len()..]);
            }
            Block::Plain => {
                self.style(out);
                lead.chars().for_each(|c| self.inline(c, out));
            }
        }
    }

    fn inline(&mut self, c: char, out: &mut String) {
        if c == '\n' {
            self.settle_stars(None, out);
            self.end_style(out);
            (self.bold, self.code, self.heading, self.in_line) = (false, false, false, false);
            out.push('\n');
            return;
        }
        // A dimmed fence line, the code between fences and a heading have one colour each.
        if self.fence.is_some() || self.heading || self.styled && !self.bold && !self.code {
            out.push(c);
            return;
        }
        if c == '*' && !self.code && self.stars < 2 {
            self.stars += 1;
            return;
        }
        self.settle_stars(Some(c), out);
        if c != '`' {
            out.push(c);
        } else if self.code {
            out.push(c);
            self.code = false;
            self.restyle(out);
        } else {
            self.code = true;
            self.restyle(out);
            out.push(c);
        }
    }

    /// Two stars before a letter begin bold text, two behind one end it.
    fn settle_stars(&mut self, next: Option<char>, out: &mut String) {
        let stars = std::mem::take(&mut self.stars);
        let opens = stars == 2 && !self.bold && next.is_some_and(|c| !c.is_whitespace());
        let closes = stars == 2 && self.bold;
        if opens {
            self.bold = true;
            self.restyle(out);
        }
        (0..stars).for_each(|_| out.push('*'));
        if closes {
            self.bold = false;
            self.restyle(out);
        }
    }

    /// The colour of a new line.
    fn style(&mut self, out: &mut String) {
        let style = match (self.fence.is_some(), self.heading) {
            (true, _) => CODE,
            (false, true) => BOLD,
            (false, false) => return,
        };
        self.styled = true;
        out.push_str(style);
    }

    fn restyle(&mut self, out: &mut String) {
        self.end_style(out);
        for (on, style) in [(self.bold, BOLD), (self.code, CODE)] {
            if on {
                out.push_str(style);
                self.styled = true;
            }
        }
    }

    fn end_style(&mut self, out: &mut String) {
        if std::mem::take(&mut self.styled) {
            out.push_str(RESET);
        }
    }
}

fn is_fence(c: char) -> bool {
    c == '`' || c == '~'
}

/// A lead that is a run of one character, blanks around it aside.
fn marker(lead: &str) -> Option<(char, usize)> {
    let rest = lead.trim_matches([' ', '\r']);
    let first = rest.chars().next()?;
    rest.chars().all(|c| c == first).then(|| (first, rest.chars().count()))
}

/// `1.` or `1)` and a blank.
fn number(rest: &str) -> Option<Block> {
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let mut behind = behind.chars();
    match (behind.next(), behind.next()) {
        (None, _) | (Some('.' | ')'), None) => None,
        (Some('.' | ')'), Some(' ')) => Some(Block::Item),
        _ => Some(Block::Plain),
    }
}

#[cfg(test)]
mod tests;
