//! The status table, whole: each code of the protocol, by era and by who raised it.

use super::{Raised, legacy, legacy_session, modern};

#[test]
fn each_code_has_its_status() {
    // code, modern protocol, modern handler, legacy protocol, legacy handler
    let table = [
        (-32700, 400, 200, 400, 200),
        (-32600, 400, 200, 400, 200),
        (-32601, 404, 200, 200, 200),
        (-32602, 400, 200, 200, 200),
        (-32603, 200, 200, 200, 200),
        (-32020, 400, 200, 400, 200),
        (-32021, 400, 400, 200, 200),
        (-32022, 400, 200, 400, 200),
        (-32002, 200, 200, 200, 200),
        (-32800, 200, 200, 200, 200),
        (1, 200, 200, 200, 200),
    ];
    for (code, modern_protocol, modern_handler, legacy_protocol, legacy_handler) in table {
        let found = [
            modern(code, Raised::Protocol),
            modern(code, Raised::Handler),
            legacy(code, Raised::Protocol),
            legacy(code, Raised::Handler),
        ];
        assert_eq!(
            found,
            [
                modern_protocol,
                modern_handler,
                legacy_protocol,
                legacy_handler
            ],
            "{code}"
        );
    }
}

#[test]
fn h17_and_h18_a_session_that_is_not_there() {
    assert_eq!(legacy_session(true), 404);
    assert_eq!(legacy_session(false), 400);
}
