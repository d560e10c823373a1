/** The web of an idle bridge on a real socket, whose rules and time the test sets, and requests to it as from anywhere. */
import { generateKeyPairSync } from 'node:crypto';
import { request } from 'undici';
import type { NodeReport } from '../../../src/bridge/events.js';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { ADDRESS_LIMITS } from '../../../src/web/access/address-counts.js';
import { type AccessRules, Guard } from '../../../src/web/access/guard.js';
import { Links } from '../../../src/web/access/links.js';
import { Sessions } from '../../../src/web/access/sessions.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer, type WebOptions } from '../../../src/web/server.js';
import { temporaryFolder } from '../folder.js';
import { idleBridge } from './idle-bridge.js';
import { RULES } from './operators.js';

export const ELSEWHERE = { 'x-forwarded-for': '192.0.2.7' };

const NODE: NodeReport = {
  ...{ url: 'http://node.secret.example:1848', state: 'away', network: 'secretnet' },
  ...{ reason: 'ECONNREFUSED 10.1.2.3', isActive: false, chains: 0, requests: 0 },
};

export interface Asked {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function startGuarded(change: Partial<WebOptions> = {}) {
  const { events, sources } = idleBridge();
  const shown = { ...sources, nodes: () => [NODE] };
  const said: { readonly level: string; readonly [field: string]: unknown }[] = [];
  const say = (level: string) => (fields: object, msg: string) => void said.push({ level, ...fields, msg });
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const state = {
    rules: RULES as AccessRules,
    nowMs: 1_000_000,
    reloads: 0,
    blocks: 0,
  };
  const folder = await temporaryFolder();
  const links = new Links(folder.path);
  const web = await startWebServer({
    links,
    ...{ host: '127.0.0.1', port: 0, sources: shown, metrics: createMetrics(events, shown), log },
    settings: {
      settings: () => [
        {
          ...{ key: 'web.public', value: false, source: 'default', default: false, help: 'Who may look.' },
          ...{ isLive: true, isRule: false, waiting: null },
        },
      ],
      look: async () => ({ changes: [], refused: [] }),
      reload: async () => {
        state.reloads++;
        return { tookEffect: ['web.public'], wantsRestart: [], ports: [], refused: [] };
      },
    },
    makeBlocks: async () => {
      state.blocks++;
      return { status: 200, body: {} };
    },
    access: () => state.rules,
    nowMs: () => state.nowMs,
    ...change,
    limits: { refusalDelayMs: 0, ...change.limits },
  });
  const at = web.url.replace('//[::]', '//[::1]').replace('//0.0.0.0', '//127.0.0.1');
  const ask = async (path: string, { method = 'GET', headers = {}, body }: Asked = {}, base = at) => {
    const answer = await request(base + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };
  const status = async (path: string, asked?: Asked): Promise<number> => (await ask(path, asked)).status;
  const order = (headers: Readonly<Record<string, string>>) =>
    ask('/api/v1/reload', { method: 'POST', headers });
  return {
    ...{ url: at, state, said, links, ask, status, order },
    async [Symbol.asyncDispose]() {
      await web.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** As before a server of its own, which listens at no name. */
export function guardOf(rules: AccessRules): Guard {
  return new Guard({
    ...{ rules: () => rules, readTokens: async () => {}, host: '', limits: ADDRESS_LIMITS, log: SILENT },
    sessions: new Sessions(generateKeyPairSync('ed25519').privateKey),
    nowMs: () => performance.now(),
    isControl: () => false,
  });
}
