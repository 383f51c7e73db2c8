//! Says of each JSON line what it is, at which revisions it is valid, and what is wrong with it at the others.
//!
//!     echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | cargo run -p mcp-types --example inspect

#![expect(clippy::print_stdout, reason = "a command line tool answers on stdout")]

use std::{collections::HashMap, io};

use bytes::Bytes;
use mcp_types::{
    Message, Method, RequestId, Revision,
    inspect::{judge, valid_at},
    jsonrpc,
};

fn main() -> io::Result<()> {
    let mut asked = HashMap::new();
    for line in io::stdin().lines() {
        println!("{}", inspect(&line?, &mut asked));
    }
    Ok(())
}

/// `asked` are the methods of the requests so far that are not answered yet.
pub(crate) fn inspect(line: &str, asked: &mut HashMap<RequestId, Method>) -> String {
    let message = match jsonrpc::decode(&Bytes::copy_from_slice(line.as_bytes())) {
        Ok(message) => message,
        Err(malformed) => return format!("no message: {malformed}, at `{}`", malformed.path),
    };
    let answers = match &message {
        Message::Request(it) => {
            asked.insert(it.id.clone(), it.method.clone());
            None
        }
        Message::Response(it) => it.id.as_ref().and_then(|id| asked.remove(id)),
        Message::Notification(_) => None,
    };
    let valid = valid_at(&message, answers.as_ref()).len();
    let mut said = format!(
        "{message}, valid at {valid} of {} revisions",
        Revision::ALL.len()
    );
    for at in Revision::ALL {
        match judge(&message, answers.as_ref(), at) {
            Ok(()) => said += &format!("\n  {at}"),
            Err(wrong) => said += &format!("\n  not {at}: {wrong}"),
        }
    }
    said
}
