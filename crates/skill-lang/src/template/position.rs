//! Lines and columns of byte offsets.

/// A place as people count: lines and characters from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub(super) struct Lines {
    starts: Box<[usize]>,
}

impl Lines {
    pub(super) fn of(source: &str) -> Lines {
        let breaks = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines { starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect() }
    }

    /// Number of the line that holds `offset`, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    pub(super) fn position(&self, source: &str, offset: usize) -> Position {
        let offset = floor_boundary(source, offset);
        let line = self.line(offset);
        let start = self.starts[line - 1];
        Position { line, column: source[start..offset].chars().count() + 1 }
    }
}

fn floor_boundary(source: &str, offset: usize) -> usize {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
