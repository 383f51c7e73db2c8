//! Prompts and completion, in every revision.

use mcp_server::{
    Args, Completing, Messages, Prompt, ResourceTemplate, Server, ToolError,
    schemars::{self, JsonSchema},
    types::{
        Revision,
        content::{AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, Role},
        icon::Icon,
        prompt::PromptArgument,
        resource::ResourceContents,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peer::Peer;

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The first
    arg1: String,
    #[schemars(title = "Second")]
    arg2: u8,
    arg3: Option<bool>,
}

async fn two(Args(Two { arg1, arg2, arg3 }): Args<Two>) -> String {
    format!("arg1='{arg1}', arg2='{arg2}', arg3={arg3:?}")
}

async fn shows() -> Messages {
    let image = ContentBlock::Image(ImageContent::new("AAAA", "image/png"));
    let resource = EmbeddedResource::new(ResourceContents::text("test://r", "in it"));
    Messages::new()
        .description("Pictures")
        .message(Role::User, image)
        .message(Role::User, ContentBlock::Resource(resource))
        .assistant("I see.")
}

fn server() -> Server {
    Server::new("s", "1")
        .prompt(Prompt::new("simple", async || "This is simple.").description("Simple"))
        .prompt(Prompt::new("two", two).title("Two"))
        .prompt(Prompt::new("shows", shows).icon(Icon::new("https://example.com/p.png")))
        .prompt(
            Prompt::new("by_hand", async || "")
                .argument("needed", "It is needed", true)
                .with_argument(PromptArgument::new("free")),
        )
        .prompt(Prompt::new("fails", async || {
            Err::<String, _>(ToolError::at_capacity("full"))
        }))
}

async fn get(peer: &Peer, name: &str, arguments: &str) -> Value {
    let params = format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
    peer.result("prompts/get", &params).await
}

#[tokio::test]
async fn prompts_are_listed_with_all_that_each_revision_knows() {
    for (revision, peer) in Peer::of_each_revision(&server()).await {
        let listed = peer.result("prompts/list", "{}").await;
        let prompts = listed["prompts"].as_array().unwrap();
        let names: Vec<_> = prompts.iter().map(|prompt| &prompt["name"]).collect();
        assert_eq!(names, ["simple", "two", "shows", "by_hand", "fails"]);
        assert_eq!(
            prompts[0],
            json!({"name": "simple", "description": "Simple"})
        );
        let titled = revision >= Revision::V2025_06_18;
        assert_eq!(prompts[1].get("title").is_some(), titled);
        let mut second = json!({"name": "arg2", "required": true});
        if titled {
            second["title"] = json!("Second");
        }
        assert_eq!(
            prompts[1]["arguments"],
            json!([{"name": "arg1", "description": "The first", "required": true}, second, {"name": "arg3", "required": false}]),
            "{revision}"
        );
        assert_eq!(
            prompts[2].get("icons").is_some(),
            revision >= Revision::V2025_11_25
        );
        assert_eq!(
            prompts[3]["arguments"],
            json!([{"name": "needed", "description": "It is needed", "required": true}, {"name": "free"}])
        );
    }
}

#[tokio::test]
async fn r3_5_6_prompts_are_filled_in_in_every_revision() {
    for (revision, peer) in Peer::of_each_revision(&server()).await {
        let simple = get(&peer, "simple", "{}").await;
        assert_eq!(simple["description"], "Simple");
        assert_eq!(
            simple["messages"],
            json!([{"role": "user", "content": {"type": "text", "text": "This is simple."}}]),
            "{revision}"
        );
        let two = get(&peer, "two", r#"{"arg1":"hello","arg2":"7","arg3":"true"}"#).await;
        assert_eq!(
            two["messages"][0]["content"]["text"],
            "arg1='hello', arg2='7', arg3=Some(true)"
        );
        let shows = get(&peer, "shows", "null").await;
        assert_eq!(shows["description"], "Pictures");
        let kinds: Vec<_> = shows["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| {
                format!(
                    "{} {}",
                    message["role"].as_str().unwrap(),
                    message["content"]["type"].as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(kinds, ["user image", "user resource", "assistant text"]);
    }
}

#[tokio::test]
async fn what_does_not_fit_a_prompt_is_named() {
    for (_, peer) in Peer::of_each_revision(&server()).await {
        let check = async |params: &str, expected: &str| {
            let error = peer.error("prompts/get", params).await;
            assert_eq!((error.code.0, &*error.message), (-32602, expected));
        };
        check(r#"{"name":"no"}"#, "Unknown prompt: no").await;
        check("{}", "`name` must be the name of a prompt, a string").await;
        check(
            r#"{"name":"two"}"#,
            "Missing required argument: prompt `two` needs `arg1`",
        )
        .await;
        check(
            r#"{"name":"two","arguments":{"arg1":"x"}}"#,
            "Missing required argument: prompt `two` needs `arg2`",
        )
        .await;
        check(
            r#"{"name":"two","arguments":{"arg1":"x","arg2":"many"}}"#,
            "Invalid arguments: `arg2` is `many`, expected an integer from 0 of 8 bits",
        )
        .await;
        check(
            r#"{"name":"two","arguments":{"arg1":1}}"#,
            "argument `arg1` of prompt `two` must be a string",
        )
        .await;
        check(
            r#"{"name":"by_hand","arguments":{}}"#,
            "Missing required argument: prompt `by_hand` needs `needed`",
        )
        .await;
        let error = peer
            .error("prompts/get", r#"{"name":"two","arguments":[]}"#)
            .await;
        assert!(
            error
                .message
                .starts_with("`arguments` of prompt `two` must be an object of strings")
        );
        let error = peer.error("prompts/get", r#"{"name":"fails"}"#).await;
        assert_eq!((error.code.0, &*error.message), (-32603, "full"));
        assert_eq!(
            error.data.unwrap().decode::<Value>().unwrap()["code"],
            "at_capacity"
        );
    }
}

#[test]
fn a_prompt_that_cannot_be_offered_says_why() {
    let refused = |prompt: Prompt| server().try_prompt(prompt).unwrap_err().to_string();
    assert_eq!(
        refused(Prompt::new("two", two)),
        "a prompt named `two` is registered already; give one of the two another name"
    );
    assert_eq!(
        refused(Prompt::new("three", two).choices("arg9", ["x"])),
        "prompt `three` has no argument `arg9` to complete"
    );
    assert!(refused(Prompt::new("", two)).contains("is no prompt name"));
    async fn lists<T>(_: Args<T>) -> &'static str {
        ""
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct List {
        items: Vec<String>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Nested {
        name: String,
        inner: List,
    }
    assert_eq!(
        refused(Prompt::new("list", lists::<List>)),
        "argument `items` of prompt `list` is an object or a list; what fills a prompt is text"
    );
    assert_eq!(
        refused(Prompt::new("nested", lists::<Nested>)),
        "argument `inner` of prompt `nested` is an object or a list; what fills a prompt is text"
    );
}

fn completing() -> Server {
    let cities = async |typed: Completing| {
        let country = typed.arguments.get("country").cloned().unwrap_or_default();
        vec![format!("{}{} in {country}", typed.name, typed.value)]
    };
    let many = async |_: Completing| (0..250).map(|at| at.to_string()).collect::<Vec<_>>();
    let template = ResourceTemplate::new("test://{country}/{city}/{other}", async || "")
        .choices("country", ["Peru", "Portugal", "Oman"])
        .complete("city", cities);
    server()
        .prompt(
            Prompt::new("asks", async || "")
                .argument("many", "Many", false)
                .argument("fails", "Fails", false)
                .complete("many", many)
                .complete("fails", async || {
                    Err::<Vec<String>, _>(ToolError::bad_request("no"))
                }),
        )
        .resource_template(template)
}

async fn complete(peer: &Peer, reference: &str, argument: &str, value: &str) -> Value {
    let params = format!(
        r#"{{"ref":{reference},"argument":{{"name":"{argument}","value":"{value}"}},"context":{{"arguments":{{"country":"Peru"}}}}}}"#
    );
    peer.result("completion/complete", &params).await["completion"].clone()
}

const ASKS: &str = r#"{"type":"ref/prompt","name":"asks"}"#;
const TEMPLATE: &str = r#"{"type":"ref/resource","uri":"test://{country}/{city}/{other}"}"#;

#[tokio::test]
async fn r3_5_8_r3_5_9_values_are_completed_in_every_revision() {
    for (revision, peer) in Peer::of_each_revision(&completing()).await {
        let many = complete(&peer, ASKS, "many", "").await;
        assert_eq!(many["values"].as_array().unwrap().len(), 100, "{revision}");
        assert_eq!(
            (&many["total"], &many["hasMore"]),
            (&json!(250), &json!(true))
        );
        assert_eq!(
            complete(&peer, TEMPLATE, "country", "p").await,
            json!({"values": ["Peru", "Portugal"], "total": 2, "hasMore": false})
        );
        assert_eq!(
            complete(&peer, TEMPLATE, "city", "Li").await["values"],
            json!(["cityLi in Peru"])
        );
        // Nobody helps with these.
        assert_eq!(
            complete(&peer, TEMPLATE, "other", "").await["values"],
            json!([])
        );
        let by_hand = r#"{"type":"ref/prompt","name":"by_hand"}"#;
        assert_eq!(
            complete(&peer, by_hand, "free", "").await["values"],
            json!([])
        );
    }
}

#[tokio::test]
async fn a_completion_of_what_is_not_there_is_refused() {
    let peer = Peer::modern(&completing());
    let check = async |reference: &str, argument: &str, expected: &str| {
        let params =
            format!(r#"{{"ref":{reference},"argument":{{"name":"{argument}","value":""}}}}"#);
        let error = peer.error("completion/complete", &params).await;
        assert_eq!((error.code.0, &*error.message), (-32602, expected));
    };
    check(
        r#"{"type":"ref/prompt","name":"no"}"#,
        "x",
        "Unknown prompt: no",
    )
    .await;
    check(ASKS, "x", "there is no argument `x` to complete").await;
    check(TEMPLATE, "x", "there is no argument `x` to complete").await;
    check(
        r#"{"type":"ref/resource","uri":"test://no"}"#,
        "x",
        "Unknown resource template: test://no",
    )
    .await;
    check(
        r#"{"type":"ref/tool","name":"x"}"#,
        "x",
        "`ref` must have the type `ref/prompt` or `ref/resource`",
    )
    .await;
    check(ASKS, "fails", "no").await;
}

#[tokio::test]
async fn r3_2_10_completions_are_said_from_2025_03_26_on_and_answered_before_too() {
    let silent = Peer::modern(&server());
    assert_eq!(
        silent.error("completion/complete", "{}").await.code.0,
        -32601
    );
    let params = |revision: Revision| {
        format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}"#
        )
    };
    for (revision, peer) in Peer::of_each_revision(&completing()).await {
        let opened = match revision {
            Revision::LATEST => peer.result("server/discover", "{}").await,
            _ => peer.result("initialize", &params(revision)).await,
        };
        let said = opened["capabilities"].get("completions").is_some();
        assert_eq!(said, revision >= Revision::V2025_03_26, "{revision}");
    }
}

#[tokio::test]
async fn r3_5_5_a_message_holds_what_the_revision_has_words_for() {
    let shows = async || {
        Messages::new()
            .message(
                Role::User,
                ContentBlock::Audio(AudioContent::new("AAAA", "audio/wav")),
            )
            .message(
                Role::User,
                ContentBlock::ResourceLink(ResourceLink::new("a:b", "b")),
            )
    };
    let server = Server::new("s", "1").prompt(Prompt::new("p", shows));
    for (revision, peer) in Peer::of_each_revision(&server).await {
        let got = get(&peer, "p", "{}").await;
        let kind = |at: usize| got["messages"][at]["content"]["type"].as_str().unwrap();
        let audio = if revision >= Revision::V2025_03_26 {
            "audio"
        } else {
            "text"
        };
        let link = if revision >= Revision::V2025_06_18 {
            "resource_link"
        } else {
            "text"
        };
        assert_eq!((kind(0), kind(1)), (audio, link), "{revision}");
    }
}
