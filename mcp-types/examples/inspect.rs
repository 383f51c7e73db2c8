//! Says of each JSON line what it is, at which revisions it is valid, and what is wrong with it.
//!
//!     echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | cargo run -p mcp-types --example inspect

#![expect(clippy::print_stdout, reason = "a command line tool answers on stdout")]

use std::io::{self, BufRead};

use bytes::Bytes;
use mcp_types::{Message, Method, RequestMeta, Revision, jsonrpc, strict};

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let lax = strict::check(&line, jsonrpc::MAX_DEPTH).err();
        match jsonrpc::decode(&Bytes::from(line)) {
            Ok(message) => println!("{}", describe(&message)),
            Err(malformed) => println!("no message: {malformed}, at `{}`", malformed.path),
        }
        if let Some(flaw) = lax {
            println!("  not to be forwarded: {flaw}");
        }
    }
    Ok(())
}

fn describe(message: &Message) -> String {
    match message {
        Message::Request(it) => {
            let wrong = match RequestMeta::of(&it.params).map(|meta| meta.protocol_version()) {
                Err(error) => format!("\n  wrong `_meta`: {error}"),
                Ok(Some(claim)) => match claim.parse::<Revision>() {
                    Ok(at) if it.method.is_for_server(at) => String::new(),
                    Ok(at) => format!("\n  wrong: {at}, which it claims, has no such request"),
                    Err(error) => format!("\n  wrong claim: {error}"),
                },
                Ok(None) => String::new(),
            };
            let (id, method) = (&it.id, &it.method);
            format!("request {id} `{method}`, {}{wrong}", valid(method))
        }
        Message::Notification(it) => format!("notification `{}`, {}", it.method, valid(&it.method)),
        Message::Response(it) => {
            let what = it.body.as_ref().map(|_| "result").unwrap_or("error");
            let id = it
                .id
                .as_ref()
                .map_or_else(|| "nobody".into(), ToString::to_string);
            format!("{what} for {id}, valid at every revision")
        }
    }
}

fn valid(method: &Method) -> String {
    let at = |there: fn(&Method, Revision) -> bool| {
        let revisions = Revision::ALL.into_iter().filter(|at| there(method, *at));
        let named: Vec<String> = revisions.map(|at| at.to_string()).collect();
        if named.is_empty() {
            "at no revision".into()
        } else {
            named.join(" ")
        }
    };
    let (server, client) = (at(Method::is_for_server), at(Method::is_for_client));
    format!("to a server {server}; to a client {client}")
}
