/** Bridges as processes, the servers that they share, and the chain that decides on their blocks: in which a history happens. */

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { SILENT } from '../../../../src/core/names/log.js';
import { accountIds } from '../../../../src/ledger/accounts/accounts.js';
import { type Ledger, openLedger } from '../../../../src/ledger/ledger.js';
import { rulesFor } from '../../../../src/ledger/rules/bridge-rules.js';
import { REWARD_RULES, type RewardRules } from '../../../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../../../src/ledger/rules/rules.js';
import { createDatabase } from '../../books/postgres.js';
import { signRoot } from '../../books/root-key.js';
import { until } from '../../until.js';
import { CHAIN_REWARD, Chain, type Income } from '../chain.js';
import { hashOf, solutionOf } from './blocks.js';
import { Facts } from './facts.js';
import { type FastClock, fastMs, steerFastTime } from './fast-time.js';
import { beginLedger } from './ledger-rows.js';
import { Machine } from './machine.js';
import type { Servers } from './servers.js';
import type { Find } from './words.js';

/** A begin of an hour. */
const START_MS = 1_699_999_200_000;
const ACCOUNTS = ['k:a', 'k:b', 'k:c', ''];

export interface WorldOptions {
  readonly servers: Servers;
  readonly queue: 'postgres' | 'redis';
  readonly rules: RewardRules;
  readonly machines: number;
  readonly folder: string;
  /** Of an hour, at which it begins. */
  readonly second: number;
}

export interface FoundBlock extends Find, Income {
  readonly hash: string;
}

export class World {
  readonly accounts = ACCOUNTS;
  readonly facts = new Facts();
  readonly servers: Servers;
  readonly rules: RewardRules;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly ledger: Ledger;
  readonly chain: Chain;
  readonly machines: Machine[] = [];
  readonly blocks: FoundBlock[] = [];
  /** Bridges that ended by themselves. */
  readonly deaths: string[] = [];
  readonly setTime: (clock: FastClock, passes: boolean) => Promise<void>;
  readonly #clock: FastClock;
  /** PostgreSQL is on its way up. */
  #coming: Promise<unknown> = Promise.resolve();
  #starts = 0;

  private constructor(
    { servers, queue, rules, second }: WorldOptions,
    databaseUrl: string,
    ledger: Ledger,
    setTime: World['setTime'],
  ) {
    this.servers = servers;
    this.rules = rules;
    this.databaseUrl = databaseUrl;
    this.redisUrl = queue === 'redis' ? servers.redisUrl : undefined;
    this.ledger = ledger;
    this.setTime = setTime;
    this.#clock = { sinceMs: Date.now(), atMs: START_MS + second * 1000 };
    this.chain = new Chain({ pool: ledger.pool, rules: async () => rules, signRoot, log: SILENT });
  }

  static async begin(options: WorldOptions): Promise<World> {
    const { servers, rules } = options;
    await servers.startRedis();
    await servers.emptyRedis();
    const databaseUrl = await createDatabase(servers.postgres);
    const ledger = await openLedger({ connectionString: databaseUrl, log: SILENT });
    const world = new World(options, databaseUrl, ledger, await steerFastTime(ledger.pool));
    await world.setTime(world.#clock, true);
    await beginLedger(ledger.pool, CHAIN_REWARD);
    // Numbered by name: equal remainders go by number, and in the model by name.
    for (const name of ACCOUNTS.filter((each) => each !== '')) await accountIds(ledger.pool, [name]);
    await writeFirstRules(ledger.pool, rules, 'test');
    // What bridges cannot read back they do not settle by.
    expect(await rulesFor(ledger.pool, REWARD_RULES, 'test')()).toMatchObject({
      patienceMs: rules.patienceMs,
    });
    await world.#makeMachines(options);
    return world;
  }

  async #makeMachines({ machines, folder }: WorldOptions): Promise<void> {
    const around = {
      ...{ databaseUrl: this.databaseUrl, redisUrl: this.redisUrl, clock: this.#clock, accounts: ACCOUNTS },
      nextStart: () => this.#starts++,
      onWord: (word: Parameters<Facts['heard']>[0]) => this.facts.heard(word),
      onDeath: (why: string) => void this.deaths.push(why),
    };
    for (let i = 0; i < machines; i++)
      this.machines.push(await Machine.make(around, await mkdtemp(join(folder, `${i}-`))));
    for (const machine of this.machines) machine.start(0);
    await Promise.all(this.machines.map((machine) => machine.is('up')));
  }

  get nowMs(): number {
    return fastMs(this.#clock);
  }

  find(machine: Machine, given: Omit<Find, 'number'> & Income): FoundBlock {
    const number = this.blocks.length + 1;
    const block = { ...given, number, hash: hashOf({ ...given, number }) };
    this.blocks.push(block);
    const { account, height, difficulty, answer } = given;
    machine.tell({ find: { number, account, height, difficulty, answer } });
    return block;
  }

  /** The next height is deep enough. @param which of ours there that a disk has, by number, or another's. */
  async decide(which: number): Promise<void> {
    const { next } = this.chain;
    const ours = this.blocks.filter(({ height, number }) => height === next && this.facts.found.has(number));
    const block = ours[which];
    await this.#follow(() => this.chain.apply(block && { ...block, header: solutionOf(block, 0).header }));
    await this.followLate();
  }

  async revert(count: number): Promise<void> {
    await this.#follow(() => this.chain.revert(count));
  }

  /** Solutions that the ledger has heard of after their height was passed. */
  async followLate(): Promise<void> {
    const heights = new Set(this.blocks.map(({ height }) => height));
    await this.#follow(() => this.chain.settleLate([...heights].filter((one) => one < this.chain.next)));
  }

  /** Connections of before a kill may fail once more: what they were to do did not happen. */
  async #follow(act: () => Promise<void>): Promise<void> {
    await this.#coming;
    await until('the chain is followed', () =>
      act().then(
        () => true,
        (error: Error & { code?: string }) => {
          if (error.name === 'AssertionError' || /^(2|42)/.test(error.code ?? '')) throw error;
          return false;
        },
      ),
    );
  }

  async killPostgres(): Promise<void> {
    await this.#coming;
    const fromMs = this.nowMs;
    await this.servers.killPostgres();
    this.#coming = this.servers.postgresAnswers().then(() => this.facts.away.push([fromMs, this.nowMs]));
  }

  /** It is away for everybody. Resolves with what brings it back to some. */
  async loseLedger(): Promise<(machines: readonly Machine[]) => Promise<void>> {
    await Promise.all(this.machines.map((machine) => machine.cutOff()));
    const fromMs = this.nowMs;
    let isAway = true;
    return async (machines) => {
      if (isAway) this.facts.away.push([fromMs, this.nowMs]);
      isAway = false;
      await Promise.all(machines.map((machine) => machine.connect()));
    };
  }

  async emptyQueue(): Promise<void> {
    if (this.redisUrl) await this.servers.emptyRedis();
  }

  /** All is back, and everybody runs. */
  async bringBack(): Promise<void> {
    await this.#coming;
    await this.servers.startRedis();
    for (const machine of this.machines) {
      await machine.connect();
      if (machine.state === 'stopping') await machine.is('down');
      if (machine.state === 'down') machine.start(0);
    }
    await Promise.all(this.machines.map((machine) => machine.is('up')));
  }

  async end(): Promise<void> {
    await this.#coming.catch(() => {}); // what went wrong was told
    await Promise.all(this.machines.map((machine) => machine.end()));
    await this.ledger.close();
  }
}
