/** What networks and clocks do to a bridge: rigs stay, and are back at work when it is over. */
import dns from 'node:dns';
import { expect, it, vi } from 'vitest';
import type { Job } from '../../../src/core/jobs/job.js';
import { decodeHeader } from '../../../src/core/work/header.js';
import { insertTransaction } from '../../helpers/books/transactions.js';
import { ANY_PORT, type Story, startStory } from '../../helpers/stories/upstream-story.js';
import { until } from '../../helpers/until.js';

const HOUR_MS = 3_600_000;

it('DNS that fails and heals', async () => {
  const lookup = vi.spyOn(dns, 'lookup');
  try {
    await using story = await startStory({ urlOf: (tap) => tap.url.replace('127.0.0.1', 'localhost') });
    expect(lookup).toHaveBeenCalled();
    lookup.mockImplementation(((name: string, _options: object, done: (error: Error) => void) => {
      setImmediate(done, Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
    }) as never);
    story.tap.cut();
    await until('the node is away', () => story.state() === 'away');
    expect(story.reason()).toMatch(/ENOTFOUND/);
    await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
    lookup.mockRestore();
    await story.isWell();
  } finally {
    lookup.mockRestore();
  }
});

it('half-open connections: nothing ends, nothing comes; probes find out, and streams are opened anew', async () => {
  await using story = await startStory({ timings: { refreshMs: 600_000, silenceMs: 600_000 } });
  // A stream that was heard of since is alive.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const job = await story.freshJob();
  story.tap.freeze();
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  await story.isWell();
  // Without probes only a stream can tell.
  story.tap.set({ onRequest: (text) => text.replace('/cut ', '/nowhere ') });
  const next = await story.freshJob();
  await story.rivalBlock(next.work.chainId);
  await until('the stream told', () => story.book.find(next.id).state === 'stale');
});

it('a network that carries nothing for a while', async () => {
  await using story = await startStory();
  await story.freshJob();
  story.tap.set({ stallsNew: true });
  story.tap.freeze();
  await until('the node is stalled', () => story.state() === 'stalled');
  await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
  story.tap.heal();
  await story.isWell();
  expect(story.state()).toBe('healthy');
});

it('our clock jumps by an hour in both directions: a word, and nothing else', async () => {
  let skewMs = 0;
  await using story = await startStory({ upstream: { wallClockMs: () => Date.now() + skewMs } });
  const jump = async (jumpMs: number, word: RegExp): Promise<void> => {
    const job = await story.freshJob();
    skewMs = jumpMs;
    await until('a word about it', () => word.test(story.reason()));
    expect(story.state()).toBe('healthy');
    expect(story.book.find(job.id).state).toBe('live');
    await story.isWell();
    expect(Math.abs(aheadMs(story.newestJob()))).toBeLessThan(60_000);
  };
  await jump(HOUR_MS, /this machine's clock is 3[56]\d\d s ahead/);
  await jump(-HOUR_MS, /this machine's clock is 3[56]\d\d s behind/);
  await jump(0, /^gives work$/);
});

/** The development node's clock, as its operator would set it. */
async function setClock({ node }: Story, skewMs: number): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${node.controlUrl}/clock`, { method: 'PUT', headers, body: JSON.stringify({ skewMs }) });
}

it('a node whose clock is an hour behind, and is set right: header times follow it', async () => {
  await using story = await startStory({ nodes: [{ control: ANY_PORT }] });
  await setClock(story, -HOUR_MS);
  await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
  await story.isWell();
  await until('a word about it', () => /this machine's clock is 3[56]\d\d s ahead/.test(story.reason()));
  await setClock(story, 0);
  await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
  await story.isWell();
  await until('no word any more', () => story.reason() === 'gives work');
});

it('a node whose clock is an hour ahead, and is set back: no header is ahead of it', async () => {
  await using story = await startStory({ nodes: [{ control: ANY_PORT, payloadRefresh: 1 }] });
  await setClock(story, HOUR_MS);
  await until('a word about it', () => /this machine's clock is 3[56]\d\d s behind/.test(story.reason()));
  await insertTransaction(story.node, story.newestJob()?.work.chainId ?? 0);
  await until('work of that hour', () => aheadMs(story.newestJob()) > HOUR_MS / 2);
  await setClock(story, 0);
  await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
  await story.isWell();
  expect(aheadMs(story.newestJob())).toBeLessThan(1_000);
  await until('no word any more', () => story.reason() === 'gives work');
});

function aheadMs(job: Job | undefined): number {
  return Number(decodeHeader(job?.header ?? expect.fail()).creationTime / 1000n) - Date.now();
}

it('half of all packets lost for a while (as TCP shows it: the tap delays, it cannot drop packets)', async () => {
  await using story = await startStory({ timings: { workTimeoutMs: 2_000 } });
  story.tap.set({ lossRate: 0.5 });
  const untilMs = performance.now() + 3_000;
  while (performance.now() < untilMs) {
    await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  story.tap.heal();
  await story.isWell();
});
