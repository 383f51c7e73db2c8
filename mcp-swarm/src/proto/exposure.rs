//! Which tools a client sees, and where their names lead.
//!
//! | client | sees |
//! |---|---|
//! | legacy, at the gateway | the gateway's own tools |
//! | legacy, handed over | the specialist's tools and the return tool |
//! | modern, always | the gateway's own tools, then every specialist's, each with the argument `handoff`, then the return tool |
//!
//! The modern list is a function of what the servers offer alone: handoffs come and go without a trace in it
//! (2026-07-28, server/tools, "Capabilities").

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use mcp_types::tool::Tool;
use mcp_types::{RawJson, RawObject};
use serde_json::json;

use super::forward::{HANDLE_ARGUMENT, is_reserved};
use super::namespace::{
    DomainName, Dropped, Route, Routes, Separator, public_description, public_title,
};
use super::return_trip::{RETURN_DESCRIPTION, RETURN_INPUT_SCHEMA, return_tool_name};

/// A gateway's own name, and how it joins names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Face {
    /// Its name.
    pub gateway: DomainName,
    /// What stands between a specialist's name and its tool's.
    pub separator: Separator,
}

/// A list of tools, and where the specialists' names in it lead.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Shown {
    /// The tools, in order.
    pub tools: Vec<Tool>,
    /// Where a specialist's name leads.
    pub routes: Routes,
    /// What is not shown, to be logged.
    pub dropped: Vec<NotShown>,
}

/// A tool that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotShown {
    /// Its name is taken.
    Name(Dropped),
    /// It has an argument `handoff` of its own, or a schema that none can be added to.
    Argument(Route),
    /// A tool of the gateway's server that has the return tool's name.
    Own(String),
}

impl Face {
    /// The face of `gateway`.
    pub fn new(gateway: DomainName, separator: Separator) -> Self {
        Self { gateway, separator }
    }

    /// The return tool's name.
    pub fn return_tool(&self) -> String {
        return_tool_name(self.separator, &self.gateway)
    }

    /// What all names of `domain`'s tools begin with.
    pub fn prefix(&self, domain: &DomainName) -> String {
        format!("{domain}{}", self.separator.as_str())
    }

    /// What a legacy session sees while it is handed over to `domain`.
    pub fn swapped(&self, domain: &DomainName, tools: &[Tool]) -> Shown {
        let back = self.return_tool();
        let offers = tools.iter().map(|tool| (domain, tool.name.as_str()));
        let routes = Routes::build(self.separator, [back.as_str()], offers);
        let mut shown = Shown::default();
        for tool in tools {
            if let Some(public) = routes.shown(domain, &tool.name) {
                shown.tools.push(public_tool(tool, domain, public));
            }
        }
        shown.tools.push(self.back(false));
        shown.dropped = routes
            .dropped()
            .iter()
            .cloned()
            .map(NotShown::Name)
            .collect();
        shown.routes = routes;
        shown
    }

    /// What every modern client sees: the gateway's `own` tools, and those of the specialists, in this order.
    pub fn catalogue<'a>(
        &self,
        own: &[Tool],
        specialists: impl IntoIterator<Item = (&'a DomainName, &'a [Tool])>,
    ) -> Shown {
        let back = self.return_tool();
        let mut shown = Shown::default();
        for tool in own {
            if tool.name == back {
                shown.dropped.push(NotShown::Own(tool.name.clone()));
            } else {
                shown.tools.push(tool.clone());
            }
        }
        let offers: Vec<(&DomainName, &Tool)> = specialists
            .into_iter()
            .flat_map(|(domain, tools)| tools.iter().map(move |tool| (domain, tool)))
            .collect();
        let own_names: HashSet<&str> = own.iter().map(|tool| tool.name.as_str()).collect();
        let reserved = own_names.into_iter().chain([back.as_str()]);
        let names = offers
            .iter()
            .map(|(domain, tool)| (*domain, tool.name.as_str()));
        let routes = Routes::build(self.separator, reserved, names);
        for (domain, tool) in offers {
            let Some(public) = routes.shown(domain, &tool.name) else {
                continue;
            };
            match with_handle(public_tool(tool, domain, public), domain) {
                Some(tool) => shown.tools.push(tool),
                None => shown
                    .dropped
                    .extend(routes.route(public).cloned().map(NotShown::Argument)),
            }
        }
        shown.tools.push(self.back(true));
        let dropped = routes.dropped().iter().cloned().map(NotShown::Name);
        shown.dropped.extend(dropped);
        shown.routes = routes;
        shown
    }

    fn back(&self, with_handle: bool) -> Tool {
        let mut tool = Tool::new(self.return_tool(), schema(RETURN_INPUT_SCHEMA));
        tool.description = Some(RETURN_DESCRIPTION.to_owned());
        if with_handle {
            let described = "The handle of the handoff that is over.";
            if let Some(schema) = with_property(&tool.input_schema, described) {
                tool.input_schema = schema;
            }
        }
        tool
    }
}

fn schema(text: &str) -> RawJson {
    RawJson::parse(text).unwrap_or_else(|_| RawJson::null())
}

/// A specialist's tool under the name it is shown by. Everything but its names and descriptions is as it was.
fn public_tool(tool: &Tool, domain: &DomainName, public: &str) -> Tool {
    let mut tool = tool.clone();
    public.clone_into(&mut tool.name);
    tool.description = Some(public_description(domain, tool.description.as_deref()));
    tool.title = tool.title.map(|title| public_title(domain, &title));
    if let Some(annotations) = &mut tool.annotations {
        let title = annotations.title.take();
        annotations.title = title.map(|title| public_title(domain, &title));
    }
    if let Some(meta) = &mut tool.meta {
        meta.retain(|key| !is_reserved(key));
    }
    tool
}

/// The tool with the argument `handoff`, required; `None` if it has one of its own.
fn with_handle(mut tool: Tool, domain: &DomainName) -> Option<Tool> {
    let described = format!(
        "The handle of your handoff to {domain}, from the result of the tool that handed over."
    );
    tool.input_schema = with_property(&tool.input_schema, &described)?;
    Some(tool)
}

fn with_property(schema: &RawJson, description: &str) -> Option<RawJson> {
    let mut schema: RawObject = schema.decode().ok()?;
    let mut properties: RawObject = match schema.get("properties") {
        Some(properties) => properties.decode().ok()?,
        None => RawObject::new(),
    };
    let mut required: Vec<RawJson> = match schema.get("required") {
        Some(required) => required.decode().ok()?,
        None => Vec::new(),
    };
    if properties.contains(HANDLE_ARGUMENT) {
        return None;
    }
    let handle = json!({"type": "string", "description": description});
    properties.set(HANDLE_ARGUMENT, RawJson::from_serialize(&handle).ok()?);
    required.push(RawJson::from_serialize(HANDLE_ARGUMENT).ok()?);
    schema.set("properties", RawJson::from_serialize(&properties).ok()?);
    schema.set("required", RawJson::from_serialize(&required).ok()?);
    RawJson::from_serialize(&schema).ok()
}
