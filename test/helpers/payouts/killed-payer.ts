/** A process of its own that pays until it kills itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { until } from '../until.js';
import type { PayerStory } from './payer-story.js';
import type { PayingStart } from './paying-process.js';

const PROCESS = fileURLToPath(
  new URL('../../../dist/test/helpers/payouts/paying-process.js', import.meta.url),
);

/** Blocks are made until it is dead. */
export async function killed(
  story: PayerStory,
  start: Pick<PayingStart, 'step' | 'when' | 'keyFile'>,
): Promise<void> {
  const { connectionString, first, nowMs } = story;
  const given: PayingStart = {
    ...{ ...start, connectionString, nodeUrls: [first.tap.url], needed: 1, isNewLedger: true },
    ...{ aheadMs: nowMs - Date.now(), everyMs: 20 },
  };
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(given)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    await until('it is dead', async () => {
      await story.mine();
      return child.exitCode !== null || child.signalCode !== null;
    });
  } finally {
    child.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
}
