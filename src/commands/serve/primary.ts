/** `serve --processes N`: the primary, which has the ports and the embedded PostgreSQL, and runs as many bridges. */

import { createServer } from 'node:net';
import type { Logger } from 'pino';
import { concerning, explained } from '../../assembly/failures.js';
import { PASSPHRASE, passphraseFrom } from '../../assembly/payouts/signers.js';
import { certificateFiles } from '../../assembly/rigs/certificate.js';
import { processesOf } from '../../assembly/rigs/limits.js';
import { adminTokenIn, poolKeyIn, sessionKeyIn } from '../../assembly/secret-files.js';
import { checkSetup } from '../../assembly/setup-checks.js';
import { welcomeBy } from '../../assembly/watch/status.js';
import type { Link } from '../../assembly/watch/web-link.js';
import type { Asked } from '../../cli/line/command.js';
import { Primary } from '../../cli/processes/primary.js';
import { type Running, runService } from '../../cli/service/host.js';
import { type CloseStack, STOP_LIMIT_MS } from '../../cli/service/stop.js';
import type { Loaded } from '../../config/layers/load.js';
import { portsOf } from '../../config/ports.js';
import { BRIDGE_SETTINGS, type BridgeConfig } from '../../config/settings.js';
import { type ListenAddress, listenAt } from '../../core/names/listening.js';
import { PRIMARY } from '../../files/bridge-folders.js';
import { lockFolder } from '../../files/folder-lock.js';
import { startEmbeddedPostgres } from '../../ledger/embedded/embedded.js';
import type { Refused } from '../../operations/entry/operation.js';
import type { Replacement } from '../../operations/replace.js';
import { listen } from '../../stratum/admission/listener.js';
import type { Setting } from '../../values/setting.js';
import type { ServeSettings } from './settings.js';

/** Of the bridges, before PostgreSQL and this process may end. */
const BRIDGES_MS = STOP_LIMIT_MS + 500;
const DATABASE_MS = 3_000;
/** Rigs of a bridge that is replaced are asked to go in this time, each at a moment of its own. */
const DRAIN_MS = 20_000;
const FOR_PRIMARY = '--replace';

type Loading = Loaded<ServeSettings>;

/** @param sockets that this process was handed, by name. */
export function runPrimary(
  asked: Pick<Asked<ServeSettings>, 'io' | 'load'>,
  sockets: ReadonlyMap<string, number>,
): Promise<number> {
  return runService(
    asked,
    {
      check: async (loaded) => (await checkSetup(loaded)).problems,
      start: (loaded, log, open) =>
        explained(() => startPrimary(loaded, { ...asked, sockets, log, open }), loaded),
    },
    BRIDGES_MS + DATABASE_MS + 500,
  );
}

interface Start {
  readonly load: () => Promise<Loading>;
  readonly sockets: ReadonlyMap<string, number>;
  readonly log: Logger;
  readonly open: CloseStack;
}

async function startPrimary({ config }: Loading, start: Start): Promise<Running<BridgeConfig>> {
  const { sockets, log, open } = start;
  const lock = await concerning('dataDir', async () => lockFolder(config.dataDir, PRIMARY));
  open.add('data directory', async () => lock.release());
  await checkPorts(config);
  if (config['ledger.databaseUrl'] === '') await startDatabase(config, log, open);
  await makeShared(config, log);
  const passphrase = await passphraseOf(config);
  const replacing = new Replacing(start.load, log);
  const primary = new Primary({
    log,
    args: process.argv.slice(2).filter((word) => word !== FOR_PRIMARY),
    more: { sockets: [...sockets] },
    answers: {
      [PASSPHRASE]: () => passphrase,
      replace: (by) => replacing.begin(primary, String(by)),
      replacement: () => replacing.report,
    },
  });
  open.add('bridges', (withinMs) => primary.close(withinMs), BRIDGES_MS);
  const [fields = {}] = await primary.start(processesOf(config));
  const [link] = (await primary.ask('link')) as Link[];
  return {
    ready: { says: 'ready', fields: { ...fields, event: 'ready', processes: primary.size } },
    status: async () => ((await primary.ask('status'))[0] ?? []) as string[],
    ...(link ? { welcome: welcomeBy(() => link) } : {}),
    done: primary.ended,
    applyLive: () => {
      primary.signal('SIGHUP');
      return LIVE;
    },
  };
}

/** Each bridge says of these by itself whether they took effect. */
const LIVE = Object.entries<Setting>(BRIDGE_SETTINGS).flatMap(([key, { live }]) => (live ? [key] : []));

/** A port that is taken is told at once, and by its setting; those that this process was handed are listening. */
async function checkPorts(config: BridgeConfig): Promise<void> {
  const isOwn = ({ fd }: ListenAddress): boolean => fd === undefined;
  for (const { name, listen: address } of portsOf(config).filter((port) => isOwn(port.listen)))
    (await listen(name, address, (socket) => socket.destroy())).close();
  const web = config['web.listen'];
  if (web !== 'off' && isOwn(web)) await concerning('web.listen', () => listenAt(web, tryAddress));
}

function tryAddress({ host, port }: ListenAddress): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}

async function startDatabase({ dataDir }: BridgeConfig, log: Logger, open: CloseStack): Promise<void> {
  const embedded = await concerning('dataDir', () => startEmbeddedPostgres({ dataDir, log }));
  open.add('embedded PostgreSQL', (withinMs) => embedded.close(withinMs), DATABASE_MS);
}

/** What all of its bridges have alike: each of them would make it where it is not there. */
async function makeShared(config: BridgeConfig, log: Logger): Promise<void> {
  await certificateFiles('stratum', config, log);
  await poolKeyIn(config.dataDir, log);
  if (config['web.listen'] === 'off') return;
  await certificateFiles('web', config, log);
  await adminTokenIn(config.dataDir, log);
  await sessionKeyIn(config.dataDir, log);
}

/** While somebody is there to answer. */
async function passphraseOf(config: BridgeConfig): Promise<string | undefined> {
  const passphrase = await concerning('payouts.passphrase', async () =>
    passphraseFrom(config['payouts.passphrase'])?.(),
  );
  return passphrase?.toString('base64');
}

/** The bridges are replaced by what is installed and set now, one after the other. */
class Replacing {
  readonly #load: Start['load'];
  readonly #log: Logger;
  report: Replacement = { state: 'off', replaced: 0, bridges: 0, why: null };

  constructor(load: Start['load'], log: Logger) {
    this.#load = load;
    this.#log = log;
  }

  async begin(primary: Primary, by: string): Promise<Replacement | Refused> {
    if (this.report.state === 'underWay') return { refused: 'busy', why: 'they are being replaced already' };
    try {
      const { config, ...loaded } = await this.#load();
      const [problem] = (await checkSetup({ config, ...loaded })).problems;
      if (problem !== undefined) return { refused: 'busy', why: problem };
      const count = processesOf(config);
      this.report = { state: 'underWay', replaced: 0, bridges: Math.max(count, primary.size), why: null };
      this.#log.info({ event: 'replacing', by, bridges: count }, 'the bridges are replaced');
      void this.#replace(primary, count, by);
      return this.report;
    } catch (error) {
      return { refused: 'busy', why: (error as Error).message };
    }
  }

  async #replace(primary: Primary, count: number, by: string): Promise<void> {
    const drain: { readonly given: object; readonly by: string } = {
      given: { over: DRAIN_MS, stop: true },
      by,
    };
    try {
      await primary.replace(count, drain, 2 * DRAIN_MS, () => {
        this.report = { ...this.report, replaced: this.report.replaced + 1 };
      });
      this.report = { ...this.report, state: 'done' };
      this.#log.info({ event: 'replacing', state: 'done', by }, 'all bridges are replaced');
    } catch (error) {
      const why = (error as Error).message;
      this.report = { ...this.report, state: 'failed', why };
      this.#log.error(
        { event: 'replacing', state: 'failed', by, error: why },
        `what is left goes on as it was: ${why}`,
      );
    }
  }
}
