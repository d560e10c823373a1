/** A bridge of many processes: rigs at all of them, one killed under load, all of it booked; then one process that takes over what they left. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GROUPS_PER_INSTANCE } from '../../src/bridge/job-roller.js';
import { TIME_RESIDUES } from '../../src/core/jobs/given-times.js';
import { decodeHeader, type Header } from '../../src/core/work/header.js';
import { startDevNode } from '../../src/devnode/server.js';
import { NodeClient } from '../../src/node-client/client.js';
import type { Summary } from '../../src/web/state/summary.js';
import { temporaryFolder } from '../helpers/folder.js';
import { childrenOf } from '../helpers/processes/children.js';
import { runHere } from '../helpers/processes/command.js';
import { freePorts } from '../helpers/processes/ports.js';
import { type Program, runProgram, startProgram } from '../helpers/processes/program.js';
import { measureHashes } from '../helpers/rigs/measured-hashes.js';
import { type Given, search, WanderingRig } from '../helpers/rigs/wandering-rig.js';
import { until } from '../helpers/until.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const RIGS = ['one', 'two', 'three', 'four'];
const hashesIn = measureHashes();

interface Counts {
  readonly accepted: number;
  readonly unanswered: number;
}

async function summaryOf(bridge: Program): Promise<Summary> {
  const { web } = await bridge.ready();
  return (await fetch(`${web}/api/v1/summary`)).json() as Promise<Summary>;
}

async function shownBy(bridge: Program, what: string): Promise<Record<string, unknown>> {
  const { web } = await bridge.ready();
  return (await fetch(`${web}/api/v1/${what}`)).json() as Promise<Record<string, unknown>>;
}

async function ledgerSays(what: string, dataDir: string): Promise<Record<string, unknown>[]> {
  const { text, stderr, code } = await runHere('ledger', [what, '--json', '--data-dir', dataDir]);
  expect([stderr, code]).toEqual(['', 0]);
  return JSON.parse(text) as Record<string, unknown>[];
}

function countsOf(rig: Program): Counts {
  return (rig.last('status') as { submits?: Counts } | undefined)?.submits ?? { accepted: 0, unanswered: 0 };
}

/** Process ids of the fronts of a bridge, in the order of their numbers. */
const frontsOf = ({ pid }: Program): Promise<number[]> => childrenOf(pid, 'front-main');

/**
 * A rig comes to one front and then to the other, and its late share counts once; a ban closes rigs at both. Resolves with how
 * many shares it has had.
 */
async function comesToBoth(
  port: number,
  ctl: (...words: string[]) => Promise<Record<string, unknown>>,
): Promise<number> {
  const rig = new WanderingRig(port, `${ACCOUNT}.five`);
  const fronts = new Set<number>();
  // Blocks are found all the time, and what comes after one is late for good.
  const here = await until('its late share counts', async () => {
    rig.leave();
    const given = await rig.come();
    const nonce2 = search(given);
    const there = await rig.comeElsewhere(given.front);
    fronts.add(given.front).add(there.front);
    const isGood = (await rig.submit(given, nonce2)) === true;
    if (isGood) expect(await rig.submit(given, nonce2)).toBe(22);
    return isGood && there;
  });
  expect([...fronts].sort()).toEqual([1, 2]);
  // Another of its name at the other front.
  const second = new WanderingRig(port, rig.login);
  await second.comeElsewhere(here.front);
  const { closed, isKept, ban } = await ctl('ban', 'login', rig.login, '--reason', 'dust');
  expect([closed, isKept]).toEqual([2, true]);
  await until('both are closed', async () => rig.closed && second.closed);
  for (let i = 0; i < 4; i++) await expect(rig.come()).rejects.toThrow('banned: dust');
  await ctl('unban', (ban as { id: string }).id);
  await rig.comeElsewhere(here.front);
  rig.leave();
  return 1;
}

/** Instance numbers of the hub and these fronts. */
function numbersIn(dataDir: string, fronts = [1, 2]): Promise<number[]> {
  return Promise.all(
    ['.', ...fronts.map((front) => `fronts/${front}`)].map(async (place) => {
      const text = await readFile(join(dataDir, place, 'instance.json'), 'utf8');
      return (JSON.parse(text) as { number: number }).number;
    }),
  );
}

/** Whose headers these are: the instance number that their creation time tells. */
function numberOf(creationTime: bigint): number {
  return Math.floor(Number(creationTime % BigInt(TIME_RESIDUES)) / GROUPS_PER_INSTANCE);
}

/** Rigs at both fronts, and the CPU of the hub: what each is given, as rigs and node have it. */
async function haveTheirOwnNonces(port: number, nodeUrl: string, dataDir: string): Promise<void> {
  const rigs: WanderingRig[] = [];
  const given: Given[] = [];
  const at = (front: number): number => given.filter((each) => each.front === front).length;
  await until('three rigs are at each front', async () => {
    const rig = new WanderingRig(port, `${ACCOUNT}.${rigs.length}`);
    rigs.push(rig);
    given.push(await rig.come());
    return Math.min(at(1), at(2)) >= 3;
  });
  const numbers = await numbersIn(dataDir);
  for (const { front, header } of given) {
    const { creationTime } = decodeHeader(Uint8Array.from(Buffer.from(header, 'hex')) as Header);
    expect(numberOf(creationTime)).toBe(numbers[front]);
  }
  expect(new Set(numbers).size).toBe(3);
  for (const front of [1, 2]) {
    const nonces = given.filter((each) => each.front === front).map(({ nonce1 }) => nonce1);
    expect(new Set(nonces).size).toBe(nonces.length);
  }
  // Nobody else submits: the blocks are those of the CPU.
  const client = await NodeClient.connect(nodeUrl);
  const blocks = await until('the CPU has found a block', async () => {
    const { hashes } = await client.maintenance.cut();
    const heads = await Promise.all(
      Object.entries(hashes).map(([chain, { hash }]) => client.chain(Number(chain)).header(hash)),
    );
    const found = heads.filter(({ height }) => height > 0);
    return found.length > 0 && found;
  }).finally(() => client.close());
  for (const { creationTime } of blocks) expect(numberOf(BigInt(creationTime))).toBe(numbers[0]);
  for (const rig of rigs) rig.leave();
}

describe('a bridge of two fronts', () => {
  it('loses nothing that it has acknowledged when a front is killed, and leaves nothing behind for one process', async () => {
    await using folder = await temporaryFolder();
    const dataDir = folder.path;
    const node = await startDevNode({
      listen: { host: '127.0.0.1', port: 0 },
      genesisDifficulty: Number(hashesIn(2)),
    });
    const [port] = await freePorts(1);
    const settings = join(dataDir, 'bridge.yaml');
    await writeFile(settings, 'stratum:\n  drainSeconds: 4\n');
    const serve = (processes: number): Program =>
      startProgram([
        ...['serve', '--config', settings, '--node', node.url, '--account', ACCOUNT, '--data-dir', dataDir],
        ...['--share-difficulty', hashesIn(0.02), '--processes', String(processes)],
        ...['--tcp', `127.0.0.1:${port}`, '--ws', 'off', '--web', '127.0.0.1:0', '--cpu', 'off'],
      ]);
    let bridge = serve(2);
    await bridge.ready();
    const rigs = RIGS.map((name) =>
      startProgram([
        ...['rig', '--url', `tcp://127.0.0.1:${port}`, '--user', `${ACCOUNT}.${name}`, '--threads', '1'],
      ]),
    );
    const haveMore = (than: readonly number[]) => (): Promise<boolean> =>
      Promise.resolve(rigs.every((rig, i) => countsOf(rig).accepted > (than[i] ?? 0) + 10));
    await until('every rig has shares', haveMore([]));
    const [first = 0, second = 0] = await frontsOf(bridge);
    expect(second).toBeGreaterThan(0);
    await until('their sessions are seen', async () => (await summaryOf(bridge)).ports[0]?.sessions === 4);
    await until('all are shown as of one bridge', async () => {
      const { submits, sessions, hashesPerSecond } = await summaryOf(bridge);
      const { rigs, total } = await shownBy(bridge, 'rigs?sort=name&state=online');
      const names = (rigs as { rig: string; accepted: number }[]).map(({ rig }) => rig);
      const shares = (rigs as { accepted: number }[]).map(({ accepted }) => accepted);
      const isAll = total === 4 && sessions === 4 && names.join() === [...RIGS].sort().join();
      return isAll && submits.accepted > 80 && hashesPerSecond > 0 && shares.every((each) => each > 20);
    });
    await until('the log tells of each rig, and at which front it is', async () =>
      RIGS.every((name) =>
        bridge.lines.some(({ event, rig, front }) => {
          return event === 'session-authorized' && rig === name && [1, 2].includes(Number(front));
        }),
      ),
    );
    await until('all sessions are listed', async () => (await shownBy(bridge, 'sessions'))['total'] === 4);

    const ctl = async (...words: string[]): Promise<Record<string, unknown>> => {
      const { text, stderr, code } = await runHere('ctl', [...words, '--data-dir', dataDir]);
      expect([stderr, code]).toEqual(['', 0]);
      return JSON.parse(text) as Record<string, unknown>;
    };
    const shown = await runProgram(['ctl', 'processes', '--csv', '--data-dir', dataDir]);
    expect(
      shown.text
        .trim()
        .split('\n')
        .map((line) => line.split(',').slice(0, 2).join()),
    ).toEqual([...['number,kind', '0,hub', '1,front', '2,front']]);
    for (const pid of [bridge.pid, first, second]) expect(shown.text).toContain(String(pid));
    const late = await comesToBoth(port ?? 0, ctl);
    await until('the log tells of sessions that have ended', async () =>
      [1, 2].every((index) =>
        bridge.lines.some(({ event, front }) => event === 'session-closed' && front === index),
      ),
    );

    // What cannot change under rigs: others take their place, and the rigs come to them.
    await writeFile(settings, 'stratum:\n  drainSeconds: 4\n  origins: [https://mine.example]\n');
    expect(await ctl('reload')).toMatchObject({ tookEffect: ['stratum.origins'], wantsRestart: [] });
    await until('the fronts of before have left', async () => {
      const { processes } = (await shownBy(bridge, 'processes')) as { processes: { number: number }[] };
      return processes.map(({ number }) => number).join() === '0,3,4';
    });
    const [third = 0, fourth = 0] = await frontsOf(bridge);
    for (const pid of [third, fourth]) expect([first, second]).not.toContain(pid);
    await until('every rig has shares at the new ones', haveMore(rigs.map((rig) => countsOf(rig).accepted)));

    process.kill(third, 'SIGKILL');
    await until('another front is in its place', async () => {
      const now = await frontsOf(bridge);
      return now.length === 2 && !now.includes(third) && now.includes(fourth);
    });
    await until('every rig has shares again', haveMore(rigs.map((rig) => countsOf(rig).accepted)));
    for (const rig of rigs) rig.kill('SIGTERM');
    await Promise.all(rigs.map((rig) => rig.ended));
    bridge.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    expect(bridge.lines.map(({ event }) => event)).toContain('front-ended');

    const [accepted, unanswered] = (['accepted', 'unanswered'] as const).map((of) =>
      rigs.reduce((sum, rig) => sum + countsOf(rig)[of], of === 'accepted' ? late : 0),
    ) as [number, number];
    bridge = serve(1);
    await bridge.ready();
    await until('all is booked', async () => {
      const { ledger, queue } = await summaryOf(bridge);
      return (ledger.shares ?? 0) >= accepted && queue.waiting === 0;
    });
    const [account] = await ledgerSays('accounts', dataDir);
    expect(account).toMatchObject({ account: ACCOUNT, rigs: RIGS.length + 1 });
    expect(account?.['shares']).toBeLessThanOrEqual(accepted + unanswered);
    expect(await ledgerSays('verify', dataDir)).not.toContainEqual(expect.objectContaining({ holds: false }));
    expect(new Set(await numbersIn(dataDir, [3, 4])).size).toBe(3);
    expect((await readdir(join(dataDir, 'fronts', '1'))).includes('solutions.json')).toBe(false);
    bridge.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    await node.close();
  });

  it('gives no two rigs the same nonces, nor those of its CPU, and ends with its hub, so that nobody listens whom nobody rules', async () => {
    await using folder = await temporaryFolder();
    const node = await startDevNode({
      listen: { host: '127.0.0.1', port: 0 },
      genesisDifficulty: Number(hashesIn(1)),
    });
    const bridge = startProgram([
      ...['serve', '--node', node.url, '--account', ACCOUNT, '--data-dir', folder.path, '--processes', '2'],
      ...['--tcp', '127.0.0.1:0', '--ws', 'off', '--web', 'off', '--cpu', 'always', '--cpu-threads', '1'],
    ]);
    const { tcp } = await bridge.ready();
    const fronts = await frontsOf(bridge);
    expect(fronts).toHaveLength(2);
    await haveTheirOwnNonces(Number(String(tcp).split(':').at(-1)), node.url, folder.path);
    bridge.kill('SIGKILL');
    await bridge.ended;
    const isGone = (pid: number): boolean => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true; // ESRCH
      }
    };
    await until('the fronts have ended', async () => fronts.every(isGone));
    for (const index of ['1', '2'])
      expect(await readdir(join(folder.path, 'fronts', index))).toContain('tenures.json');
    await node.close();
  });
});
