/** What a command must be to be in a block, in the order and the words of real nodes. */

import { AMOUNT_PLACES, compareDecimals, type Decimal, numberText } from '../../core/money/decimal.js';
import type { ChainState } from './accounts.js';
import { Draft } from './accounts.js';
import type { Command } from './command.js';
import type { Commands } from './commands.js';
import { unknownCall } from './evaluate.js';
import { buyGas, NO_CONTINUATIONS } from './execute.js';
import { hasItsHash } from './signatures.js';
import { readCode } from './syntax.js';

/** Of one block, and of one command. */
export const BLOCK_GAS_LIMIT = 150_000;
export const LEAST_GAS_PRICE: Decimal = { mantissa: 1n, places: 8 };
const MOST_SIGNATURES = 100;
/** Seconds that a command may be made before the block that holds it. */
const EARLIEST = 95;
const EARLIEST_BY_CLOCK = 10;
const LONGEST_TTL = 2 * 24 * 3600;

export interface Place {
  readonly network: string;
  readonly chainId: number;
  /** Seconds since the epoch: of the parent's block time, and of the block itself or now. */
  readonly parentTime: number;
  readonly time: number;
  readonly commands: Commands;
}

/** Why it cannot be in a block of that place; `undefined` if only its gas is still to be paid. */
export function brokenAt(command: Command, place: Place, state: ChainState): string | undefined {
  const parse = unreadable(command);
  if (parse !== undefined) return `Pact parse error: ${parse}`;
  if (state.isIncluded(command.hash)) return 'Transaction already exists on chain';
  if (!hasItsHash(command)) return 'Invalid transaction hash';
  const { chainId } = command.meta;
  if (chainId !== String(place.chainId))
    return `Wrong chain, expected: ${place.chainId}, actual: ${chainId.slice(0, 80)}`;
  if (command.networkId !== place.network || command.sigs.length > MOST_SIGNATURES)
    return brokenEnvelope(command, place);
  if (command.meta.gasPrice.places > AMOUNT_PLACES) return wrongRounding(command.meta.gasPrice);
  const signature = place.commands.brokenSignature(command);
  if (signature !== undefined) return `Invalid transaction sigs: ${signature}`;
  return brokenTime(command, place);
}

/**
 * The block's own time counts where it is the later one: real nodes ask that of the parent alone, and so a chain that
 * stood still takes nothing that was made since.
 */
function brokenTime({ meta }: Pick<Command, 'meta'>, place: Place): string | undefined {
  const { creationTime, ttl } = meta;
  if (creationTime > Math.max(place.parentTime, place.time) + EARLIEST) return TOO_EARLY;
  const lives = ttl >= 1 && ttl <= LONGEST_TTL && creationTime >= 0;
  return lives && creationTime + ttl > place.parentTime ? undefined : EXPIRED;
}

const TOO_EARLY = 'Transaction creation time too far in the future';
const EXPIRED = 'Transaction time-to-live is expired';

/** What this node wants besides, before it keeps a command. @param place with the clock as its time. */
export function brokenForPool(command: Command, place: Place): string | undefined {
  const { gasLimit, gasPrice, creationTime, ttl } = command.meta;
  if (gasLimit > BLOCK_GAS_LIMIT) return `Transaction gas limit exceeds block gas limit (${BLOCK_GAS_LIMIT})`;
  if (gasPrice.places > AMOUNT_PLACES) return wrongRounding(gasPrice);
  if (compareDecimals(gasPrice, LEAST_GAS_PRICE) < 0) {
    const least = numberText(LEAST_GAS_PRICE);
    return `Transaction gas price (${numberText(gasPrice)}) is below minimum gas price (${least})`;
  }
  if (creationTime >= place.time + EARLIEST_BY_CLOCK) return TOO_EARLY;
  return ttl > 0 && place.time < creationTime + ttl ? undefined : EXPIRED;
}

/** Chain, number of signatures, network. */
export function brokenEnvelope({ meta, sigs, networkId }: Command, place: Place): string | undefined {
  if (!/^\d{1,9}$/.test(meta.chainId)) return 'insert error: Unparsable ChainId';
  if (sigs.length > MOST_SIGNATURES) return 'insert error: Too many signatures';
  const fits = meta.chainId === String(place.chainId) && networkId === place.network;
  return fits ? undefined : 'Transaction metadata (chain id, chainweb version) conflicts with this endpoint';
}

/** Whether its sender could pay for it, as the chain is. */
export function unaffordable(command: Command, state: ChainState): string | undefined {
  const reason = buyGas(command, new Draft(state));
  return reason === undefined ? undefined : `Attempt to buy gas failed with: ${reason}`;
}

/** What is no code, or none that runs here. */
function unreadable({ code }: Command): string | undefined {
  if (code === undefined) return NO_CONTINUATIONS;
  try {
    const nodes = readCode(code);
    return nodes.length === 0 ? 'the code is empty' : unknownCall(nodes);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

function wrongRounding(price: Decimal): string {
  return `insert error: This transaction's gas price: ${numberText(price)} is not correctly rounded. It should be rounded to at most ${AMOUNT_PLACES} decimal places.`;
}

/** What preflight says of it, each on its own. */
export function preflightFaults(command: Command, place: Place, isSigned: boolean): string[] {
  const { meta, networkId, sigs } = command;
  const signature = isSigned ? place.commands.brokenSignature(command) : undefined;
  const faults: [boolean, string][] = [
    [meta.chainId !== String(place.chainId), 'Chain id mismatch'],
    [meta.gasLimit > BLOCK_GAS_LIMIT, 'Transaction Gas limit exceeds block gas limit'],
    [meta.gasPrice.places > AMOUNT_PLACES, 'Gas price decimal precision too high'],
    [networkId !== place.network, 'Network id mismatch'],
    [sigs.length > MOST_SIGNATURES, 'Signature list size too big'],
    [signature !== undefined, 'Invalid transaction signatures'],
    [brokenTime(command, place) !== undefined, 'Tx time outside of valid range'],
  ];
  return faults.flatMap(([isBroken, name]) => (isBroken ? [name] : []));
}
