// Puts a running server to the official conformance suite.
//
//   node server.mjs URL FOLDER REVISION... [-- SCENARIO...]
//
// Runs what each revision requires, and what the suite runs beside it without scoring it; with the newest also the
// extensions that no revision requires; for a revision without requirements, whatever the suite has for it; or the
// named scenarios alone. Prints `ok REVISION/SCENARIO:CHECK` or `FAIL REVISION/SCENARIO:CHECK why` for each check. A warning is a
// failure, and so is what was skipped, or a scenario without one success: what did not run proves nothing.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const suite = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance');
const program = join(suite, 'dist/index.js');
const { parse } = createRequire(join(suite, 'package.json'))('yaml');

// What the suite names `server-SCENARIO-TIME`.
const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;
const NEWEST = '2026-07-28';
// Worst first: of checks with one id, that one counts.
const SEVERITY = ['FAILURE', 'WARNING', 'SKIPPED', 'SUCCESS', 'INFO'];

const [url, folder, ...rest] = process.argv.slice(2);
const separator = rest.indexOf('--');
const revisions = separator < 0 ? rest : rest.slice(0, separator);
const wanted = separator < 0 ? [] : rest.slice(separator + 1);

/**
 * The scenarios for a server that the suite runs for a revision, scored or not, with which arguments, and those that
 * only run alone.
 */
function scenarios(revision) {
    const file = join(suite, 'requirements', `${revision}.yaml`);
    if (!existsSync(file)) {
        return { together: listed(/^ +- (\S+)/gm, '--spec-version', revision), all: ['--suite', 'all', '--spec-version', revision], alone: [] };
    }
    const { server, not_scored: more } = parse(readFileSync(file, 'utf8'));
    const together = [...server, ...more.filter(row => row.leg === 'server').map(row => row.scenario)];
    const extensions = revision === NEWEST ? listed(/^ +- (\S+) \[extension\]/gm) : [];
    return { together, all: ['--requirements', revision], alone: extensions.filter(name => !together.includes(name)) };
}

/** The scenarios whose lines in the suite's list match. */
function listed(line, ...args) {
    const list = execFileSync(process.execPath, [program, 'list', '--server', ...args], { encoding: 'utf8' });
    return [...list.matchAll(line)].map(([, name]) => name);
}

/** Runs the suite; what it prints goes to a file. Its exit code counts less than what it wrote of each check. */
function run(args, results) {
    mkdirSync(results, { recursive: true });
    const log = openSync(join(results, 'log.txt'), 'a');
    const child = spawn(process.execPath, [program, 'server', '--url', url, '-o', results, ...args], {
        stdio: ['ignore', log, log]
    });
    return new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('exit', resolve);
    }).finally(() => closeSync(log));
}

/** What the suite wrote of each scenario that it ran. */
function written(results) {
    const found = new Map();
    for (const name of readdirSync(results)) {
        const scenario = FOLDER.exec(name)?.[1];
        if (scenario) {
            found.set(scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')));
        }
    }
    return found;
}

/** The worst of each id. */
function worst(checks) {
    const byId = new Map();
    for (const check of checks) {
        const known = byId.get(check.id);
        if (!known || SEVERITY.indexOf(check.status) < SEVERITY.indexOf(known.status)) {
            byId.set(check.id, check);
        }
    }
    return byId;
}

function why({ status, errorMessage, description, details }) {
    const said = errorMessage ?? details?.reason ?? description ?? '';
    return `${status}: ${said}`.replace(/\s+/g, ' ').slice(0, 700);
}

for (const revision of revisions) {
    const { together, all, alone } = scenarios(revision);
    const known = [...together, ...alone];
    const chosen = wanted.length === 0 ? known : known.filter(name => wanted.includes(name));
    const results = join(folder, revision);
    rmSync(results, { recursive: true, force: true });
    if (wanted.length === 0) {
        await run(all, results);
    }
    for (const name of wanted.length === 0 ? alone : chosen) {
        await run(['--scenario', name, '--spec-version', revision, '--force'], results);
    }
    const found = chosen.length === 0 ? new Map() : written(results);
    for (const name of chosen) {
        const checks = worst(found.get(name) ?? []);
        if ([...checks.values()].every(check => check.status === 'INFO')) {
            console.log(`FAIL ${revision}/${name}:run nothing of it was a success; see ${revision}/log.txt`);
        }
        for (const [id, check] of checks) {
            const fine = check.status === 'SUCCESS' || check.status === 'INFO';
            console.log(fine ? `ok ${revision}/${name}:${id}` : `FAIL ${revision}/${name}:${id} ${why(check)}`);
        }
    }
}
