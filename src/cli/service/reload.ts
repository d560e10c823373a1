/** Settings read again while a service runs. */
import { type Logger, pino } from 'pino';
import { changedSettings } from '../../config/layers/changed.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { faultOf } from '../../core/names/log.js';
import type { ScreenConfig } from '../screen/screen.js';

/** Settings of any command, as far as a service has to do with them. */
export interface AnyLoaded {
  readonly config: ScreenConfig;
}

/** What came of reading the settings again. */
interface ReloadReport {
  /** Keys whose values are in force now, and were others before. */
  readonly tookEffect: readonly string[];
  /** Keys whose values wait for a restart, those of former readings included. */
  readonly wantsRestart: readonly string[];
  /** Why all settings stay as they are, or not all could be changed: sentences without secrets. */
  readonly refused: readonly string[];
}

/** What a reload would read now. */
export interface Look<L extends AnyLoaded> {
  /** Absent where it would be refused. */
  readonly next?: L;
  /** Keys whose values are others than those in force. */
  readonly changed: readonly string[];
  /** Why it would be refused: sentences without secrets. */
  readonly refused: readonly string[];
}

/** What a service may ask of its settings while it runs. */
export interface ServiceSettings<L extends AnyLoaded> {
  /** The reading that the value comes from which is in force. */
  inForce(key: string): L;
  /** The reading whose value waits for a restart; `undefined` where none does. */
  waiting(key: string): L | undefined;
  /** Reads and checks them as a reload does, and changes nothing. */
  look(): Promise<Look<L>>;
  /** Reads them again, as SIGHUP does; `by` names who asks. Refused while the service is not up yet, and once it stops. */
  ask(by: string): Promise<ReloadReport>;
}

/** Puts in force what the parts of the service can change, and gives the keys of those that are in force now. */
type Apply<C> = (config: C) => readonly string[] | Promise<readonly string[]>;

interface ReloadOptions<L extends AnyLoaded> {
  /** As read before the start. */
  readonly first: L;
  /** Reads and checks them anew. Rejects with {@link ConfigError}. */
  readonly read: () => Promise<L>;
  /** Its level changes as well. */
  readonly log: Logger;
}

/** Told what came of a reload, and who asked for it: several with commas. */
export type Told = (report: ReloadReport, by: string) => void;

const NOT_UP: ReloadReport = refusal('the service is not up yet: ask again when it is ready');
const STOPPING: ReloadReport = refusal('the service stops');

/** One reload at a time. Says of each changed setting whether it took effect; settings with a fault change nothing. */
export class Reloader<L extends AnyLoaded> implements ServiceSettings<L> {
  readonly #options: ReloadOptions<L>;
  #config: L['config'];
  #newest: L;
  /** Keys that wait, and the reading from which the value in force of each is. */
  #waiting: ReadonlyMap<string, L> = new Map();
  #apply: Apply<L['config']> | undefined;
  #told: Told = () => {};
  /** Who has asked and waits for the next one. */
  #askedBy = new Set<string>();
  #isClosed = false;
  #work: Promise<ReloadReport> | undefined;

  constructor(options: ReloadOptions<L>) {
    this.#options = options;
    this.#config = options.first.config;
    this.#newest = options.first;
  }

  inForce(key: string): L {
    return this.#waiting.get(key) ?? this.#newest;
  }

  waiting(key: string): L | undefined {
    return this.#waiting.has(key) ? this.#newest : undefined;
  }

  async look(): Promise<Look<L>> {
    try {
      const next = await this.#options.read();
      return { next, changed: changedSettings(this.#config, next.config) as string[], refused: [] };
    } catch (error) {
      if (error instanceof ConfigError) return { changed: [], refused: error.problems };
      throw error;
    }
  }

  /**
   * The service is up: from now on its settings can be changed.
   *
   * @param told of what came of each reload.
   */
  begin(apply: Apply<L['config']>, told: Told = () => {}): void {
    this.#apply = apply;
    this.#told = told;
  }

  /**
   * While one is under way, another one follows it: what it has read already may be out of date. Resolves when there is none
   * left to do, with what came of all of them.
   */
  async ask(by: string): Promise<ReloadReport> {
    const apply = this.#apply;
    if (!apply) return NOT_UP;
    if (this.#isClosed) return STOPPING;
    this.#askedBy.add(by);
    this.#work ??= this.#workOff(apply);
    return this.#work;
  }

  /** Resolves when none is under way, and none will be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  async #workOff(apply: Apply<L['config']>): Promise<ReloadReport> {
    const took = new Set<string>();
    let last = STOPPING;
    while (this.#askedBy.size > 0 && !this.#isClosed) {
      const by = [...this.#askedBy].join(', ');
      this.#askedBy.clear();
      last = await this.#reload(apply).catch((error: unknown) => this.#refuse(error));
      for (const key of last.tookEffect) took.add(key);
      this.#told(last, by);
    }
    this.#work = undefined;
    return { ...last, tookEffect: [...took] };
  }

  async #reload(apply: Apply<L['config']>): Promise<ReloadReport> {
    const next = await this.#options.read();
    const changed = changedSettings(this.#config, next.config) as string[];
    const live = ['log.level', ...(await apply(next.config))];
    const took = changed.filter((key) => live.includes(key));
    const waits = changed.filter((key) => !live.includes(key));
    // What requires a restart is told again each time, until it gets one or is as it was.
    this.#config = { ...this.#config, ...pick(next.config, took) };
    this.#waiting = new Map(waits.map((key) => [key, this.inForce(key)]));
    this.#newest = next;
    this.#tell(changed, took, next.config['log.level']);
    return { tookEffect: took, wantsRestart: waits, refused: [] };
  }

  /** Whoever hears the log by its former or by its new level hears this. */
  #tell(changed: readonly string[], took: readonly string[], level: string): void {
    const { log } = this.#options;
    log.level = louder(log.level, level);
    if (changed.length === 0) log.info({ event: 'reload', state: 'unchanged' }, 'no setting has changed');
    for (const key of changed) {
      const [say, state] = took.includes(key)
        ? (['info', 'took effect'] as const)
        : (['warn', 'requires a restart'] as const);
      log[say]({ event: 'reload', key, state }, `${key} ${state}`);
    }
    log.level = level;
  }

  #refuse(error: unknown): ReloadReport {
    const { log } = this.#options;
    const refused = { event: 'reload', state: 'refused' };
    const wantsRestart = [...this.#waiting.keys()];
    if (error instanceof ConfigError) {
      for (const problem of error.problems)
        log.error({ ...refused, problem }, `all settings stay as they are: ${problem}`);
      return { tookEffect: [], wantsRestart, refused: error.problems };
    }
    const fault = faultOf(error);
    log.error({ ...refused, ...fault }, 'not all settings could be changed');
    return { tookEffect: [], wantsRestart, refused: [`not all settings could be changed: ${fault.error}`] };
  }
}

function refusal(why: string): ReloadReport {
  return { tookEffect: [], wantsRestart: [], refused: [why] };
}

function louder(one: string, other: string): string {
  const value = (level: string): number => pino.levels.values[level] ?? Number.POSITIVE_INFINITY; // silent
  return value(one) < value(other) ? one : other;
}

function pick<C extends object>(config: C, keys: readonly string[]): Partial<C> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => keys.includes(key))) as Partial<C>;
}
