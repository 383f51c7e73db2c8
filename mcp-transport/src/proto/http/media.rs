//! Media types, compared by their essence: case and parameters do not count ([RFC 9110 §8.3.1, §12.5.1][r]).
//!
//! [r]: https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1

use http::{HeaderMap, header};

use super::{Refusal, allow::shown};

/// `application/json`: a body of one message.
pub const JSON: &str = "application/json";
/// `text/event-stream`: a body of events.
pub const EVENT_STREAM: &str = "text/event-stream";

/// The type and subtype of a media type, in lower case and without parameters.
pub fn essence(value: &str) -> String {
    value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Demands a body of `application/json` in UTF-8 without a content coding.
///
/// A form on a web page can post other types without asking first, so they are refused unread.
///
/// # Errors
///
/// [`Refusal::MediaType`] or [`Refusal::Encoding`].
pub fn is_json_body(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(Refusal::MediaType(None));
    };
    let refuse = || Refusal::MediaType(Some(shown(value.as_bytes())));
    let text = value.to_str().map_err(|_| refuse())?;
    let utf8 =
        parameter(text, "charset").is_none_or(|charset| charset.eq_ignore_ascii_case("utf-8"));
    if essence(text) != JSON || !utf8 {
        return Err(refuse());
    }
    let coding = headers.get_all(header::CONTENT_ENCODING).iter();
    match coding
        .map(|value| shown(value.as_bytes()))
        .find(|coding| !coding.eq_ignore_ascii_case("identity"))
    {
        Some(coding) => Err(Refusal::Encoding(coding)),
        None => Ok(()),
    }
}

/// Which of the two kinds of answer a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the transport has two kinds of answer"
)]
pub struct Accepts {
    /// `application/json`.
    pub json: bool,
    /// `text/event-stream`.
    pub events: bool,
}

impl Accepts {
    /// What a POST must accept.
    pub const BOTH: Self = Self {
        json: true,
        events: true,
    };
}

/// Reads `Accept`: wildcards count, `q=0` excludes, the most specific range decides, and no header at all
/// accepts everything.
pub fn accepts(headers: &HeaderMap) -> Accepts {
    if !headers.contains_key(header::ACCEPT) {
        return Accepts::BOTH;
    }
    Accepts {
        json: admits(headers, JSON),
        events: admits(headers, EVENT_STREAM),
    }
}

fn admits(headers: &HeaderMap, media_type: &str) -> bool {
    let values = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let best = values
        .flat_map(|value| value.split(','))
        .filter_map(|range| {
            let essence = essence(range);
            let specific = match essence.as_str() {
                "*/*" => 0,
                exact if exact == media_type => 2,
                wide if wide.strip_suffix('*').is_some_and(|prefix| {
                    prefix.ends_with('/') && media_type.starts_with(prefix)
                }) =>
                {
                    1
                }
                _ => return None,
            };
            let quality = parameter(range, "q")
                .and_then(|q| q.parse::<f32>().ok())
                .unwrap_or(1.0);
            Some((specific, quality > 0.0))
        });
    best.max().is_some_and(|(_, admitted)| admitted)
}

fn parameter<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    value.split(';').skip(1).find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        key.trim()
            .eq_ignore_ascii_case(name)
            .then(|| value.trim().trim_matches('"'))
    })
}
