//! What passes through the gateway: results as they are, progress as it comes, cancellation at once.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::{
    caller::{Caller, ERAS, text},
    house::{House, RICH, serve},
    wait::soon,
};

#[tokio::test]
async fn a_rich_result_arrives_as_it_was_made() {
    let made: Value = serde_json::from_str(RICH).unwrap();
    for era in ERAS {
        let house = House::over_http(|builder| builder).await;
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        caller.route("finance").await;
        let reply = caller
            .request("finance__rich", json!({}))
            .send_raw()
            .await
            .unwrap();
        // Numbers and escapes are as they were written, too.
        let bytes = reply.result.as_str();
        for part in ["118.00", "12345678901234567890123", r#""\u0041""#, "2.50"] {
            assert!(bytes.contains(part), "{era:?}: {part} is not in {bytes}");
        }
        let mut came: Value = serde_json::from_str(bytes).unwrap();
        for member in ["content", "structuredContent", "isError"] {
            assert_eq!(came[member], made[member], "{era:?}");
        }
        let meta = came["_meta"].take();
        assert_eq!(
            meta["com.example/trace"], made["_meta"]["com.example/trace"],
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn progress_is_passed_on() {
    for era in ERAS {
        let house = House::over_http(|builder| builder).await;
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        caller.route("finance").await;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hearing = Arc::clone(&heard);
        let call = caller
            .request("finance__steps", json!({}))
            .on_progress(move |progress| {
                let message = progress.message.unwrap_or_default();
                let at = (
                    progress.progress.to_string(),
                    progress.total.map(|total| total.to_string()),
                );
                hearing.lock().unwrap().push((at.0, at.1, message));
            });
        let result = soon("steps", call.send()).await.unwrap();
        assert_eq!(text(&result), "all three");
        let three = Some("3".to_owned());
        let expected = [("1", "one"), ("2", "two"), ("3", "three")];
        let expected = expected.map(|(at, name)| (at.to_owned(), three.clone(), name.to_owned()));
        assert_eq!(*heard.lock().unwrap(), expected, "{era:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_dropped_at_the_specialist() {
    for era in ERAS {
        let mut house = House::over_http(|builder| builder).await;
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        caller.route("finance").await;
        let call = caller.request("finance__hang", json!({})).send();
        tokio::select! {
            ended = call => panic!("{era:?}: a call that never ends has ended: {ended:?}"),
            told = soon("the call", house.hung.recv()) => assert_eq!(told, Some("started")),
        }
        // The select has dropped the call.
        let told = soon("the specialist to be told", house.hung.recv()).await;
        assert_eq!(told, Some("dropped"), "{era:?}");

        // The conversation goes on.
        let status = caller
            .call("finance__status", json!({"invoice": "1"}))
            .await;
        assert_eq!(text(&status), "Invoice 1 is paid; triage asks");
    }
}
