//! The notation of byte sequences in signature files: hexadecimal pairs, `'text'`, sets in
//! brackets with ranges, negation and bit masks, `??`, `{n-m}`, `*` and `(a|b)`.

use super::pattern::{ByteSet, Choice, Gap, Step, Unit};

/// Bytes of one expression. The longest of PRONOM has a few hundred.
const TEXT_BYTES: usize = 64 << 10;
/// Alternatives at one place, written out. PRONOM has a dozen.
const CHOICES: usize = 256;
/// Alternatives inside alternatives.
const DEPTH: usize = 16;
/// Bytes of all alternatives at one place together; writing them out costs their square.
const CHOICE_BYTES: usize = 2 << 10;

/// What an expression does not say in a way that can be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum SyntaxError {
    #[error("`{0}` is not expected here")]
    Unexpected(char),
    #[error("it ends too early")]
    Ends,
    #[error("the number {0} is out of range")]
    Number(String),
    #[error("a set of bytes is empty")]
    EmptySet,
    #[error("it has no bytes to look for")]
    NoBytes,
    #[error("it is too long or has too many alternatives")]
    TooLarge,
}

/// Steps of an expression, and the gap after the last of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Expression {
    pub(crate) steps: Vec<Step>,
    pub(crate) after: Gap,
}

/// What an expression is made of, before it is laid flat.
#[derive(Clone)]
enum Piece {
    Unit(Unit),
    Gap(Gap),
    Either(Vec<Vec<Piece>>),
}

/// Reads an expression.
pub(crate) fn parse(text: &str) -> Result<Expression, SyntaxError> {
    if text.len() > TEXT_BYTES {
        return Err(SyntaxError::TooLarge);
    }
    let mut reader = Reader { rest: text.trim() };
    let pieces = reader.pieces(0)?;
    if let Some(letter) = reader.rest.chars().next() {
        return Err(SyntaxError::Unexpected(letter));
    }
    lay_flat(pieces)
}

/// Makes steps of pieces: a run of units is a step with one choice, alternatives are a step with
/// several, a gap goes to the step after it.
fn lay_flat(pieces: Vec<Piece>) -> Result<Expression, SyntaxError> {
    let mut steps: Vec<Step> = Vec::new();
    let mut gap = Gap::NONE;
    let mut run: Vec<Unit> = Vec::new();
    let mut push = |mut choices: Vec<Choice>, gap: &mut Gap| {
        choices.iter_mut().for_each(|choice| choice.before = *gap);
        *gap = Gap::NONE;
        steps.push(Step { choices });
    };
    for piece in pieces {
        if let Piece::Unit(unit) = piece {
            run.push(unit);
            continue;
        }
        if !run.is_empty() {
            push(vec![Choice::new(std::mem::take(&mut run))], &mut gap);
        }
        match piece {
            Piece::Gap(more) => gap = gap.and(more),
            Piece::Either(alternatives) => {
                let written = write_out(vec![Piece::Either(alternatives)])?;
                push(written.into_iter().map(Choice::new).collect(), &mut gap);
            }
            Piece::Unit(_) => {}
        }
    }
    if !run.is_empty() {
        push(vec![Choice::new(run)], &mut gap);
    }
    if steps.is_empty() || steps.iter().flat_map(|step| &step.choices).any(|c| c.len() == 0) {
        return Err(SyntaxError::NoBytes);
    }
    Ok(Expression { steps, after: gap })
}

/// Every way to read the pieces, each of a fixed length.
fn write_out(pieces: Vec<Piece>) -> Result<Vec<Vec<Unit>>, SyntaxError> {
    let mut ways: Vec<Vec<Unit>> = vec![Vec::new()];
    for piece in pieces {
        let tails: Vec<Vec<Unit>> = match piece {
            Piece::Unit(unit) => vec![vec![unit]],
            Piece::Gap(Gap { min, max }) => {
                let max = max.ok_or(SyntaxError::TooLarge)?;
                if max as usize > CHOICE_BYTES || (max - min) as usize >= CHOICES {
                    return Err(SyntaxError::TooLarge);
                }
                let any = |len: u32| vec![Unit::OneOf(ByteSet::ALL); len as usize];
                (min..=max).map(any).collect()
            }
            Piece::Either(alternatives) => {
                let mut tails = Vec::new();
                for alternative in alternatives {
                    tails.extend(write_out(alternative)?);
                }
                tails
            }
        };
        let bytes = |ways: &[Vec<Unit>]| ways.iter().flatten().map(Unit::len).sum::<usize>();
        if ways.len().saturating_mul(tails.len()) > CHOICES
            || bytes(&ways) * tails.len() + bytes(&tails) * ways.len() > CHOICE_BYTES
        {
            return Err(SyntaxError::TooLarge);
        }
        let joined = |way: &Vec<Unit>| {
            let way = way.clone();
            tails.iter().map(move |tail| [way.as_slice(), tail].concat()).collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(joined).collect();
    }
    Ok(ways)
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// Pieces up to a bracket or bar that is not theirs, or to the end.
    fn pieces(&mut self, depth: usize) -> Result<Vec<Piece>, SyntaxError> {
        let mut pieces = Vec::new();
        while let Some(letter) = self.peek() {
            match letter {
                '|' | ')' => break,
                '*' => {
                    self.skip(1);
                    pieces.push(Piece::Gap(Gap { min: 0, max: None }));
                }
                '{' => pieces.push(Piece::Gap(self.gap()?)),
                '(' => pieces.push(self.either(depth + 1)?),
                '?' | '.' => {
                    let pair = if self.rest.starts_with("??") { 2 } else { 1 };
                    if letter == '?' && pair == 1 {
                        return Err(SyntaxError::Unexpected('?'));
                    }
                    self.skip(pair);
                    pieces.push(Piece::Unit(Unit::OneOf(ByteSet::ALL)));
                }
                '\'' => pieces.push(Piece::Unit(Unit::Bytes(self.quoted()?.into()))),
                '[' | '!' | '&' | '~' => pieces.push(Piece::Unit(Unit::OneOf(self.set(depth)?))),
                _ => pieces.push(Piece::Unit(Unit::Bytes(vec![self.byte()?]))),
            }
        }
        Ok(pieces)
    }

    fn either(&mut self, depth: usize) -> Result<Piece, SyntaxError> {
        if depth > DEPTH {
            return Err(SyntaxError::TooLarge);
        }
        let mut alternatives = Vec::new();
        loop {
            self.skip(1);
            alternatives.push(self.pieces(depth)?);
            match self.peek() {
                Some('|') => {}
                Some(')') => {
                    self.skip(1);
                    return Ok(Piece::Either(alternatives));
                }
                Some(letter) => return Err(SyntaxError::Unexpected(letter)),
                None => return Err(SyntaxError::Ends),
            }
        }
    }

    /// `{4}`, `{4-8}`, `{4-*}`.
    fn gap(&mut self) -> Result<Gap, SyntaxError> {
        let (inside, rest) = self.rest[1..].split_once('}').ok_or(SyntaxError::Ends)?;
        self.rest = rest;
        let number = |text: &str| {
            text.trim().parse::<u32>().map_err(|_| SyntaxError::Number(text.trim().to_owned()))
        };
        let (min, max) = inside.split_once(['-', ',']).unwrap_or((inside, inside));
        let min = number(min)?;
        let max = if max.trim() == "*" { None } else { Some(number(max)?) };
        if max.is_some_and(|max| max < min) {
            return Err(SyntaxError::Number(inside.to_owned()));
        }
        Ok(Gap { min, max })
    }

    /// One byte, a mask, a negation, or a bracket with several of them.
    fn set(&mut self, depth: usize) -> Result<ByteSet, SyntaxError> {
        if depth > DEPTH {
            return Err(SyntaxError::TooLarge);
        }
        let set = match self.peek().ok_or(SyntaxError::Ends)? {
            '!' | '^' => {
                self.skip(1);
                self.set(depth + 1)?.inverted()
            }
            '&' => {
                self.skip(1);
                let mask = self.byte()?;
                ByteSet::of(|byte| byte & mask == mask)
            }
            '~' => {
                self.skip(1);
                let mask = self.byte()?;
                ByteSet::of(|byte| byte & mask != 0)
            }
            '[' => {
                self.skip(1);
                self.bracket(depth + 1)?
            }
            _ => self.range()?,
        };
        if set.count() == 0 { Err(SyntaxError::EmptySet) } else { Ok(set) }
    }

    /// The inside of a bracket, and its end. A negation at its start is for all of it.
    fn bracket(&mut self, depth: usize) -> Result<ByteSet, SyntaxError> {
        let negated = matches!(self.peek(), Some('!' | '^'));
        if negated {
            self.skip(1);
        }
        let mut all = ByteSet::NONE;
        loop {
            match self.peek().ok_or(SyntaxError::Ends)? {
                ']' => break,
                _ => all = all.with(self.set(depth)?),
            }
        }
        self.skip(1);
        if all.count() == 0 {
            return Err(SyntaxError::EmptySet);
        }
        Ok(if negated { all.inverted() } else { all })
    }

    /// `41`, `41:5A`, `'A'-'Z'`, or the letters of `'text'`.
    fn range(&mut self) -> Result<ByteSet, SyntaxError> {
        let from = self.letters()?;
        if !matches!(self.peek(), Some(':' | '-')) {
            return Ok(ByteSet::of(|byte| from.contains(&byte)));
        }
        self.skip(1);
        let to = self.letters()?;
        let ([from], [to]) = (from.as_slice(), to.as_slice()) else {
            return Err(SyntaxError::Unexpected('-'));
        };
        // Written the other way round it means the same.
        let (low, high) = (from.min(to), from.max(to));
        Ok(ByteSet::of(|byte| (*low..=*high).contains(&byte)))
    }

    fn letters(&mut self) -> Result<Vec<u8>, SyntaxError> {
        match self.peek() {
            Some('\'') => Ok(self.quoted()?.into()),
            _ => Ok(vec![self.byte()?]),
        }
    }

    fn quoted(&mut self) -> Result<&'t str, SyntaxError> {
        let (inside, rest) = self.rest[1..].split_once('\'').ok_or(SyntaxError::Ends)?;
        self.rest = rest;
        if inside.is_empty() { Err(SyntaxError::NoBytes) } else { Ok(inside) }
    }

    /// Two hexadecimal digits.
    fn byte(&mut self) -> Result<u8, SyntaxError> {
        self.peek().ok_or(SyntaxError::Ends)?;
        let mut letters = self.rest.chars();
        let mut digit = || {
            let letter = letters.next().ok_or(SyntaxError::Ends)?;
            letter.to_digit(16).ok_or(SyntaxError::Unexpected(letter))
        };
        let byte = digit()? << 4 | digit()?;
        self.skip(2);
        u8::try_from(byte).map_err(|_| SyntaxError::Number(byte.to_string()))
    }

    /// The next letter that is no blank.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Passes letters that were looked at: all of them are ASCII.
    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Choice {
        let mut steps = parse(text).unwrap().steps;
        assert_eq!(steps.len(), 1, "{text}");
        steps.remove(0).choices.remove(0)
    }

    fn bytes_taken(text: &str) -> Vec<u8> {
        let choice = one(text);
        (0..=u8::MAX).filter(|byte| choice.stands_at(&[*byte])).collect()
    }

    #[test]
    fn pairs_text_and_blanks_make_one_run_of_bytes() {
        assert_eq!(one("10 00 'Word.' 41").units, [Unit::Bytes(b"\x10\0Word.A".to_vec())]);
    }

    #[test]
    fn sets_say_which_bytes_they_take() {
        assert_eq!(bytes_taken("[41:43]"), b"ABC");
        assert_eq!(bytes_taken("['6'-'7']"), b"67");
        assert_eq!(bytes_taken("[43:41]"), b"ABC");
        assert_eq!(bytes_taken("[41 'xz' 30:31]"), b"01Axz");
        assert_eq!(bytes_taken("[!00]").len(), 255);
        assert_eq!(bytes_taken("!00").len(), 255);
        assert_eq!(bytes_taken("[!00:0F]").len(), 240);
        assert_eq!(bytes_taken("[&F0]"), (0xF0..=0xFF).collect::<Vec<u8>>());
        assert_eq!(bytes_taken("[!&01]"), (0..=254).step_by(2).collect::<Vec<u8>>());
        assert_eq!(bytes_taken("[~81]").len(), 192);
        assert_eq!(bytes_taken("??").len(), 256);
    }

    #[test]
    fn gaps_go_to_the_step_after_them() {
        let read = parse("41{2-4}42*{3}43{7}").unwrap();
        let before: Vec<_> = read.steps.iter().map(|step| step.choices[0].before).collect();
        let three = Gap { min: 3, max: None };
        assert_eq!(before, [Gap::NONE, Gap { min: 2, max: Some(4) }, three]);
        assert_eq!(read.after, Gap { min: 7, max: Some(7) });
    }

    #[test]
    fn alternatives_are_written_out() {
        let read = parse("'a'(22|27{1-2}(30|31))'b'").unwrap();
        let lens = |at: usize| read.steps[at].choices.iter().map(Choice::len).collect::<Vec<_>>();
        assert_eq!((lens(0), lens(1), lens(2)), (vec![1], vec![1, 3, 3, 4, 4], vec![1]));
    }

    #[test]
    fn nonsense_is_refused_and_bombs_are_bounded() {
        for text in ["", "4", "4G", "[41", "[]", "(41|", "(41|)", "{2}", "'", "''", "?", "41)", "!"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("{4-2}41"), Err(SyntaxError::Number("4-2".to_owned())));
        assert_eq!(parse("41{99999999999}42").unwrap_err().to_string().len(), 38);
        let bomb = "(41|42)".repeat(13);
        assert_eq!(parse(&format!("({bomb}|43)")), Err(SyntaxError::TooLarge));
        assert_eq!(parse(&"(".repeat(10_000)), Err(SyntaxError::TooLarge));
        assert_eq!(parse(&"[!".repeat(10_000)), Err(SyntaxError::TooLarge));
        assert_eq!(parse("(41{0-60000}42|43)"), Err(SyntaxError::TooLarge));
        assert_eq!(parse("(41*42|43)"), Err(SyntaxError::TooLarge));
    }
}
