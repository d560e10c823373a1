import { startBridge } from '../../assembly/bridge.js';
import { minerFrom } from '../../assembly/chains/miner.js';
import { explained } from '../../assembly/failures.js';
import { takeInherited, withInherited } from '../../assembly/rigs/inherited.js';
import { takeKept } from '../../assembly/rigs/kept-sockets.js';
import { checkSetup } from '../../assembly/setup-checks.js';
import { watchSettings } from '../../assembly/watch/settings.js';
import { runningBridge } from '../../assembly/watch/status.js';
import type { Asked } from '../../cli/line/command.js';
import { runService } from '../../cli/service/host.js';
import { passOn, type Succession, takeSuccession } from '../../cli/service/succession.js';
import { replace } from './replace.js';
import type { ServeSettings } from './settings.js';

export async function run(asked: Asked<ServeSettings>): Promise<number> {
  const succession = takeSuccession(process.env);
  try {
    return (await replacement(asked, succession)) ?? (await serve(asked, succession));
  } catch (error) {
    succession?.failed((error as Error).message);
    throw error;
  }
}

/** Resolves with the exit code; `undefined` where a bridge is to be started here. */
async function replacement(
  asked: Asked<ServeSettings>,
  succession: Succession | undefined,
): Promise<number | undefined> {
  // In place of another it is started with the words of that.
  if (succession) return undefined;
  const { config } = await asked.load();
  return config.replace ? await replace(config.dataDir, asked.io) : undefined;
}

async function serve(asked: Asked<ServeSettings>, succession: Succession | undefined): Promise<number> {
  const inherited = succession?.given ?? takeInherited(process.env, process.pid);
  passOn(inherited);
  const load = async () => {
    const loaded = await asked.load();
    return { ...loaded, config: withInherited(loaded.config, inherited) };
  };
  return runService(
    { io: asked.io, load },
    {
      check: async (loaded) => (await checkSetup(loaded)).problems,
      start: async (loaded, log, open, settings) => {
        await succession?.turn();
        const { config } = loaded;
        const parts = {
          settings: watchSettings(settings),
          kept: takeKept(config, succession),
          isReplaceable: true,
        };
        const start = () => startBridge(config, minerFrom(config), log, open, parts);
        return explained(async () => runningBridge(await start()), loaded);
      },
    },
  );
}
