import { startBridge } from '../../assembly/bridge.js';
import { minerFrom } from '../../assembly/chains/miner.js';
import { explained } from '../../assembly/failures.js';
import { takeInherited, withInherited } from '../../assembly/rigs/inherited.js';
import { checkSetup } from '../../assembly/setup-checks.js';
import { watchSettings } from '../../assembly/watch/settings.js';
import { runningBridge } from '../../assembly/watch/status.js';
import type { Asked } from '../../cli/line/command.js';
import { runService } from '../../cli/service/host.js';
import type { BridgeSettings } from '../../config/settings/settings.js';

export async function run(asked: Asked<BridgeSettings>): Promise<number> {
  const inherited = takeInherited(process.env, process.pid);
  const load = async () => {
    const loaded = await asked.load();
    return { ...loaded, config: withInherited(loaded.config, inherited) };
  };
  return runService(
    { io: asked.io, load },
    {
      check: (loaded) => checkSetup(loaded).problems,
      start: (loaded, log, open, settings) => {
        const { config } = loaded;
        const start = () => startBridge(config, minerFrom(config), log, open, watchSettings(settings));
        return explained(async () => runningBridge(await start()), loaded);
      },
    },
  );
}
