/** `stratum-bridge serve`: the bridge against given nodes. */
import { BRIDGE_SETTINGS } from '../config/settings.js';
import { startBridge } from './bridge.js';
import { type Command, helpText, loadBridgeConfig, OK } from './command.js';
import { explained } from './failures.js';
import { minerFrom } from './miner.js';
import { createScreen } from './screen.js';
import { bridgeStatus, reportReady } from './status.js';
import { exitAfter, STOP_LIMIT_MS, untilStopped } from './stop.js';

export const command: Command = {
  summary: 'run the bridge between nodes and rigs',
  help: () =>
    helpText({
      usage: 'serve --account k:… [settings]',
      about:
        'Fetches work from the nodes, hands it to rigs over TCP and WebSocket and to the CPU, keeps their shares in the\n' +
        'ledger and posts what solves a block. `stratum-bridge doctor` with the same settings checks them first.',
      settings: BRIDGE_SETTINGS,
      withKeys: true,
      examples: [
        'serve --account k:… --node http://127.0.0.1:1848',
        'serve --config bridge.yaml',
        'serve --account k:… --cpu always --tcp off',
      ],
    }),
  async run(argv, io) {
    const { config } = loadBridgeConfig(argv, io);
    const miner = minerFrom(config);
    const screen = createScreen(config, io);
    const { log } = screen;
    const stopped = untilStopped();
    const bridge = await explained(() => startBridge(config, miner, log));
    reportReady(log, bridge);
    screen.show(bridgeStatus(bridge));
    const reason = await stopped;
    exitAfter(STOP_LIMIT_MS, log);
    screen.end();
    log.info({ event: 'stopping', reason }, 'stopping');
    await bridge.close();
    log.info({ event: 'stopped' }, 'stopped');
    return OK;
  },
};
