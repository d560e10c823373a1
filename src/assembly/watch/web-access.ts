/** Who may ask over HTTP, from the settings: as they are in force now, since they may change while the web listens. */
import type { BridgeConfig } from '../../config/settings.js';
import type { Log } from '../../core/names/log.js';
import type { TokenAccess } from '../../operations/enums.js';
import type { AccessRules } from '../../web/access/guard.js';
import type { Token } from '../../web/access/tokens.js';

const KEYS = ['web.public', 'web.url', 'web.hosts', 'web.origins', 'web.tokens'] as const;
type AccessKey = (typeof KEYS)[number];
export type AccessConfig = Pick<BridgeConfig, AccessKey>;

/** Give the tokens that no setting gives; each may be empty, and then there is none. */
interface FindTokens {
  admin(): Promise<string>;
  read(): Promise<string>;
}

export class WebAccess {
  readonly #log: Log;
  readonly #find: FindTokens;
  #config: AccessConfig;
  #rules: AccessRules;
  #reading: Promise<void> | undefined;

  /** Rejects as `find` does. */
  static async open(config: AccessConfig, log: Log, find: FindTokens): Promise<WebAccess> {
    return new WebAccess(log, find, config, await rulesFrom(config, find));
  }

  private constructor(log: Log, find: FindTokens, config: AccessConfig, rules: AccessRules) {
    this.#log = log;
    this.#find = find;
    this.#config = config;
    this.#rules = rules;
  }

  /** In force now. */
  get rules(): AccessRules {
    return this.#rules;
  }

  /**
   * Takes those of another reading, and looks for the tokens again, as their files may hold other ones. Resolves with the keys
   * that are in force now; where no token can be had, all stays as it was.
   */
  async apply(config: AccessConfig): Promise<readonly AccessKey[]> {
    try {
      this.#rules = await rulesFrom(config, this.#find);
      this.#config = config;
      return KEYS;
    } catch (error) {
      this.#tellThatAllStays(error);
      return [];
    }
  }

  /** Takes a read token that was made since. One reading at a time is enough for all who ask meanwhile. */
  readTokens(): Promise<void> {
    this.#reading ??= this.#readToken().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readToken(): Promise<void> {
    if (hasAccess(this.#config, 'read')) return;
    try {
      const read = await tokenIn('read', this.#find);
      // Other ones may be in force since.
      if (hasAccess(this.#config, 'read')) return;
      const others = this.#rules.tokens.filter(({ name }) => name !== 'read');
      this.#rules = { ...this.#rules, tokens: [...others, ...read] };
    } catch (error) {
      this.#tellThatAllStays(error);
    }
  }

  #tellThatAllStays(error: unknown): void {
    this.#log.warn({ error: (error as Error).message }, 'who may ask the web stays as it was');
  }
}

async function rulesFrom(config: AccessConfig, find: FindTokens): Promise<AccessRules> {
  const given = Object.entries(config['web.tokens']).map(([name, token]) => ({ name, ...token }));
  return {
    isPublic: config['web.public'],
    url: config['web.url'],
    hosts: config['web.hosts'],
    origins: config['web.origins'],
    tokens: [
      ...given,
      ...(hasAccess(config, 'admin') ? [] : await tokenIn('admin', find)),
      ...(hasAccess(config, 'read') ? [] : await tokenIn('read', find)),
    ],
  };
}

function hasAccess({ 'web.tokens': tokens }: AccessConfig, wanted: TokenAccess): boolean {
  return Object.values(tokens).some(({ access }) => access === wanted);
}

/** That no setting gives, named as what it may do. */
async function tokenIn(access: keyof FindTokens, find: FindTokens): Promise<readonly Token[]> {
  const secret = await find[access]();
  return secret === '' ? [] : [{ name: access, access, secret }];
}
