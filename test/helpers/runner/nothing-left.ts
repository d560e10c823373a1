/** A process that a test has started and not ended fails the run (Linux). */
import { setTimeout as pause } from 'node:timers/promises';
import { orphansOf } from '../processes/processes.js';
import { ROOT } from '../web/pages.js';

/** Of what was told to end, on a machine that others keep busy. */
const PATIENCE_MS = 60_000;

/** As vitest calls it before all tests; what it returns is called after them. */
export default async function setup(): Promise<() => Promise<void>> {
  const before = new Set((await orphansOf(ROOT)).keys());
  return async () => {
    const left = async () => [...(await orphansOf(ROOT))].filter(([pid]) => !before.has(pid));
    const untilMs = Date.now() + PATIENCE_MS;
    while ((await left()).length > 0 && Date.now() < untilMs) await pause(200);
    const commands = (await left()).map(([pid, command]) => `${pid} ${command}`);
    if (commands.length === 0) return;
    // Vitest tells the error, and ends as if all were well.
    process.exitCode = 1;
    throw new Error(`tests left processes behind:\n${commands.join('\n')}`);
  };
}
