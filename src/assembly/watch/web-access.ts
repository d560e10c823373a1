/** Who may ask over HTTP, from the settings: as they are in force now, since they may change while the web listens. */
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { Log } from '../../core/names/log.js';
import type { AccessRules } from '../../web/access/guard.js';

const KEYS = [
  'web.public',
  'web.hosts',
  'web.origins',
  'web.tokens.admin',
  'web.tokens.read',
  'web.tokens.approve',
] as const;
type AccessKey = (typeof KEYS)[number];
export type AccessConfig = Pick<BridgeConfig, AccessKey>;

/** Gives the admin token where no setting does; it may be empty, and then there is none. */
export type FindToken = () => Promise<string>;

export class WebAccess {
  readonly #log: Log;
  readonly #findToken: FindToken;
  #rules: AccessRules;

  /** Rejects as `findToken` does. */
  static async open(config: AccessConfig, log: Log, findToken: FindToken): Promise<WebAccess> {
    return new WebAccess(log, findToken, await rulesFrom(config, findToken));
  }

  private constructor(log: Log, findToken: FindToken, rules: AccessRules) {
    this.#log = log;
    this.#findToken = findToken;
    this.#rules = rules;
  }

  /** In force now. */
  get rules(): AccessRules {
    return this.#rules;
  }

  /**
   * Takes those of another reading, and looks for the token again, as its file may hold another one. Resolves with the keys
   * that are in force now; where no token can be had, all stays as it was.
   */
  async apply(config: AccessConfig): Promise<readonly AccessKey[]> {
    try {
      this.#rules = await rulesFrom(config, this.#findToken);
      return KEYS;
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'who may ask the web stays as it was');
      return [];
    }
  }
}

async function rulesFrom(config: AccessConfig, findToken: FindToken): Promise<AccessRules> {
  const given = config['web.tokens.admin'];
  return {
    isPublic: config['web.public'],
    hosts: config['web.hosts'],
    origins: config['web.origins'],
    tokens: {
      admin: given === '' ? await findToken() : given,
      ...{ read: config['web.tokens.read'], approve: config['web.tokens.approve'] },
    },
  };
}
