/** The chain of a history: which block stands where, and what the follower of a bridge tells the ledger of it. */
import { blockHashOf } from '../../../src/core/bytes/block-hash.js';
import { bytesEqual, fromBase64Url, toBase64Url } from '../../../src/core/bytes/bytes.js';
import { amountLiteral } from '../../../src/core/money/amount.js';
import type { Solution } from '../../../src/core/shares/share.js';
import { SQL as BLOCKS, confirmBlock, orphanBlock } from '../../../src/ledger/blocks/blocks.js';
import { revertSettled, settlementReader } from '../../../src/ledger/blocks/settle-passed.js';
import type { AppliedBlock } from '../../../src/ledger/chains/readers.js';
import { rowsOf } from '../../../src/ledger/database/statements.js';
import { inTransaction, lockBlocks } from '../../../src/ledger/database/transaction.js';
import type { SettleOptions } from '../../../src/ledger/settlement/weighing.js';
import { makeSolution } from '../rigs/solutions.js';

export const CHAIN = 3;
/** What its last block paid, as far as it was followed: so much is expected of the next. */
export const CHAIN_REWARD = 2n * 10n ** 12n;
export const POOL_ACCOUNT = 'k:pool';

export interface Income {
  readonly reward: bigint;
  readonly fees: bigint;
}

export class Chain {
  readonly #options: SettleOptions;
  /** From the lowest height on, without a gap. */
  readonly #applied: AppliedBlock[] = [];

  constructor(options: SettleOptions) {
    this.#options = options;
  }

  /** The lowest height that is not decided. */
  get next(): number {
    return 1 + this.#applied.length;
  }

  /** Hash of the block that stands there; `undefined`: it is not decided. */
  at(height: number): string | undefined {
    return this.#applied[height - 1]?.hash;
  }

  /** One more block is deep enough: this one of ours, or another's. */
  async apply(
    ours: (Pick<Solution, 'header'> & Income & { readonly difficulty: bigint }) | undefined,
  ): Promise<void> {
    const height = this.next;
    const header = ours?.header ?? makeSolution({}, { chainId: CHAIN, height, payload: 99 }, 1n).header;
    const block = {
      ...{ chainId: CHAIN, height, header, hash: toBase64Url(blockHashOf(header)), parent: '' },
      ...{ weight: 1n, work: ours?.difficulty ?? 1n, timeMicros: 0n, epochStartMicros: 0n },
      payload: outputsOf(ours ? POOL_ACCOUNT : 'k:another', ours ?? { reward: 1n, fees: 0n }),
    } as unknown as AppliedBlock;
    const { pool, rules } = this.#options;
    const reader = settlementReader({ rules, poolAccounts: [POOL_ACCOUNT], isPending: () => true });
    await inTransaction(pool, (client) => reader.apply(client, block));
    this.#applied.push(block);
  }

  /** By order, the last ones are taken back. */
  async revert(count: number): Promise<void> {
    for (const block of this.#applied.splice(-count).reverse())
      await inTransaction(this.#options.pool, (client) => revertSettled(client, block));
  }

  /** Ours that the ledger has heard of after their height was passed. */
  async settleLate(heights: readonly number[]): Promise<void> {
    const { pool, rules } = this.#options;
    for (const { height, hash, payload } of this.#applied.filter((block) => heights.includes(block.height)))
      await inTransaction(pool, async (client) => {
        await lockBlocks(client);
        for (const row of await rowsOf(client, BLOCKS.pendingAt, [CHAIN, height]))
          if (bytesEqual(row.hash, fromBase64Url(hash) ?? row.hash.subarray(1)))
            await confirmBlock(client, row, payload, rules);
          else await orphanBlock(client, row.id);
      });
  }
}

/** Its coinbase pays that account, and the gas of one transaction comes on top. */
function outputsOf(account: string, { reward, fees }: Income) {
  const coinbase = transfer('', account, amountLiteral(reward));
  const price = amountLiteral(fees);
  const command = JSON.stringify({ cmd: `{"meta":{"sender":"k:payer","gasPrice":${price}}}` });
  const output = transfer('k:payer', account, price).replace('{', '{"gas":1,');
  return { coinbase, transactions: fees > 0n ? [{ command, output }] : [] };
}

function transfer(from: string, to: string, amount: string): string {
  return `{"events":[{"params":["${from}","${to}",${amount}],"name":"TRANSFER","module":{"namespace":null,"name":"coin"}}]}`;
}
