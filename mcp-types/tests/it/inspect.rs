//! The inspector of the examples over a short log: lines in, lines out.

use std::collections::HashMap;

#[path = "../../examples/inspect.rs"]
#[allow(dead_code, reason = "its `main` is not called")]
mod example;

#[test]
fn a_log_is_told_line_by_line() {
    let mut asked = HashMap::new();
    let mut check = |line: &str, expected: &[&str]| {
        let said = example::inspect(line, &mut asked);
        assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{line}");
    };
    let legacy = [
        "  2024-10-07",
        "  2024-11-05",
        "  2025-03-26",
        "  2025-06-18",
        "  2025-11-25",
    ];
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#,
        &[
            &["request 1 `tools/call`, valid at 5 of 6 revisions"],
            &legacy[..],
            &["  not 2026-07-28: `io.modelcontextprotocol/protocolVersion` is missing, at `$.params._meta`"],
        ]
        .concat(),
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}}"#,
        &[
            "result for 1, valid at 3 of 6 revisions",
            "  not 2024-10-07: `toolResult` is missing at 2024-10-07, at `$.result`",
            "  not 2024-11-05: `text` is missing at 2024-11-05, at `$.result.content[0]`",
            "  2025-03-26",
            "  2025-06-18",
            "  2025-11-25",
            "  not 2026-07-28: `resultType` is missing at 2026-07-28, at `$.result`",
        ],
    );
    // Answered once, it is forgotten.
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        &[
            &["result for 1, valid at 5 of 6 revisions"],
            &legacy[..],
            &["  not 2026-07-28: `resultType` is missing at 2026-07-28, at `$.result`"],
        ]
        .concat(),
    );
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{}}"#,
        &[
            "notification `notifications/elicitation/complete`, valid at 0 of 6 revisions",
            "  not 2024-10-07: `notifications/elicitation/complete` is no method of 2024-10-07, at `$.method`",
            "  not 2024-11-05: `notifications/elicitation/complete` is no method of 2024-11-05, at `$.method`",
            "  not 2025-03-26: `notifications/elicitation/complete` is no method of 2025-03-26, at `$.method`",
            "  not 2025-06-18: `notifications/elicitation/complete` is no method of 2025-06-18, at `$.method`",
            "  not 2025-11-25: ElicitationCompleteParams: member `elicitationId` is missing, at `$.params`",
            "  not 2026-07-28: `notifications/elicitation/complete` is no method of 2026-07-28, at `$.method`",
        ],
    );
    let broken = example::inspect("{", &mut HashMap::new());
    assert!(broken.starts_with("no message: "), "{broken}");
}
