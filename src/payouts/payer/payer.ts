/**
 * The payer: one of all bridges has the seat, and goes round its chains. A round looks first, and lets what it finds move the books; only then
 * it builds, signs and sends. Whatever ends it in between, the next round finds in the books how far each line is.
 */
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  type LiveTransaction,
  type PayerSeat,
  type PayerState,
  SeatLostError,
} from '../../bridge/payouts/payer-books.js';
import type { ChainSight } from '../evidence/sight.js';
import type { Signer } from '../signer/signer.js';
import { planNext } from './batches.js';
import { pausedByBooks } from './checks.js';
import { clocksDiffer } from './clocks.js';
import { isReading, type LookedAt, mostRead, seenOf, sightOf, takeSight } from './look.js';
import { newMemory, type PayerParts, pauseFor, type Round } from './parts.js';
import { comparedFrom, reconcile } from './reconcile.js';
import { coinsMissing } from './rooms.js';
import { buildNext, sendAll } from './send.js';
import { signNext } from './sign.js';

export interface RunningPayer {
  /** A round as soon as it can be. */
  soon(): void;
  close(): Promise<void>;
}

const EVERY_MS = 3_000;

export function startPayer(parts: PayerParts): RunningPayer {
  const payer = new PayerLoop(parts);
  payer.start();
  return payer;
}

class PayerLoop implements RunningPayer {
  readonly #parts: PayerParts;
  readonly #closing = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: PayerParts) {
    this.#parts = parts;
    // Looks at all chains listen to it at a time.
    setMaxListeners(0, this.#closing.signal);
  }

  start(): void {
    // Each question to a node listens, and all chains are asked at a time.
    setMaxListeners(0, this.#closing.signal);
    this.#running = this.#run();
  }

  soon(): void {
    this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { everyMs = EVERY_MS } = this.#parts;
    while (!signal.aborted) {
      await this.#sit();
      // Not aborted by who closes between the two: that has aborted the wake too.
      await pause(everyMs, undefined, { signal: this.#wake.signal }).catch(() => {});
      if (!signal.aborted) this.#wake = new AbortController();
    }
  }

  /** Rounds while the seat is ours. */
  async #sit(): Promise<void> {
    const { books, terms, log, everyMs = EVERY_MS } = this.#parts;
    const { signal } = this.#closing;
    let seat: PayerSeat | undefined;
    let signer: Signer | undefined;
    try {
      seat = await books.takeSeat(terms.place);
      if (!seat) return;
      signer = await this.#parts.openSigner();
      await seat.bind(terms.from.account, terms.networkId, signer === undefined);
      const round: Round = { ...this.#parts, seat, signer, signal, memory: newMemory() };
      while (!signal.aborted) {
        await goRound(round);
        // With blocks left to read the next one comes at once.
        if (round.memory.reading.size > 0) continue;
        await pause(everyMs, undefined, { signal: this.#wake.signal }).catch(() => {});
        if (!signal.aborted) this.#wake = new AbortController();
      }
    } catch (error) {
      if (signal.aborted) return;
      const words =
        error instanceof SeatLostError
          ? 'another bridge pays now'
          : 'a round of payouts failed; it is tried again';
      log.warn({ error: (error as Error).message }, words);
    } finally {
      await signer?.close();
      await seat?.close();
    }
  }
}

/** One round. What fails in it fails all of it: the next one begins with what the books say. */
export async function goRound(round: Round): Promise<void> {
  const { seat, signal } = round;
  const state = await seat.state();
  const ids = await round.chainIds(signal);
  const live = await seat.live();
  const compared = await comparedFrom(round, state);
  const chains = await lookAtAll(round, { ids, state, live, compared });
  await seat.sawChains([...chains.values()].map((looked) => seenOf(looked, round.memory)));
  // Once it is known which attempts have died: what paid their lines since is theirs.
  await reconcile(round, state, chains);
  await pauseFor(round, clocksDiffer(await round.eyes.clocks(), round.eyes.nodes));
  await sendAgain(round, chains);
  if ((await seat.state()).pause !== undefined || signal.aborted) return;
  if (!round.memory.areBooksChecked) {
    round.memory.areBooksChecked = true;
    if (await pausedByBooks(round)) return;
  }
  let now = await seat.live();
  // While blocks are to be read, of some chains it is not known yet what came.
  const areAllRead = round.memory.reading.size === 0;
  if (areAllRead && (await pauseFor(round, coinsMissing(round, chains, now, await seat.bespoken())))) return;
  // To read thousands of them takes its time: only what has changed is read anew.
  if ((await buildNext(round, state, chains, now)) > 0) now = await seat.live();
  if ((await signNext(round, state, chains, now)) > 0) now = await seat.live();
  if ((await seat.state()).pause !== undefined || signal.aborted) return;
  if ((await sendSigned(round, chains, now)) > 0) now = await seat.live();
  await planNext(round, await seat.state(), chains, now);
}

interface ToLook {
  readonly ids: readonly number[];
  readonly state: PayerState;
  readonly live: readonly LiveTransaction[];
  /** From which height on a chain is to be compared; `undefined`: nobody has asked for it. */
  readonly compared: ((chainId: number) => number) | undefined;
}

async function lookAtAll(
  round: Round,
  { ids, state, live, compared }: ToLook,
): Promise<Map<number, LookedAt>> {
  const chains = new Map<number, LookedAt>();
  const byChain = new Map<number, LiveTransaction[]>(ids.map((chainId) => [chainId, []]));
  for (const one of live) byChain.get(one.chainId)?.push(one);
  const mine = (chainId: number): readonly LiveTransaction[] => byChain.get(chainId) ?? [];
  const most = mostRead(round, ids.length);
  const look = (chainId: number): Promise<ChainSight> =>
    sightOf(round, chainId, state, { mine: mine(chainId), fromHeight: compared?.(chainId), most });
  for (let i = 0; i < ids.length; i += LOOKED_AT_ONCE) {
    const sights = await Promise.all(ids.slice(i, i + LOOKED_AT_ONCE).map(look));
    for (const sight of sights) {
      chains.set(sight.chainId, await takeSight(round, sight, state, mine(sight.chainId)));
      // To judge what waits on a full chain takes some milliseconds.
      await nextTurn();
    }
  }
  const reading = [...chains.values()].filter(({ sight }) => isReading(sight));
  round.memory.reading = new Set(reading.map(({ chainId }) => chainId));
  return chains;
}

/** Chains. Full blocks of all of them would come, and be checked, in one moment. */
const LOOKED_AT_ONCE = 4;

/** The same bytes with every new block of their chain: nodes forget, and whoever has them already takes them for the same. */
async function sendAgain(round: Round, chains: ReadonlyMap<number, LookedAt>): Promise<void> {
  for (const { chainId, sight, waiting } of chains.values()) {
    const head = sight.head?.hash;
    if (head === undefined || round.memory.sentAt.get(chainId) === head) continue;
    // It may be in one of those that are to be read.
    if (round.memory.reading.has(chainId)) continue;
    round.memory.sentAt.set(chainId, head);
    await sendAll(round, waiting);
  }
}

/** The intention is in the books before the first byte leaves. Resolves with how many were sent. */
async function sendSigned(
  round: Round,
  chains: ReadonlyMap<number, LookedAt>,
  live: readonly LiveTransaction[],
): Promise<number> {
  const { seat } = round;
  const signed = live.filter(
    ({ state, chainId, isRejected }) =>
      state === 'signed' && !isRejected && chains.get(chainId)?.trouble === '',
  );
  if (signed.length === 0) return 0;
  const may = await seat.sending(signed.map(({ id }) => id));
  await sendAll(
    round,
    signed.filter(({ id }) => may.has(id)),
  );
  return signed.length;
}
