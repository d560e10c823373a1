/** The way of a new cut from a node to a rig, as README.md of src/upstream walks it: by how many hands, and no others. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { Session } from 'node:inspector/promises';
import { Socket } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../devnode/helpers.js';
import { WireRig } from '../helpers/rigs/wire-rig.js';
import { ANY_PORT, startStory } from '../helpers/stories/upstream-story.js';
import { until } from '../helpers/until.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROOM = join(ROOT, 'src/upstream');
const MOST_FILES = 20;

/** Files that the walk names, and how many it says they are. */
function walk(): { files: string[]; told: number } {
  const page = readFileSync(join(ROOM, 'README.md'), 'utf8');
  const [, section = ''] = /## A new cut, step by step\n(.*?)\n## /s.exec(page) ?? [];
  const files = Array.from(section.matchAll(/\]\((.*?\.ts)\)/g), ([, link = '']) =>
    relative(ROOT, join(ROOM, link)),
  );
  return { files: [...new Set(files)].sort(), told: Number(/These (\d+) files/.exec(section)?.[1]) };
}

/** Of ours, whoever has called whom to come here. */
function callers(): string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const stack = String(new Error('here').stack);
  Error.stackTraceLimit = limit;
  const ours = Array.from(stack.matchAll(/\/(src\/[\w/-]+\.ts)/g), ([, file = '']) => file);
  return [...new Set(ours)].sort();
}

/** Who asked for work first because of an event, and who wrote the first job of an answer to a rig of this port, from now on. */
function watchStacks(port: number): { asked: string[]; wrote: string[] } {
  const seen = { asked: [] as string[], wrote: [] as string[] };
  const started = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    if (seen.asked.length > 0 || !request.path.includes('/mining/work')) return;
    const hands = callers();
    // The loop that looks for chains asks too.
    if (hands.includes('src/node-client/streams/stream-reader.ts')) seen.asked = hands;
  };
  subscribe('http.client.request.start', started);
  const { write } = Socket.prototype;
  Socket.prototype.write = function (this: Socket, ...args: Parameters<typeof write>) {
    const isJob = this.localPort === port && String(args[0]).includes('mining.notify');
    if (seen.wrote.length === 0 && isJob) {
      const hands = callers();
      if (hands.includes('src/node-client/asking/http.ts')) seen.wrote = hands;
    }
    return write.apply(this, args);
  } as typeof write;
  onTestFinished(() => {
    unsubscribe('http.client.request.start', started);
    Socket.prototype.write = write;
  });
  return seen;
}

it('CH8: goes through the files that the walk names, 20 at the most, in one call from the answer to the job', async () => {
  // Whoever is told of an event looks at the clock.
  const heard: string[][] = [];
  const now = (): number => {
    const hands = callers().filter((file) => !file.startsWith('test/'));
    if (hands.includes('src/node-client/streams/stream-reader.ts')) heard.push(hands);
    return performance.now();
  };
  await using story = await startStory({ nodes: [{ control: ANY_PORT }], upstream: { now } });
  const port = story.server.addresses['tcp']?.port ?? 0;
  const rig = await WireRig.connect('tcp', port);
  await rig.request(1, 'mining.subscribe', ['walk/1', null]);
  await rig.request(2, 'mining.authorize', ['a.r', 'x']);
  const jobs = () => rig.notices('mining.notify').filter(({ params }) => params?.[2] === true).length;
  const { work } = await story.freshJob();
  await until('it has a job', () => jobs() > 0);
  const before = jobs();

  heard.length = 0;
  const seen = watchStacks(port);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await ask(`${story.node.controlUrl}/mine`, { method: 'POST', json: { chains: [work.chainId], count: 1 } });
  await until('it has the job of the new cut', () => jobs() > before);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  rig.vanish();

  const ran = new Set(
    result
      .filter(({ functions }) =>
        functions.some(
          ({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0),
        ),
      )
      .flatMap(({ url }) => /\/(src\/[\w/-]+\.ts)$/.exec(url)?.[1] ?? []),
  );
  const { files, told } = walk();
  expect([files.length, told]).toEqual([told, files.length]);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
  expect(files.filter((file) => !ran.has(file))).toEqual([]);
  // From event to chain, from chain to question, and from answer to line, each has called the next: nobody else is in between.
  expect(heard).toContainEqual([
    'src/node-client/streams/conform.ts',
    'src/node-client/streams/stream-reader.ts',
    'src/upstream/works/chain-watch.ts',
  ]);
  expect(seen.asked.filter((file) => !files.includes(file))).toEqual([]);
  expect(seen.wrote.filter((file) => !files.includes(file))).toEqual([]);
  expect(seen.asked).toContain('src/node-client/lines/warm-line.ts');
  // The job is written in the turn in which the last byte of the work came.
  const hands = [
    'src/node-client/asking/http.ts',
    'src/bridge/dispatcher.ts',
    'src/stratum/admission/tcp.ts',
  ];
  expect(seen.wrote).toEqual(expect.arrayContaining(hands));
});
