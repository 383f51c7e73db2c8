// Drives our servers with the official TypeScript SDK v2, as a modern (2026-07-28) client.
//
//   node smoke.mjs gateway URL
//   node smoke.mjs stdio COMMAND [ARGS...]
//
// Prints `ok STEP` or `FAIL STEP: why` for each step, and exits with 0 only if all passed.
import assert from 'node:assert/strict';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const FINANCE = 'finance__invoice_status';
const SUPPORT = 'support__open_ticket';
const RETURN = 'triage__return_to_triage';

let failed = false;

async function step(name, run) {
    try {
        await run();
        console.log(`ok ${name}`);
    } catch (error) {
        failed = true;
        console.log(`FAIL ${name}: ${String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 600)}`);
    }
}

const text = result => result.content.filter(block => block.type === 'text').map(block => block.text).join('\n');

async function call(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name} answered with an error: ${text(result)}`);
    return result;
}

async function list(client) {
    const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' });
    return tools;
}

async function connect(client, transport) {
    await step('connect', async () => {
        await client.connect(transport);
        assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
        assert.equal(client.getProtocolEra(), 'modern');
    });
}

async function route(client, intent, domain, tool) {
    const { structuredContent } = await call(client, 'route', { intent });
    const handoff = structuredContent?.handoff;
    assert.ok(handoff, `no handoff in ${JSON.stringify(structuredContent)}`);
    assert.ok(typeof handoff.handle === 'string' && handoff.handle.length > 16, `handle ${handoff.handle}`);
    assert.equal(handoff.domain, domain);
    assert.equal(handoff.state, 'active');
    assert.equal(handoff.returnTool, RETURN);
    assert.ok(handoff.expiresAt, 'no expiresAt');
    assert.ok(tool.startsWith(handoff.toolPrefix), `toolPrefix ${handoff.toolPrefix}`);
    assert.ok(handoff.tools.includes(tool), `tools ${JSON.stringify(handoff.tools)}`);
    return handoff.handle;
}

async function gateway(client, url) {
    let before;
    let handle;
    const unchanged = async () => assert.deepEqual(await list(client), before, 'the catalogue changed');
    await connect(client, new StreamableHTTPClientTransport(new URL(url)));
    await step('list', async () => {
        before = await list(client);
        const names = before.map(tool => tool.name);
        for (const name of ['route', FINANCE, SUPPORT, RETURN]) {
            assert.ok(names.includes(name), `${name} is not among ${names}`);
        }
        const { properties } = before.find(tool => tool.name === FINANCE).inputSchema;
        assert.equal(properties.handoff?.type, 'string');
        assert.ok(properties.invoice, 'the specialist\'s own argument is gone');
    });
    await step('handoff', async () => {
        handle = await route(client, 'Where is the refund for invoice 42?', 'finance', FINANCE);
        await unchanged();
    });
    await step('specialist', async () => {
        const result = await call(client, FINANCE, { invoice: '42', handoff: handle });
        assert.match(text(result), /42/);
        await unchanged();
    });
    await step('return', async () => {
        await call(client, RETURN, { summary: 'Invoice 42 is settled', handoff: handle });
        await unchanged();
        const late = await client.callTool({ name: FINANCE, arguments: { invoice: '42', handoff: handle } });
        assert.ok(late.isError, 'the handle still works after the return');
    });
    await step('second', async () => {
        const second = await route(client, 'The app crashes, I need support', 'support', SUPPORT);
        await call(client, SUPPORT, { subject: 'Crash on start', handoff: second });
        await call(client, RETURN, { summary: 'A ticket is open', handoff: second });
    });
}

async function stdio(client, command, args) {
    await connect(client, new StdioClientTransport({ command, args, stderr: 'inherit' }));
    await step('list', async () => {
        const names = (await list(client)).map(tool => tool.name);
        for (const name of ['echo', 'add']) {
            assert.ok(names.includes(name), `${name} is not among ${names}`);
        }
    });
    await step('echo', async () => {
        assert.equal(text(await call(client, 'echo', { text: 'grüße 👋' })), 'grüße 👋');
    });
    await step('add', async () => {
        const { structuredContent } = await call(client, 'add', { a: 2, b: 3 });
        assert.deepEqual(structuredContent, { sum: 5 });
    });
}

const [target, where, ...args] = process.argv.slice(2);
// Whatever hangs, the answer comes.
setTimeout(() => {
    console.log('FAIL time: not done after 60 s');
    process.exit(1);
}, 60_000).unref();
const client = new Client({ name: 'smoke-ts-v2', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await (target === 'gateway' ? gateway(client, where) : stdio(client, where, args));
await step('close', () => client.close());
process.exit(failed ? 1 : 0);
