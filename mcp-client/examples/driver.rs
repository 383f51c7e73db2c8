//! Plays one case of a table of bug reports against a mock server, and prints what came of it as one line of JSON.
//!
//! `driver CASES.jsonl CASE URL [COMMAND…]`: the case's `input.drive` is done with a client of the mock at URL or,
//! where there is a COMMAND, of the mock that it starts.

#![expect(clippy::print_stdout, reason = "it is a command")]

use std::{
    collections::HashMap,
    error::Error,
    time::{Duration, Instant},
};

use mcp_client::{Builder, CallTool, ChildCommand, Client, ConnectError, proto::probe::Wire};
use mcp_errors::Failure;
use mcp_transport::{Clock as _, clock::SystemClock};
use mcp_types::Era;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// No operation may take longer, whatever its own deadline.
const HANG: Duration = Duration::from_secs(90);

type Facts = Map<String, Value>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("usage: driver CASES CASE URL [COMMAND…]");
    let (cases, case, url) = (next()?, next()?, next()?);
    let input = find(&std::fs::read_to_string(cases)?, &case)?;
    let place = Place {
        url: text(&input["client"], "url").replace("$MOCK", &url),
        command: args.collect(),
        settings: input["client"].clone(),
    };
    let mut client = None;
    let mut told = Vec::new();
    for op in input["drive"].as_array().into_iter().flatten() {
        let begin = SystemClock.now();
        let outcome = tokio::select! {
            outcome = run(op, &place, &mut client) => outcome,
            () = SystemClock.sleep_until(begin + HANG) => Err(failed("DRIVER_HANG", None)),
        };
        told.push(tell(outcome, begin));
    }
    let link = client.as_ref().map(Client::link);
    let known = link.map(|link| match (link.wire, link.era) {
        (Wire::Sse, _) => "sse",
        (_, Era::Modern) => "modern",
        _ => "legacy",
    });
    println!("{}", json!({ "ops": told, "as": known }));
    if let Some(client) = client {
        client.close().await;
    }
    Ok(())
}

/// Where the server is, and how to connect to it.
struct Place {
    url: String,
    command: Vec<String>,
    settings: Value,
}

impl Place {
    fn builder(&self) -> Builder {
        let builder = Client::builder("case-driver", "1.0");
        let builder = match text(&self.settings, "era") {
            "legacy" => builder.pin(Era::Legacy),
            "modern" => builder.pin(Era::Modern),
            _ => builder,
        };
        match self.settings["bearer"].as_str() {
            Some(token) => builder.header("authorization", format!("Bearer {token}")),
            None => builder,
        }
    }

    async fn connect(&self) -> Result<Client, ConnectError> {
        let Some((program, args)) = self.command.split_first() else {
            return self.builder().connect(&self.url).await;
        };
        let more = self.settings["args"].as_array().into_iter().flatten();
        let mut command = ChildCommand::new(program)
            .args(args)
            .args(more.filter_map(Value::as_str));
        for (name, value) in self.settings["env"].as_object().into_iter().flatten() {
            command = command.env(name, value.as_str().unwrap_or_default());
        }
        self.builder().connect_command(command).await
    }
}

/// The `input` of the case.
fn find(cases: &str, id: &str) -> Result<Value, Box<dyn Error>> {
    for line in cases.lines().filter(|line| line.contains(id)) {
        let case: Value = serde_json::from_str(line)?;
        if case["id"] == id {
            return Ok(case["input"].clone());
        }
    }
    Err(format!("there is no case {id:?}").into())
}

/// Does one operation: what there is to tell of its success, or else of its failure.
async fn run(op: &Value, place: &Place, client: &mut Option<Client>) -> Result<Facts, Facts> {
    match (text(op, "op"), &*client) {
        ("connect", _) => match place.connect().await {
            Ok(made) => *client = Some(made),
            Err(error) => {
                let mut facts = failed(&error.to_string(), error.failure());
                facts.insert("kind".into(), format!("{:?}", error.reason()).into());
                return Err(facts);
            }
        },
        ("sleep", _) => {
            SystemClock
                .sleep_until(SystemClock.now() + millis(op, "ms"))
                .await
        }
        (_, None) => return Err(failed("there is no connection", None)),
        ("call_tool", Some(client)) => return call(client, op).await,
        ("list_tools", Some(client)) => return list(client, op).await,
        ("ping", Some(client)) => client.ping().await.map_err(|error| facts(&error))?,
        ("close", Some(client)) => client.close().await,
        _ => return Err(failed("the driver knows no such operation", None)),
    }
    Ok(Facts::new())
}

async fn call(client: &Client, op: &Value) -> Result<Facts, Facts> {
    let ask = CallTool::new(text(op, "name"), &op["arguments"]);
    let within = millis(op, "timeout_ms").min(millis(op, "max_total_ms"));
    let result = client.request(ask).deadline(within).send().await;
    held(&result.map_err(|error| facts(&error))?)
}

async fn list(client: &Client, op: &Value) -> Result<Facts, Facts> {
    let list = client.list_tools_within(millis(op, "timeout_ms")).await;
    let list = list.map_err(|error| facts(&error))?;
    let names: Vec<_> = list.names().collect();
    let mut told = held(&HashMap::from([("tools", &list.tools)]))?;
    told.insert("names".into(), json!(names));
    Ok(told)
}

/// The result; it may be JSON on the wire and yet more than a strict value can hold.
fn held(result: &impl Serialize) -> Result<Facts, Facts> {
    let result = serde_json::to_value(result).map_err(|error| failed(&error.to_string(), None))?;
    Ok(Facts::from_iter([("result".to_owned(), result)]))
}

/// What an error of a call tells.
fn facts(error: &mcp_client::Error) -> Facts {
    let mut facts = failed(&error.to_string(), error.failure());
    facts.insert("kind".into(), format!("{:?}", error.kind()).into());
    facts.insert("executed".into(), format!("{:?}", error.executed()).into());
    facts
}

fn failed(message: &str, failure: Option<&Failure>) -> Facts {
    let mut facts = Facts::from_iter([("message".to_owned(), message.into())]);
    if let Some(error) = failure.and_then(Failure::peer_error) {
        facts.insert("code".into(), error.code.0.into());
    }
    if let Some(status) = failure.and_then(Failure::http_status) {
        facts.insert("http_status".into(), status.into());
    }
    facts
}

/// The line of one operation.
fn tell(outcome: Result<Facts, Facts>, begin: Instant) -> Value {
    let took = SystemClock.now().saturating_duration_since(begin);
    let ended = if outcome.is_ok() { "ok" } else { "fails" };
    let mut facts = outcome.unwrap_or_else(|facts| facts);
    facts.insert(ended.into(), true.into());
    facts.insert("ms".into(), (took.as_secs_f64() * 1e3).round().into());
    facts.insert("rss".into(), resident().unwrap_or_default().into());
    facts.into()
}

/// How much memory this process has, in bytes, where Linux tells; its pages are of 4 KiB.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

/// A time in milliseconds; a minute where there is none.
fn millis(value: &Value, member: &str) -> Duration {
    Duration::from_millis(value[member].as_u64().unwrap_or(60_000))
}
