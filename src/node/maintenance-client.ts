/** A node as a whole: backups, health, information, configuration and cut (`node-interface.md`, 4.7). */
import { checkWhole } from './bounds.js';
import type { Call, Caller, CallPolicy } from './call.js';
import type { HttpAnswer } from './http.js';
import {
  type CutObject,
  configModel,
  cutModel,
  infoModel,
  type NodeConfig,
  type NodeInfo,
} from './models.js';

export const BACKUP_STATES = ['backup-done', 'backup-in-progress', 'backup-failed'] as const;
export type BackupState = (typeof BACKUP_STATES)[number];

/** What the headers of every answer tell. */
export interface NodeFacts {
  /** The node's clock, milliseconds since the epoch, to the second: `x-server-timestamp`, else `Date`. */
  readonly clockMs: number | undefined;
  /** Version of its software, for example `2.32`. */
  readonly softwareVersion: string | undefined;
  /** Our host and port as the node sees them; real nodes say so on their peer port only. */
  readonly seenAs: string | undefined;
}

const BACKUP_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const BACKUP_ID_RULE = '1 to 64 characters of a-zA-Z0-9_-';

export class MaintenanceClient {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * `POST /make-backup`: starts a backup and gives its id; while one runs, that one's. Never repeated by a policy.
   *
   * @param options.withContractState back up the database of contracts too: much larger and slower.
   */
  async startBackup(options: { withContractState?: boolean } = {}, policy?: CallPolicy): Promise<string> {
    const query = { backupPact: options.withContractState ? 'true' : undefined };
    const call: Call = { method: 'POST', endpoint: '/make-backup', query };
    const text = await this.#caller.text(call, policy);
    const id = text.replace(/^"(.*)"$/, '$1');
    if (BACKUP_ID.test(id)) return id;
    throw this.#caller.formatError(call, `${shown(text)} is no backup id: ${BACKUP_ID_RULE}`);
  }

  /** `GET /check-backup/{backupId}` */
  async backupState(backupId: string, policy?: CallPolicy): Promise<BackupState> {
    if (!BACKUP_ID.test(backupId)) {
      throw new RangeError(`a backup id has ${BACKUP_ID_RULE}, not ${shown(backupId)}`);
    }
    const path = `/check-backup/${backupId}`;
    const call: Call = { method: 'GET', endpoint: '/check-backup/{backupId}', path };
    const text = await this.#caller.text(call, policy);
    const state = BACKUP_STATES.find((one) => text === one || text === `"${one}"`);
    if (state) return state;
    throw this.#caller.formatError(call, `${shown(text)} is none of ${BACKUP_STATES.join(', ')}`);
  }

  /** `GET /health-check`: its text, `Health check OK.` It says that the node answers, not that it is synchronised. */
  healthCheck(policy?: CallPolicy): Promise<string> {
    return this.#caller.text(this.#anywhere('/health-check'), policy);
  }

  /** `GET /info` */
  info(policy?: CallPolicy): Promise<NodeInfo> {
    return this.#caller.json(this.#anywhere('/info'), infoModel, policy);
  }

  /** What the headers of `GET /info` say of the node. */
  async facts(policy?: CallPolicy): Promise<NodeFacts> {
    return factsIn(await this.#caller.answer(this.#anywhere('/info'), policy));
  }

  /** `GET /config` at the host root; real nodes serve it on their peer port only. */
  config(policy?: CallPolicy): Promise<NodeConfig> {
    const call: Call = { method: 'GET', endpoint: '/config', prefixes: [this.#caller.root] };
    return this.#caller.json(call, configModel, policy);
  }

  /** `GET /cut`: the head of every chain. @param maxHeight largest sum of the heights of all chains. */
  cut(maxHeight?: number, policy?: CallPolicy): Promise<CutObject> {
    const query = { maxheight: checkWhole(maxHeight, 'maxHeight') };
    return this.#caller.json({ method: 'GET', endpoint: '/cut', query }, cutModel, policy);
  }

  /** `GET /cut`, with what the headers of the same answer say of the node. */
  async cutWithFacts(policy?: CallPolicy): Promise<{ readonly cut: CutObject; readonly facts: NodeFacts }> {
    const call: Call = { method: 'GET', endpoint: '/cut' };
    const answer = await this.#caller.answer(call, policy);
    return { cut: this.#caller.read(call, cutModel, answer.body.toString('utf8')), facts: factsIn(answer) };
  }

  /** At the base as specified, or at the root as real nodes serve it. */
  #anywhere(endpoint: string): Call {
    return { method: 'GET', endpoint, prefixes: [this.#caller.baseUrl, this.#caller.root] };
  }
}

export function factsIn({ headers }: Pick<HttpAnswer, 'headers'>): NodeFacts {
  const text = (name: string): string | undefined => [headers[name]].flat()[0];
  const seconds = Number(text('x-server-timestamp'));
  return {
    clockMs: Number.isInteger(seconds) && seconds > 0 ? seconds * 1000 : timeOf(text('date')),
    softwareVersion: text('x-ledger-node-version') ?? text('x-chainweb-node-version'),
    seenAs: text('x-peer-addr'),
  };
}

function timeOf(date: string | undefined): number | undefined {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
