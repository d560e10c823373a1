/** The web of a bridge with real rigs, which takes orders over a real socket; every answer is held against the document. */
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { recordEvents, recordOf } from '../../../src/assembly/watch/recorded-events.js';
import type { EventRecorder } from '../../../src/bridge/timeline/timeline.js';
import { sentenceOf } from '../../../src/bridge/timeline/timeline-event.js';
import { SILENT } from '../../../src/core/names/log.js';
import { Links } from '../../../src/web/access/links.js';
import type { Document } from '../../../src/web/api/document/document.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer, type WebOptions } from '../../../src/web/server.js';
import { temporaryFolder } from '../folder.js';
import type { WireRig, WireTransport } from '../rigs/wire-rig.js';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from '../stories/stratum-bridge.js';
import { DOCUMENT_FILE } from '../tools/api-document.js';
import { DocumentCheck } from './document-check.js';
import { idleBridge } from './idle-bridge.js';
import { ADMIN, bearer, RULES } from './operators.js';

const DOCUMENT = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as Document;

export interface Line {
  readonly kind: string;
  readonly says: string;
  readonly facts: object;
  readonly by: string | undefined;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export async function startSteeredWeb(options: TestBridgeOptions = {}, more: Partial<WebOptions> = {}) {
  const bridge = await startTestBridge(options);
  const lines: Line[] = [];
  const teller: EventRecorder = {
    record: (kind, facts, by, words) =>
      void lines.push({ kind, says: sentenceOf(kind, facts, { by, words }), facts, by }),
  };
  recordEvents(bridge.events, teller);
  const record = recordOf(teller);
  const { server } = bridge;
  /** Another one is another start. */
  const life = { startedAtMs: 0 };
  const sources = {
    ...idleBridge().sources,
    rigs: server.watch,
    get startedAtMs() {
      return life.startedAtMs;
    },
  };
  const folder = await temporaryFolder();
  const web = await startWebServer({
    links: new Links(folder.path),
    ...{ host: '127.0.0.1', port: 0, sources, metrics: createMetrics(bridge.events, sources), log: SILENT },
    ...{ operator: server.operator, access: () => RULES },
    settings: {
      settings: () => [],
      look: async () => ({ changes: [], refused: [] }),
      reload: async (by) => {
        const report = { tookEffect: [], wantsRestart: [], ports: [], refused: [] };
        record.reloaded(report, by);
        return report;
      },
    },
    ...more,
  });
  const check = new DocumentCheck(DOCUMENT);
  const ask = async (method: Method, path: string, body?: unknown, headers: object = bearer(ADMIN)) => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await request(web.url + path, { method, headers: { ...type, ...headers }, ...sent });
    const told = (await answer.body.json()) as Record<string, unknown>;
    check.answer(method, documented(method, path), answer.statusCode, told);
    return { status: answer.statusCode, body: told };
  };
  return {
    ...{ bridge, web, lines, ask, life },
    async [Symbol.asyncDispose]() {
      await web.close();
      await folder[Symbol.asyncDispose]();
      await bridge[Symbol.asyncDispose]();
    },
  };
}

export type SteeredWeb = Awaited<ReturnType<typeof startSteeredWeb>>;

/** The path of the document that this one is of. */
function documented(method: Method, path: string): string {
  const asked = (path.split('?')[0] ?? '').split('/');
  const fits = (known: string): boolean => {
    const parts = known.split('/');
    return (
      parts.length === asked.length && parts.every((part, i) => part.startsWith('{') || part === asked[i])
    );
  };
  const all = Object.keys(DOCUMENT.paths).filter(
    (known) => DOCUMENT.paths[known]?.[method.toLowerCase()] && fits(known),
  );
  // What is named wins over what stands for any name.
  return all.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? `${method} ${path}`;
}

/** Authorized; `isModern`: it takes messages and asks to reconnect. */
export async function rigAs(
  bridge: TestBridge,
  transport: WireTransport,
  login: string,
  isModern = false,
): Promise<WireRig> {
  const rig = await bridge.connect(transport);
  if (isModern) await rig.request('modern', 'mining.extranonce.subscribe', []);
  await rig.request(1, 'mining.subscribe', ['asic/1']);
  const { result } = await rig.request(2, 'mining.authorize', [login, 'x']);
  if (result !== true) throw new Error(`${login} was not let in`);
  return rig;
}
