//! A text cut into numbers, words and marks.

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Digits.
    Number {
        /// As they are written.
        digits: String,
    },
    /// Letters, small and without accents.
    Word(String),
    /// A mark that may join numbers.
    Mark(char),
    /// Anything between, in one.
    Space,
}

impl Token {
    /// A number of one or two digits.
    pub(super) fn short(&self) -> Option<i32> {
        match self {
            Token::Number { digits } if digits.len() <= 2 => digits.parse().ok(),
            Token::Number { .. } | Token::Word(_) | Token::Mark(_) | Token::Space => None,
        }
    }
}

/// Cuts a text. What stands between parentheses is a remark, endings such as in `28th` and points in
/// `a.m.` say nothing, and the signs for year and month in Chinese and Japanese join as a hyphen does.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let text = text.to_lowercase().replace("a.m.", "am").replace("p.m.", "pm");
    let (mut found, mut depth) = (Vec::new(), 0_u32);
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '0'..='9' => match found.last_mut() {
                Some(Token::Number { digits }) => digits.push(letter),
                _ => found.push(Token::Number { digits: letter.into() }),
            },
            '年' | '月' => found.push(Token::Mark('-')),
            '日' => push_space(&mut found),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => found.push(Token::Mark('-')),
            '-' | '+' | '/' | '.' | ':' => found.push(Token::Mark(letter)),
            letter if letter.is_alphabetic() => match found.last_mut() {
                Some(Token::Word(word)) => word.push(plain(letter)),
                _ => found.push(Token::Word(plain(letter).into())),
            },
            // An accent that stands by itself belongs to the letter before it.
            '\u{300}'..='\u{36f}' => {}
            _ => push_space(&mut found),
        }
    }
    while found.last() == Some(&Token::Space) {
        found.pop();
    }
    without_endings(found)
}

fn push_space(found: &mut Vec<Token>) {
    if !matches!(found.last(), None | Some(Token::Space)) {
        found.push(Token::Space);
    }
}

/// The numbers of `28th`, `1st` and the like stand alone.
fn without_endings(found: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(found.len());
    for token in found {
        let is_ending = matches!(&token, Token::Word(word)
            if ["st", "nd", "rd", "th", "er"].contains(&word.as_str()));
        if is_ending && matches!(kept.last(), Some(Token::Number { .. })) {
            kept.push(Token::Space);
        } else {
            kept.push(token);
        }
    }
    kept
}

/// A letter without its accent.
fn plain(letter: char) -> char {
    match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'ç' | 'č' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        letter => letter,
    }
}
