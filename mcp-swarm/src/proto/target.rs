//! Which specialist a handoff's target means.
//!
//! A target only ever chooses among the registered specialists; the address connected to is the registry's, so
//! a target from a model or a user reaches nothing else.

#[cfg(test)]
mod tests;

use url::{Host, Url};

use super::registry::{Entry, Registry, has_userinfo, http_scheme};
use super::sanitize;
use crate::codes::SwarmCode;

/// The most characters a target has.
pub const MAX_TARGET: usize = 256;

/// Finds the specialist that `target` means.
///
/// 1. A specialist's name or alias, as it is.
/// 2. A URL (`mcp`, `mcps`, `http` or `https`) whose host's first label is a name or alias, or is one after `-agent` is
///    taken from its end. So `mcp://finance-agent` means `finance`. Port, path and the rest of the host are ignored.
///
/// # Errors
/// [`TargetError`] where that gives no specialist, or two of them, or the URL names a user or has another scheme.
pub fn resolve<'r>(registry: &'r Registry, target: &str) -> Result<&'r Entry, TargetError> {
    if target.is_empty()
        || target.chars().count() > MAX_TARGET
        || target.chars().any(char::is_control)
    {
        return Err(TargetError::Malformed {
            target: shown(target),
        });
    }
    if let Some(entry) = registry.meaning(target) {
        return Ok(entry);
    }
    let unknown = || TargetError::Unknown {
        target: shown(target),
        known: known(registry),
    };
    let (scheme, rest) = target.split_once("://").ok_or_else(unknown)?;
    let scheme = http_scheme(scheme).ok_or_else(|| TargetError::Scheme {
        target: shown(target),
    })?;
    if has_userinfo(rest) {
        return Err(TargetError::Userinfo);
    }
    let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|_| unknown())?;
    let Some(Host::Domain(host)) = url.host() else {
        return Err(unknown());
    };
    let label = host.split('.').next().unwrap_or_default();
    let whole = registry.meaning(label);
    let stripped = label
        .strip_suffix("-agent")
        .and_then(|label| registry.meaning(label));
    match (whole, stripped) {
        (Some(one), Some(other)) if one.name != other.name => Err(TargetError::Ambiguous {
            target: shown(target),
            one: one.name.to_string(),
            other: other.name.to_string(),
        }),
        (Some(entry), _) | (None, Some(entry)) => Ok(entry),
        (None, None) => Err(unknown()),
    }
}

fn shown(target: &str) -> String {
    sanitize::excerpt(target, 200)
}

fn known(registry: &Registry) -> String {
    registry
        .iter()
        .map(|entry| entry.name.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// A target means no one specialist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// Empty, too long, or with controls.
    #[error("`{target}` is no handoff target: use 1 to 256 characters without controls")]
    #[non_exhaustive]
    Malformed {
        /// The start of the target.
        target: String,
    },
    /// A URL with a user or password. Not repeated, for that reason.
    #[error("the handoff target has a user name or password in it: name the specialist alone")]
    Userinfo,
    /// A URL of another kind.
    #[error("`{target}` has a scheme that is not mcp, mcps, http or https")]
    #[non_exhaustive]
    Scheme {
        /// The start of the target.
        target: String,
    },
    /// No specialist.
    #[error("no specialist is registered for `{target}`: use one of {known}")]
    #[non_exhaustive]
    Unknown {
        /// The start of the target.
        target: String,
        /// The registered names.
        known: String,
    },
    /// Two specialists.
    #[error("`{target}` may mean `{one}` or `{other}`: use the name alone")]
    #[non_exhaustive]
    Ambiguous {
        /// The start of the target.
        target: String,
        /// The one whose name stands in it.
        one: String,
        /// The one whose name stands in it without `-agent`.
        other: String,
    },
}

impl TargetError {
    /// The code the caller is told.
    pub const fn code(&self) -> SwarmCode {
        SwarmCode::LookupFailed
    }
}
