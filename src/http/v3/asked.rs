//! What a list is asked for, and the envelope it comes in.

use axum::extract::{FromRequestParts, MatchedPath, Query};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::Serialize;

use super::moments;
use crate::http::Site;
use crate::http::asked::{Pairs, bad, find};
use crate::http::proxy::Secure;
use crate::http::refusal::Refusal;

/// Rows of a page, unless told, and the most: the listing clamps to the same before it counts rows
/// to skip.
const PER_PAGE: u64 = 20;
const PER_PAGE_MAX: u64 = 1000;

/// Ways to ask that the described registry does not have, or has in another form.
const OURS: [&str; 4] = ["cursor", "shared", "unread", "unread_by"];

/// The fields of an address, and the address itself.
pub(super) struct Asked {
    /// The fields.
    pub(super) pairs: Pairs,
    /// The address without them.
    address: String,
}

/// One page of a list.
#[derive(Debug, Serialize)]
pub(super) struct Envelope<T> {
    /// How many rows all pages have; counting stops at a hundred thousand, but never before the end
    /// of this page while more follow.
    count: u64,
    /// The address of the next page; empty when there is none.
    next: String,
    /// The address of the page before; empty when there is none.
    previous: String,
    /// The rows.
    results: Vec<T>,
}

impl Asked {
    /// The value of a field that is asked for with no comparison, or with that of equality.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        find(&self.pairs, name).or_else(|| find(&self.pairs, &format!("{name}__eq")))
    }

    /// Puts these rows, of so many, with more behind them or not, into the envelope.
    pub(super) fn envelope<T>(&self, (counted, more): (u64, bool), rows: Vec<T>) -> Envelope<T> {
        let page = self.whole("page").unwrap_or(1).max(1);
        let per_page = self.whole("per_page").unwrap_or(PER_PAGE).clamp(1, PER_PAGE_MAX);
        let before = (page - 1).saturating_mul(per_page);
        let seen = before + rows.len() as u64 + u64::from(more);
        Envelope {
            count: if rows.is_empty() { counted } else { counted.max(seen) },
            next: if more { self.page(page + 1) } else { String::new() },
            previous: if page > 1 { self.page(page - 1) } else { String::new() },
            results: rows,
        }
    }

    /// The envelope of nothing.
    pub(super) fn nothing<T>(&self) -> Envelope<T> {
        self.envelope((0, false), Vec::new())
    }

    /// What the listing does with what is no number is said by the listing.
    fn whole(&self, name: &str) -> Option<u64> {
        find(&self.pairs, name).and_then(|text| text.parse().ok())
    }

    fn page(&self, page: u64) -> String {
        let number = page.to_string();
        let kept = self.pairs.iter().filter(|(name, _)| name != "page");
        let mut pairs: Vec<(&str, &str)> =
            kept.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        pairs.push(("page", &number));
        format!("{}{}", self.address, web::parts::query(&pairs))
    }
}

impl FromRequestParts<Site> for Asked {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Asked, Refusal> {
        let read = Query::<Pairs>::from_request_parts(parts, site).await;
        let Ok(Query(mut pairs)) = read else {
            let sentence = "The fields of the address are not understood.";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "bad-query", sentence).described());
        };
        let stem = |name: &str| name.split("__").next().unwrap_or_default().to_owned();
        if let Some((name, _)) = pairs.iter().find(|(name, _)| OURS.contains(&&*stem(name))) {
            return Err(bad(name, "is not a filter here").described());
        }
        // Dropped, it would show rows nobody asked for; kept, it would not fit into the links.
        if let Some((name, _)) = pairs.iter().find(|(_, value)| value.is_empty()) {
            return Err(bad(name, "has no value; leave it out").described());
        }
        moments::in_full(&mut pairs);
        // A list has no parts of its address that vary: how it is routed is what it is.
        let path = parts.extensions.get::<MatchedPath>().map(|path| path.as_str().to_owned());
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let site = match &site.app.config.http.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => {
                let secure = parts.extensions.get::<Secure>().is_some_and(|it| it.0);
                let scheme = if secure { "https" } else { "http" };
                format!("{scheme}://{}", host.unwrap_or("localhost"))
            }
        };
        Ok(Asked { pairs, address: format!("{site}{}", path.unwrap_or_default()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &[(&str, &str)]) -> Asked {
        let pairs = query.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Asked { pairs, address: "http://localhost/member-api/v3/objects".into() }
    }

    #[test]
    fn pages_lead_to_their_neighbours() {
        let first = asked(&[("state", "A"), ("per_page", "2")]).envelope((5, true), vec![1, 2]);
        let start = "http://localhost/member-api/v3/objects?state=A&per_page=2";
        assert_eq!((first.next, first.previous), (format!("{start}&page=2"), String::new()));
        let last = asked(&[("page", "3"), ("state", "A"), ("per_page", "2")]);
        let last = last.envelope((5, false), vec![5]);
        assert_eq!((last.next, last.previous), (String::new(), format!("{start}&page=2")));
        assert_eq!(last.count, 5);
    }

    #[test]
    fn a_count_that_stopped_early_is_never_behind_the_page() {
        let rows = vec![0; 1000];
        let deep = asked(&[("page", "301"), ("per_page", "5000")]);
        assert_eq!(deep.envelope((100_001, true), rows).count, 301_001);
        assert_eq!(asked(&[("page", "9")]).envelope::<u8>((3, false), Vec::new()).count, 3);
    }
}
