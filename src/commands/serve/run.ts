import { join, parse } from 'node:path';
import { startBridge } from '../../assembly/bridge.js';
import { minerFrom } from '../../assembly/chains/miner.js';
import { explained } from '../../assembly/failures.js';
import type { Machine } from '../../assembly/machine.js';
import { takeInherited, withInherited } from '../../assembly/rigs/inherited.js';
import { checkSetup } from '../../assembly/setup-checks.js';
import { watchSettings } from '../../assembly/watch/settings.js';
import { bridgeStatus, runningBridge } from '../../assembly/watch/status.js';
import type { Asked } from '../../cli/line/command.js';
import { Member, membershipIn } from '../../cli/processes/member.js';
import type { Membership } from '../../cli/processes/words.js';
import { runService } from '../../cli/service/host.js';
import type { ConfigOf } from '../../values/setting.js';
import { replace } from './replace.js';
import type { ServeSettings } from './settings.js';

type ServeConfig = ConfigOf<ServeSettings>;

interface OneOfSeveral extends Membership {
  readonly sockets: readonly (readonly [name: string, fd: number])[];
}

export async function run(asked: Asked<ServeSettings>): Promise<number> {
  const membership = membershipIn<OneOfSeveral>(process.env);
  if (membership) return serveOneOfSeveral(asked, membership);
  const { config } = await asked.load();
  const code = config.replace ? await replace(config.dataDir, asked.io) : undefined;
  if (code !== undefined) return code;
  const inherited = takeInherited(process.env, process.pid);
  const own = withSockets(asked, inherited);
  if (config.processes === 'off') return serve(own);
  // Most never have one.
  const { runPrimary } = await import('./primary.js');
  return runPrimary(own, inherited);
}

type Serving = Pick<Asked<ServeSettings>, 'io' | 'load'>;

function withSockets({ io, load }: Serving, sockets: ReadonlyMap<string, number>): Serving {
  return {
    io,
    load: async () => {
      const loaded = await load();
      return { ...loaded, config: { ...loaded.config, ...withInherited(loaded.config, sockets) } };
    },
  };
}

function serve({ io, load }: Serving): Promise<number> {
  return runService(
    { io, load },
    {
      check: async (loaded) => (await checkSetup(loaded)).problems,
      start: (loaded, log, open, settings) => {
        const { config } = loaded;
        const parts = { settings: watchSettings(settings) };
        const start = () => startBridge(config, minerFrom(config), log, open, parts);
        return explained(async () => runningBridge(await start()), loaded);
      },
    },
  );
}

/** The primary says when all are ready, and shows a link and how they are. */
function serveOneOfSeveral(asked: Asked<ServeSettings>, { slot, sockets }: OneOfSeveral): Promise<number> {
  const member = new Member();
  const machine: Machine = {
    isOneOfSeveral: true,
    listen: (port, address, onSocket) => member.listen(port, address, onSocket),
    answer: (question, how) => member.answer(question, how),
    askAll: (question, about = null) => member.askAll(question, about),
  };
  const { load } = withSockets(asked, new Map(sockets));
  const { stdout } = asked.io;
  return runService(
    {
      io: asked.io,
      load: async () => {
        const loaded = await load();
        return { ...loaded, config: asOneOfSeveral(loaded.config, slot, stdout.isTTY) };
      },
      says: { process: slot },
    },
    {
      check: async (loaded) => (await checkSetup(loaded)).problems,
      start: (loaded, log, open, settings) => {
        const { config } = loaded;
        const own = watchSettings(settings);
        machine.answer('reload', (by) => own.reload(String(by)));
        const reload: typeof own.reload = async (by) => {
          const [first] = await machine.askAll('reload', by);
          return first as Awaited<ReturnType<typeof own.reload>>;
        };
        return explained(async () => {
          const parts = { settings: { ...own, reload }, machine };
          const bridge = await startBridge(config, minerFrom(config), log, open, parts);
          machine.answer('status', bridgeStatus(bridge, bridge.summaryOfAll));
          machine.answer('link', () => bridge.makeLink?.());
          const { welcome: _, status: __, ...running } = runningBridge(bridge);
          const { fields } = running.ready;
          member.up(fields);
          return { ...running, ready: { says: 'this bridge is up', fields: { ...fields, event: 'up' } } };
        }, loaded);
      },
    },
  );
}

/** Files that each process needs alone, and a terminal that they share. */
function asOneOfSeveral(config: ServeConfig, slot: number, isTerminal: boolean): ServeConfig {
  const format = config['log.format'];
  return {
    ...config,
    'log.format': format === 'auto' && isTerminal ? 'text' : format,
    'log.file': ownFile(config['log.file'], slot),
    'events.file': ownFile(config['events.file'], slot),
  };
}

/** `logs/bridge.log` of the first is `logs/bridge-0.log`. */
function ownFile(path: string, slot: number): string {
  const { dir, name, ext } = parse(path);
  return path === '' ? '' : join(dir, `${name}-${slot}${ext}`);
}
