//! The script over a byte stream, one message a line.

use std::io;

use mcp_types::{
    Message,
    jsonrpc::{self, ErrorId},
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use super::{
    Script,
    machine::{Action, Machine, Problem},
};
use crate::{proto::lines::Line, stdio::LineReader};

impl Script {
    /// Plays the script over a stream, as a server or a client, until the other side closes or the script does.
    ///
    /// ```
    /// use mcp_transport::test_util::Script;
    /// use serde_json::json;
    /// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Script::new()
    ///     .sends_raw("not a message\n")
    ///     .expects("ping")
    ///     .replies(json!({}))
    ///     .closes();
    /// let (near, far) = duplex(1024);
    /// let (reader, writer) = split(far);
    /// let client = async {
    ///     // In its place a client of one's own.
    ///     let mut near = BufReader::new(near);
    ///     near.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await?;
    ///     let (mut noise, mut answer) = (String::new(), String::new());
    ///     near.read_line(&mut noise).await?;
    ///     near.read_line(&mut answer).await?;
    ///     std::io::Result::Ok(answer)
    /// };
    /// let (played, answer) = tokio::join!(server.run(reader, writer), client);
    /// played?;
    /// assert_eq!(answer?, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first step that did not happen as written, a stream that broke included.
    pub async fn run<R, W>(self, reader: R, writer: W) -> Result<(), Problem>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let mut machine = Machine::new(self);
        match play(&mut machine, reader, writer).await {
            Ok(played) => played.and_then(|()| machine.finish()),
            Err(error) => machine
                .finish()
                .and_then(|()| Err(Problem::new(format!("the stream broke: {error}")))),
        }
    }
}

async fn play<R, W>(
    machine: &mut Machine,
    reader: R,
    mut writer: W,
) -> io::Result<Result<(), Problem>>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut lines = LineReader::new(reader, 64 * 1024 * 1024);
    loop {
        while let Some(action) = machine.poll_action() {
            match action {
                Action::Send(message) => writer.write_all(&encode(&message)).await?,
                Action::Raw(bytes) => writer.write_all(&bytes).await?,
                Action::Close => return writer.shutdown().await.map(Ok),
            }
            writer.flush().await?;
        }
        let Some(line) = lines.next().await? else {
            return Ok(Ok(()));
        };
        let Line::Text(line) = line else {
            return Ok(Err(Problem::new("a line of 64 MiB came".into())));
        };
        let handled = match jsonrpc::decode(&line) {
            Ok(message) => machine.handle(&message),
            Err(error) => Err(Problem::new(format!(
                "no message: {error} in {}",
                String::from_utf8_lossy(&line)
            ))),
        };
        if handled.is_err() {
            return Ok(handled);
        }
    }
}

fn encode(message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    match message {
        Message::Request(message) => {
            jsonrpc::write_request(
                &message.id,
                message.method.as_str(),
                &message.params,
                None,
                &mut out,
            );
        }
        Message::Notification(message) => {
            jsonrpc::write_notification(message.method.as_str(), &message.params, &mut out);
        }
        Message::Response(message) => match (&message.body, message.id.clone()) {
            (Ok(result), Some(id)) => jsonrpc::write_result(&id, result, &mut out),
            (Err(error), Some(id)) => jsonrpc::write_error(&ErrorId::Known(id), error, &mut out),
            (Err(error), None) => jsonrpc::write_error(&ErrorId::Null, error, &mut out),
            (Ok(_), None) => {}
        },
    }
    out.push(b'\n');
    out
}
