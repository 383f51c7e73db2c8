//! The three servers: where they listen, and the secret they share.

use std::{error::Error, net::Ipv4Addr};

use mcp_server::{Server, http::HttpError};
use mcp_swarm::{KeyRing, Secret, SwarmGateway};
use tokio::{net::TcpListener, sync::watch};

use crate::{
    log::Log,
    specialists::{self, FINANCE, SUPPORT},
    triage::{self, TRIAGE},
};

/// The servers, listening but not serving yet: who connects already waits.
pub(crate) struct House {
    pub(crate) urls: Urls,
    servers: [(Server, TcpListener); 3],
    swarm: SwarmGateway,
}

/// Where they are.
#[derive(Clone)]
pub(crate) struct Urls {
    pub(crate) finance: String,
    pub(crate) support: String,
    pub(crate) gateway: String,
}

impl House {
    /// Opens a free port for each, and makes up a secret.
    pub(crate) async fn open(log: &Log) -> Result<Self, Box<dyn Error>> {
        let mut bytes = vec![0; 32];
        getrandom::fill(&mut bytes)?;
        let secret = Secret::new(bytes)?;
        let keys = KeyRing::from(secret.clone());

        let (at_finance, finance) = listen().await?;
        let (at_support, support) = listen().await?;
        let (at_gateway, gateway) = listen().await?;
        let urls = Urls {
            finance,
            support,
            gateway,
        };
        let swarm = SwarmGateway::builder(TRIAGE)
            .specialist(FINANCE, &urls.finance)
            .specialist(SUPPORT, &urls.support)
            .delegation_secret(secret)
            .build()?;
        let servers = [
            (specialists::finance(keys.clone(), log), at_finance),
            (specialists::support(keys, log), at_support),
            (triage::triage(&swarm, log), at_gateway),
        ];
        Ok(Self {
            urls,
            servers,
            swarm,
        })
    }

    /// Serves until `stopped`; then calls in flight end, and every session with them.
    pub(crate) async fn serve(self, stopped: &watch::Receiver<bool>) -> Result<(), HttpError> {
        let [finance, support, gateway] = self.servers;
        let serve = async |(server, listener): (Server, TcpListener)| {
            let mut stopped = stopped.clone();
            let shutdown = async move {
                // Also when nobody is left who could say so.
                let _gone = stopped.wait_for(|stopped| *stopped).await;
            };
            server.http().serve_on(listener, shutdown).await
        };
        tokio::try_join!(serve(finance), serve(support), serve(gateway))?;
        self.swarm.dispose().await;
        Ok(())
    }
}

async fn listen() -> Result<(TcpListener, String), Box<dyn Error>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    Ok((listener, url))
}
