"""Drives our servers with the official Python SDK v1, as a legacy (initialize) client.

    python smoke.py gateway URL
    python smoke.py stdio COMMAND [ARGS...]

Prints `ok STEP` or `FAIL STEP: why` for each step, and exits with 0 only if all passed.
"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

FINANCE = "finance__invoice_status"
SUPPORT = "support__open_ticket"
RETURN = "triage__return_to_triage"

failed = False


async def step(name, run):
    global failed
    try:
        await asyncio.wait_for(run(), 20)
        print("ok", name, flush=True)
    except Exception as error:
        failed = True
        why = " ".join(f"{type(error).__name__} {error}".split())
        print(f"FAIL {name}: {why[:600]}", flush=True)


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def text(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def call(session, name, arguments):
    result = await session.call_tool(name, arguments)
    check(not result.isError, f"{name} answered with an error: {text(result)}")
    return result


async def names(session):
    return [tool.name for tool in (await session.list_tools()).tools]


class Changes:
    """Counts `notifications/tools/list_changed`, and waits for the next."""

    def __init__(self):
        self.arrived = asyncio.Queue(64)

    async def __call__(self, message):
        if isinstance(message, types.ServerNotification):
            if isinstance(message.root, types.ToolListChangedNotification):
                self.arrived.put_nowait(message)

    async def next(self):
        try:
            await asyncio.wait_for(self.arrived.get(), 10)
        except asyncio.TimeoutError:
            raise AssertionError("no notifications/tools/list_changed within 10 s") from None


async def connect(session, swaps):
    async def run():
        answer = await session.initialize()
        check(answer.protocolVersion == "2025-11-25", f"revision {answer.protocolVersion}")
        check(answer.capabilities.tools is not None, "no tools capability")
        check(answer.capabilities.tools.listChanged or not swaps, "the list changes, unannounced")

    await step("connect", run)


async def gateway(session, changes):
    before = []

    async def list_():
        before.extend(await names(session))
        check("route" in before, f"route is not among {before}")
        check(FINANCE not in before, f"{FINANCE} shows before the handoff")

    async def handoff():
        result = await call(session, "route", {"intent": "Where is the refund for invoice 42?"})
        check("finance" in text(result), f"the answer does not name finance: {text(result)}")
        await changes.next()
        now = await names(session)
        check(FINANCE in now and RETURN in now, f"after the handoff the list is {now}")
        check(SUPPORT not in now, f"{SUPPORT} shows in finance")

    async def specialist():
        result = await call(session, FINANCE, {"invoice": "42"})
        check("42" in text(result), f"the specialist says {text(result)}")

    async def return_():
        await call(session, RETURN, {"summary": "Invoice 42 is settled"})
        await changes.next()
        now = await names(session)
        check(now == before, f"after the return the list is {now}, was {before}")

    async def second():
        await call(session, "route", {"intent": "The app crashes, I need support"})
        await changes.next()
        await call(session, SUPPORT, {"subject": "Crash on start"})
        await call(session, RETURN, {"summary": "A ticket is open"})
        await changes.next()

    await connect(session, swaps=True)
    await step("list", list_)
    await step("handoff", handoff)
    await step("specialist", specialist)
    await step("return", return_)
    await step("second", second)


async def stdio(session):
    async def list_():
        now = await names(session)
        check("echo" in now and "add" in now, f"the list is {now}")

    async def echo():
        result = await call(session, "echo", {"text": "grüße 👋"})
        check(text(result) == "grüße 👋", f"echo says {text(result)!r}")

    async def add():
        result = await call(session, "add", {"a": 2, "b": 3})
        check(result.structuredContent == {"sum": 5}, f"add says {result.structuredContent}")

    await connect(session, swaps=False)
    await step("list", list_)
    await step("echo", echo)
    await step("add", add)


async def main():
    target, where, *arguments = sys.argv[1:]
    changes = Changes()
    if target == "gateway":
        async with streamable_http_client(where) as (read, write, _):
            async with ClientSession(read, write, message_handler=changes) as session:
                await gateway(session, changes)
    else:
        server = StdioServerParameters(command=where, args=arguments)
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write) as session:
                await stdio(session)

    # Reached only when the connection closed within the time given.
    print("ok close", flush=True)


try:
    # Whatever hangs, the answer comes.
    asyncio.run(asyncio.wait_for(main(), 60))
except BaseException as error:
    print(f"FAIL time: {type(error).__name__} {error}", flush=True)
    failed = True
sys.exit(1 if failed else 0)
