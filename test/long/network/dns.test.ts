/** DNS that fails and heals, by the system's own resolver: the file of hosts changes under a running bridge. */
import { expect, it } from 'vitest';
import { runIsolated, whyNotIsolated } from '../../helpers/processes/isolated.js';

const whyNot = whyNotIsolated(['ip']);
if (whyNot) process.stdout.write(`skipped: the file of hosts cannot be changed here: ${whyNot}\n`);

it.skipIf(whyNot)(
  'a name that is gone, and comes back',
  async () => {
    expect(await runIsolated('dns')).toMatch(/EAI_AGAIN|ENOTFOUND/);
  },
  60_000,
);
