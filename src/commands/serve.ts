/** `stratum-bridge serve`: the bridge against given nodes. */
import { BRIDGE_SETTINGS } from '../config/settings.js';
import { startBridge } from './bridge.js';
import { type Command, helpText, loadBridgeConfig, OK } from './command.js';
import { explained } from './failures.js';
import { createScreen } from './screen.js';
import { checkedMiner } from './setup-checks.js';
import { watchForStop } from './signals.js';
import { bridgeStatus, reportReady } from './status.js';
import { CloseStack, leaveAfter, STOP_LIMIT_MS, startUnlessStopped } from './stop.js';

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
    const loaded = loadBridgeConfig(argv, io);
    const miner = checkedMiner(loaded);
    const { config } = loaded;
    const screen = createScreen(config, io);
    const { log } = screen;
    const stop = watchForStop();
    const open = new CloseStack();
    const start = () => explained(() => startBridge(config, miner, log, open), loaded);
    const bridge = await startUnlessStopped(stop, open, log, start);
    if (!bridge) return OK;
    reportReady(log, bridge);
    screen.show(bridgeStatus(bridge));
    const reason = await stop.asked;
    leaveAfter(STOP_LIMIT_MS, stop, log);
    screen.end();
    log.info({ event: 'stopping', reason }, 'stopping');
    await open.close(log);
    log.info({ event: 'stopped' }, 'stopped');
    return OK;
  },
};
