//! The addresses a server can have, and the methods that each takes.

use http::Method;

/// Which of a server's addresses a request is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The endpoint of streamable HTTP: POST, and, where there are legacy sessions, GET and DELETE.
    #[default]
    Endpoint,
    /// The stream of the deprecated HTTP+SSE transport of 2024-11-05: GET.
    Stream,
    /// Where a client of that transport posts its messages: POST.
    Messages,
}

impl Place {
    /// The methods, as `Allow` lists them.
    pub fn methods(self, sessions: bool) -> &'static str {
        match self {
            Self::Endpoint if sessions => "GET, POST, DELETE",
            Self::Endpoint | Self::Messages => "POST",
            Self::Stream => "GET",
        }
    }

    /// Whether `method` is one of them.
    pub fn takes(self, method: &Method, sessions: bool) -> bool {
        let mut methods = self.methods(sessions).split(", ");
        methods.any(|one| one == method.as_str())
    }
}
