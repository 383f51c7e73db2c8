//! The specialists a gateway knows: their names, addresses and aliases.
//!
//! Addresses are the operator's, so plain `http` and private networks are allowed. Cloud metadata
//! addresses never are: whoever reaches one gets the machine's credentials.

#[cfg(test)]
mod tests;

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::namespace::{BadDomainName, DomainName};
use super::sanitize;
use crate::codes::SwarmCode;

/// One specialist.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Its name, the scope of its tokens and the prefix of its tools.
    pub name: DomainName,
    /// Where it is: `http` or `https`, without a user or a fragment. `None` in this process.
    pub url: Option<Url>,
    /// Other targets that mean it.
    pub aliases: Vec<String>,
}

/// The specialists a gateway knows, in the order given.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    entries: Vec<Entry>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a specialist. `mcp://` means `http://`, `mcps://` means `https://`.
    ///
    /// # Errors
    /// [`RegistryError`] when the name is not one, or is taken, or the address is not one a gateway connects to.
    pub fn add(&mut self, name: &str, url: &str) -> Result<(), RegistryError> {
        let name = DomainName::new(name)?;
        self.check_free(name.as_str())?;
        let url = parse_url(url).map_err(|reason| RegistryError::Url {
            name: name.to_string(),
            reason,
        })?;
        self.push(name, Some(url));
        Ok(())
    }

    /// Adds a specialist in this process, which has no address.
    ///
    /// # Errors
    /// [`RegistryError`] when the name is not one, or is taken.
    pub fn add_local(&mut self, name: &str) -> Result<(), RegistryError> {
        let name = DomainName::new(name)?;
        self.check_free(name.as_str())?;
        self.push(name, None);
        Ok(())
    }

    /// Lets `alias` mean the specialist `name`, as a whole target or as the first label of a target's host.
    ///
    /// # Errors
    /// [`RegistryError`] when there is no such specialist, the alias is empty or over 256 characters or has
    /// controls, or it means something already.
    pub fn alias(&mut self, name: &str, alias: &str) -> Result<(), RegistryError> {
        let good =
            (1..=256).contains(&alias.chars().count()) && !alias.chars().any(char::is_control);
        if !good {
            return Err(RegistryError::Alias {
                alias: sanitize::excerpt(alias, 64),
            });
        }
        self.check_free(alias)?;
        match self
            .entries
            .iter_mut()
            .find(|entry| entry.name.as_str() == name)
        {
            Some(entry) => entry.aliases.push(alias.to_owned()),
            None => {
                return Err(RegistryError::Unknown {
                    name: sanitize::excerpt(name, 64),
                });
            }
        }
        Ok(())
    }

    /// The specialist of exactly this name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.name.as_str() == name)
    }

    /// The specialist of exactly this name or alias.
    pub(super) fn meaning(&self, name_or_alias: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| {
            entry.name.as_str() == name_or_alias
                || entry.aliases.iter().any(|alias| alias == name_or_alias)
        })
    }

    /// All specialists, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Whether there is no specialist.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn push(&mut self, name: DomainName, url: Option<Url>) {
        self.entries.push(Entry {
            name,
            url,
            aliases: Vec::new(),
        });
    }

    fn check_free(&self, word: &str) -> Result<(), RegistryError> {
        match self.meaning(word) {
            Some(_) => Err(RegistryError::Taken {
                word: sanitize::excerpt(word, 64),
            }),
            None => Ok(()),
        }
    }
}

/// A specialist cannot be registered like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The name is none.
    #[error(transparent)]
    Name(#[from] BadDomainName),
    /// A name or alias stands for two things.
    #[error(
        "`{word}` already names a specialist: every name and alias must be one specialist's alone"
    )]
    #[non_exhaustive]
    Taken {
        /// The name or alias.
        word: String,
    },
    /// An alias for nobody.
    #[error("there is no specialist `{name}` to give an alias to: register it first")]
    #[non_exhaustive]
    Unknown {
        /// The name.
        name: String,
    },
    /// The alias is none.
    #[error("`{alias}` is no alias: use 1 to 256 characters without controls")]
    #[non_exhaustive]
    Alias {
        /// The start of the alias.
        alias: String,
    },
    /// The address is none a gateway connects to. The address itself is not repeated, for it may hold a password.
    #[error("the address of specialist `{name}` {reason}")]
    #[non_exhaustive]
    Url {
        /// Whose address.
        name: String,
        /// What is wrong with it.
        reason: BadUrl,
    },
}

impl RegistryError {
    /// The code of such an error.
    pub const fn code(&self) -> SwarmCode {
        match self {
            Self::Url { .. } => SwarmCode::InvalidUri,
            Self::Name(_) | Self::Taken { .. } | Self::Unknown { .. } | Self::Alias { .. } => {
                SwarmCode::InvalidEntry
            }
        }
    }
}

/// What is wrong with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadUrl {
    /// It does not parse.
    #[error("is no URL: write it like http://finance-agent:8081/mcp")]
    Syntax,
    /// It is neither `http`, `https`, `mcp` nor `mcps`.
    #[error("has a scheme that is not http, https, mcp or mcps")]
    Scheme,
    /// It has a user or a password in it.
    #[error("has a user name or password in it: put credentials elsewhere")]
    Userinfo,
    /// It has a fragment.
    #[error("has a fragment (#…), which no server ever sees: remove it")]
    Fragment,
    /// It is link-local, where clouds serve credentials.
    #[error("is a link-local or cloud metadata address, which a gateway never connects to")]
    Metadata,
}

fn parse_url(text: &str) -> Result<Url, BadUrl> {
    let (scheme, rest) = text.split_once("://").ok_or(BadUrl::Syntax)?;
    let scheme = http_scheme(scheme).ok_or(BadUrl::Scheme)?;
    let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|_| BadUrl::Syntax)?;
    if has_userinfo(rest) {
        return Err(BadUrl::Userinfo);
    }
    if url.fragment().is_some() {
        return Err(BadUrl::Fragment);
    }
    let metadata = match url.host() {
        Some(Host::Ipv4(address)) => is_metadata(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_metadata(IpAddr::V6(address)),
        Some(Host::Domain(name)) => is_metadata_name(name),
        None => return Err(BadUrl::Syntax),
    };
    if metadata {
        Err(BadUrl::Metadata)
    } else {
        Ok(url)
    }
}

/// The HTTP scheme that `scheme` means, if any.
pub(super) fn http_scheme(scheme: &str) -> Option<&'static str> {
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "mcp" => Some("http"),
        "https" | "mcps" => Some("https"),
        _ => None,
    }
}

/// Whether what follows `://` names a user, even an empty one.
pub(super) fn has_userinfo(rest: &str) -> bool {
    rest.split(['/', '\\', '?', '#'])
        .next()
        .is_some_and(|authority| authority.contains('@'))
}

/// Whether clouds serve a machine's credentials at `address`, or could: link-local, and the providers' own
/// addresses outside it. To be asked again of every address a name resolves to.
pub fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_link_local()
                || v4 == Ipv4Addr::new(100, 100, 100, 200) // Alibaba Cloud
                || v4 == Ipv4Addr::new(192, 0, 0, 192) // Oracle Cloud
                || v4 == Ipv4Addr::new(168, 63, 129, 16) // Azure's wire server
        }
        IpAddr::V6(v6) => {
            v6.to_ipv4_mapped().is_some_and(|v4| is_metadata(IpAddr::V4(v4)))
                || v6.is_unicast_link_local()
                || v6 == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254) // AWS
                || v6 == Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254) // Google Cloud
        }
    }
}

fn is_metadata_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "metadata" || name == "metadata.google.internal" || name == "instance-data"
}
