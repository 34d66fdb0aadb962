//! A site as a form or a program sends it, and the wish that it means: everything that is wrong with it
//! is told at once.

use nutrients::{Cancel, Code, Finding, Findings, Limits, Site, check_job, read_features};

use super::DeskError;
use crate::assess::{Wish, nameless};

/// A site as a form or a program sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteForm {
    pub reference: String,
    pub name: String,
    pub dwellings: String,
    pub people: String,
    pub development_type: String,
    pub treatment_works: String,
    pub method: String,
    pub email: String,
    /// The institution that asks, by identifier or number; the caller's own if empty.
    pub institution: String,
    pub file_name: String,
    pub bytes: Vec<u8>,
    /// The bare name of the entry to use inside of a zip.
    pub inside: String,
    /// Ends the reading when nobody waits for it any more.
    pub cancel: Cancel,
}

pub(super) fn bad(code: Code, sentence: impl Into<String>) -> DeskError {
    DeskError::BadSite(Finding::new(code, sentence).into())
}

pub(super) fn method_or<'a>(asked: &'a str, usual: &'a str) -> &'a str {
    if asked.trim().is_empty() { usual } else { asked.trim() }
}

/// The wish of a form: everything that is wrong with it, or what to assess.
pub(super) fn wish_of(form: &SiteForm, usual: &str) -> Result<Wish, DeskError> {
    let mut findings = Vec::new();
    let mut count = |text: &str, field: &str| match whole(text, field) {
        Ok(count) => count,
        Err(finding) => {
            findings.push(finding);
            None
        }
    };
    let (dwellings, people) = (count(&form.dwellings, "dwellings"), count(&form.people, "people"));
    let works = count(&form.treatment_works, "treatment_works");
    if dwellings.is_none() && people.is_none() && findings.is_empty() {
        let sentence = "say how many dwellings are built, or how many people will live there";
        findings.push(Finding::new(Code::MissingDwellings, sentence));
    }
    let email = form.email.trim();
    if !email.is_empty() && !is_address(email) {
        findings.push(Finding::new(Code::BadValue, "email: that is no e-mail address"));
    }
    let category = match form.development_type.trim() {
        "" => "housing",
        named => named,
    };
    let site = site_of(form, category, dwellings.unwrap_or(0));
    let mut site = match (site, findings.is_empty()) {
        (Ok(site), true) => site,
        (Ok(_), false) => return Err(DeskError::BadSite(Findings(findings))),
        (Err(DeskError::BadSite(Findings(more))), _) => {
            findings.extend(more);
            return Err(DeskError::BadSite(Findings(findings)));
        }
        (Err(error), _) => return Err(error),
    };
    site.people = people;
    site.chosen_works = works.map(i64::from);
    let reference = match form.reference.trim() {
        "" => nameless(&site.shape),
        reference => reference.to_owned(),
    };
    let name = if form.name.trim().is_empty() { &reference } else { form.name.trim() };
    (site.id, site.name) = (reference.clone(), name.to_owned());
    let mut wish = Wish::of(&reference, site, method_or(&form.method, usual));
    wish.email = (!email.is_empty()).then(|| email.to_owned());
    Ok(wish)
}

/// The site of a file; its properties are left behind.
pub(super) fn site_of(form: &SiteForm, category: &str, dwellings: u32) -> Result<Site, DeskError> {
    let inside = Some(form.inside.as_str()).filter(|name| !name.is_empty());
    let limits = Limits { cancel: form.cancel.clone(), ..Limits::default() };
    let features =
        read_features(&form.file_name, &form.bytes, inside, &limits).map_err(DeskError::BadSite)?;
    let shape = check_job(&features).map_err(DeskError::BadSite)?;
    let mut site = Site::of_job(&form.reference, category, dwellings, shape);
    (site.crs, site.transform) = (features.crs, features.transform);
    Ok(site)
}

fn whole(text: &str, field: &str) -> Result<Option<u32>, Finding> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<u32>().ok().filter(|count| (1..=10_000_000).contains(count)) {
        Some(count) => Ok(Some(count)),
        None => {
            let shown: String = text.chars().take(40).collect();
            let sentence = format!("{field}: \"{shown}\" is no whole number from 1");
            Err(Finding::new(Code::BadValue, sentence))
        }
    }
}

/// Whether a letter could be sent there.
fn is_address(text: &str) -> bool {
    let sound = |part: &str| !part.is_empty() && !part.contains(['<', '>', '"', ',', ';']);
    text.len() <= 254
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && text.split_once('@').is_some_and(|(name, host)| {
            sound(name) && sound(host) && !host.contains('@') && host.contains('.')
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::assessments::worded;

    #[test]
    fn every_field_that_is_wrong_is_told_at_once() {
        let form = SiteForm {
            dwellings: "many".into(),
            people: "-1".into(),
            email: "nobody".into(),
            file_name: "site.txt".into(),
            ..SiteForm::default()
        };
        let Err(DeskError::BadSite(Findings(found))) = wish_of(&form, "C") else {
            panic!("it is refused");
        };
        let codes: Vec<Code> = found.iter().map(|finding| finding.code).collect();
        assert_eq!(
            codes,
            [Code::BadValue, Code::BadValue, Code::BadValue, Code::UnsupportedFileType]
        );
        let said = worded(&Findings(vec![found[0].clone().at(vec![[651_234.56, 312_345.0]])]));
        assert!(said.ends_with("(at 651234.6 312345.0)"), "{said}");
    }

    #[test]
    fn addresses_are_told_from_what_is_none() {
        for good in ["a@b.org", "x.y+z@mail.example.org"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "a", "a@b", "a@@b.org", "a b@c.org", "<a@b.org>", "a@b.org,c@d.org"] {
            assert!(!is_address(bad), "{bad}");
        }
    }
}
