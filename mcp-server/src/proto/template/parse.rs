//! From the text of a template to a program.

use super::{
    BadTemplate, MOST_BLANKS, MOST_BYTES, Template,
    program::{Alphabet, Op},
};

impl Template {
    /// Compiles a template.
    ///
    /// # Errors
    /// When the text is not of RFC 6570, is of level 4, or has no blank.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTemplate> {
        if text.len() > MOST_BYTES {
            return Err(BadTemplate::TooLong);
        }
        let parts = parts(text)?;
        let mut compiler = Compiler {
            names: Vec::new(),
            program: Vec::new(),
            literal: 0,
        };
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) => compiler.literal(text),
                Part::Expression(expression) => {
                    compiler.expression(expression, &parts[at + 1..])?;
                }
            }
        }
        let Compiler {
            names,
            mut program,
            literal,
            ..
        } = compiler;
        if names.is_empty() {
            return Err(BadTemplate::NoBlank);
        }
        program.push(Op::End);
        Ok(Self {
            names,
            program,
            literal,
        })
    }
}

enum Part<'a> {
    Literal(&'a str),
    Expression(Expression<'a>),
}

struct Expression<'a> {
    operator: Operator,
    names: Vec<&'a str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Parameter,
    Query,
    Continuation,
}

impl Operator {
    /// What stands before the first value.
    fn prefix(self) -> &'static str {
        match self {
            Self::Simple | Self::Reserved => "",
            Self::Fragment => "#",
            Self::Label => ".",
            Self::Path => "/",
            Self::Parameter => ";",
            Self::Query => "?",
            Self::Continuation => "&",
        }
    }

    /// What stands between two values.
    fn separator(self) -> &'static str {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => ",",
            Self::Label => ".",
            Self::Path => "/",
            Self::Parameter => ";",
            Self::Query | Self::Continuation => "&",
        }
    }

    fn is_form(self) -> bool {
        matches!(self, Self::Parameter | Self::Query | Self::Continuation)
    }
}

fn parts(text: &str) -> Result<Vec<Part<'_>>, BadTemplate> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match rest.find(['{', '}']) {
            None => {
                parts.push(Part::Literal(rest));
                break;
            }
            Some(brace) => {
                if brace > 0 {
                    parts.push(Part::Literal(&rest[..brace]));
                }
                let open = at + brace;
                if rest.as_bytes()[brace] == b'}' {
                    return Err(BadTemplate::Brace(open));
                }
                let inner = &rest[brace + 1..];
                let close = inner
                    .find(['{', '}'])
                    .filter(|close| inner.as_bytes()[*close] == b'}')
                    .ok_or(BadTemplate::Brace(open))?;
                parts.push(Part::Expression(expression(&inner[..close])?));
                at = open + close + 2;
                continue;
            }
        }
    }
    Ok(parts)
}

fn expression(inner: &str) -> Result<Expression<'_>, BadTemplate> {
    let (operator, names) = match inner.as_bytes().first() {
        Some(b'+') => (Operator::Reserved, &inner[1..]),
        Some(b'#') => (Operator::Fragment, &inner[1..]),
        Some(b'.') => (Operator::Label, &inner[1..]),
        Some(b'/') => (Operator::Path, &inner[1..]),
        Some(b';') => (Operator::Parameter, &inner[1..]),
        Some(b'?') => (Operator::Query, &inner[1..]),
        Some(b'&') => (Operator::Continuation, &inner[1..]),
        Some(b'=' | b',' | b'!' | b'@' | b'|') => return Err(BadTemplate::Operator(inner.into())),
        _ => (Operator::Simple, inner),
    };
    let names: Vec<&str> = names.split(',').collect();
    for name in &names {
        if name.contains(['*', ':']) {
            return Err(BadTemplate::Level4(inner.into()));
        }
        if !is_name(name) {
            return Err(BadTemplate::Name(inner.into()));
        }
    }
    Ok(Expression { operator, names })
}

/// Letters, digits, `_` and percent-encoded bytes, with single dots between.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'%' if super::program::triplet(&bytes[at..]).is_some() => at += 3,
                b'_' => at += 1,
                byte if byte.is_ascii_alphanumeric() => at += 1,
                _ => return false,
            }
        }
        !part.is_empty()
    };
    name.split('.').all(is_part)
}

struct Compiler {
    names: Vec<Box<str>>,
    program: Vec<Op>,
    literal: usize,
}

impl Compiler {
    fn literal(&mut self, text: &str) {
        self.literal += text.len();
        self.program.push(Op::Literal(text.as_bytes().into()));
    }

    fn expression(
        &mut self,
        expression: &Expression<'_>,
        later: &[Part<'_>],
    ) -> Result<(), BadTemplate> {
        if self.names.len() + expression.names.len() > MOST_BLANKS {
            return Err(BadTemplate::TooMany);
        }
        let mut names = Vec::with_capacity(expression.names.len());
        for name in &expression.names {
            if self.names.iter().any(|known| **known == **name) {
                return Err(BadTemplate::Twice((*name).into()));
            }
            names.push((self.names.len(), *name));
            self.names.push((*name).into());
        }
        let alphabet = alphabet(expression, later);
        if expression.operator.is_form() {
            self.form(expression.operator, &names, alphabet);
        } else {
            self.run_of(expression.operator, &names, alphabet);
        }
        Ok(())
    }

    /// Values in their order: `prefix value (separator value (…)?)?`.
    fn run_of(&mut self, operator: Operator, names: &[(usize, &str)], alphabet: Alphabet) {
        let mut skips = Vec::new();
        for (at, (blank, _)) in names.iter().enumerate() {
            let before = match at {
                0 => operator.prefix(),
                _ => operator.separator(),
            };
            if !before.is_empty() {
                skips.push(self.program.len());
                self.program.push(Op::Split(0));
                self.program.push(Op::Literal(before.as_bytes().into()));
            }
            self.program.push(Op::Some(*blank, alphabet));
            self.program.push(Op::Close);
        }
        let end = self.program.len();
        for skip in skips {
            self.program[skip] = Op::Split(end);
        }
    }

    /// Names with their values, in any order, any of them missing.
    fn form(&mut self, operator: Operator, names: &[(usize, &str)], alphabet: Alphabet) {
        // start: skip to the end, or the prefix, then one of the pairs, then the separator and one of the pairs …
        let start = self.program.len();
        self.program.push(Op::Split(0));
        self.program
            .push(Op::Literal(operator.prefix().as_bytes().into()));
        let choose = self.program.len();
        let mut ends = Vec::new();
        for (at, (blank, name)) in names.iter().enumerate() {
            let last = at + 1 == names.len();
            let other = self.program.len();
            if !last {
                self.program.push(Op::Split(0));
            }
            self.program.push(Op::Literal(name.as_bytes().into()));
            self.program
                .push(Op::Pair(*blank, alphabet, operator == Operator::Parameter));
            self.program.push(Op::Close);
            ends.push(self.program.len());
            self.program.push(Op::Again(0, 0, 0));
            if !last {
                let next = self.program.len();
                self.program[other] = Op::Split(next);
            }
        }
        let end = self.program.len();
        let separator = operator.separator().as_bytes()[0];
        self.program[start] = Op::Split(end);
        for at in ends {
            self.program[at] = Op::Again(separator, choose, end);
        }
    }
}

fn alphabet(expression: &Expression<'_>, later: &[Part<'_>]) -> Alphabet {
    if !matches!(expression.operator, Operator::Reserved | Operator::Fragment) {
        let dot = expression.operator != Operator::Label || expression.names.len() == 1;
        return Alphabet::Unreserved { dot };
    }
    let starts = |byte: u8| {
        later.iter().any(|part| match part {
            Part::Literal(text) => text.as_bytes().contains(&byte),
            Part::Expression(expression) => expression.operator.prefix().as_bytes() == [byte],
        })
    };
    Alphabet::Reserved {
        comma: expression.names.len() == 1,
        question: !starts(b'?'),
        hash: !starts(b'#'),
    }
}
