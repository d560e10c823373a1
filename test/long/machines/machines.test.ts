/** Two bridges behind a balancer, as `config/deploy/machines` tells operators: each machine is a network namespace. */
import { expect, it } from 'vitest';
import { findPrograms } from '../../helpers/processes/debian.js';
import { runIsolated, whyNotIsolated } from '../../helpers/processes/isolated.js';

const whyNot =
  whyNotIsolated(['ip', 'haproxy', 'openssl', 'setpriv']) ??
  (await findPrograms('two machines', ['prometheus'], 'prometheus'));
if (whyNot) process.stdout.write(`LEFT OUT: two machines behind a balancer: ${whyNot}\n`);

it.skipIf(whyNot)(
  'two machines behind a balancer, of which one is cut off, one killed and one updated',
  async () => {
    expect(await runIsolated('machines')).toMatch(/shares acknowledged/);
  },
  1_200_000,
);
