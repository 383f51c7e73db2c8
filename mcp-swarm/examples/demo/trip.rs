//! The trips: what each client does, step by step, and what has to come of it.

use mcp_client::{CallTool, Client};
use mcp_types::{Era, Revision};
use serde_json::json;

use crate::{
    house::Urls,
    log::Log,
    specialists::{FINANCE, SUPPORT},
    talk::{Listed, Talk, code, structured, text},
    transcript::{Transcript, Wrong},
    triage::TRIAGE,
};

const ROUTE: &str = "route";
const INVOICE: &str = "finance__invoice_status";
const TICKET: &str = "support__open_ticket";
const RETURN: &str = "triage__return_to_triage";

/// Both clients' trips, and what a stranger gets.
pub(crate) async fn both(urls: &Urls, log: &Log, out: &mut Transcript) -> Result<(), Wrong> {
    out.line("One conversation, handed from a triage gateway to a specialist and back.\n");
    out.line(format_args!(
        "  {TRIAGE:<9} {}   the gateway, which clients know",
        urls.gateway
    ));
    out.line(format_args!(
        "  {FINANCE:<9} {}   lets in what triage hands over",
        urls.finance
    ));
    out.line(format_args!("  {SUPPORT:<9} {}   likewise", urls.support));
    out.line(
        "\nAfter │ stands what the model reads, in [brackets] what proves that the gateway asks.",
    );
    stranger(urls, log, out).await?;

    out.line("\n── A modern client (2026-07-28): every request stands alone; a handle says which handoff is meant ──");
    let client = Client::builder("modern-demo", "1.0")
        .connect(&urls.gateway)
        .await;
    trip(
        "modern",
        Revision::V2026_07_28,
        connected(client)?,
        log,
        out,
    )
    .await?;

    out.line("\n── A legacy client (2025-11-25): a session, whose list of tools is swapped ──");
    let builder = Client::builder("legacy-demo", "1.0").pin(Era::Legacy);
    let client = builder.connect(&urls.gateway).await;
    trip(
        "legacy",
        Revision::V2025_11_25,
        connected(client)?,
        log,
        out,
    )
    .await
}

fn connected<E: std::fmt::Display>(client: Result<Client, E>) -> Result<Client, Wrong> {
    client.map_err(|error| Wrong::failed("the client connects", &error))
}

/// Whoever goes past the gateway is refused.
async fn stranger(urls: &Urls, log: &Log, out: &mut Transcript) -> Result<(), Wrong> {
    out.step("Nobody gets past the gateway");
    let client = connected(
        Client::builder("stranger", "1.0")
            .connect(&urls.finance)
            .await,
    )?;
    let call = CallTool::new("invoice_status", json!({"invoice": "42"}));
    let result = client.request(call).send().await;
    for arrival in log.arrivals() {
        out.arrival("stranger", &arrival);
    }
    let result = result.map_err(|error| Wrong::failed("finance answers", &error))?;
    out.answer(FINANCE, "stranger", &text(&result));
    let refused = Some("MISSING_DELEGATION_TOKEN".to_owned());
    out.check(
        "refused with MISSING_DELEGATION_TOKEN",
        &code(&result),
        &refused,
    )?;
    client.close().await;
    Ok(())
}

/// One client's trip.
async fn trip(
    who: &'static str,
    revision: Revision,
    client: Client,
    log: &Log,
    out: &mut Transcript,
) -> Result<(), Wrong> {
    out.step(format!("The {who} client connects"));
    for attempt in &client.negotiation().attempts {
        out.says(who, TRIAGE, attempt);
    }
    out.check(
        format!("they speak {revision}"),
        &client.link().revision,
        &revision,
    )?;
    let mut talk = Talk::new(who, client, log, out)?;

    talk.out.step("What does triage offer?");
    let home = talk.list().await?;
    let names = if talk.client.is_modern() {
        vec![ROUTE, INVOICE, TICKET, RETURN]
    } else {
        vec![ROUTE]
    };
    talk.out
        .check("these tools and no others", &home.names, &owned(&names))?;

    finance(&mut talk, &home).await?;
    support(&mut talk, &home).await?;
    let secrets = log.secrets();
    let leaked = |secret: &&String| {
        talk.answers
            .iter()
            .any(|answer| answer.contains(&***secret))
    };
    let leaks = secrets.iter().filter(leaked).count();
    let what = format!(
        "none of {} tokens and carried ids is in any of {} answers",
        secrets.len(),
        talk.answers.len()
    );
    talk.out.check(what, &leaks, &0)?;
    talk.client.close().await;
    Ok(())
}

async fn finance(talk: &mut Talk<'_>, home: &Listed) -> Result<(), Wrong> {
    talk.out.step("A question about a refund goes to finance");
    let intent = json!({"intent": "Where is the refund for invoice 42?"});
    let result = talk.call(ROUTE, intent).await?;
    let domain = structured(&result, "/handoff/domain");
    talk.out.check(
        "it is handed over to finance",
        &domain,
        &Some(FINANCE.to_owned()),
    )?;
    talk.hears_of_change().await?;

    talk.out.step("What is on offer now?");
    let away = talk.list().await?;
    if talk.client.is_modern() {
        talk.out.check(
            "byte for byte the same list as before",
            &away.bytes,
            &home.bytes,
        )?;
    } else {
        let swapped = owned(&[INVOICE, RETURN]);
        talk.out
            .check("finance's tools, and the way back", &away.names, &swapped)?;
    }

    talk.out
        .step("Finance answers; what was asked came with the handoff");
    let result = talk.call(INVOICE, json!({"invoice": "42"})).await?;
    let said = "Invoice 42: the refund of 118.00 EUR was sent on 2026-07-27.".to_owned();
    talk.out.check(
        "about the refund, of which the call said nothing",
        &text(&result),
        &said,
    )?;
    arrived(talk)?;

    talk.out.step("Finance is done");
    let summary = json!({"summary": "The refund for invoice 42 was sent on 2026-07-27."});
    back(talk, home, summary, FINANCE).await?;
    let late = talk.call(INVOICE, json!({"invoice": "42"})).await?;
    talk.out
        .check("finance's tool is closed again", &late.failed(), &true)
}

async fn support(talk: &mut Talk<'_>, home: &Listed) -> Result<(), Wrong> {
    talk.out.step("The next question goes to support");
    let result = talk
        .call(ROUTE, json!({"intent": "The app crashes, I need support"}))
        .await?;
    let domain = structured(&result, "/handoff/domain");
    talk.out.check(
        "it is handed over to support",
        &domain,
        &Some(SUPPORT.to_owned()),
    )?;
    talk.hears_of_change().await?;
    let result = talk
        .call(TICKET, json!({"subject": "Crash on start"}))
        .await?;
    let asked = "is open: Crash on start (asked for: The app crashes, I need support)";
    talk.out.check_part(
        "a ticket, which quotes the carried intent",
        &text(&result),
        asked,
    )?;
    arrived(talk)?;
    back(talk, home, json!({"summary": "A ticket is open."}), SUPPORT).await
}

/// The way back to the gateway, where everything is as it was.
async fn back(
    talk: &mut Talk<'_>,
    home: &Listed,
    summary: serde_json::Value,
    from: &str,
) -> Result<(), Wrong> {
    let result = talk.call(RETURN, summary.clone()).await?;
    let status = structured(&result, "/return/status");
    talk.out.check(
        "it is back at triage",
        &status,
        &Some("returned".to_owned()),
    )?;
    let envelope = format!("<upstream_report source=\"{from}\" trusted=\"false\">");
    talk.out.check_part(
        "the report is marked as untrusted",
        &text(&result),
        &envelope,
    )?;
    talk.hears_of_change().await?;
    let after = talk.list().await?;
    talk.out.check(
        "the list is triage's own again, byte for byte",
        &after.bytes,
        &home.bytes,
    )
}

/// Every conversation that left the gateway so far has come to a specialist.
fn arrived(talk: &mut Talk<'_>) -> Result<(), Wrong> {
    let (carried, received) = talk.log.conversations();
    talk.out.check(
        "the carried state is the one that triage sent",
        &received,
        &carried,
    )
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
