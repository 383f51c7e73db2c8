//! Tools with schemas that are out of the ordinary: one given as it is, one with a mark for HTTP headers.

use mcp_server::{
    Args, Server, Tool,
    schemars::{self, JsonSchema},
    types::RawJson,
};
use serde::Deserialize;

pub(crate) fn add(server: Server) -> Server {
    let server = server.tool(
        Tool::new("json_schema_2020_12_tool", answer)
            .description("Takes what a schema with the words of JSON Schema 2020-12 says")
            .input_schema(schema())
            .read_only(),
    );
    server.tool(
        Tool::new("test_header_echo", region)
            .description("Repeats the region, which clients on HTTP also say in a header")
            .read_only(),
    )
}

#[derive(Deserialize, JsonSchema)]
struct Region {
    /// Where it is to run.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

async fn region(Args(Region { region }): Args<Region>) -> String {
    region
}

async fn answer() -> &'static str {
    "The arguments fit"
}

fn schema() -> RawJson {
    const SCHEMA: &str = include_str!("schema_2020_12.json");
    RawJson::parse(SCHEMA).expect("the file holds JSON")
}
