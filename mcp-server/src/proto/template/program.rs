//! The program that a template is compiled to, and its run over an address.

use std::ops::Range;

/// A step. Each but the last goes on to the next one, or to where it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Op {
    /// These bytes.
    Literal(Box<[u8]>),
    /// Goes on, or else there, which is later.
    Split(usize),
    /// One character or more that fill a blank, up to the [`Op::Close`] behind.
    Some(usize, Alphabet),
    /// What fills the blank of a form: `=` and none or more characters; or, if it says so, nothing.
    Pair(usize, Alphabet, bool),
    /// The characters of a blank after the first.
    Close,
    /// This byte and then the first place again, or else the second place.
    Again(u8, usize, usize),
    /// The end of the address.
    End,
}

/// Which characters can fill a blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Those that need no encoding, the dot only if it says so; others stand there percent-encoded.
    Unreserved { dot: bool },
    /// Also the reserved ones, these three only if it says so.
    Reserved {
        comma: bool,
        question: bool,
        hash: bool,
    },
}

impl Alphabet {
    /// How many bytes the character at the start of `rest`, which is UTF-8, has, if it can stand in a blank.
    fn step(self, rest: &[u8]) -> Option<usize> {
        let first = *rest.first()?;
        let takes = match (first, self) {
            (b'%', _) => return triplet(rest).map(|_| 3),
            // Other letters than those of ASCII should be encoded; clients do not always do it.
            (0xC0..=0xDF, _) => return Some(2),
            (0xE0..=0xEF, _) => return Some(3),
            (0xF0..=0xF7, _) => return Some(4),
            (byte, _) if byte.is_ascii_alphanumeric() => true,
            (b'.', Self::Unreserved { dot }) => dot,
            (b'-' | b'.' | b'_' | b'~', _) => true,
            (_, Self::Unreserved { .. }) => false,
            (b',', Self::Reserved { comma, .. }) => comma,
            (b'?', Self::Reserved { question, .. }) => question,
            (b'#', Self::Reserved { hash, .. }) => hash,
            (byte, Self::Reserved { .. }) => b":/[]@!$&'()*+,;=".contains(&byte),
        };
        takes.then_some(1)
    }
}

/// The byte that `%XX` at the start of `rest` stands for.
pub(super) fn triplet(rest: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
    let code = digit(1)? * 16 + digit(2)?;
    (rest.first() == Some(&b'%')).then_some(u8::try_from(code).ok()?)
}

/// Which bytes fill which blank, in order; `None` if the address is not of this form.
pub(super) fn run(program: &[Op], uri: &[u8]) -> Option<Vec<(usize, Range<usize>)>> {
    // Most addresses are of another form from the start.
    if let Some(Op::Literal(start)) = program.first()
        && !uri.starts_with(start)
    {
        return None;
    }
    let reach = Reach::new(program, uri);
    let (mut at, mut pos) = (0, 0);
    if !reach.get(0, 0) {
        return None;
    }
    let mut spans = Vec::new();
    loop {
        match &program[at] {
            Op::End => return Some(spans),
            Op::Literal(text) => (at, pos) = (at + 1, pos + text.len()),
            Op::Split(other) => {
                at = if reach.get(at + 1, pos) {
                    at + 1
                } else {
                    *other
                }
            }
            Op::Some(blank, alphabet) => {
                let start = pos;
                pos += alphabet.step(&uri[pos..])?;
                pos = reach.longest(at + 1, pos, *alphabet);
                spans.push((*blank, start..pos));
                at += 2;
            }
            Op::Pair(blank, alphabet, bare) => {
                let equals = uri.get(pos) == Some(&b'=') && reach.get(at + 1, pos + 1);
                if !equals && !bare {
                    return None;
                }
                pos += usize::from(equals);
                let start = pos;
                if equals {
                    pos = reach.longest(at + 1, pos, *alphabet);
                }
                spans.push((*blank, start..pos));
                at += 2;
            }
            // Never entered: the step before it takes both.
            Op::Close => at += 1,
            Op::Again(byte, choose, end) => {
                let again = uri.get(pos) == Some(byte) && reach.get(*choose, pos + 1);
                (at, pos) = if again {
                    (*choose, pos + 1)
                } else {
                    (*end, pos)
                };
            }
        }
    }
}

/// From which step, at which byte, the end can be reached.
struct Reach<'a> {
    program: &'a [Op],
    uri: &'a [u8],
    bits: Vec<u64>,
}

impl<'a> Reach<'a> {
    fn new(program: &'a [Op], uri: &'a [u8]) -> Self {
        let cells = (uri.len() + 1) * program.len();
        let mut reach = Self {
            program,
            uri,
            bits: vec![0; cells.div_ceil(64)],
        };
        for pos in (0..=uri.len()).rev() {
            // Each step looks at later bytes, or at later steps of the same byte.
            for at in (0..program.len()).rev() {
                if reach.reaches(at, pos) {
                    let cell = pos * program.len() + at;
                    reach.bits[cell / 64] |= 1 << (cell % 64);
                }
            }
        }
        reach
    }

    fn get(&self, at: usize, pos: usize) -> bool {
        let cell = pos * self.program.len() + at;
        pos <= self.uri.len() && self.bits[cell / 64] & (1 << (cell % 64)) != 0
    }

    fn reaches(&self, at: usize, pos: usize) -> bool {
        let rest = &self.uri[pos..];
        match &self.program[at] {
            Op::End => rest.is_empty(),
            Op::Literal(text) => rest.starts_with(text) && self.get(at + 1, pos + text.len()),
            Op::Split(other) => self.get(at + 1, pos) || self.get(*other, pos),
            Op::Some(_, alphabet) => alphabet
                .step(rest)
                .is_some_and(|step| self.get(at + 1, pos + step)),
            Op::Pair(_, _, bare) => {
                let equals = rest.first() == Some(&b'=') && self.get(at + 1, pos + 1);
                equals || (*bare && self.get(at + 2, pos))
            }
            Op::Close => {
                let more = self.alphabet(at).step(rest);
                self.get(at + 1, pos) || more.is_some_and(|step| self.get(at, pos + step))
            }
            Op::Again(byte, choose, end) => {
                let again = rest.first() == Some(byte) && self.get(*choose, pos + 1);
                again || self.get(*end, pos)
            }
        }
    }

    /// The alphabet of the blank that the [`Op::Close`] at `at` closes.
    fn alphabet(&self, at: usize) -> Alphabet {
        match at.checked_sub(1).map(|opening| &self.program[opening]) {
            Some(Op::Some(_, alphabet) | Op::Pair(_, alphabet, _)) => *alphabet,
            _ => Alphabet::Unreserved { dot: true },
        }
    }

    /// The end of the longest run from `pos` after which what follows the [`Op::Close`] at `close` still reaches.
    fn longest(&self, close: usize, pos: usize, alphabet: Alphabet) -> usize {
        let (mut at, mut best) = (pos, pos);
        loop {
            if self.get(close + 1, at) {
                best = at;
            }
            match alphabet.step(&self.uri[at..]) {
                Some(step) => at += step,
                None => return best,
            }
        }
    }
}
