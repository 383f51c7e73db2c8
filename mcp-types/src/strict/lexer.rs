//! One pass over a JSON text that finds where things stand, and reads nothing into values.
//!
//! [`Loose`] is what a raw value must be: well-formed, within the depth. [`Strict`] is what two readers understand
//! alike. The lexer never recurses and, loose, never allocates.

use std::{borrow::Cow, ops::Range};

use super::StrictFlaw;

/// Where a text stops being JSON, or strict JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) at: usize,
    pub(crate) flaw: StrictFlaw,
}

/// What is asked of a text beyond its syntax and depth.
pub(crate) trait Rules<'a> {
    /// Whether surrogates and the range of numbers matter.
    const VALUES: bool;
    fn open_object(&mut self);
    fn name(&mut self, name: Name, text: &'a str) -> Result<(), Stop>;
    fn close_object(&mut self) -> Result<(), Stop>;
}

/// Nothing.
pub(crate) struct Loose;

impl Rules<'_> for Loose {
    const VALUES: bool = false;

    fn open_object(&mut self) {}

    fn name(&mut self, _: Name, _: &str) -> Result<(), Stop> {
        Ok(())
    }

    fn close_object(&mut self) -> Result<(), Stop> {
        Ok(())
    }
}

/// No member twice, no lone surrogate, no infinite number.
#[derive(Default)]
pub(crate) struct Strict<'a> {
    /// The names of all open objects, each with the offset behind it.
    names: Vec<(Cow<'a, str>, usize)>,
    /// Where in `names` each open object begins.
    objects: Vec<usize>,
}

impl<'a> Rules<'a> for Strict<'a> {
    const VALUES: bool = true;

    fn open_object(&mut self) {
        self.objects.push(self.names.len());
    }

    fn name(&mut self, name: Name, text: &'a str) -> Result<(), Stop> {
        self.names.push((name.read(text)?, name.end + 1));
        Ok(())
    }

    fn close_object(&mut self) -> Result<(), Stop> {
        let start = self.objects.pop().unwrap_or_default();
        let twice = repeated(&mut self.names[start..]);
        self.names.truncate(start);
        match twice {
            None => Ok(()),
            Some(at) => Err(Stop {
                at,
                flaw: StrictFlaw::DuplicateMember,
            }),
        }
    }
}

/// The offset of the first name that stood before. Sorting, so that a thousand times as many names cost little
/// more than a thousand times as much, whatever they are.
fn repeated<T: Ord>(names: &mut [(T, usize)]) -> Option<usize> {
    if names.len() < 2 {
        return None;
    }
    names.sort_unstable();
    names
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| pair[1].1)
        .min()
}

/// A name of a member, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) escaped: bool,
}

impl Name {
    /// The name without its escapes.
    pub(crate) fn read<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, Stop> {
        if !self.escaped {
            return Ok(Cow::Borrowed(&text[self.start..self.end]));
        }
        let quoted = &text[self.start - 1..=self.end];
        serde_json::from_str(quoted)
            .map(Cow::Owned)
            .map_err(|_| Stop {
                at: self.end + 1,
                flaw: StrictFlaw::LoneSurrogate,
            })
    }
}

/// A place in a JSON text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    max_depth: usize,
    /// One bit for each open array (0) or object (1), the innermost lowest.
    objects: u128,
}

impl<'a> Lexer<'a> {
    /// Stands before `text`. More than 128 levels cannot be told apart.
    pub(crate) fn new(text: &'a str, max_depth: usize) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            max_depth: max_depth.min(128),
            objects: 0,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Skips white space; the next byte, or 0 at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> u8 {
        loop {
            let byte = self.byte();
            if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return byte;
            }
            self.at += 1;
        }
    }

    /// Where the first value begins.
    pub(crate) fn start(&mut self) -> usize {
        self.next();
        self.at
    }

    /// What stops a reader that has seen enough.
    pub(crate) fn here(&self) -> Stop {
        Stop {
            at: self.at,
            flaw: StrictFlaw::Shape,
        }
    }

    /// Nothing but white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), Stop> {
        self.next();
        if self.at == self.text.len() {
            Ok(())
        } else {
            self.stop(StrictFlaw::Syntax)
        }
    }

    /// Reads an object member by member; `each` must read the value.
    pub(crate) fn members(
        &mut self,
        mut each: impl FnMut(&mut Self, Name) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.next();
        self.open(true)?;
        if self.next() == b'}' {
            self.close();
            return Ok(());
        }
        loop {
            let name = self.name::<Loose>()?;
            each(self, name)?;
            match self.next() {
                b',' => self.at += 1,
                b'}' => {
                    self.close();
                    return Ok(());
                }
                _ => return self.stop(StrictFlaw::Syntax),
            }
        }
    }

    /// Reads an array element by element; `each` must read the value.
    pub(crate) fn elements(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.next();
        self.open(false)?;
        if self.next() == b']' {
            self.close();
            return Ok(());
        }
        loop {
            each(self)?;
            match self.next() {
                b',' => self.at += 1,
                b']' => {
                    self.close();
                    return Ok(());
                }
                _ => return self.stop(StrictFlaw::Syntax),
            }
        }
    }

    /// Reads a value of any kind: where it stands.
    pub(crate) fn loose(&mut self) -> Result<Range<usize>, Stop> {
        self.next();
        let start = self.at;
        self.value(&mut Loose)?;
        Ok(start..self.at)
    }

    /// Reads a value of any kind.
    pub(crate) fn value<R: Rules<'a>>(&mut self, rules: &mut R) -> Result<(), Stop> {
        let outside = self.depth;
        loop {
            match self.next() {
                b'"' => {
                    self.string::<R>()?;
                }
                b'{' => {
                    self.open(true)?;
                    rules.open_object();
                    if self.next() != b'}' {
                        let name = self.name::<R>()?;
                        rules.name(name, self.text)?;
                        continue;
                    }
                }
                b'[' => {
                    self.open(false)?;
                    if self.next() != b']' {
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number::<R>()?,
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => return self.stop(StrictFlaw::Syntax),
            }
            // A value has ended, or an empty array or object is about to.
            loop {
                if self.depth == outside {
                    return Ok(());
                }
                let in_object = self.objects & 1 == 1;
                match self.next() {
                    b',' => {
                        self.at += 1;
                        if in_object {
                            let name = self.name::<R>()?;
                            rules.name(name, self.text)?;
                        }
                        break;
                    }
                    b'}' if in_object => {
                        rules.close_object()?;
                        self.close();
                    }
                    b']' if !in_object => self.close(),
                    _ => return self.stop(StrictFlaw::Syntax),
                }
            }
        }
    }

    #[inline]
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn stop<T>(&self, flaw: StrictFlaw) -> Result<T, Stop> {
        Err(Stop { at: self.at, flaw })
    }

    fn open(&mut self, object: bool) -> Result<(), Stop> {
        if self.depth == self.max_depth {
            return self.stop(StrictFlaw::TooDeep);
        }
        self.depth += 1;
        self.objects = (self.objects << 1) | u128::from(object);
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
        self.at += 1;
    }

    fn word(&mut self, word: &str) -> Result<(), Stop> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        self.stop(StrictFlaw::Syntax)
    }

    /// Reads a name and the colon after it.
    fn name<R: Rules<'a>>(&mut self) -> Result<Name, Stop> {
        if self.next() != b'"' {
            return self.stop(StrictFlaw::Syntax);
        }
        let start = self.at + 1;
        let escaped = self.string::<R>()?;
        let end = self.at - 1;
        if self.next() != b':' {
            return self.stop(StrictFlaw::Syntax);
        }
        self.at += 1;
        Ok(Name {
            start,
            end,
            escaped,
        })
    }

    /// Reads a text; whether it has escapes.
    #[inline]
    fn string<R: Rules<'a>>(&mut self) -> Result<bool, Stop> {
        let start = self.at;
        self.at = plain(self.text.as_bytes(), start + 1);
        if self.byte() == b'"' {
            self.at += 1;
            return Ok(false);
        }
        self.escaped::<R>(start)
    }

    /// Goes on where a text that begins at `start` has its first escape, or breaks off.
    #[inline(never)]
    fn escaped<R: Rules<'a>>(&mut self, start: usize) -> Result<bool, Stop> {
        loop {
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return Ok(true);
                }
                b'\\' => self.escape::<R>(start)?,
                _ => return self.stop(StrictFlaw::Syntax),
            }
            self.at = plain(self.text.as_bytes(), self.at);
        }
    }

    fn escape<R: Rules<'a>>(&mut self, start: usize) -> Result<(), Stop> {
        self.at += 1;
        match self.byte() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                let unit = self.unit()?;
                if !R::VALUES || !(0xd800..0xe000).contains(&unit) {
                    return Ok(());
                }
                // A first half wants a second one right behind it, and a second half never comes alone.
                let follows = self.text.as_bytes()[self.at..].starts_with(b"\\u");
                self.at += usize::from(follows);
                let paired = unit < 0xdc00 && follows && (0xdc00..0xe000).contains(&self.unit()?);
                if !paired {
                    return Err(Stop {
                        at: start,
                        flaw: StrictFlaw::LoneSurrogate,
                    });
                }
            }
            _ => return self.stop(StrictFlaw::Syntax),
        }
        Ok(())
    }

    /// Reads `u` and four digits.
    fn unit(&mut self) -> Result<u32, Stop> {
        let mut unit = 0;
        for _ in 0..4 {
            self.at += 1;
            let Some(digit) = char::from(self.byte()).to_digit(16) else {
                return self.stop(StrictFlaw::Syntax);
            };
            unit = unit << 4 | digit;
        }
        self.at += 1;
        Ok(unit)
    }

    fn number<R: Rules<'a>>(&mut self) -> Result<(), Stop> {
        let start = self.at;
        self.at += usize::from(self.byte() == b'-');
        let whole = match self.byte() {
            b'0' => {
                self.at += 1;
                1
            }
            _ => self.digits()?,
        };
        if self.byte() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        let exponent = matches!(self.byte(), b'e' | b'E');
        if exponent {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), b'+' | b'-'));
            self.digits()?;
        }
        // Below 10^308 every number is finite.
        let large = exponent || whole > 308;
        if R::VALUES && large && !finite(&self.text[start..self.at]) {
            return Err(Stop {
                at: start,
                flaw: StrictFlaw::NumberRange,
            });
        }
        Ok(())
    }

    /// Reads at least one digit; how many there were.
    fn digits(&mut self) -> Result<usize, Stop> {
        let rest = &self.text.as_bytes()[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 {
            return self.stop(StrictFlaw::Syntax);
        }
        Ok(count)
    }
}

fn finite(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The first byte of `text` from `at` on that is a quote, a backslash or a control; its end, if there is none.
#[inline(always)]
fn plain(text: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let long = at + 64;
    // Names and words end within a few bytes; eight at a time, without a branch for each.
    while let Some(word) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        let quote = word ^ (LOW * 0x22);
        let slash = word ^ (LOW * 0x5c);
        let control = word.wrapping_sub(LOW * 0x20) & !word;
        let zero = (quote.wrapping_sub(LOW) & !quote) | (slash.wrapping_sub(LOW) & !slash);
        let found = (zero | control) & HIGH;
        if found != 0 {
            // Borrows run upwards only, so the lowest mark is always a true one.
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
        if at == long {
            at += plain_blocks(&text[at..]);
        }
    }
    let rest = text.get(at..).unwrap_or_default();
    let stop = rest
        .iter()
        .position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
    at + stop.unwrap_or(rest.len())
}

/// The same for a long text, up to less than 32 bytes before its end: the compiler makes vector code of this.
#[inline(never)]
fn plain_blocks(text: &[u8]) -> usize {
    let stops = |byte: &u8| (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
    let (blocks, _) = text.as_chunks::<32>();
    let plain = blocks
        .iter()
        .take_while(|block| !block.iter().fold(false, |any, byte| any | stops(byte)));
    plain.count() * 32
}
