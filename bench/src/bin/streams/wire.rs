//! Clients that are as little as can be: bytes on a socket.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}"#;

/// A modern client that waits for each answer.
pub(crate) struct Fast {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Fast {
    pub(crate) async fn connect(address: SocketAddr) -> io::Result<Self> {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"hello"}},"_meta":{{{META}}}}}}}"#
        );
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            request: modern(address, "echo", &body),
            answer: Vec::with_capacity(4_096),
        })
    }

    /// One call, from its first byte to the last of its answer.
    pub(crate) async fn call(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.request).await?;
        self.answer.clear();
        loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let text = String::from_utf8_lossy(&self.answer);
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let length = header(head, "content-length").and_then(|value| value.parse().ok());
            let length: usize = length.ok_or_else(|| odd(&text))?;
            if body.len() >= length {
                return if head.starts_with("HTTP/1.1 200") && body.contains("hello") {
                    Ok(())
                } else {
                    Err(odd(&text))
                };
            }
        }
    }
}

/// A legacy session whose stream of what the server says unasked is open. It says nothing.
pub(crate) async fn idle(address: SocketAddr) -> io::Result<TcpStream> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    let text = once(address, &legacy(address, "", body)).await?;
    let session = header(&text, "mcp-session-id").ok_or_else(|| odd(&text))?;
    let session = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    once(address, &legacy(address, &session, body)).await?;
    let mut stream = TcpStream::connect(address).await?;
    let get = format!(
        "GET /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n{session}\r\n"
    );
    stream.write_all(get.as_bytes()).await?;
    let mut head = vec![0; 4_096];
    let read = stream.read(&mut head).await?;
    let head = String::from_utf8_lossy(&head[..read]).to_lowercase();
    if head.starts_with("http/1.1 200") && head.contains("text/event-stream") {
        Ok(stream)
    } else {
        Err(odd(&head))
    }
}

/// A call whose answer is a stream without end that nobody reads.
pub(crate) async fn slow(address: SocketAddr) -> io::Result<TcpStream> {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"flood","arguments":{{}},"_meta":{{"progressToken":1,{META}}}}}}}"#
    );
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4_096)?;
    let mut stream = socket.connect(address).await?;
    stream.write_all(&modern(address, "flood", &body)).await?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    if head == *b"HTTP/1.1 200" {
        Ok(stream)
    } else {
        Err(odd(&String::from_utf8_lossy(&head)))
    }
}

/// Whether nobody has closed the connection.
pub(crate) fn is_open(stream: &TcpStream) -> bool {
    let mut bytes = [0; 1_024];
    loop {
        match stream.try_read(&mut bytes) {
            // A comment that keeps it alive.
            Ok(1..) => {}
            Ok(0) => return false,
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
}

fn modern(address: SocketAddr, tool: &str, body: &str) -> Vec<u8> {
    let headers = format!(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
    );
    post(address, &headers, body)
}

fn legacy(address: SocketAddr, headers: &str, body: &str) -> Vec<u8> {
    post(address, &format!("{headers}Connection: close\r\n"), body)
}

fn post(address: SocketAddr, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

/// A request on a connection of its own, and all of its answer.
async fn once(address: SocketAddr, request: &[u8]) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    let mut values = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
    values.next().map(|(_, value)| value.trim())
}

fn odd(answer: &str) -> io::Error {
    io::Error::other(format!("an answer that is none: {answer}"))
}
