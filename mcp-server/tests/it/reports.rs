//! What users of other servers report (§8 of the study, 1 to 44): each report that a server answers for is a test by
//! its number, in memory, over a byte stream and over HTTP where it applies. Where another test says it already, or
//! what it says is a client's, it is named here:
//!
//! | report | where |
//! |---|---|
//! | 6 what sends a client to `initialize` | `mcp-client`: `proto/probe/tests/first` n3, j10, b1; `tests/it/process` t2 to t6 |
//! | 15 a stored session id after a server went modern | `report_15_…` here; a client: `mcp-transport` `row_4_1_modern_has_no_session_…` |
//! | 19 what a later version says | `mcp-types`: `wire/tests/row` `r3_1_8_result_type`, `r3_4_7_execution`; `feature_rows` `r8_18_…` |
//! | 22 an empty listen | `r8_22_…` in `listening`, `listening/lines`, `feature_rows` and in the crate's `http/tests` |
//! | 23 idle streams | the crate's `http/tests/listening` `r8_23_…`; a second GET: `http/tests/legacy` `list_changed_goes_to_…` |
//! | 24 a POST that is dropped | the crate's `http/tests/rows_3_8` `r3_8_5_stream_closed_by_client` |
//! | 25 a legacy call that is cancelled | the crate's `http/tests/legacy` `a_cancelled_request_is_answered_with_32800`; lines: `stream` |
//! | 26, 27 resumption | `report_26_…` here; the crate's `http/tests/resuming` |
//! | 28 asks without a back channel | `r28_…` in `input/live`, `input/over_http` |
//! | 29 a decline | `input/lessons` `lesson2_r29_…` |
//! | 30 keys of states | `r30_…` in `input/states`, `input/over_http`, the crate's `proto/sealed` |
//! | 31 one handler for both eras | `input/lessons` `lesson1_r31_…` |
//! | 33, 34, 35 tasks | `report_33_…` to `report_35_…` here in `tasks`; time and rows: `tasks/rows`, `tasks/profiles` |
//! | 36 a task taken for a finished call | `mcp-client`: `tests/it/calls` `report_36_…`; `mcp-types`: `tool/tests` `report_36_…` |
//! | 40 CORS | the crate's `http/tests/hosting` `a_page_of_a_listed_origin_…`; `mcp-transport` `proto/http/cors/tests` |
//! | 42 fixtures | `cargo xtask conformance --server`; `report_42_…` here |
//! | 44 text beside structure | `checked` `r8_44_the_text_beside_structure_is_the_servers_choice` |

mod eras;
mod http;
mod results;
mod tasks;

use mcp_server::{Args, Context, Prompt, Resource, Server, Tool, schemars};
use serde_json::{Value, json};

use crate::hosts::{Host, code, initialize, modern, request};

/// Every legacy revision, oldest first.
const LEGACY: [&str; 5] = [
    "2024-10-07",
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
];

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

/// A server that echoes, and says who asks.
fn server() -> Server {
    async fn echo(Args(Text { text }): Args<Text>) -> String {
        text
    }
    async fn who(cx: Context) -> String {
        let info = cx.client_info();
        info.map_or_else(|| "nobody".into(), |info| info.name)
    }
    Server::new("s", "1")
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("who", who))
        .prompt(Prompt::new("p", async || "text"))
        .resource(Resource::text("file:///a", "a"))
        .logging()
}

fn echo() -> Value {
    json!({"name": "echo", "arguments": {"text": "hi"}})
}

/// The answer to a call of `echo`: what a client of its era wants.
#[track_caller]
fn echoed(answer: &Value, is_modern: bool, host: &str) {
    let result = &answer["result"];
    assert_eq!(result["content"][0]["text"], "hi", "{host}: {answer}");
    assert_eq!(
        result.get("resultType").is_some(),
        is_modern,
        "{host}: {answer}"
    );
}

/// The host serves a modern call.
async fn serves_modern(host: &mut Host) {
    let answer = host.ask(&modern(900, "tools/call", echo())).await;
    echoed(&answer, true, host.name());
}

/// The host opens a legacy session and serves a call in it.
async fn serves_legacy(host: &mut Host) {
    let opened = host.ask(&initialize(901, "2025-11-25")).await;
    assert_eq!(
        opened["result"]["protocolVersion"], "2025-11-25",
        "{opened}"
    );
    let answer = host.ask(&request(902, "tools/call", echo())).await;
    echoed(&answer, false, host.name());
}
