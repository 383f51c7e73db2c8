//! Tools that change what the server offers while it runs: whoever listens is told.

use mcp_server::{InvalidPrompt, InvalidTool, Prompt, Prompts, Server, Tool, Tools};

pub(crate) fn add(server: Server) -> Server {
    let (tools, prompts) = (server.tools(), server.prompts());
    let server = server.tool(
        Tool::new("test_trigger_tool_change", move || {
            let changed = toggle_tool(&tools);
            async move { changed }
        })
        .description("Adds a tool to the list, or removes it again"),
    );
    server.tool(
        Tool::new("test_trigger_prompt_change", move || {
            let changed = toggle_prompt(&prompts);
            async move { changed }
        })
        .description("Adds a prompt to the list, or removes it again"),
    )
}

fn toggle_tool(tools: &Tools) -> Result<&'static str, InvalidTool> {
    const NAME: &str = "comes_and_goes";
    if tools.remove(NAME) {
        return Ok("The tool is gone");
    }
    let tool = Tool::new(NAME, async || "Still here").description("Is there, or is not");
    tools.add(tool.read_only())?;
    Ok("There is one tool more")
}

fn toggle_prompt(prompts: &Prompts) -> Result<&'static str, InvalidPrompt> {
    const NAME: &str = "comes_and_goes";
    if prompts.remove(NAME) {
        return Ok("The prompt is gone");
    }
    prompts.add(Prompt::new(NAME, async || "Still here").description("Is there, or is not"))?;
    Ok("There is one prompt more")
}
