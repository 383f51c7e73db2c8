//! Good parents are kept, all others replaced.

use super::*;

const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn entropy() -> [u8; 24] {
    std::array::from_fn(|at| u8::try_from(at).unwrap_or_default())
}

#[test]
fn a_good_parent_keeps_its_trace_and_gets_a_span() {
    let check = |inbound: &str, expected: &str| {
        assert!(is_valid(inbound), "{inbound}");
        assert_eq!(next_hop(Some(inbound), entropy()), expected);
    };
    check(
        GOOD,
        "00-0af7651916cd43dd8448eb211c80319c-0001020304050607-01",
    );
    check(
        &GOOD.replace("-01", "-00"),
        "00-0af7651916cd43dd8448eb211c80319c-0001020304050607-00",
    );
    check(
        &GOOD.replace("-01", "-03"),
        "00-0af7651916cd43dd8448eb211c80319c-0001020304050607-01",
    );
    check(
        "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-will-be",
        "00-0af7651916cd43dd8448eb211c80319c-0001020304050607-01",
    );
}

#[test]
fn a_bad_parent_starts_a_new_trace() {
    let fresh = "00-08090a0b0c0d0e0f1011121314151617-0001020304050607-01";
    assert_eq!(next_hop(None, entropy()), fresh);
    for bad in [
        "",
        "00",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx: y",
        " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ] {
        assert!(!is_valid(bad), "{bad}");
        assert_eq!(next_hop(Some(bad), entropy()), fresh, "{bad}");
    }
}

#[test]
fn no_id_is_all_zeros() {
    assert!(is_valid(&next_hop(None, [0; 24])));
}
