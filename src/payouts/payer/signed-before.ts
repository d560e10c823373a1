/**
 * What the log beside the key has, and the books do not: books of before these were restored had it signed. It may come still, or it is
 * proven that it cannot; then who signs is told, or their payments were refused for ever.
 */
import type { PayerState } from '../../bridge/payouts/payer-books.js';
import { commandsIn, deathOf, type ExpiryProof } from '../evidence/judge.js';
import type { ChainSight } from '../evidence/sight.js';
import type { SignedBefore } from '../signer/signer.js';
import type { Round } from './parts.js';

export interface Coming extends SignedBefore {
  /** Of the chain's time: then it can come no more. */
  readonly untilS: number;
}

interface ProvenDead extends Coming {
  readonly proof: ExpiryProof;
}

export interface Fates {
  readonly coming: readonly Coming[];
  readonly dead: readonly ProvenDead[];
  /** Its time is over, and blocks that could have it are read no more. */
  readonly unproven: number;
  /** Blocks from here on show more; absent: nothing more is to be read. */
  readonly readFrom: number | undefined;
}

/** Request keys that are asked for at a time. */
const PAGE = 1_000;

/** Of these ledgers. */
export async function signedUnknown(
  { signer, seat }: Pick<Round, 'signer' | 'seat'>,
  { ledgerIds }: PayerState,
): Promise<SignedBefore[]> {
  const signed = (await signer?.signedBefore?.(ledgerIds)) ?? [];
  const unknown: SignedBefore[] = [];
  for (let at = 0; at < signed.length; at += PAGE) {
    const some = signed.slice(at, at + PAGE);
    const known = await seat.known(some.map(({ requestKey }) => requestKey));
    unknown.push(...some.filter(({ requestKey }) => !known.has(requestKey)));
  }
  return unknown;
}

export interface Known {
  readonly depth: number;
  /** Of a chain that are kept. */
  readonly mostBlocks: number;
  /** From where blocks were asked for to prove something; absent: nobody did. */
  readonly askedFrom: number | undefined;
}

/** Pure. What of it is of this chain, and in no block of it. */
export function fatesOf(signed: readonly SignedBefore[], sight: ChainSight, known: Known): Fates {
  const [lowest, height] = [sight.blocks[0]?.height ?? 0, sight.head?.height ?? 0];
  const commands = commandsIn(sight);
  const [coming, dead, from]: [Coming[], ProvenDead[], number[]] = [[], [], []];
  let unproven = 0;
  for (const one of signed) {
    if (one.chainId !== sight.chainId || commands.has(one.requestKey)) continue;
    const late = { ...one, untilS: one.creationTimeS + one.ttlS };
    const death = deathOf(one, sight, known, commands);
    if (typeof death === 'object') dead.push({ ...late, proof: death });
    else if (typeof death === 'number') {
      // What was asked for and not given is not given next time either.
      const isKept = height - death < known.mostBlocks && lowest <= (known.askedFrom ?? lowest);
      if (isKept) from.push(death);
      else unproven++;
    } else coming.push(late);
  }
  return { coming, dead, unproven, readFrom: from.length === 0 ? undefined : Math.min(...from) };
}

/** The books first: a crash before the log has it leaves it to be found again. */
export async function bury(
  { seat, signer }: Pick<Round, 'seat' | 'signer'>,
  dead: readonly ProvenDead[],
): Promise<void> {
  if (dead.length === 0) return;
  await seat.bury(
    dead.map(({ paymentId, attempt, requestKey, chainId, proof }) => ({
      ...{ paymentId, attempt, requestKey },
      evidence: { chainId, ...proof },
    })),
  );
  for (const { requestKey, chainId, proof } of dead)
    await signer?.markDead(requestKey, wordsOf(chainId, proof));
}

function wordsOf(chainId: number, { from, to }: ExpiryProof): string {
  return `in no block of chain ${chainId} from ${from.height} (${from.hash}) to ${to.height} (${to.hash}), where its time was over`;
}
