/** Demos beside each other: other programs may have its default ports at any time, other demos as well. */
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { processesOf } from '../../helpers/processes/processes.js';
import type { LogLine } from '../../helpers/processes/program.js';
import { startDemo } from '../../helpers/stories/demo.js';
import { until } from '../../helpers/until.js';

const PORTS = { tcp: 1917, ws: 1918, web: 1920, node: 1848 };
const WHAT = { tcp: 'stratum.tcp', ws: 'stratum.ws', web: 'web.listen', node: 'the node' };
type Part = keyof typeof PORTS;
const PARTS = Object.keys(PORTS) as Part[];

function portsOf(ready: LogLine): Record<Part, number> {
  const portOf = (part: Part): number => Number(/:(\d+)(\/|$)/.exec(String(ready[part]))?.[1]);
  return { tcp: portOf('tcp'), ws: portOf('ws'), web: portOf('web'), node: portOf('node') };
}

const isOfPorts = ({ msg }: LogLine): boolean => msg?.startsWith('port ') ?? false;

describe.skipIf(process.platform !== 'linux')('the demo', () => {
  it('C5: two at once run side by side, tell which port gave way, and leave no child behind when killed', async () => {
    await using mine = await temporaryFolder();
    await using other = await temporaryFolder();
    await using demo = startDemo(mine.path);
    await using beside = startDemo(other.path);
    const started = [
      { ready: await demo.ready(), lines: demo.lines },
      { ready: await beside.ready(), lines: beside.lines },
    ];
    const ports = started.map(({ ready }) => portsOf(ready));
    expect(new Set(ports.flatMap((all) => Object.values(all))).size).toBe(2 * PARTS.length);
    for (const [i, { lines }] of started.entries()) {
      const moved = PARTS.filter((part) => ports[i]?.[part] !== PORTS[part]);
      const expected = moved.map(
        (part) => `port ${PORTS[part]} is taken: ${WHAT[part]} gets a free one instead`,
      );
      expect(
        lines
          .filter(isOfPorts)
          .map(({ msg, level }) => `${level} ${msg}`)
          .sort(),
      ).toEqual(expected.map((words) => `warn ${words}`).sort());
    }
    demo.kill('SIGKILL');
    await demo.ended;
    await until('its processes have ended too', async () => (await processesOf(mine.path)).every(isPostgres));
    beside.kill('SIGTERM');
    expect(await beside.ended).toBe(0);
    await using next = startDemo(mine.path);
    await next.ready();
    next.kill('SIGTERM');
    expect(await next.ended).toBe(0);
    expect(await processesOf(mine.path)).toEqual([]);
  });
});

/** A server that lost its bridge is taken over by the next start. */
function isPostgres(command: string): boolean {
  return command.includes('bin/postgres') || command.startsWith('postgres:');
}
