//! Handlers: async functions whose arguments are taken from the call.

use std::future::Future;

use mcp_errors::ToolError;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;

use crate::{
    answer::{Answer, IntoAnswer},
    call::Call,
    failed,
    kind::{ForTool, Kind},
    path, schema, vars,
};

/// Answers calls. Async functions of up to six extractors are handlers:
///
/// ```
/// # use mcp_server::{Args, Context, Tool, schemars::{self, JsonSchema}};
/// # use serde::Deserialize;
/// #[derive(Deserialize, JsonSchema)]
/// struct Wait { steps: u32 }
///
/// async fn wait(Args(Wait { steps }): Args<Wait>, cx: Context) -> String {
///     for step in 0..steps {
///         cx.progress(step, steps, "waiting").await;
///     }
///     format!("{steps} steps")
/// }
/// let tool = Tool::new("wait", wait);
/// ```
///
/// What it may return follows from what it is asked for, the [`Kind`] `K`: a tool, a resource, a prompt. Dropping the
/// future cancels the call, at the next await.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handler",
    label = "not a handler",
    note = "a handler is an `async fn` or an async closure, and `Send + Sync + 'static`",
    note = "it takes up to six of: `Args<T>` (T: Deserialize + JsonSchema), `Context`, `Headers`, `Header<T>`, `ClientInfo`, `Principal`, `Extension<T>` (T: Clone + Send + Sync), `Vars<T>` or `Uri` (resources), `Params<T>` (methods), or types of your own that implement `FromCall`; in any order",
    note = "a tool returns: `String` or `&'static str`, `Json<T>` (T: Serialize + JsonSchema), content blocks, `CallToolResult`, `Answer`, or `Result<_, E>` of these (E: Into<ToolError>)",
    note = "its future is `Send`: let go of `Rc`, `RefCell` borrows and `std::sync` guards before each `.await`"
)]
pub trait Handler<A, K = ForTool>: Send + Sync + 'static {
    /// Answers one call.
    fn call(&self, call: Call) -> impl Future<Output = Answer> + Send + 'static;

    /// What the arguments must look like, if an extractor knows.
    fn input_schema() -> Option<Schema> {
        None
    }

    /// What the structured content looks like, if the return type knows.
    fn output_schema() -> Option<Schema> {
        None
    }

    /// Whether its answer may be [`InputRequired`](mcp_types::input::InputRequired).
    fn may_require_input() -> bool {
        true
    }
}

/// Can be taken from a call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be taken from a call",
    label = "no extractor",
    note = "a handler takes `Args<T>` (T: Deserialize + JsonSchema), `Context`, `Headers`, `Header<T>`, `ClientInfo`, `Principal`, `Extension<T>` (T: Clone + Send + Sync), `Vars<T>` or `Uri` (resources), `Params<T>` (methods), or types of your own that implement `FromCall`",
    note = "the arguments of a tool are taken as `Args(value): Args<YourType>`"
)]
pub trait FromCall: Sized {
    /// Takes it.
    ///
    /// # Errors
    /// The answer in place of the handler's.
    fn from_call(call: &Call) -> Result<Self, Box<Answer>>;

    /// What it wants the arguments of a tool to look like.
    fn input_schema() -> Option<Schema> {
        None
    }
}

macro_rules! handlers {
    ($(($($Arg:ident)*))*) => { $(
        impl<F, Fut, Out, K, $($Arg,)*> Handler<($($Arg,)*), K> for F
        where
            F: Fn($($Arg),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Out> + Send + 'static,
            Out: IntoAnswer<K>,
            K: Kind,
            $($Arg: FromCall + Send + 'static,)*
        {
            #[allow(unused_variables, reason = "a handler without arguments takes nothing from the call")]
            fn call(&self, call: Call) -> impl Future<Output = Answer> + Send + 'static {
                let start = |call: Call| Ok::<_, Box<Answer>>(self($($Arg::from_call(&call)?),*));
                let started = start(call);
                async move {
                    match started {
                        Ok(running) => IntoAnswer::<K>::into_answer(running.await),
                        Err(answer) => *answer,
                    }
                }
            }

            fn input_schema() -> Option<Schema> {
                None $(.or_else($Arg::input_schema))*
            }

            fn output_schema() -> Option<Schema> {
                <Out as IntoAnswer<K>>::output_schema()
            }

            fn may_require_input() -> bool {
                <Out as IntoAnswer<K>>::may_require_input()
            }
        }
    )* };
}

handlers!(()(A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E G));

/// The arguments of a tool or prompt, read as a `T`.
///
/// Arguments that do not fit are a failure of the tool (`isError`, code `bad_request`) that names the
/// place and what was expected there, so that a model can mend its call; for a prompt they are -32602. What fills a
/// prompt is texts: a number or truth value is read from its text. For a resource template these are
/// its [`Vars`](crate::Vars).
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct Args<T>(pub T);

impl<T: DeserializeOwned + JsonSchema> FromCall for Args<T> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        if let Some(read) = vars::read(call) {
            return read.map(Self);
        }
        let text = match call.params.get("arguments") {
            None | Some("null") => "{}",
            Some(text) => text,
        };
        serde_json::from_str(text).map(Self).map_err(|error| {
            let error = ToolError::bad_request(path::describe(text, &error));
            Box::new(failed::of_tool(error))
        })
    }

    fn input_schema() -> Option<Schema> {
        Some(schema::of_arguments::<T>())
    }
}
