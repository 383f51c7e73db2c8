//! Why a delegation token was refused, in the four words the protocol has for it.

use std::fmt;

/// A delegation token was missing or refused.
///
/// Tells the caller one of four codes and what to do, and nothing else: neither the token nor the
/// secret, and not which of its checks failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", code.sentence())]
pub struct HandoffAuthError {
    code: HandoffAuthCode,
}

impl HandoffAuthError {
    /// An error with this code.
    pub const fn new(code: HandoffAuthCode) -> Self {
        Self { code }
    }

    /// Which of the four it is.
    pub const fn code(&self) -> HandoffAuthCode {
        self.code
    }

    pub(super) const INVALID: Self = Self::new(HandoffAuthCode::Invalid);
    pub(super) const EXPIRED: Self = Self::new(HandoffAuthCode::Expired);
    pub(super) const SIGNATURE: Self = Self::new(HandoffAuthCode::Signature);
}

/// The codes of [`HandoffAuthError`], as they stand on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HandoffAuthCode {
    /// `MISSING_DELEGATION_TOKEN`: the request carries no token.
    Missing,
    /// `INVALID_DELEGATION_TOKEN`: not a token, or not one for this specialist now.
    Invalid,
    /// `EXPIRED_DELEGATION_TOKEN`: its time is over, or its carried state was already taken.
    Expired,
    /// `INVALID_SIGNATURE`: none of the accepted secrets made its signature.
    Signature,
}

impl HandoffAuthCode {
    /// The code as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "MISSING_DELEGATION_TOKEN",
            Self::Invalid => "INVALID_DELEGATION_TOKEN",
            Self::Expired => "EXPIRED_DELEGATION_TOKEN",
            Self::Signature => "INVALID_SIGNATURE",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Missing => {
                "This specialist answers only calls handed over by its gateway, and this one carries no delegation token: \
                 start a handoff at the gateway."
            }
            Self::Invalid => {
                "The delegation token is not valid for this specialist: start a new handoff at the gateway."
            }
            Self::Expired => {
                "The delegation token has expired or was already used: start a new handoff at the gateway."
            }
            Self::Signature => {
                "The delegation token's signature is not valid: gateway and specialist must share one delegation secret. \
                 Start a new handoff once they do."
            }
        }
    }
}

impl fmt::Display for HandoffAuthCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
