import { randomUUID } from 'node:crypto';
import { openPost } from '../../alerts/post.js';
import type { AlertTarget } from '../../alerts/targets.js';
import { type Asked, CommandError, FAILED, OK } from '../../cli/line/command.js';
import type { Notice } from '../../operations/alerts.js';
import type { AlertTestSettings } from './settings.js';

const NO_TARGET =
  'alerts.targets is empty: name targets in the file of settings, such as `alerts: {targets: [{name: ops, type: ntfy, topic: NAME}]}`';

export async function run({ load, io }: Asked<AlertTestSettings>): Promise<number> {
  const { config } = await load();
  const targets = chosenOf(config['alerts.targets'], config.target);
  const { post, close } = openPost();
  try {
    const tried = await Promise.allSettled(
      targets.map((target) => post(target, testNotice(), new AbortController().signal)),
    );
    for (const [i, each] of tried.entries()) {
      const said =
        each.status === 'fulfilled' ? 'took it' : `did not take it: ${(each.reason as Error).message}`;
      io.stdout.write(`${targets[i]?.name} (${targets[i]?.type}) ${said}\n`);
    }
    return tried.every(({ status }) => status === 'fulfilled') ? OK : FAILED;
  } finally {
    await close();
  }
}

function chosenOf(targets: readonly AlertTarget[], name: string): readonly AlertTarget[] {
  if (targets.length === 0) throw new CommandError(NO_TARGET);
  if (name === '') return targets;
  const chosen = targets.filter((target) => target.name === name);
  if (chosen.length > 0) return chosen;
  const names = targets.map((target) => target.name).join(', ');
  throw new CommandError(`--target ${name} is none of alerts.targets: ${names}`);
}

function testNotice(): Notice {
  const time = new Date().toISOString();
  const alert = {
    ...({
      id: 0,
      condition: 'nodeUnhealthy',
      about: 'test',
      severity: 'info',
      from: time,
      until: time,
    } as const),
    ...{ says: 'this is a test of stratum-bridge: nothing is wrong', resolvedSays: 'the test is over' },
  };
  return { v: 1, id: randomUUID(), time, what: 'happened', alert };
}
