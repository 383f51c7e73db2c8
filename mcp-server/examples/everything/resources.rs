//! Resources: a text, bytes, a family of them, and one that changes while it is watched.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use mcp_server::{Json, Resource, ResourceTemplate, Server, Tool, Vars};
use serde::{Deserialize, Serialize};

use crate::media::PNG_BYTES;

pub(crate) fn add(server: Server) -> Server {
    let server = server
        .resource(
            Resource::text(
                "test://static-text",
                "This is the content of the static text resource.",
            )
            .description("A text that never changes"),
        )
        .resource(
            Resource::blob("test://static-binary", PNG_BYTES)
                .description("A picture that never changes")
                .mime_type("image/png"),
        )
        .resource_template(
            ResourceTemplate::new("test://template/{id}/data", data)
                .name("template_data")
                .description("The data of one id")
                .mime_type("application/json")
                .choices("id", ["1", "12", "123"]),
        );
    add_watched(server)
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

async fn data(Vars(Id { id }): Vars<Id>) -> Json<Data> {
    Json(Data {
        data: format!("Data for ID: {id}"),
        template_test: true,
        id,
    })
}

/// A resource that holds a number, and a tool that counts it up and tells who watches.
fn add_watched(server: Server) -> Server {
    const URI: &str = "test://watched-resource";
    let text = |number: u64| format!("It was changed {number} times");
    let read = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&read);
    let resources = server.resources();
    server
        .resource(
            Resource::new(URI, move || {
                let number = read.load(Ordering::Relaxed);
                async move { text(number) }
            })
            .description("A text that clients can watch")
            .mime_type("text/plain"),
        )
        .tool(
            Tool::new("change_watched_resource", move || {
                let number = count.fetch_add(1, Ordering::Relaxed) + 1;
                resources.updated(URI);
                async move { text(number) }
            })
            .description("Changes test://watched-resource, and tells who watches it"),
        )
}
