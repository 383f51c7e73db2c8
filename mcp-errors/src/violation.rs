//! The rules that a peer can break, one name each, for logs and tests.

use std::fmt;

use mcp_types::jsonrpc::Flaw;

macro_rules! violations {
    ($($Name:ident = $sentence:literal, $page:literal;)*) => {
        /// A rule of the specification that a peer broke.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Violation {
            $( #[doc = concat!("The peer ", $sentence, ".")] $Name, )*
        }

        impl Violation {
            /// All of them, by name.
            pub const ALL: &[Self] = &[$( Self::$Name, )*];

            /// What the peer did, as the end of a sentence that begins with "the peer".
            pub const fn sentence(self) -> &'static str {
                match self {
                    $( Self::$Name => $sentence, )*
                }
            }

            /// Where the specification forbids it: revision and page.
            pub const fn page(self) -> &'static str {
                match self {
                    $( Self::$Name => $page, )*
                }
            }
        }
    };
}

violations! {
    BatchNotAllowed = "sent a batch where a single message is due", "2026-07-28 basic/index#messages";
    BatchSize = "sent a batch that is empty, too long, or no array", "2025-03-26 basic/index#batching";
    CallWithoutEnvelope = "sent a request without the `_meta` that says who it is, after it had opened the connection with such ones", "2026-07-28 basic/index#_meta";
    DuplicateMember = "sent a message with a member that stands twice", "2026-07-28 basic/index#messages";
    DuplicateRequestId = "used the id of a request that was still in flight", "2026-07-28 basic/index#messages";
    DuplicateResponse = "answered a request that had its answer or was cancelled, or that nobody sent", "2026-07-28 basic/index#messages";
    ErrorShape = "sent an error without an integer code, or with a message that is no string", "2026-07-28 basic/index#messages";
    HeaderMismatch = "sent a header that says something else than the body", "2026-07-28 basic/transports/streamable-http#server-validation";
    HeaderRepeated = "sent a header twice that may come once", "2026-07-28 basic/transports/streamable-http#server-validation";
    IdNotStringOrInteger = "sent an id that is neither a string nor an integer", "2026-07-28 basic/index#messages";
    InitializeOnModern = "sent `initialize` on a connection that it had opened with modern requests", "2026-07-28 basic/index#_meta";
    MalformedMeta = "sent a member of `_meta` of the wrong type", "2026-07-28 basic/index#_meta";
    MessageWithoutMembers = "sent a message without a method, a result or an error", "2026-07-28 basic/index#messages";
    MethodAndResult = "sent a message that has a method and a result or error", "2026-07-28 basic/index#messages";
    MethodNotString = "sent a method that is no string", "2026-07-28 basic/index#messages";
    MissingMeta = "sent a request without a member that its `_meta` must have", "2026-07-28 basic/index#_meta";
    NestedTooDeep = "sent JSON that is nested deeper than the limit", "RFC 8259 section 9";
    NotJson = "sent what is not JSON", "2026-07-28 basic/transports/index#messages";
    NotJsonRpc2 = "sent a message whose `jsonrpc` is not \"2.0\"", "2026-07-28 basic/index#messages";
    NotObject = "sent JSON that is no object where a message is due", "2026-07-28 basic/index#messages";
    NotUtf8 = "sent what is not UTF-8", "2026-07-28 basic/transports/index#messages";
    ParamsNotObject = "sent parameters that are no object", "2026-07-28 basic/index#messages";
    ProgressWithoutToken = "sent progress under a token that no open request gave", "2025-11-25 basic/utilities/progress#behavior-requirements";
    RequestFromModernServer = "sent a request, which a modern server must not do", "2026-07-28 basic/index#messages";
    ResponseWithoutId = "sent a result without the id of its request", "2026-07-28 basic/index#messages";
    ResultAndError = "sent a response with a result and an error", "2026-07-28 basic/index#messages";
    SessionIdCharset = "sent a session id with characters other than visible ASCII", "2025-11-25 basic/transports#session-management";
    SseEventNotMessage = "sent an event that is no JSON-RPC message on a stream of messages", "2026-07-28 basic/transports/streamable-http#sending-messages";
    UnknownResultType = "sent a result of a type that the request cannot have", "2026-07-28 basic/index#resulttype";
}

impl From<Flaw> for Violation {
    fn from(flaw: Flaw) -> Self {
        match flaw {
            Flaw::Batch => Self::BatchNotAllowed,
            Flaw::BatchLength => Self::BatchSize,
            Flaw::DuplicateMember => Self::DuplicateMember,
            Flaw::ErrorShape => Self::ErrorShape,
            Flaw::Id => Self::IdNotStringOrInteger,
            Flaw::Method => Self::MethodNotString,
            Flaw::MethodAndResult => Self::MethodAndResult,
            Flaw::NoMember => Self::MessageWithoutMembers,
            Flaw::NotObject => Self::NotObject,
            Flaw::NotUtf8 => Self::NotUtf8,
            Flaw::Params => Self::ParamsNotObject,
            Flaw::ResultAndError => Self::ResultAndError,
            Flaw::ResultWithoutId => Self::ResponseWithoutId,
            Flaw::TooDeep => Self::NestedTooDeep,
            Flaw::Version => Self::NotJsonRpc2,
            // What a later flaw may be, it is found in a text that cannot be read.
            _ => Self::NotJson,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the peer {} ({})", self.sentence(), self.page())
    }
}

impl std::error::Error for Violation {}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use mcp_types::jsonrpc::decode;

    use super::*;

    #[test]
    fn they_stand_by_name_and_each_has_its_own_sentence_and_a_page() {
        let names: Vec<String> = Violation::ALL.iter().map(|it| format!("{it:?}")).collect();
        assert!(names.is_sorted(), "{names:?}");
        for violation in Violation::ALL {
            let same = Violation::ALL
                .iter()
                .filter(|it| it.sentence() == violation.sentence());
            assert_eq!(same.count(), 1, "{violation:?}");
            let dated = violation.page().starts_with("20") && violation.page().contains(' ');
            assert!(
                dated || violation.page().starts_with("RFC"),
                "{violation:?}"
            );
        }
        assert_eq!(
            Violation::NotUtf8.to_string(),
            "the peer sent what is not UTF-8 (2026-07-28 basic/transports/index#messages)"
        );
    }

    #[test]
    fn a_malformed_message_names_the_rule() {
        let check = |text: &[u8], expected: Violation| {
            let malformed = decode(&Bytes::copy_from_slice(text)).unwrap_err();
            assert_eq!(Violation::from(malformed.flaw), expected);
        };
        check(b"[]", Violation::BatchNotAllowed);
        check(b"1", Violation::NotObject);
        check(b"{", Violation::NotJson);
        check(b"\"\xff\"", Violation::NotUtf8);
        check(&[b'['; 200], Violation::NestedTooDeep);
        check(
            br#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
            Violation::IdNotStringOrInteger,
        );
        check(
            br#"{"jsonrpc":"2.0","result":{}}"#,
            Violation::ResponseWithoutId,
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            Violation::ResultAndError,
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
            Violation::ErrorShape,
        );
        check(
            br#"{"jsonrpc":"2.0","id":1}"#,
            Violation::MessageWithoutMembers,
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":"x","result":1}"#,
            Violation::MethodAndResult,
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":1}"#,
            Violation::MethodNotString,
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"method":"x","params":[]}"#,
            Violation::ParamsNotObject,
        );
        check(
            br#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
            Violation::NotJsonRpc2,
        );
        check(
            br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#,
            Violation::DuplicateMember,
        );
    }
}
