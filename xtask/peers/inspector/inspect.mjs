// Looks at our example server `everything` with the official Inspector's command line, in both eras
// (on HTTP+SSE, which has one, in that).
//
//   node inspect.mjs http URL
//   node inspect.mjs sse URL
//   node inspect.mjs stdio COMMAND [ARGS...]
//
// Each step is one run of the Inspector, as a person or a job would type it. Prints `ok inspector/TRANSPORT-ERA:STEP`
// or `FAIL inspector/TRANSPORT-ERA:STEP why`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const inspector = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
// Settings and secrets of whoever runs this are not the Inspector's business here.
const home = join(import.meta.dirname, 'home');
mkdirSync(home, { recursive: true });

const VERSIONS = { legacy: '2025-11-25', modern: '2026-07-28' };
const [transport, ...target] = process.argv.slice(2);
const eras = transport === 'sse' ? ['legacy'] : Object.keys(VERSIONS);

/** Runs the Inspector for one method; the result, or the report, that it prints. */
function inspect(era, method, ...options) {
    const where = transport === 'stdio' ? target : ['--server-url', target[0]];
    const args = [inspector, '--cli', '--transport', transport, ...where, '--protocol-era', era, '--quiet', '--format', 'json', '--method', method, ...options];
    return new Promise((resolve, reject) => {
        const settings = { env: { ...process.env, HOME: home }, timeout: 60_000, maxBuffer: 16 << 20 };
        execFile(process.execPath, args, settings, (error, stdout, stderr) => {
            if (error) {
                reject(Object.assign(new Error(stderr.trim() || error.message), { stdout }));
            } else {
                const said = JSON.parse(stdout);
                resolve(said.result ?? said);
            }
        });
    });
}

const named = (rows, name) => rows.find(row => row.name === name) ?? assert.fail(`no ${name} in ${rows.map(row => row.name)}`);

const STEPS = {
    async 'initialize'(era) {
        const { serverInfo, protocolVersion, capabilities } = await inspect(era, 'initialize');
        assert.equal(serverInfo.name, 'everything');
        assert.equal(protocolVersion, VERSIONS[era]);
        for (const capability of ['tools', 'resources', 'prompts', 'logging', 'completions']) {
            assert.ok(capabilities[capability], `no capability ${capability}`);
        }
    },
    // `--strict` ends with 6 when a schema would trouble a host.
    async 'tools-list'(era) {
        const { tools } = await inspect(era, 'tools/list', '--strict');
        assert.equal(tools[0].name, 'test_simple_text');
        assert.ok(tools.every(tool => tool.description && tool.inputSchema.type === 'object'));
        assert.equal(named(tools, 'greet').inputSchema.properties.name.type, 'string');
    },
    async 'tools-call'(era) {
        const { content, isError } = await inspect(era, 'tools/call', '--tool-name', 'greet', '--tool-arg', 'name=Ada');
        assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada!' }]);
        assert.ok(!isError);
    },
    async 'tools-call-mixed-content'(era) {
        const { content } = await inspect(era, 'tools/call', '--tool-name', 'test_multiple_content_types');
        assert.deepEqual(content.map(block => block.type), ['text', 'image', 'resource']);
    },
    // A tool that runs as a task alone: the Inspector follows the task, and shows how it ended.
    async 'tools-call-task'(era) {
        const call = inspect(era, 'tools/call', '--tool-name', 'failing_job');
        const { stdout, message } = await call.then(() => assert.fail('the tool did not fail'), error => error);
        assert.ok(stdout, message);
        const { content, isError } = JSON.parse(stdout).result;
        assert.deepEqual([content[0].text, isError], ['The job failed, as it always does', true]);
    },
    async 'resources-list'(era) {
        const { resources } = await inspect(era, 'resources/list');
        const row = resources.find(resource => resource.uri === 'test://static-text');
        assert.equal(row.mimeType, 'text/plain');
    },
    async 'resources-templates-list'(era) {
        const { resourceTemplates } = await inspect(era, 'resources/templates/list');
        assert.ok(resourceTemplates.some(row => row.uriTemplate === 'test://template/{id}/data'));
    },
    async 'resources-read'(era) {
        const { contents } = await inspect(era, 'resources/read', '--uri', 'test://static-text');
        const [{ uri, text }] = contents;
        assert.deepEqual([uri, text], ['test://static-text', 'This is the content of the static text resource.']);
    },
    async 'resources-read-template'(era) {
        const { contents } = await inspect(era, 'resources/read', '--uri', 'test://template/7/data');
        assert.equal(contents[0].uri, 'test://template/7/data');
        assert.deepEqual(JSON.parse(contents[0].text), { id: '7', templateTest: true, data: 'Data for ID: 7' });
    },
    // `--verify` ends with 7 when a skill breaks a rule of its extension, or a file differs from its digest.
    async 'skills-list'(era) {
        const { name, outcome } = await inspect(era, 'skills/list', '--verify');
        assert.deepEqual([name, outcome], ['small-talk', 'verified']);
    },
    async 'prompts-list'(era) {
        const { prompts } = await inspect(era, 'prompts/list');
        const { arguments: args } = named(prompts, 'test_prompt_with_arguments');
        assert.deepEqual(args.map(({ name, required }) => [name, required]), [['arg1', true], ['arg2', true]]);
    },
    async 'prompts-get'(era) {
        const args = ['--prompt-name', 'test_prompt_with_arguments', '--prompt-args', 'arg1=one', 'arg2=two'];
        const { messages } = await inspect(era, 'prompts/get', ...args);
        const content = { type: 'text', text: "Prompt with arguments: arg1='one', arg2='two'" };
        assert.deepEqual(messages, [{ role: 'user', content }]);
    }
};

async function step(era, name) {
    const id = `inspector/${transport}-${era}:${name}`;
    try {
        await STEPS[name](era);
        console.log(`ok ${id}`);
    } catch (error) {
        console.log(`FAIL ${id} ${String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 700)}`);
    }
}

// Two at a time: most of a run is Node that loads the Inspector.
// A legacy client is told of no extension, and of a failed task the Inspector shows it nothing more.
const MODERN = ['skills-list', 'tools-call-task'];
const all = eras.flatMap(era => Object.keys(STEPS).map(name => [era, name]));
const queue = all.filter(([era, name]) => era === 'modern' || !MODERN.includes(name));
const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
        await step(...next);
    }
};
await Promise.all([worker(), worker()]);
