//! `tools/list`.

use crate::{
    icon::Icon,
    page::PaginatedParams,
    raw::{RawJson, RawObject},
};

/// Which page of tools.
pub type ListToolsParams = PaginatedParams;

page! {
    /// One page of tools.
    pub struct ListToolsResult {
        /// The tools.
        tools: Tool = "tools";
    }
}

object! {
    /// A tool, as a client and its model see it.
    pub struct Tool {
        /// Its name, unique on its server.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint, since V2025_06_18;
        /// What it does, for the model.
        description: Option<String> = "description", hint;
        /// What it takes: a JSON Schema with `type: "object"`.
        input_schema: RawJson = "inputSchema", required;
        /// What its structured content looks like: a JSON Schema.
        output_schema: Option<RawJson> = "outputSchema", hint, since V2025_06_18;
        /// Hints about its behaviour.
        annotations: Option<ToolAnnotations> = "annotations", hint, since V2025_03_26;
        /// How it may be run (task support); kept in every revision that can carry it.
        execution: Option<RawObject> = "execution", hint, since V2025_11_25;
        /// Pictures that stand for it.
        icons: Option<Vec<Icon>> = "icons", hint, since V2025_11_25;
        /// Free members about the tool.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl Tool {
    /// A tool that takes what `input_schema` says.
    pub fn new(name: impl Into<String>, input_schema: RawJson) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            execution: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// Whether it may, or must, be called as a task; never, if it does not say.
    pub fn task_support(&self) -> TaskSupport {
        let execution = self.execution.as_ref();
        execution
            .and_then(|execution| execution.decode("taskSupport"))
            .unwrap_or(TaskSupport::Forbidden)
    }

    /// Says whether it may, or must, be called as a task.
    pub fn set_task_support(&mut self, support: &TaskSupport) {
        if let Ok(support) = RawJson::from_serialize(support) {
            let execution = self.execution.get_or_insert_default();
            execution.set("taskSupport", support);
        }
    }
}

object! {
    /// Hints about a tool's behaviour. They bind nobody: trust them as far as the server.
    #[derive(Default)]
    pub struct ToolAnnotations {
        /// A name for people.
        title: Option<String> = "title", hint;
        /// It changes nothing.
        read_only_hint: Option<bool> = "readOnlyHint", hint;
        /// It may destroy something.
        destructive_hint: Option<bool> = "destructiveHint", hint;
        /// Running it twice is the same as running it once.
        idempotent_hint: Option<bool> = "idempotentHint", hint;
        /// It reaches beyond its server.
        open_world_hint: Option<bool> = "openWorldHint", hint;
    }
}

words! {
    /// Whether a tool may be called as a task.
    pub enum TaskSupport {
        /// It may not: the default.
        Forbidden = "forbidden",
        /// It may, or may not.
        Optional = "optional",
        /// It must.
        Required = "required",
    }
}
