//! Many calls at once, on HTTP: one that is stuck delays no other.

use serde_json::json;

use super::{Hosted, modern_call};

#[tokio::test]
async fn a_stuck_call_delays_no_other_client() {
    let mut hosted = Hosted::start(|host| host).await;
    let stuck = hosted.send(&modern_call(1, "hang", &json!({}))).await;
    assert_eq!(hosted.event().await, "began");
    for id in 2..52 {
        let answer = hosted
            .ask(&modern_call(id, "echo", &json!({"text": "hi"})))
            .await;
        assert_eq!(
            answer.json()["result"]["structuredContent"],
            json!({"text": "hi"})
        );
    }
    hosted.go.notify_one();
    assert_eq!(hosted.event().await, "went on");
    let answer = stuck.answer().await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "done");
}
