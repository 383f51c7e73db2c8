//! `--serve`: says how to connect, and waits to be stopped.

use std::io::{self, Write};

use crate::house::Urls;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Says where the gateway is, and waits for Ctrl-C or SIGTERM.
pub(crate) async fn until_stopped(urls: &Urls) -> io::Result<()> {
    let stop = stop_signal()?;
    // In one piece, so that who reads the first line has them all.
    let mut out = io::stdout().lock();
    out.write_all(instructions(urls).as_bytes())?;
    out.flush()?;
    drop(out);
    stop.await;
    let mut out = io::stdout().lock();
    // Whoever stopped it may have gone already.
    let _gone = out.write_all(b"\nstopped\n").and_then(|()| out.flush());
    Ok(())
}

fn instructions(urls: &Urls) -> String {
    let Urls {
        finance,
        support,
        gateway,
    } = urls;
    let list = curl(gateway, "tools/list", "", "");
    let route = curl(
        gateway,
        "tools/call",
        " \\\n    -H 'Mcp-Name: route'",
        r#""name":"route","arguments":{"intent":"Where is the refund for invoice 42?"},"#,
    );
    format!(
        r#"gateway: {gateway}

Specialists behind it, which answer nobody else: finance at {finance}, support at {support}.

As a client's mcp.json:

  {{"mcpServers": {{"triage": {{"url": "{gateway}"}}}}}}

By hand, as a modern client. What there is:

{list}

To be handed over; then call `finance__invoice_status` with the `handle` of the answer as `handoff`:

{route}

Ctrl-C ends it.
"#
    )
}

fn curl(url: &str, method: &str, headers: &str, params: &str) -> String {
    format!(
        "  curl -s {url} \\\n    \
         -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\\n    \
         -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: {method}'{headers} \\\n    \
         -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}{META}}}}}'"
    )
}

/// Ends at Ctrl-C or SIGTERM, which from now on do not end the process.
#[cfg(unix)]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// Ends at Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "Ctrl-C cannot be waited for");
        }
    })
}
