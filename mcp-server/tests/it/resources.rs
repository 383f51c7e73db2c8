//! Resources and their templates, in every revision.

use mcp_server::{
    Change, Json, Resource, ResourceTemplate, Server, ToolError, Uri, Vars,
    types::{
        Revision,
        content::{Annotations, Role},
        icon::Icon,
        resource::ResourceContents,
    },
};
use mcp_transport::Event;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peer::{Peer, event};

#[derive(Deserialize)]
struct Id {
    id: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
}

async fn data(Vars(Id { id }): Vars<Id>) -> Json<Data> {
    Json(Data {
        id: id.to_string(),
        template_test: true,
    })
}

async fn parts(Uri(uri): Uri) -> Vec<ResourceContents> {
    vec![
        ResourceContents::text("", "all"),
        ResourceContents::text(format!("{uri}/1"), "one"),
    ]
}

async fn fails(Uri(uri): Uri) -> Result<String, ToolError> {
    Err(match uri.as_str() {
        "test://gone" => ToolError::not_found("it was here yesterday"),
        "test://odd" => ToolError::bad_request("the address has no end"),
        _ => ToolError::service_unavailable("the disk sleeps"),
    })
}

fn server() -> Server {
    Server::new("s", "1")
        .resource(Resource::text("test://static-text", "static").description("A text"))
        .resource(Resource::blob("test://static-binary", [1, 2, 255]).mime_type("image/png"))
        .resource(Resource::new("test://parts", parts).mime_type("text/plain"))
        .resource(Resource::new("test://gone", fails))
        .resource(Resource::new("test://odd", fails))
        .resource(Resource::new("test://down", fails))
        .resource_template(ResourceTemplate::new("test://template/{id}/data", data))
        .resource_template(ResourceTemplate::new(
            "test://files/{+path}",
            async |Uri(uri): Uri| uri,
        ))
        .resource_template(ResourceTemplate::new(
            "test://files/special/{name}",
            async || "special",
        ))
}

async fn read(peer: &Peer, uri: &str) -> Value {
    peer.result("resources/read", &format!(r#"{{"uri":"{uri}"}}"#))
        .await
}

#[tokio::test]
async fn text_blobs_and_handlers_are_read_in_every_revision() {
    for (revision, peer) in Peer::of_each_revision(&server()).await {
        let check = async |uri: &str, expected: Value| {
            let read = read(&peer, uri).await;
            assert_eq!(read["contents"], expected, "{revision} {uri}");
            let modern = revision == Revision::LATEST;
            assert_eq!(
                read.get("ttlMs").is_some() && read.get("resultType").is_some(),
                modern
            );
        };
        check(
            "test://static-text",
            json!([{"uri": "test://static-text", "mimeType": "text/plain", "text": "static"}]),
        )
        .await;
        check(
            "test://static-binary",
            json!([{"uri": "test://static-binary", "mimeType": "image/png", "blob": "AQL/"}]),
        )
        .await;
        check(
            "test://parts",
            json!([{"uri": "test://parts", "mimeType": "text/plain", "text": "all"},
                   {"uri": "test://parts/1", "mimeType": "text/plain", "text": "one"}]),
        )
        .await;
        check(
            "test://template/123/data",
            json!([{"uri": "test://template/123/data", "mimeType": "application/json",
                    "text": r#"{"id":"123","templateTest":true}"#}]),
        )
        .await;
    }
}

#[tokio::test]
async fn the_most_particular_template_reads_and_a_resource_before_all() {
    let server = server().resource(Resource::text("test://files/a/b", "fixed"));
    let peer = Peer::modern(&server);
    for (uri, expected) in [
        ("test://files/a/b", "fixed"),
        ("test://files/a/b/c", "test://files/a/b/c"),
        ("test://files/special/x", "special"),
        ("test://files/special/x/y", "test://files/special/x/y"),
    ] {
        assert_eq!(
            read(&peer, uri).await["contents"][0]["text"],
            expected,
            "{uri}"
        );
    }
}

#[tokio::test]
async fn r2_4_r3_5_3_not_found_has_the_code_of_the_revision_and_the_uri() {
    for (revision, peer) in Peer::of_each_revision(&server()).await {
        let code = match revision {
            Revision::V2024_10_07 | Revision::LATEST => -32602,
            _ => -32002,
        };
        // Unknown; said by the handler; of a template whose blanks do not fit.
        for uri in [
            "test://no/such",
            "test://gone",
            "test://template/abc/data",
            "",
            "nonsense",
        ] {
            let error = peer
                .error("resources/read", &format!(r#"{{"uri":"{uri}"}}"#))
                .await;
            assert_eq!(error.code.0, code, "{revision} {uri}");
            let data: Value = error.data.unwrap().decode().unwrap();
            assert_eq!(data, json!({"uri": uri}), "{revision}");
        }
    }
}

#[tokio::test]
async fn a_read_that_fails_is_an_error_with_its_envelope() {
    let peer = Peer::modern(&server());
    let check = async |uri: &str, code: i64, message: &str, data: Value| {
        let error = peer
            .error("resources/read", &format!(r#"{{"uri":"{uri}"}}"#))
            .await;
        assert_eq!((error.code.0, &*error.message), (code, message));
        assert_eq!(error.data.unwrap().decode::<Value>().unwrap(), data);
    };
    check(
        "test://odd",
        -32602,
        "the address has no end",
        json!({"service": "test://odd", "code": "bad_request", "error": "the address has no end", "status": 400}),
    )
    .await;
    check(
        "test://down",
        -32603,
        "the disk sleeps",
        json!({"service": "test://down", "code": "service_unavailable", "error": "the disk sleeps", "status": 503}),
    )
    .await;
    for params in ["{}", r#"{"uri":7}"#, r#"{"uri":null}"#] {
        let error = peer.error("resources/read", params).await;
        assert_eq!(error.code.0, -32602);
        assert_eq!(
            error.message,
            "`uri` must be the address of a resource, a string"
        );
    }
}

#[tokio::test]
async fn r3_3_resources_are_listed_with_all_that_each_revision_knows() {
    let annotations = Annotations {
        audience: Some(vec![Role::User]),
        last_modified: Some("2026-01-01T00:00:00Z".into()),
        ..Annotations::default()
    };
    let resource = Resource::text("test://a", "abc")
        .name("a")
        .title("A")
        .description("The first")
        .annotations(annotations.clone())
        .icon(Icon::new("https://example.com/a.png"))
        .meta("com.example/k", &1);
    let template = ResourceTemplate::new("test://t/{x}", async || "")
        .name("t")
        .title("T")
        .description("Some")
        .mime_type("text/plain")
        .annotations(annotations)
        .icon(Icon::new("https://example.com/t.png"))
        .meta("com.example/k", &2);
    let server = Server::new("s", "1")
        .resource(resource)
        .resource_template(template);
    for (revision, peer) in Peer::of_each_revision(&server).await {
        let mut expected = json!({"uri": "test://a", "name": "a", "description": "The first", "mimeType": "text/plain"});
        if revision >= Revision::V2024_11_05 {
            expected["size"] = json!(3);
            expected["annotations"] = json!({"audience": ["user"]});
        }
        if revision >= Revision::V2025_06_18 {
            expected["title"] = json!("A");
            expected["_meta"] = json!({"com.example/k": 1});
            expected["annotations"]["lastModified"] = json!("2026-01-01T00:00:00Z");
        }
        if revision >= Revision::V2025_11_25 {
            expected["icons"] = json!([{"src": "https://example.com/a.png"}]);
        }
        let listed = peer.result("resources/list", "{}").await;
        assert_eq!(listed["resources"], json!([expected.clone()]), "{revision}");
        if revision == Revision::V2024_10_07 {
            assert_eq!(
                peer.error("resources/templates/list", "{}").await.code.0,
                -32601
            );
            continue;
        }
        let of_template = expected.as_object_mut().unwrap();
        of_template.remove("uri");
        of_template.remove("size");
        for (member, value) in [
            ("uriTemplate", "test://t/{x}"),
            ("name", "t"),
            ("description", "Some"),
        ] {
            of_template.insert(member.into(), value.into());
        }
        if revision >= Revision::V2025_06_18 {
            of_template.insert("title".into(), "T".into());
            of_template.insert("_meta".into(), json!({"com.example/k": 2}));
        }
        if revision >= Revision::V2025_11_25 {
            of_template.insert(
                "icons".into(),
                json!([{"src": "https://example.com/t.png"}]),
            );
        }
        let listed = peer.result("resources/templates/list", "{}").await;
        assert_eq!(listed["resourceTemplates"], json!([expected]), "{revision}");
    }
}

async fn unasked(peer: &Peer) -> (String, Value) {
    match event(&mut peer.open("subscriptions/listen", "{}")).await {
        Event::Notification(told) => (told.method.to_string(), told.params.decode().unwrap()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn r3_5_1_r3_5_2_a_legacy_session_hears_of_what_it_subscribed_to_and_of_nothing_else() {
    let server = server();
    let resources = server.resources();
    for revision in &Revision::ALL[..5] {
        let peer = Peer::legacy(&server, *revision).await;
        let uri = r#"{"uri":"test://static-text"}"#;
        let subscribed = peer.result("resources/subscribe", uri).await;
        assert_eq!(subscribed, json!({}));
        peer.result("resources/subscribe", r#"{"uri":"test://template/1/data"}"#)
            .await;
        resources.updated("test://static-binary");
        resources.updated("test://static-text");
        resources.updated("test://static-text");
        server
            .hub()
            .publish(&Change::ResourceUpdated("test://template/1/data".into()));
        let updated = "notifications/resources/updated".to_owned();
        assert_eq!(
            unasked(&peer).await,
            (updated.clone(), json!({"uri": "test://static-text"}))
        );
        assert_eq!(
            unasked(&peer).await,
            (updated, json!({"uri": "test://template/1/data"}))
        );
        assert_eq!(peer.result("resources/unsubscribe", uri).await, json!({}));
        resources.updated("test://static-text");
        resources.remove("test://parts");
        resources
            .add(Resource::text("test://parts", "again"))
            .unwrap();
        let (method, _) = unasked(&peer).await;
        assert_eq!(method, "notifications/resources/list_changed");
        let error = peer
            .error("resources/subscribe", r#"{"uri":"test://no"}"#)
            .await;
        assert!(matches!(error.code.0, -32602 | -32002));
    }
}

#[tokio::test]
async fn a_session_subscribes_to_so_many_resources_and_no_more() {
    let server = server();
    let _handle = server.resources();
    let peer = Peer::legacy(&server, Revision::V2025_11_25).await;
    for at in 0..256 {
        peer.result(
            "resources/subscribe",
            &format!(r#"{{"uri":"test://files/{at}"}}"#),
        )
        .await;
    }
    let error = peer
        .error("resources/subscribe", r#"{"uri":"test://files/more"}"#)
        .await;
    assert_eq!(error.code.0, -32602);
    assert_eq!(
        error.message,
        "a session may subscribe to 256 resources; unsubscribe from some"
    );
    peer.result("resources/unsubscribe", r#"{"uri":"test://files/7"}"#)
        .await;
    peer.result("resources/subscribe", r#"{"uri":"test://files/more"}"#)
        .await;
}

#[tokio::test]
async fn d29_a_modern_client_finds_no_subscribe_nor_does_one_where_nobody_can_publish() {
    let server = server();
    let uri = r#"{"uri":"test://static-text"}"#;
    let peer = Peer::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(peer.error("resources/subscribe", uri).await.code.0, -32601);
    let _handle = server.resources();
    peer.result("resources/subscribe", uri).await;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(
            Peer::modern(&server).error(method, uri).await.code.0,
            -32601
        );
    }
}

#[tokio::test]
async fn a_handler_or_a_filter_that_panics_tells_nothing_and_the_server_lives_on() {
    let panics = async || -> String { panic!("secret") };
    let server = server()
        .resource(Resource::new("test://panics", panics))
        .resource(Resource::text("test://filter", "").visible(|_| panic!("secret")));
    let peer = Peer::modern(&server);
    for (method, params) in [
        ("resources/read", r#"{"uri":"test://panics"}"#),
        ("resources/read", r#"{"uri":"test://filter"}"#),
        ("resources/list", "{}"),
    ] {
        let error = peer.error(method, params).await;
        assert_eq!((error.code.0, &*error.message), (-32603, "Internal error"));
        assert_eq!(error.data, None);
    }
    read(&peer, "test://static-text").await;
}

#[test]
fn a_resource_that_cannot_be_offered_says_why() {
    let refused = |resource: Resource| server().try_resource(resource).unwrap_err().to_string();
    assert_eq!(
        refused(Resource::text("test://static-text", "")),
        "a resource at `test://static-text` is registered already; give one of the two another address"
    );
    let said = refused(Resource::text("no address", ""));
    assert!(
        said.starts_with("\"no address\" is no resource URI"),
        "{said}"
    );
    let refused = |template: ResourceTemplate| {
        server()
            .try_resource_template(template)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(ResourceTemplate::new("test://{x", async || "")),
        "resource template `test://{x` cannot be used: brace at byte 7 has no partner"
    );
    assert_eq!(
        refused(ResourceTemplate::new("test://{x}", async || "").choices("y", ["1"])),
        "resource template `test://{x}` has no blank `y` to complete"
    );
    assert_eq!(
        refused(ResourceTemplate::new("test://files/{+path}", async || "")),
        "a resource at `test://files/{+path}` is registered already; give one of the two another address"
    );
}
