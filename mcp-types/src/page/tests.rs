//! One bad item costs no other.

use super::*;

fn page<T: Listed>(text: &str) -> Page<T> {
    Page::read(&RawJson::parse(text).unwrap()).unwrap()
}

/// rust-mcp-sdk #199.
#[test]
fn a_bad_item_is_set_aside_and_the_others_arrive() {
    let page: Page<Tool> = page(
        r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b"},7,{"name":"c","inputSchema":{},"annotations":5}],
            "nextCursor":"2","ttlMs":-1,"x":1.50}"#,
    );
    let names: Vec<_> = page.items.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["a", "c"]);
    assert_eq!(page.next_cursor.as_deref(), Some("2"));
    let [b, seven] = &page.skipped[..] else {
        panic!("{:?}", page.skipped)
    };
    assert_eq!((b.index, b.name.as_deref()), (1, Some("b")));
    assert!(b.to_string().contains("(\"b\")"), "{b}");
    assert!(b.reason.contains("`inputSchema` is missing"), "{b}");
    assert_eq!(b.raw.as_str(), r#"{"name":"b"}"#);
    assert_eq!((seven.index, &seven.name), (2, &None));
    let rest = serde_json::to_string(&page.rest).unwrap();
    assert_eq!(rest, r#"{"ttlMs":-1,"x":1.50}"#);
}

#[test]
fn a_page_without_a_bad_item_is_read_as_one_with_one() {
    let with = |items: &str| {
        page::<Tool>(&format!(
            r#"{{"x":1.50,"tools":[{{"name":"a","inputSchema":{{}},"y":2}}{items}],"nextCursor":"2","_meta":{{}}}}"#
        ))
    };
    let (good, bad) = (with(""), with(",7"));
    assert_eq!((good.skipped.len(), bad.skipped.len()), (0, 1));
    assert_eq!(
        Page {
            skipped: Vec::new(),
            ..bad
        },
        good
    );
    let twice = RawJson::parse(r#"{"tools":[],"tools":[{"name":"a","inputSchema":{}}]}"#).unwrap();
    assert!(Page::<Tool>::read(&twice).is_err());
}

#[test]
fn every_list_is_read_so() {
    fn check<T: Listed>(good: &str, name: &str) {
        let list = T::LIST;
        let page = page::<T>(&format!(
            r#"{{"{list}":[{{"{}":"n"}},{good},null]}}"#,
            T::NAME
        ));
        assert_eq!((page.items.len(), page.skipped.len()), (1, 2), "{list}");
        assert_eq!(page.skipped[0].name.as_deref(), Some(name), "{list}");
    }
    check::<Tool>(r#"{"name":"a","inputSchema":{}}"#, "n");
    check::<Resource>(r#"{"uri":"a:b","name":"a"}"#, "n");
    check::<ResourceTemplate>(r#"{"uriTemplate":"a:{b}","name":"a"}"#, "n");
    check::<Task>(r#"{"taskId":"t","status":"working"}"#, "n");
    // These two need no more than their names.
    let prompts = page::<Prompt>(r#"{"prompts":[{"name":"a"},{"name":"b","arguments":7}]}"#);
    assert_eq!((prompts.items.len(), prompts.skipped.len()), (1, 1));
    let roots = page::<Root>(r#"{"roots":[{"uri":"file:///"},{"name":"b"}]}"#);
    assert_eq!((roots.items.len(), roots.skipped.len()), (1, 1));
}

#[test]
fn an_absent_list_is_empty_and_an_empty_cursor_none() {
    for text in [
        "{}",
        r#"{"tools":null}"#,
        r#"{"nextCursor":""}"#,
        r#"{"nextCursor":7}"#,
    ] {
        let page = page::<Tool>(text);
        assert!(
            page.items.is_empty() && page.next_cursor.is_none(),
            "{text}"
        );
    }
    for bad in ["[]", "7", r#"{"tools":7}"#, r#"{"tools":{}}"#] {
        assert!(
            Page::<Tool>::read(&RawJson::parse(bad).unwrap()).is_err(),
            "{bad}"
        );
    }
}
