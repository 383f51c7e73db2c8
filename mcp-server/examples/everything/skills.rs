//! An extension that the program brings itself, with methods of its own: skills (SEP-2640), files that teach a model
//! something, which a client can list, check and browse.

use mcp_server::{Json, Params, Resource, Server, ToolError, types::resource::Resource as Listed};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const DIRECTORY: &str = "skill://small-talk";
const NAME: &str = "small-talk";
const DESCRIPTION: &str = "How to begin a conversation about nothing";

/// For how long clients may use what they were told.
const TTL_MS: u32 = 60_000;

/// The files of the one skill, by their paths below its directory.
const FILES: [(&str, &str); 2] = [
    (
        "SKILL.md",
        "---\nname: small-talk\ndescription: How to begin a conversation about nothing\n---\n\nSpeak of the weather; \
         examples/weather.md shows how.\n",
    ),
    ("examples/weather.md", "What a day!\n"),
];

pub(crate) fn add(server: Server) -> Server {
    let server = server
        .extension(
            "io.modelcontextprotocol/skills",
            serde_json::json!({ "directoryRead": true }),
        )
        .method("skills/list", list)
        .method("skills/get", get)
        .method("resources/directory/read", read_directory);
    FILES.into_iter().fold(server, |server, (path, text)| {
        let (name, description) = match path {
            "SKILL.md" => (NAME, DESCRIPTION),
            _ => (path, "A file of the skill small-talk"),
        };
        server.resource(
            Resource::text(format!("{DIRECTORY}/{path}"), text)
                .name(name)
                .description(description)
                .mime_type("text/markdown"),
        )
    })
}

#[derive(Serialize)]
struct Skill {
    uri: String,
    frontmatter: Frontmatter,
    resources: Vec<File>,
}

#[derive(Serialize)]
struct Frontmatter {
    name: &'static str,
    description: &'static str,
}

#[derive(Serialize)]
struct File {
    uri: String,
    digest: String,
    size: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Skills {
    skills: [Skill; 1],
    ttl_ms: u32,
    cache_scope: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct One {
    skill: Skill,
    ttl_ms: u32,
    cache_scope: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Children {
    resources: Vec<Listed>,
    ttl_ms: u32,
    cache_scope: &'static str,
}

#[derive(Deserialize)]
struct At {
    uri: String,
}

async fn list() -> Json<Skills> {
    Json(Skills {
        skills: [skill()],
        ttl_ms: TTL_MS,
        cache_scope: "public",
    })
}

async fn get(Params(At { uri }): Params<At>) -> Result<Json<One>, ToolError> {
    let skill = skill();
    if uri != skill.uri {
        let error = format!("There is no skill at {uri}");
        return Err(ToolError::bad_request(error));
    }
    Ok(Json(One {
        skill,
        ttl_ms: TTL_MS,
        cache_scope: "public",
    }))
}

async fn read_directory(Params(At { uri }): Params<At>) -> Result<Json<Children>, ToolError> {
    let below = uri.strip_prefix(DIRECTORY);
    let resources = match below.map(|path| path.trim_matches('/')) {
        Some("") => vec![
            child("SKILL.md", "text/markdown"),
            child("examples", "inode/directory"),
        ],
        Some("examples") => vec![child("examples/weather.md", "text/markdown")],
        _ => return Err(ToolError::bad_request(format!("{uri} is no directory"))),
    };
    Ok(Json(Children {
        resources,
        ttl_ms: TTL_MS,
        cache_scope: "public",
    }))
}

fn skill() -> Skill {
    let file = |(path, text): (&str, &str)| File {
        uri: format!("{DIRECTORY}/{path}"),
        digest: digest(text),
        size: text.len(),
    };
    Skill {
        uri: format!("{DIRECTORY}/SKILL.md"),
        frontmatter: Frontmatter {
            name: NAME,
            description: DESCRIPTION,
        },
        resources: FILES.into_iter().map(file).collect(),
    }
}

fn child(path: &str, mime_type: &str) -> Listed {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut child = Listed::new(format!("{DIRECTORY}/{path}"), name);
    child.mime_type = Some(mime_type.to_owned());
    child
}

fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text);
    bytes
        .iter()
        .fold("sha256:".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
}
