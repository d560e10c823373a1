import { randomUUID } from 'node:crypto';
import type { Notice } from '../../bridge/alerts/alerts.js';
import { type Asked, CommandError, FAILED, OK } from '../../cli/line/command.js';
import { BACKOFF_MS, Courier } from '../../web/alerts/courier.js';
import { postingOf } from '../../web/alerts/forms.js';
import type { AlertTarget } from '../../web/alerts/rules.js';
import type { AlertTestSettings } from './settings.js';

const NO_TARGET =
  'alerts.targets is empty: name targets in the file of settings, such as `alerts: {targets: [{name: ops, type: ntfy, topic: NAME}]}`';

export async function run({ load, io }: Asked<AlertTestSettings>): Promise<number> {
  const { config } = await load();
  const targets = chosenOf(config['alerts.targets'], config.target);
  const courier = new Courier();
  try {
    const said = await Promise.all(targets.map((target) => tryOn(courier, target)));
    for (const { line } of said) io.stdout.write(`${line}\n`);
    return said.every(({ isTaken }) => isTaken) ? OK : FAILED;
  } finally {
    await courier.close();
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

/** The last try: nobody waits here for another. */
async function tryOn(courier: Courier, target: AlertTarget): Promise<{ line: string; isTaken: boolean }> {
  const posting = postingOf(target, testNotice(Date.now()), Date.now());
  const { signal } = new AbortController();
  const end = await courier.send(posting, { tries: BACKOFF_MS.length + 1, signal });
  const isTaken = end.outcome === 'delivered';
  const said = end.outcome === 'failed' ? `did not take it: ${end.says}` : 'took it';
  return { line: `${target.name} (${target.type}) ${said}`, isTaken };
}

function testNotice(nowMs: number): Notice {
  const alert = {
    ...({ id: 0, condition: 'nodeUnhealthy', about: 'test', severity: 'info', account: undefined } as const),
    ...{ says: 'this is a test of stratum-bridge: nothing is wrong', resolvedSays: 'the test is over' },
    ...{ openedAtMs: nowMs, resolvedAtMs: nowMs },
  };
  return { id: randomUUID(), what: 'happened', madeAtMs: nowMs, alert };
}
