//! The names under which a gateway shows the specialists' tools.
//!
//! A tool `invoice_status` of the specialist `finance` is shown as `finance__invoice_status`. A name that
//! would be too long or hold characters some host refuses is shown as a slug with a hash of the whole
//! name. Either way the way back is looked up in a [`Routes`] table, never found by splitting a name.
//!
//! Where two tools would be shown under one name, neither is: which one a model reaches must not depend
//! on who came first.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

use super::sanitize;

/// What stands between a specialist's name and its tool's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Separator {
    /// `finance__invoice_status`: at most 64 of `[A-Za-z0-9_-]`, which every known host takes. Several hosts refuse
    /// the whole list over one name with a dot in it.
    #[default]
    DoubleUnderscore,
    /// `finance.invoice_status`, as mcpfusion has it: at most 128 of `[A-Za-z0-9_.-]`, which is what the protocol allows
    /// (2026-07-28, server/tools, "Tool Names").
    Dot,
}

impl Separator {
    /// The separator's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DoubleUnderscore => "__",
            Self::Dot => ".",
        }
    }

    /// The most characters a shown name has.
    pub const fn max_name(self) -> usize {
        match self {
            Self::DoubleUnderscore => 64,
            Self::Dot => 128,
        }
    }

    /// `left` and `right` with the separator between them.
    pub fn join(self, left: &str, right: &str) -> String {
        format!("{left}{}{right}", self.as_str())
    }

    fn allows(self, c: char) -> bool {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '-')
            || (c == '.' && matches!(self, Self::Dot))
    }
}

/// The name of a specialist, or of the gateway itself: `[a-z0-9][a-z0-9-]{0,30}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainName(Box<str>);

impl DomainName {
    /// The most characters a name has.
    pub const MAX: usize = 31;

    /// Takes a name.
    ///
    /// # Errors
    /// [`BadDomainName`] unless it is 1 to 31 of `a`–`z`, `0`–`9` and `-`, not starting with `-`.
    pub fn new(name: &str) -> Result<Self, BadDomainName> {
        let fits = (1..=Self::MAX).contains(&name.len());
        let clean = name
            .bytes()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-');
        if fits && clean && !name.starts_with('-') {
            Ok(Self(name.into()))
        } else {
            Err(BadDomainName {
                name: sanitize::excerpt(name, 64),
            })
        }
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A name no specialist or gateway may have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is no name for a specialist or gateway: use 1 to 31 of a-z, 0-9 and '-', starting with a letter or digit"
)]
pub struct BadDomainName {
    name: String,
}

/// The name under which `domain`'s tool `original` is shown.
///
/// Plain joining where that gives a name every host takes, else a slug of it that ends in `_` and the first
/// 8 hexadecimal digits of the joined name's SHA-256.
pub fn public_name(separator: Separator, domain: &DomainName, original: &str) -> String {
    let joined = separator.join(domain.as_str(), original);
    let fits = !original.is_empty() && joined.len() <= separator.max_name();
    if fits && original.chars().all(|c| separator.allows(c)) {
        return joined;
    }
    let mut name: String = joined
        .chars()
        .map(|c| if separator.allows(c) { c } else { '_' })
        .take(separator.max_name() - 9)
        .collect();
    name.push('_');
    for byte in &Sha256::digest(joined.as_bytes())[..4] {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// The description under which a specialist's tool is shown: `[finance] …`, or `[finance]` where it has none.
pub fn public_description(domain: &DomainName, original: Option<&str>) -> String {
    match original
        .map(sanitize::clean)
        .filter(|text| !text.is_empty())
    {
        Some(text) => format!("[{domain}] {text}"),
        None => format!("[{domain}]"),
    }
}

/// The title under which a specialist's tool is shown. A tool without a title gets none.
pub fn public_title(domain: &DomainName, original: &str) -> String {
    format!("[{domain}] {}", sanitize::clean(original))
}

/// Where a shown name leads, and back.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    routes: Vec<Route>,
    by_public: HashMap<String, usize>,
    by_original: HashMap<(DomainName, String), usize>,
    dropped: Vec<Dropped>,
}

/// One tool: who offers it, its name there, and the name it is shown under.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// The specialist.
    pub domain: DomainName,
    /// The tool's name there.
    pub original: String,
    /// The name it is shown under.
    pub public: String,
}

/// A tool that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// Which one.
    pub route: Route,
    /// Why.
    pub reason: DropReason,
}

/// Why a tool is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DropReason {
    /// The gateway has a tool of that name itself.
    Reserved,
    /// Another specialist's tool, or a second one of the same specialist, would be shown under that name.
    Collision,
}

impl Routes {
    /// Builds the table for the tools offered, in the order in which they are to be shown.
    ///
    /// `reserved` are the gateway's own names: no specialist's tool takes one of them.
    pub fn build<'a>(
        separator: Separator,
        reserved: impl IntoIterator<Item = &'a str>,
        offers: impl IntoIterator<Item = (&'a DomainName, &'a str)>,
    ) -> Self {
        const RESERVED: usize = usize::MAX;
        let claims: Vec<Route> = offers
            .into_iter()
            .map(|(domain, original)| Route {
                domain: domain.clone(),
                original: original.to_owned(),
                public: public_name(separator, domain, original),
            })
            .collect();
        let mut claimants: HashMap<String, usize> = reserved
            .into_iter()
            .map(|name| (name.to_owned(), RESERVED))
            .collect();
        for claim in &claims {
            let count = claimants.entry(claim.public.clone()).or_default();
            *count = count.saturating_add(1);
        }
        let mut table = Self::default();
        for route in claims {
            match claimants.get(&route.public) {
                Some(1) => table.add(route),
                Some(&RESERVED) => table.dropped.push(Dropped {
                    route,
                    reason: DropReason::Reserved,
                }),
                _ => table.dropped.push(Dropped {
                    route,
                    reason: DropReason::Collision,
                }),
            }
        }
        table
    }

    /// Where a shown name leads.
    pub fn route(&self, public: &str) -> Option<&Route> {
        self.by_public.get(public).map(|&at| &self.routes[at])
    }

    /// The name under which `domain`'s tool `original` is shown, if it is.
    pub fn shown(&self, domain: &DomainName, original: &str) -> Option<&str> {
        let at = *self
            .by_original
            .get(&(domain.clone(), original.to_owned()))?;
        Some(&self.routes[at].public)
    }

    /// All tools shown, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter()
    }

    /// The tools not shown, to be logged.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    fn add(&mut self, route: Route) {
        let at = self.routes.len();
        self.by_public.insert(route.public.clone(), at);
        self.by_original
            .insert((route.domain.clone(), route.original.clone()), at);
        self.routes.push(route);
    }
}
