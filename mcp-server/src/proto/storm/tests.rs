//! How much is told, and when again.

use super::*;

#[test]
fn c4_ten_errors_in_ten_seconds_and_then_silence() {
    #[expect(
        clippy::disallowed_methods,
        reason = "an instant has no other beginning"
    )]
    let start = Instant::now();
    let mut storm = Storm::default();
    let mut told = |second| {
        let now = start + Duration::from_secs(second);
        (0..1000).filter(|_| storm.admits(now)).count()
    };
    assert_eq!(
        [told(0), told(9), told(10), told(19), told(1000)],
        [10, 0, 10, 0, 10]
    );
}
