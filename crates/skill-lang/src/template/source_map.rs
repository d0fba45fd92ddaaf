//! From bytes of the rewritten template to bytes of the original.

use std::ops::Range;

/// Built while the rewritten text is written, looked up when an error is reported.
#[derive(Debug, Default)]
pub(super) struct SourceMap {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    /// First byte of the piece in the rewritten text.
    written: usize,
    /// Byte of the original it stands for.
    original: usize,
    /// Length of the original; offsets beyond it clip, as in inserted text, whose length here is zero.
    length: usize,
}

impl SourceMap {
    /// Offset in the original for an offset in the rewritten text.
    pub(super) fn original(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.written <= offset);
        let Some(piece) = after.checked_sub(1).map(|at| self.pieces[at]) else { return 0 };
        piece.original + (offset - piece.written).min(piece.length)
    }
}

/// The rewritten text and its map, growing together.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) text: String,
    pub(super) map: SourceMap,
}

impl Writer {
    /// Copies a range of the original.
    pub(super) fn copy(&mut self, source: &str, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let piece = Piece { written: self.text.len(), original: range.start, length: range.len() };
        self.map.pieces.push(piece);
        self.text.push_str(&source[range]);
    }

    /// Writes text that the original does not have; errors in it point at `original`.
    pub(super) fn insert(&mut self, text: &str, original: usize) {
        self.map.pieces.push(Piece { written: self.text.len(), original, length: 0 });
        self.text.push_str(text);
    }
}
