/** A node as a whole: backups, health, information, configuration, cut and peers (`node-interface.md`, 4.7 and 2). */
import { ENDPOINTS } from '../../chain/endpoints.js';
import type { CutObject, NodeConfig, NodeInfo, OfferedCut, Page, PeerInfo } from '../../chain/models.js';
import { PARAMETERS, quoted } from '../../chain/parameters.js';
import type { Call, Caller } from '../asking/call.js';
import type { CallPolicy } from '../asking/policy.js';
import { type PeerWindow, peersOf } from './peer-lists.js';

const BACKUP_STATES = ['backup-done', 'backup-in-progress', 'backup-failed'] as const;
export type BackupState = (typeof BACKUP_STATES)[number];

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
    const call: Call = { to: ENDPOINTS.startBackup, query };
    const text = await this.#caller.text(call, policy);
    const id = text.replace(/^"(.*)"$/, '$1');
    const { fits, says } = PARAMETERS.backupId;
    if (fits(id)) return id;
    throw this.#caller.formatError(call, `${quoted(text)} is no backup id: ${says}`);
  }

  /** `GET /check-backup/{backupId}` */
  async backupState(backupId: string, policy?: CallPolicy): Promise<BackupState> {
    const call: Call = { to: ENDPOINTS.backupState, path: { backupId } };
    const text = await this.#caller.text(call, policy);
    const state = BACKUP_STATES.find((one) => text === one || text === `"${one}"`);
    if (state) return state;
    throw this.#caller.formatError(call, `${quoted(text)} is none of ${BACKUP_STATES.join(', ')}`);
  }

  /** `GET /health-check`: its text, `Health check OK.` It says that the node answers, not that it is synchronised. */
  healthCheck(policy?: CallPolicy): Promise<string> {
    return this.#caller.text({ to: ENDPOINTS.healthCheck }, policy);
  }

  /** `GET /info` */
  info(policy?: CallPolicy): Promise<NodeInfo> {
    return this.#caller.json({ to: ENDPOINTS.info }, policy);
  }

  /** `GET /config` at the host root; real nodes serve it on their peer port only. */
  config(policy?: CallPolicy): Promise<NodeConfig> {
    return this.#caller.json({ to: ENDPOINTS.config }, policy);
  }

  /** `GET /cut`: the head of every chain. @param maxHeight largest sum of the heights of all chains. */
  cut(maxHeight?: number, policy?: CallPolicy): Promise<CutObject> {
    return this.#caller.json({ to: ENDPOINTS.cut, query: { maxheight: maxHeight } }, policy);
  }

  /** `PUT /cut`: offers a cut, with the node that has its blocks as its origin, and blocks with it if there are. Real nodes take it on their peer port only. */
  async putCut(cut: OfferedCut, policy?: CallPolicy): Promise<void> {
    await this.#caller.answer({ to: ENDPOINTS.putCut, json: cut }, policy);
  }

  /** `GET /cut/peer`: nodes that exchange cuts. */
  peers(window: PeerWindow = {}, policy?: CallPolicy): Promise<Page<PeerInfo>> {
    return peersOf(this.#caller, { to: ENDPOINTS.cutPeers, query: { ...window } }, policy);
  }

  /** `PUT /cut/peer`: tells of one more. */
  async addPeer(peer: PeerInfo, policy?: CallPolicy): Promise<void> {
    await this.#caller.answer({ to: ENDPOINTS.addCutPeer, json: peer }, policy);
  }
}
