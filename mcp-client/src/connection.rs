//! Opens a connection: does what the probe asks for, and tells it what came.

use std::{pin::Pin, sync::Arc, time::Duration};

use http::HeaderMap;
use mcp_errors::{Failure, FailureKind};
use mcp_transport::{Clock, Endpoint, Exchange, Notification, Reply, Request};
use mcp_types::{
    Era, RawParams, RequestMeta,
    lifecycle::InitializeParams,
    outcome::{COMPLETE, result_type},
    wire::encode_params,
};
use serde::de::DeserializeOwned;

use crate::{
    driver::{Driver, Target},
    error::ConnectError,
    link::{Identity, Link},
    negotiation::Negotiation,
    proto::probe::{Next, Observation, Plan, Probe, Reason, Send, Step},
    wait::{self, Waiting},
};

/// How long a connect that failed waits for the end of what it made.
const PARTING: Duration = Duration::from_millis(500);

/// What every connect needs to know.
pub(crate) struct Opening<'a> {
    pub(crate) target: &'a Target,
    pub(crate) plan: Plan,
    pub(crate) identity: &'a Identity,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) clock: &'a Arc<dyn Clock>,
}

impl Opening<'_> {
    /// Opens a connection.
    ///
    /// # Errors
    /// With everything that was tried.
    pub(crate) async fn run(self) -> Result<(Driver, Negotiation), ConnectError> {
        let (mut probe, mut send) = Probe::new(self.plan, self.clock.now());
        let mut driver = None;
        loop {
            let seen = self.step(&mut driver, &send).await;
            match (probe.handle(seen, self.clock.now()), driver.take()) {
                (Next::Send(next), kept) => {
                    tracing::debug!(step = %next.step, revision = %next.revision, fresh = next.fresh, "connecting");
                    driver = kept;
                    send = next;
                }
                (Next::Connected(connected), Some(driver)) => {
                    let link = Link::new(connected);
                    if link.era == Era::Legacy && !initialized(driver.endpoint()) {
                        // Nothing was queued before it, so the connection is gone.
                        let reason = self.plan.wire.broken();
                        return Err(self.failed(reason, probe).with_stderr(driver.stderr()));
                    }
                    tracing::debug!(%link, "connected");
                    let negotiation = Negotiation {
                        target: self.target.to_string(),
                        attempts: probe.into_attempts(),
                        link,
                    };
                    return Ok((driver, negotiation));
                }
                (Next::Failed(reason), kept) => {
                    let stderr = kept.as_ref().and_then(Driver::stderr);
                    if let Some(driver) = kept {
                        // The caller has waited long enough.
                        driver.close_within(PARTING, &**self.clock).await;
                    }
                    return Err(self.failed(reason, probe).with_stderr(stderr));
                }
                // There is no answer without a wire.
                (Next::Connected(_), None) => return Err(self.failed(Reason::Local, probe)),
            }
        }
    }

    fn failed(&self, reason: Reason, probe: Probe) -> ConnectError {
        tracing::debug!(%reason, "no connection");
        ConnectError::new(self.target.to_string(), reason, probe.into_attempts())
    }

    async fn step(&self, driver: &mut Option<Driver>, send: &Send) -> Observation {
        self.clock.sleep_until(send.not_before).await;
        if send.fresh
            && let Some(old) = driver.take()
        {
            // The new process may need a lock or a port of the old one's.
            wait::until(&**self.clock, send.deadline, old.close(&**self.clock)).await;
        }
        if send.step == Step::Sse {
            // Nothing that was learnt before holds over another transport.
            *driver = None;
        }
        let wire = match driver {
            Some(wire) => wire,
            None => match self.dial(send).await {
                Ok(wire) => driver.insert(wire),
                Err(failure) => return Observation::Failed(failure),
            },
        };
        let exchange = wire.endpoint().open(self.request(send));
        match self.outcome(exchange, send).await {
            Ok(reply) => read(send.step, &reply),
            Err(failure) => Observation::Failed(failure),
        }
    }

    async fn dial(&self, send: &Send) -> Result<Driver, Failure> {
        match send.step {
            Step::Discover | Step::Initialize => {
                let opening = self.target.dial(self.headers, self.clock);
                wait::until(&**self.clock, send.deadline, opening).await
            }
            Step::Sse => {
                let opening = self.target.dial_sse(self.headers, self.clock);
                wait::until(&**self.clock, send.deadline, opening).await
            }
        }
        .unwrap_or_else(|| Err(timeout(send, None)))
    }

    async fn outcome(
        &self,
        exchange: Pin<Box<dyn Exchange>>,
        send: &Send,
    ) -> Result<Reply, Failure> {
        Waiting::new(exchange, &**self.clock, send.deadline)
            .outcome()
            .await
            .unwrap_or_else(|noise| Err(timeout(send, noise.as_deref())))
    }

    fn request(&self, send: &Send) -> Request {
        let Identity {
            client,
            capabilities,
        } = self.identity;
        let (params, meta) = match send.step {
            Step::Discover => (
                RawParams::empty(),
                RequestMeta::modern(send.revision, client, capabilities),
            ),
            Step::Initialize | Step::Sse => {
                let params =
                    InitializeParams::new(send.revision, capabilities.clone(), client.clone());
                (encode_params(&params, send.revision), RequestMeta::new())
            }
        };
        let mut request = Request::new(send.step.method(), params).with_meta(meta);
        if !self.headers.is_empty() {
            request.ext.insert(self.headers.clone());
        }
        request
    }
}

/// Tells a legacy server that the handshake is over. What it answers, if anything, changes nothing.
fn initialized(endpoint: &Arc<dyn Endpoint>) -> bool {
    endpoint
        .notify(Notification::new(
            "notifications/initialized",
            RawParams::empty(),
        ))
        .is_ok()
}

fn timeout(send: &Send, noise: Option<&str>) -> Failure {
    let within = send.deadline.saturating_duration_since(send.not_before);
    wait::late("no answer", within, noise)
}

fn read(step: Step, reply: &Reply) -> Observation {
    fn decode<T: DeserializeOwned>(reply: &Reply) -> Result<Box<T>, Failure> {
        let malformed = |detail: String| Failure::new(FailureKind::Malformed, detail);
        let kind = result_type(&reply.result)
            .map_err(|error| malformed(format!("the result cannot be read: {error}")))?;
        if &*kind != COMPLETE {
            return Err(malformed(format!("the result is of type {kind:?}")));
        }
        reply
            .result
            .decode()
            .map(Box::new)
            .map_err(|error| malformed(format!("the result cannot be read: {error}")))
    }
    match step {
        Step::Discover => decode(reply).map(Observation::Discovered),
        Step::Initialize | Step::Sse => decode(reply).map(Observation::Initialized),
    }
    .unwrap_or_else(Observation::Failed)
}
