/** Stories that need a network, or files of the system, of their own: see `test/helpers/processes/isolated.ts`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../helpers/folder.js';
import { run } from '../helpers/processes/isolated.js';
import { startStory } from '../helpers/stories/upstream-story.js';
import { until } from '../helpers/until.js';
import { machines } from './machines/machines-story.js';

const LOSS_MS = 60_000;

/** The kernel drops every second packet between bridge and node at random, both ways. */
async function packetLoss(): Promise<void> {
  await using story = await startStory({ chains: 3 });
  const port = Number(new URL(story.tap.url).port);
  const rules = `table inet loss {
    chain arriving {
      type filter hook input priority 0
      tcp dport ${port} numgen random mod 2 == 0 counter drop
      tcp sport ${port} numgen random mod 2 == 0 counter drop
    }
  }`;
  run('nft', ['-f', '-'], rules);
  const fresh = { seen: 0, looked: 0 };
  const untilMs = performance.now() + LOSS_MS;
  for (let block = 0; performance.now() < untilMs; block++) {
    if (block % 3 === 0) await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
    await sleep(1_000);
    fresh.looked++;
    if (story.isFresh()) fresh.seen++;
  }
  const dropped = [...run('nft', ['list', 'table', 'inet', 'loss']).matchAll(/packets (\d+)/g)];
  const packets = dropped.reduce((sum, [, count]) => sum + Number(count), 0);
  tell(`${packets} packets dropped in a minute; fresh work in ${fresh.seen} of ${fresh.looked} looks`);
  assert.ok(packets > 100, 'packets were dropped');
  run('nft', ['delete', 'table', 'inet', 'loss']);
  await story.isWell();
}

/** The name of the node is taken from the file of hosts, and put back. */
async function dns(): Promise<void> {
  await using folder = await temporaryFolder();
  const hosts = join(folder.path, 'hosts');
  const resolver = join(folder.path, 'resolv.conf');
  const known = '127.0.0.1 localhost node.test\n';
  writeFileSync(hosts, known);
  writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  run('mount', ['--bind', hosts, '/etc/hosts']);
  run('mount', ['--bind', resolver, '/etc/resolv.conf']);
  await using story = await startStory({ urlOf: (tap) => tap.url.replace('127.0.0.1', 'node.test') });
  await story.isWell();
  writeFileSync(hosts, '127.0.0.1 localhost\n');
  story.tap.cut();
  await until('the name cannot be found', () => /EAI_AGAIN|ENOTFOUND/.test(story.reason()));
  tell(`the node is ${story.state()}: ${story.reason()}`);
  await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
  writeFileSync(hosts, known);
  await story.isWell();
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Its name on the command line. */
const STORIES: Readonly<Record<string, () => Promise<void>>> = { packetLoss, dns, machines };

run('ip', ['link', 'set', 'lo', 'up']);
await STORIES[process.argv[2] ?? '']?.();
