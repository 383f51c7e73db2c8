//! One call and what it asks: the machine of its rounds, and who waits for what.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    task::{Context, Poll, Waker},
};

use mcp_errors::ToolError;
use mcp_transport::{Ask, AskReply, Extensions};
use mcp_types::{
    ErrorObject, Method, RawJson, RawParams, RequestId, RequestMeta,
    input::{InputRequest, InputRequests},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{AskError, BackChannel, InputHost, Within, explicit::missing, live::Live, seal};
use crate::{
    outbox::Outbox,
    principal::Principal,
    proto::rounds::{Book, Broken, Found, Print, Rounds, Step, print_of},
    session::Session,
};

/// What one call asks. It belongs to the call, whoever runs it.
pub(crate) struct Input {
    host: Arc<InputHost>,
    method: Method,
    /// As they came: what layers make of them is not what a client repeats.
    params: RawParams,
    is_legacy: bool,
    pub(super) channel: OnceLock<Arc<dyn BackChannel>>,
    /// The handler outlives the exchange; the value says whether what it says does, too.
    pub(super) outlives: OnceLock<bool>,
    /// What is said on the way.
    outbox: Outbox,
    state: Mutex<State>,
}

struct State {
    rounds: Rounds,
    principal: Option<Principal>,
    has_entered: bool,
    /// Which run of the handler this is; what an earlier one asked is void.
    run: u32,
    /// The call has its answer, or nobody wants it: nothing is asked any more.
    is_over: bool,
    /// Whoever drives the handler.
    driver: Option<Waker>,
    /// Whoever reads the exchange.
    reader: Option<Waker>,
    /// Whoever waits for an answer, a step, or the end of the run.
    waiting: Vec<Waker>,
    outgoing: VecDeque<(Ask, AskReply)>,
}

/// What is known of a call where it asks.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) ext: &'a Extensions,
    pub(crate) meta: &'a RequestMeta,
    pub(crate) session: Option<&'a Session>,
}

/// Says whether an answer is one to the question.
pub(crate) type Fits<'a> = &'a (dyn Fn(&RawJson) -> bool + Sync);

impl Input {
    pub(crate) fn new(
        host: &Arc<InputHost>,
        method: &Method,
        params: &RawParams,
        is_legacy: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            host: Arc::clone(host),
            method: method.clone(),
            params: params.clone(),
            is_legacy,
            channel: OnceLock::new(),
            outlives: OnceLock::new(),
            outbox: Outbox::default(),
            state: Mutex::new(State {
                rounds: Rounds::new(host.caps()),
                principal: None,
                has_entered: false,
                run: 0,
                is_over: false,
                driver: None,
                reader: None,
                waiting: Vec::new(),
                outgoing: VecDeque::new(),
            }),
        })
    }

    pub(crate) fn host(&self) -> &InputHost {
        &self.host
    }

    pub(crate) fn is_legacy(&self) -> bool {
        self.is_legacy
    }

    /// What the call says before its answer.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    pub(super) fn method(&self) -> &Method {
        &self.method
    }

    /// The parameters, as they came.
    pub(crate) fn params(&self) -> &RawParams {
        &self.params
    }

    /// Whether handlers of the method may ask.
    pub(crate) fn can_ask(&self) -> bool {
        self.method.spec().is_some_and(|spec| spec.may_need_input)
    }

    /// Asks by `channel` from here on. The first one stands.
    pub(crate) fn set_channel(&self, channel: Arc<dyn BackChannel>) {
        let _first = self.channel.set(channel);
    }

    /// Looks at what came with the request, once.
    ///
    /// # Errors
    /// When the state is not ours, or the answers are no object.
    pub(crate) fn enter(&self, ext: &Extensions) -> Result<(), ErrorObject> {
        let mut state = self.state();
        if !state.has_entered {
            state.has_entered = true;
            state.principal = ext.get().cloned();
            if !self.is_legacy {
                match self.arrived(state.principal.as_ref()) {
                    Ok(Some((book, responses))) => state.rounds.resume(book, responses),
                    Ok(None) => {}
                    Err(broken) => drop(state.rounds.broken(broken)),
                }
            }
        }
        match state.rounds.is_broken() {
            None => Ok(()),
            Some(broken) => Err(seal::error_of(broken, &self.method)),
        }
    }

    /// The answer to a question, however it is found.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        facts: Facts<'_>,
        key: &str,
        request: InputRequest,
        fits: Fits<'_>,
    ) -> Result<RawJson, AskError> {
        if !self.can_ask() {
            let method = self.method.as_str().into();
            return Err(AskError::NotHere { method });
        }
        let run = self.begin(facts.ext);
        if Within::is_in(self.id()) {
            self.break_off(Broken::WithinStep(key.into()));
            return self.until_over(run).await;
        }
        let print = print_of(&request);
        loop {
            match poll_fn(|cx| self.poll_found(key, &print, fits, run, cx)).await? {
                Found::Answer(answer) => return Ok(answer),
                Found::Broken => {
                    self.wake_driver();
                    return self.until_over(run).await;
                }
                Found::Missing | Found::Live => {}
            }
            let channel = self.channel(facts)?;
            if let Some(missing) = missing(&request, &facts.meta.client_capabilities())? {
                return Err(missing.into());
            }
            let Some(channel) = channel else {
                self.state().rounds.register(key, request);
                self.wake_driver();
                return self.until_over(run).await;
            };
            let live = LiveAsk::begin(self, key);
            let answer = channel.ask(key, request.clone()).await?;
            let answer = RawJson::from_serialize(&answer).map_err(|_| AskError::Misfit)?;
            let mut state = self.state();
            if fits(&answer) {
                state.rounds.record(key, &print, answer);
            } else if !state.rounds.misfit(key) {
                return Err(AskError::Misfit);
            }
            drop(state);
            drop(live);
        }
    }

    /// The way to ask while the call waits; `None` if the round ends instead.
    pub(crate) fn channel(
        self: &Arc<Self>,
        facts: Facts<'_>,
    ) -> Result<Option<Arc<dyn BackChannel>>, AskError> {
        if let Some(channel) = self.channel.get() {
            return Ok(Some(Arc::clone(channel)));
        }
        let Some(session) = facts.session else {
            return Ok(None);
        };
        session.pending().check()?;
        Ok(Some(Arc::new(Live {
            session: session.clone(),
            input: Arc::clone(self),
        })))
    }

    /// Runs `effect`, or gives what came of it in an earlier run.
    pub(crate) async fn step<T, E, Fut>(
        self: &Arc<Self>,
        facts: Facts<'_>,
        key: &str,
        effect: impl FnOnce() -> Fut,
    ) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<ToolError>,
        Fut: Future<Output = Result<T, E>>,
    {
        let run = self.begin(facts.ext);
        match poll_fn(|cx| self.poll_step(key, run, cx)).await? {
            Step::Done(outcome) => return Ok(outcome.decode()?),
            Step::Broken => {
                self.wake_driver();
                self.until_over(run).await?;
            }
            Step::Run | Step::Running => {}
        }
        let mut running = RunningStep {
            input: self,
            key,
            outcome: None,
        };
        let value = Within::run(self.id(), effect()).await.map_err(Into::into)?;
        running.outcome = Some(RawJson::from_serialize(&value)?);
        Ok(value)
    }

    /// Which run asks.
    fn begin(&self, ext: &Extensions) -> u32 {
        // What is wrong is remembered, and whoever drives the handler finds it.
        let _broken = self.enter(ext);
        self.state().run
    }

    fn poll_found(
        &self,
        key: &str,
        print: &Print,
        fits: Fits<'_>,
        run: u32,
        cx: &Context<'_>,
    ) -> Poll<Result<Found, AskError>> {
        let mut state = self.state();
        if state.is_over || state.run != run {
            return Poll::Ready(Err(AskError::Cancelled));
        }
        match state.rounds.ask(key, print, fits) {
            Found::Live => state.wait(cx),
            found => return Poll::Ready(Ok(found)),
        }
        Poll::Pending
    }

    fn poll_step(&self, key: &str, run: u32, cx: &Context<'_>) -> Poll<Result<Step, AskError>> {
        let mut state = self.state();
        if state.is_over || state.run != run {
            return Poll::Ready(Err(AskError::Cancelled));
        }
        match state.rounds.begin_step(key) {
            Step::Running => state.wait(cx),
            step => return Poll::Ready(Ok(step)),
        }
        Poll::Pending
    }

    /// Waits for the end of the run: of a handler nothing is left by then, but of tasks that it has spawned.
    async fn until_over(&self, run: u32) -> Result<RawJson, AskError> {
        poll_fn(|cx| {
            let mut state = self.state();
            if state.run != run {
                return Poll::Ready(Err(AskError::Cancelled));
            }
            state.wait(cx);
            Poll::Pending
        })
        .await
    }

    /// The call cannot go on.
    pub(super) fn break_off(&self, why: Broken) {
        self.state().rounds.broken(why);
        self.wake_driver();
    }

    /// A number that no other call has while this one lives.
    fn id(self: &Arc<Self>) -> usize {
        Arc::as_ptr(self).addr()
    }

    /// Who is to be woken when the handler asks.
    pub(crate) fn driven_by(&self, driver: &Waker) {
        let mut state = self.state();
        if !state
            .driver
            .as_ref()
            .is_some_and(|known| known.will_wake(driver))
        {
            state.driver = Some(driver.clone());
        }
    }

    /// Whether the run has to end without an answer of the handler.
    pub(crate) fn poll_pause(&self) -> Poll<Result<(), ErrorObject>> {
        let state = self.state();
        match state.rounds.is_broken() {
            Some(broken) => Poll::Ready(Err(seal::error_of(broken, &self.method))),
            None if state.rounds.is_due() => Poll::Ready(Ok(())),
            None => Poll::Pending,
        }
    }

    /// What is known at the end of a round, and on whose behalf.
    pub(super) fn close_round(&self) -> (InputRequests, Book, Option<Principal>) {
        let mut state = self.state();
        let (requests, book) = state.rounds.end();
        (requests, book, state.principal.clone())
    }

    /// The run is over: what it asked and has not heard is void.
    pub(crate) fn run_over(&self) {
        let mut state = self.state();
        state.run += 1;
        let waiting = std::mem::take(&mut state.waiting);
        let outgoing = std::mem::take(&mut state.outgoing);
        drop(state);
        drop(outgoing);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The call is over.
    pub(crate) fn close(&self) {
        self.state().is_over = true;
        self.run_over();
    }

    /// Hands an ask to whoever reads the exchange.
    pub(super) fn send(&self, ask: Ask, reply: AskReply) {
        let mut state = self.state();
        state.outgoing.push_back((ask, reply));
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Takes an ask back that has not gone out. Says whether there was one.
    pub(super) fn take_back(&self, id: &RequestId) -> bool {
        let mut state = self.state();
        let at = state.outgoing.iter().position(|(ask, _)| ask.id == *id);
        let unsent = at.and_then(|at| state.outgoing.remove(at));
        drop(state);
        unsent.is_some()
    }

    /// The next ask that is to go out.
    pub(crate) fn poll_outgoing(&self, cx: &Context<'_>) -> Poll<(Ask, AskReply)> {
        let mut state = self.state();
        if let Some(next) = state.outgoing.pop_front() {
            return Poll::Ready(next);
        }
        if !state
            .reader
            .as_ref()
            .is_some_and(|known| known.will_wake(cx.waker()))
        {
            state.reader = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Changes or reads what is known.
    pub(super) fn with_rounds<T>(&self, with: impl FnOnce(&mut Rounds) -> T) -> T {
        with(&mut self.state().rounds)
    }

    /// What is asked in this run, by digests.
    pub(super) fn open_prints(&self) -> BTreeMap<Box<str>, Print> {
        self.state().rounds.open_prints()
    }

    pub(super) fn wake_driver(&self) {
        let driver = self.state().driver.take();
        if let Some(driver) = driver {
            driver.wake();
        }
    }

    fn wake_all(&self) {
        let mut state = self.state();
        let driver = state.driver.take();
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().chain(driver).for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock but that which reads an answer, which changes nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wait(&mut self, cx: &Context<'_>) {
        let waker = cx.waker();
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What was answered may be anybody's secret.
        f.debug_struct("Input")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// A question that is asked live; others who ask the same wait for its answer.
struct LiveAsk<'a> {
    input: &'a Input,
    key: &'a str,
}

impl<'a> LiveAsk<'a> {
    fn begin(input: &'a Input, key: &'a str) -> Self {
        input.with_rounds(|rounds| rounds.begin_live(key));
        Self { input, key }
    }
}

impl Drop for LiveAsk<'_> {
    fn drop(&mut self) {
        self.input.with_rounds(|rounds| rounds.end_live(self.key));
        self.input.wake_all();
    }
}

/// A step that runs; dropping it ends the step.
struct RunningStep<'a> {
    input: &'a Input,
    key: &'a str,
    outcome: Option<RawJson>,
}

impl Drop for RunningStep<'_> {
    fn drop(&mut self) {
        let outcome = self.outcome.take();
        self.input
            .with_rounds(|rounds| rounds.end_step(self.key, outcome));
        self.input.wake_all();
    }
}
