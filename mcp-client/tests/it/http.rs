//! `connect` by URL, as far as it goes without a server.

use std::net::TcpListener;

use mcp_client::{Client, proto::probe::Reason};

#[tokio::test]
async fn a_port_where_nothing_listens_is_unreachable() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let url = format!("http://user:secret@{address}/mcp?key=secret");
    let error = Client::builder("tester", "1.0")
        .connect(url)
        .await
        .unwrap_err();
    assert_eq!(error.reason(), &Reason::Unreachable);
    assert_eq!(error.attempts().len(), 1);
    let told = error.to_string();
    assert!(
        told.starts_with(&format!("cannot connect to http://{address}/mcp: ")),
        "{told}"
    );
    assert!(
        !told.contains("secret") && !format!("{error:?}").contains("secret"),
        "{error:?}"
    );
}
