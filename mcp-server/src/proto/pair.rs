//! The two addresses of the deprecated HTTP+SSE transport (2024-11-05): how they are told apart, and what the stream
//! announces first.

#[cfg(test)]
mod tests;

use mcp_transport::proto::http::Place;

use super::sessions::SessionId;

/// What the path of the stream ends in.
const STREAM: &str = "sse";
/// What the path for messages ends in, beside it.
const MESSAGES: &str = "messages";
/// The parameter that names the session.
const SESSION: &str = "sessionId";

/// Which address `path` is.
pub(crate) fn place(path: &str) -> Place {
    match split(path).1 {
        STREAM => Place::Stream,
        MESSAGES => Place::Messages,
        _ => Place::Endpoint,
    }
}

/// The data of the `endpoint` event: where a client of the stream at `stream` posts its messages.
///
/// It is a path from the root, which every client can resolve, unless `public` says how clients see it. It never
/// begins with two slashes, which would name another host.
pub(crate) fn announced(stream: &str, public: Option<&str>, id: &SessionId) -> String {
    let id = id.as_str();
    match public {
        Some(public) => format!("{public}?{SESSION}={id}"),
        None => {
            let parent = split(stream).0.trim_start_matches('/');
            format!("/{parent}{MESSAGES}?{SESSION}={id}")
        }
    }
}

/// The session that a query names, once.
pub(crate) fn session(query: Option<&str>) -> Option<SessionId> {
    let mut named = query?.split('&').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        (name == SESSION).then_some(value)
    });
    match (named.next(), named.next()) {
        (Some(id), None) if !id.is_empty() => Some(SessionId::sent(id)),
        _ => None,
    }
}

/// What comes before the last segment, with its slash, and that segment.
fn split(path: &str) -> (&str, &str) {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.split_at(path.rfind('/').map_or(0, |at| at + 1))
}
