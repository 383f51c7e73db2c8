//! A tool whose schema is given, and listed as it is.

use mcp_server::{Server, Tool, types::RawJson};

pub(crate) fn add(server: Server) -> Server {
    server.tool(
        Tool::new("json_schema_2020_12_tool", answer)
            .description("Takes what a schema with the words of JSON Schema 2020-12 says")
            .input_schema(schema())
            .read_only(),
    )
}

async fn answer() -> &'static str {
    "The arguments fit"
}

fn schema() -> RawJson {
    const SCHEMA: &str = include_str!("schema_2020_12.json");
    RawJson::parse(SCHEMA).expect("the file holds JSON")
}
