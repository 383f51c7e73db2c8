//! One client: its calls, batch by batch, and what came of them.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use mcp_client::{CallTool, Client, Error, ErrorKind};
use mcp_errors::{Executed, FailureKind};
use mcp_transport::{Clock as _, clock::SystemClock};
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    ledger::{Ledger, Told},
    links::Links,
    plan::{BATCH, DEADLINE, Plan},
    report::Told as Report,
    tools::{Add, Echo, NAMES, Only, STEPS, Sum},
    watch::Memory,
};

/// Past its deadline and this, a call hangs.
const GRACE: Duration = Duration::from_secs(6);

/// After so many batches a client is closed, and another takes its place.
const BATCHES: u64 = 60;

/// So often in a row a client may fail to connect.
const TRIES: usize = 25;

pub(crate) struct Cell {
    number: u64,
    plan: Arc<Plan>,
    ledger: Arc<Ledger>,
    links: Arc<Links>,
    memory: Arc<Memory>,
    /// How often it connected.
    times: u64,
    /// The breaking faults before the batch before: what failed since may have met any that came later.
    before: u64,
    told: Report,
}

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// With the right answer.
    Answered,
    /// With the right answer, but not with all of its notifications: a fault must explain what is missing.
    Gapped,
    /// With the error that was expected.
    Refused,
    /// Its caller gave it up.
    Abandoned,
    /// With an error that a fault must explain.
    Failed(FailureKind, Told),
    /// As it must not.
    Wrong(String),
}

impl Cell {
    pub(crate) fn new(
        number: u64,
        plan: Arc<Plan>,
        ledger: Arc<Ledger>,
        links: Arc<Links>,
        memory: Arc<Memory>,
    ) -> Self {
        Self {
            number,
            plan,
            ledger,
            links,
            memory,
            times: 0,
            before: 0,
            told: Report::default(),
        }
    }

    /// Makes calls until all are taken.
    pub(crate) async fn run(mut self) -> Report {
        let mut client = None;
        let mut batches = 0;
        loop {
            let calls = self.ledger.take(BATCH);
            if calls.is_empty() {
                break;
            }
            let made = match client.take() {
                Some(made) => Some(made),
                None => self.connect().await,
            };
            let Some(made) = made else {
                break;
            };
            let kept = self.batch(&made, calls).await;
            batches += 1;
            if kept && batches % BATCHES != 0 {
                client = Some(made);
            } else {
                made.close().await;
            }
        }
        if let Some(client) = client {
            client.close().await;
        }
        self.told
    }

    async fn connect(&mut self) -> Option<Client> {
        for _ in 0..TRIES {
            let before = self.links.breaking(self.number);
            self.times += 1;
            match self.links.connect(self.number, self.times).await {
                Ok(client) => {
                    self.told.connects += 1;
                    self.before = before;
                    return Some(client);
                }
                Err(_) if self.links.breaking(self.number) > before => self.told.unconnected += 1,
                Err(error) => {
                    self.told
                        .wrong
                        .push(format!("no fault explains this: {error}"));
                    return None;
                }
            }
        }
        let problem = format!(
            "client {} cannot connect, {TRIES} times in a row",
            self.number
        );
        self.told.wrong.push(problem);
        None
    }

    /// Makes these calls at once. Whether any of them was answered.
    async fn batch(&mut self, client: &Client, calls: Range<usize>) -> bool {
        let before = self.links.breaking(self.number);
        let mut running = JoinSet::new();
        let count = calls.len();
        for call in calls {
            let call = one(client.clone(), call as u64, self.plan.seed);
            #[expect(clippy::disallowed_methods, reason = "the set is joined below")]
            running.spawn(call);
        }
        let mut answered = false;
        while let Some(ended) = running.join_next().await {
            let (call, ending) = match ended {
                Ok(ended) => ended,
                Err(error) => {
                    self.told.wrong.push(format!("a call's task died: {error}"));
                    continue;
                }
            };
            answered |= matches!(ending, Ending::Answered | Ending::Gapped | Ending::Refused);
            self.judge(call, ending);
        }
        self.before = before;
        self.memory.ended(count);
        answered
    }

    fn judge(&mut self, call: u64, ending: Ending) {
        let told = match &ending {
            Ending::Answered | Ending::Gapped => Told::Yes,
            Ending::Failed(_, told) => *told,
            Ending::Refused | Ending::Abandoned | Ending::Wrong(_) => Told::Unknown,
        };
        self.ledger.tell(call, told);
        let number = self.number;
        let explained = || self.links.breaking(number) > self.before;
        match ending {
            Ending::Failed(kind, _) if !explained() => {
                let problem = format!("call {call} of client {number}: no fault explains {kind:?}");
                self.told.wrong.push(problem);
            }
            Ending::Wrong(why) => {
                self.told
                    .wrong
                    .push(format!("call {call} of client {number}: {why}"));
            }
            Ending::Gapped if !explained() => {
                let problem = format!("call {call} of client {number}: no fault explains its gap");
                self.told.wrong.push(problem);
            }
            ending => self.told.count(&ending),
        }
    }
}

/// One call, of a kind that follows from its number, and how it ended.
async fn one(client: Client, call: u64, seed: u64) -> (u64, Ending) {
    let until = SystemClock.now() + DEADLINE + GRACE;
    let ending = tokio::select! {
        ending = make(&client, call, seed) => ending,
        () = SystemClock.sleep_until(until) => Ending::Wrong("it hangs".to_owned()),
    };
    (call, ending)
}

async fn make(client: &Client, call: u64, seed: u64) -> Ending {
    match (call.wrapping_add(seed)) % 50 {
        0..=1 => list(client).await,
        2..=6 => add(client, call).await,
        7..=9 => steps(client, call).await,
        10..=12 => fail(client, call).await,
        13 => unknown(client).await,
        14..=15 => wait(client, call).await,
        _ => echo(client, call).await,
    }
}

async fn echo(client: &Client, call: u64) -> Ending {
    let text = "ü\"\n".repeat((call % 200) as usize);
    let expected = format!("{call}:{text}");
    match client.call::<String>("echo", &Echo { call, text }).await {
        Ok(text) if text == expected => Ending::Answered,
        Ok(text) => Ending::Wrong(format!("the answer is {text:?}")),
        Err(error) => failed(&error),
    }
}

async fn add(client: &Client, call: u64) -> Ending {
    let (a, b) = (call as i64, 7);
    match client.call::<Sum>("add", &Add { call, a, b }).await {
        Ok(sum) if sum == (Sum { call, sum: a + b }) => Ending::Answered,
        Ok(sum) => Ending::Wrong(format!("the answer is {sum:?}")),
        Err(error) => failed(&error),
    }
}

async fn steps(client: &Client, call: u64) -> Ending {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hearing = Arc::clone(&heard);
    let ask = client
        .request(CallTool::new("steps", Only { call }))
        .on_progress(move |progress| {
            let at = (
                progress.progress.to_string(),
                progress.message.unwrap_or_default(),
            );
            hearing
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(at);
        });
    let expected: Vec<_> = (1..=STEPS)
        .map(|step| (step.to_string(), call.to_string()))
        .collect();
    match ask.output::<String>().await {
        Ok(text) => {
            let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            let mut rest = expected.iter();
            let in_order = heard.iter().all(|step| rest.any(|known| known == step));
            if text == call.to_string() && *heard == expected {
                Ending::Answered
            } else if text == call.to_string() && in_order {
                Ending::Gapped
            } else {
                Ending::Wrong(format!("the answer is {text:?} after {heard:?}"))
            }
        }
        Err(error) => failed(&error),
    }
}

async fn fail(client: &Client, call: u64) -> Ending {
    match client.call::<String>("fail", &Only { call }).await {
        Err(error) if error.is_tool_error() => {
            let said = error.tool_error().map(|said| said.error.clone());
            if said.as_deref() == Some(call.to_string().as_str()) {
                Ending::Refused
            } else {
                Ending::Wrong(format!("the tool's error is {said:?}"))
            }
        }
        Err(error) => failed(&error),
        Ok(text) => Ending::Wrong(format!("the answer is {text:?}, and not an error")),
    }
}

async fn unknown(client: &Client) -> Ending {
    match client.call::<String>("unknown", &json!({})).await {
        Err(error) => {
            let code = error
                .failure()
                .and_then(|failure| failure.peer_error())
                .map(|error| error.code.0);
            if code == Some(-32_602) {
                Ending::Refused
            } else {
                failed(&error)
            }
        }
        Ok(text) => Ending::Wrong(format!("a tool that is not there said {text:?}")),
    }
}

async fn list(client: &Client) -> Ending {
    match client.list_tools_within(DEADLINE).await {
        Ok(list) if list.names().eq(NAMES) => Ending::Refused,
        Ok(list) => Ending::Wrong(format!(
            "the tools are {:?}",
            list.names().collect::<Vec<_>>()
        )),
        Err(error) => failed(&error),
    }
}

/// Gives up a call that would never end.
async fn wait(client: &Client, call: u64) -> Ending {
    let patience = Duration::from_millis(call % 8);
    let only = Only { call };
    let asked = client.call::<String>("wait", &only);
    tokio::select! {
        ended = asked => match ended {
            Ok(text) => Ending::Wrong(format!("a call that never ends said {text:?}")),
            Err(error) => failed(&error),
        },
        () = SystemClock.sleep_until(SystemClock.now() + patience) => Ending::Abandoned,
    }
}

fn failed(error: &Error) -> Ending {
    let told = match error.executed() {
        Executed::No => Told::No,
        Executed::Unknown => Told::Unknown,
        Executed::Yes => Told::Yes,
    };
    match error.kind() {
        ErrorKind::Failure(kind) => Ending::Failed(kind, told),
        _ => Ending::Wrong(error.to_string()),
    }
}
