//! The keys of an S3 account from the file that other tools use as well.

/// The keys of one account.
pub(super) struct Keys {
    pub id: String,
    pub secret: String,
    pub token: Option<String>,
}

/// Reads the section `[default]`, or lines before any section; `None` if a key is missing.
pub(super) fn parse(text: &str) -> Option<Keys> {
    let (mut id, mut secret, mut token) = (None, None, None);
    let mut is_ours = true;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_ours = line == "[default]";
        }
        let Some((name, value)) = line.split_once('=').filter(|_| is_ours) else { continue };
        let value = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        match name.trim() {
            "aws_access_key_id" => id = value,
            "aws_secret_access_key" => secret = value,
            "aws_session_token" => token = value,
            _ => {}
        }
    }
    Some(Keys { id: id?, secret: secret?, token })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_section_is_read() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let keys = parse(text);
            assert_eq!(keys.as_ref().map(|keys| (&*keys.id, &*keys.secret)), expected, "{text}");
        };
        check("aws_access_key_id=a\naws_secret_access_key = b==\n", Some(("a", "b==")));
        check(
            "[other]\naws_access_key_id=x\n[default]\n# no\naws_access_key_id=a\n\
             aws_secret_access_key=b\naws_session_token=t\n[more]\naws_secret_access_key=y",
            Some(("a", "b")),
        );
        check("aws_access_key_id=\naws_secret_access_key=b", None);
        check("", None);
    }
}
