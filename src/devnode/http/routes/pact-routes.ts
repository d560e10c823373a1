/** How clients send commands, ask what became of them, and read accounts: as on real nodes, to the letter. */

import type { z } from 'zod';
import type { commandsModel, listenModel, pollModel, SignedCommand } from '../../../chain/command-models.js';
import { requestKeyOf } from '../../../chain/request-key.js';
import { type Place, preflightFaults } from '../../coin/admission.js';
import { type Command, envelopeOf, readCommand } from '../../coin/command.js';
import { runLocal, runPreflight } from '../../coin/local.js';
import { outputJson, withMetaData } from '../../coin/result.js';
import { hasItsHash } from '../../coin/signatures.js';
import type { Block } from '../../consensus/block.js';
import { ancestorAt } from '../../consensus/branches.js';
import type { BlockState } from '../../consensus/chain-states.js';
import { placeAt } from '../../mining/block-run.js';
import { type Payload, textOf } from '../../mining/payload.js';
import { BADLISTED } from '../../mining/pool-checks.js';
import type { NodeContext } from '../context.js';
import { RequestError } from '../errors.js';
import { leavingSignal } from '../leaving.js';
import type { Asked, Handlers } from '../table.js';

const NO_PROOFS =
  'contracts do not run on this node, and so it proves nothing of them: coins stay on their chain';

export const PACT_HANDLERS: Handlers<'send' | 'poll' | 'listen' | 'local' | 'spv'> = {
  send,
  poll,
  listen,
  local,
  spv: () => {
    throw new RequestError(400, NO_PROOFS);
  },
};

function send({ mempool }: NodeContext, { chainId, body }: Asked): object {
  const { cmds } = body as z.output<typeof commandsModel>;
  const commands = cmds.map((cmd) => commandOf(cmd, 'reading JSON for transaction failed: '));
  const faults = mempool.send(chainId, commands);
  if (faults.length > 0) {
    const told = faults.map(
      ({ index, hash, reason }) => `Transaction "${hash}" at index ${index} failed with: ${reason}`,
    );
    throw new RequestError(400, `One or more transactions were invalid: ${told.join(', ')}`);
  }
  return { requestKeys: commands.map(({ hash }) => hash) };
}

/** What cannot be read is refused with the reader's words. */
function commandOf(signed: SignedCommand, prefix: string, lenient = false): Command {
  try {
    return readCommand(envelopeOf(signed), lenient);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RequestError(400, prefix + error.message);
    throw error;
  }
}

function poll(context: NodeContext, { chainId, query, body }: Asked): string {
  const { requestKeys } = body as z.output<typeof pollModel>;
  const state = stateAt(context, chainId, Number(query['confirmationDepth'] ?? 0));
  // Many of them may be in one block, and are read at once then.
  const payloads = new Map<string, Payload | undefined>();
  const results = [...new Set(requestKeys)].flatMap((key) => {
    const result = resultOf(context, state, key, payloads);
    return result === undefined ? [] : [`"${key}":${result}`];
  });
  return `{${results.join()}}`;
}

/** The chain as it was so many blocks ago; `undefined` before its first one. */
function stateAt({ chains }: NodeContext, chainId: number, depth = 0): BlockState | undefined {
  const head = chains.head(chainId);
  const block =
    !head || depth > head.height ? undefined : ancestorAt(chains.store, head, head.height - depth);
  return block && chains.states.behind(block);
}

/** What came out of a command up to that state, as JSON; `undefined` if it is not there. */
function resultOf(
  context: NodeContext,
  state: BlockState | undefined,
  key: string,
  payloads = new Map<string, Payload | undefined>(),
): string | undefined {
  const { chains, mempool } = context;
  const { block, index } = state?.inclusion(key) ?? {};
  if (block && !payloads.has(block.hash))
    payloads.set(block.hash, chains.store.payload(block.chainId, block.payloadHash));
  const payload = block && payloads.get(block.hash);
  const output = payload?.outputs[index ?? -1];
  if (block && output !== undefined) return withMetaData(textOf(output), placeOf(block));
  return state && mempool.isBad(state.block.chainId, key) ? badlisted(key) : undefined;
}

function placeOf(block: Block): object {
  return {
    blockTime: Number(block.creationTime),
    prevBlockHash: block.parent,
    blockHash: block.hash,
    blockHeight: block.height,
  };
}

function badlisted(requestKey: string): string {
  const failure = { type: 'TxFailure', message: BADLISTED } as const;
  return outputJson({ requestKey, gas: 0, result: { failure }, events: [], txId: undefined, hasLogs: false });
}

/** Waits for the command to be in a block; 504 after three minutes. */
async function listen(context: NodeContext, { chainId, body, reply }: Asked): Promise<string> {
  const { listen: key } = body as z.output<typeof listenModel>;
  const signal = leavingSignal(reply, context.closing);
  const look = (): string | undefined => resultOf(context, stateAt(context, chainId), key);
  const result = await context.listeners.first(chainId, look, signal);
  if (signal.aborted) throw new RequestError(503, 'the node is stopping');
  if (result === undefined) throw new RequestError(504, '', 'bare');
  return result;
}

function local(context: NodeContext, { chainId, query, body }: Asked): string {
  const isPreflight = /^true$/i.test(query['preflight'] ?? 'false');
  const isSigned = /^true$/i.test(query['signatureVerification'] ?? 'true');
  const state = stateAt(context, chainId, Number(query['rewindDepth'] ?? 0));
  if (state === undefined)
    throw new RequestError(400, 'rewindDepth goes beyond the first block of the chain');
  const command = commandOf(body as SignedCommand, 'Validation failed: ', !isPreflight);
  const { chains, clock } = context;
  const parent = state.block;
  const at = {
    network: chains.network.name,
    parent,
    timeMicros: clock.nowMicros(),
    commands: chains.commands,
  };
  const faults = metadataFaults(command, placeAt(at), isPreflight, isSigned);
  if (faults.length > 0) throw new RequestError(400, `Metadata validation failed: ${JSON.stringify(faults)}`);
  const place = {
    accounts: state,
    parentHash: parent.hash,
    parentTime: parent.creationTime,
    height: parent.height + 1,
  };
  return isPreflight ? runPreflight(command, place) : runLocal(command, place);
}

function metadataFaults(command: Command, place: Place, isPreflight: boolean, isSigned: boolean): string[] {
  if (!hasItsHash(command)) {
    if (isSigned) return ['The hash of the payload was invalid.'];
    throw new RequestError(
      400,
      `Validation failed: Hash Mismatch, received ${command.hash} but our hashing resulted in ${requestKeyOf(command.cmd)}`,
    );
  }
  if (isPreflight) return preflightFaults(command, place, isSigned);
  const signature = isSigned ? place.commands.brokenSignature(command) : undefined;
  return signature === undefined ? [] : [signature];
}
