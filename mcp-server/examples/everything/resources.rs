//! Resources: a text, bytes, one that is watched, and a family of them.

use mcp_server::{Json, Resource, ResourceTemplate, Server, Vars};
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
        .resource(
            Resource::text("test://watched-resource", "Nothing has happened yet.")
                .description("A text that clients can watch"),
        )
        .resource_template(
            ResourceTemplate::new("test://template/{id}/data", data)
                .name("template_data")
                .description("The data of one id")
                .mime_type("application/json")
                .choices("id", ["1", "12", "123"]),
        );
    // Whoever holds such a handle can say that a resource changed.
    let _watched = server.resources();
    server
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
