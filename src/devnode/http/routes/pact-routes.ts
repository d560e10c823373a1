/** How clients send commands, ask what became of them, and read accounts: as on real nodes, to the letter. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestKeyOf } from '../../../chain/request-key.js';
import { type Place, preflightFaults } from '../../coin/admission.js';
import { type Command, type Envelope, readCommand, readEnvelope } from '../../coin/command.js';
import { runLocal, runPreflight } from '../../coin/local.js';
import { outputJson, withMetaData } from '../../coin/result.js';
import { hasItsHash } from '../../coin/signatures.js';
import type { Block } from '../../consensus/block.js';
import { ancestorAt } from '../../consensus/branches.js';
import type { BlockState } from '../../consensus/chain-states.js';
import type { CutChange } from '../../consensus/chains.js';
import { placeAt } from '../../mining/block-run.js';
import { type Payload, textOf } from '../../mining/payload.js';
import { BADLISTED } from '../../mining/pool-checks.js';
import type { NodeContext } from '../context.js';
import { BareError, RequestError } from '../errors.js';
import { leavingSignal } from '../leaving.js';
import { checkHash, jsonBody, objectOf, pathText, queryNumber, queryText, quoted } from '../params.js';

const MOST_COMMANDS = 1000;
const MOST_KEYS = 1000;
const MOST_LISTENING = 1000;
const LISTEN_MS = 180_000;
const JSON_TYPE = 'application/json;charset=utf-8';

export function pactRoutes(app: FastifyInstance, context: NodeContext): void {
  const base = '/chain/:chain/pact';
  const listening = new Set<FastifyReply>();
  app.post(`${base}/api/v1/send`, async (request, reply) =>
    reply.type(JSON_TYPE).send(send(context, request)),
  );
  app.post(`${base}/api/v1/poll`, async (request, reply) =>
    reply.type(JSON_TYPE).send(poll(context, request)),
  );
  app.post(`${base}/api/v1/local`, async (request, reply) =>
    reply.type(JSON_TYPE).send(local(context, request)),
  );
  app.post(`${base}/api/v1/listen`, async (request, reply) => {
    if (listening.size >= MOST_LISTENING) throw new RequestError(503, 'too many listen already');
    listening.add(reply);
    const output = await listen(context, request, reply).finally(() => listening.delete(reply));
    return output === undefined ? reply.code(504).send() : reply.type(JSON_TYPE).send(output);
  });
  app.post(`${base}/spv`, async () => {
    throw new RequestError(400, NO_PROOFS);
  });
}

const NO_PROOFS =
  'contracts do not run on this node, and so it proves nothing of them: coins stay on their chain';

/** The head of the chain that the path names. */
function headOf({ chains }: NodeContext, request: FastifyRequest): Block {
  const text = pathText(request, 'chain');
  const head = /^\d{1,3}$/.test(text) ? chains.head(Number(text)) : undefined;
  if (head === undefined) throw new BareError(404, '', 'text');
  return head;
}

function send(context: NodeContext, request: FastifyRequest): object {
  const { chainId } = headOf(context, request);
  const { cmds } = objectOf(jsonBody(request), 'the body');
  if (!Array.isArray(cmds) || cmds.length === 0 || cmds.length > MOST_COMMANDS)
    throw new RequestError(400, `"cmds" must be a list of 1 to ${MOST_COMMANDS} commands`);
  const envelopes = cmds.map(envelopeOf);
  const commands = envelopes.map((envelope) => commandOf(envelope, 'reading JSON for transaction failed: '));
  const faults = context.mempool.send(chainId, commands);
  if (faults.length > 0) {
    const told = faults.map(
      ({ index, hash, reason }) => `Transaction "${hash}" at index ${index} failed with: ${reason}`,
    );
    throw new RequestError(400, `One or more transactions were invalid: ${told.join(', ')}`);
  }
  return { requestKeys: commands.map(({ hash }) => hash) };
}

function envelopeOf(json: unknown): Envelope {
  return orRefused('', () => readEnvelope(json));
}

function commandOf(envelope: Envelope, prefix: string, lenient = false): Command {
  return orRefused(prefix, () => readCommand(envelope, lenient));
}

/** What cannot be read is refused with the reader's words. */
function orRefused<T>(prefix: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) throw new RequestError(400, prefix + error.message);
    throw error;
  }
}

function poll(context: NodeContext, request: FastifyRequest): string {
  const head = headOf(context, request);
  const { requestKeys: keys } = objectOf(jsonBody(request), 'the body');
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MOST_KEYS)
    throw new RequestError(400, `"requestKeys" must be a list of 1 to ${MOST_KEYS} request keys`);
  const depth = queryNumber(request, 'confirmationDepth') ?? 0;
  const state = stateAt(context, head, depth);
  // Many of them may be in one block, and are read at once then.
  const payloads = new Map<string, Payload | undefined>();
  const results = [...new Set(keys.map((key, i) => checkHash(key, `request key ${i}`)))].flatMap((key) => {
    const result = resultOf(context, state, key, payloads);
    return result === undefined ? [] : [`"${key}":${result}`];
  });
  return `{${results.join()}}`;
}

/** The chain as it was so many blocks ago; `undefined` before its first one. */
function stateAt({ chains }: NodeContext, head: Block, depth: number): BlockState | undefined {
  const block = depth > head.height ? undefined : ancestorAt(chains.store, head, head.height - depth);
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

/** Waits for the command to be in a block; `undefined` after three minutes. */
async function listen(
  context: NodeContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const { chainId } = headOf(context, request);
  const key = checkHash(objectOf(jsonBody(request), 'the body')['listen'], '"listen"');
  const signal = leavingSignal(reply, context.closing);
  const until = performance.now() + LISTEN_MS;
  for (;;) {
    const head = context.chains.head(chainId);
    const result = head && resultOf(context, context.chains.states.behind(head), key);
    if (result !== undefined) return result;
    const left = until - performance.now();
    if (left <= 0) return undefined;
    await nextBlock(context, chainId, left, signal);
    if (signal.aborted) throw new RequestError(503, 'the node is stopping');
  }
}

/** Resolves at the next block of the chain, or after that time, or when nobody waits any more. */
function nextBlock({ chains }: NodeContext, chainId: number, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      chains.events.off('cut', onCut);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const onCut = ({ before, after }: CutChange): void => {
      if (before.heads.get(chainId)?.hash !== after.heads.get(chainId)?.hash) end();
    };
    const timer = setTimeout(end, ms);
    chains.events.on('cut', onCut);
    signal.addEventListener('abort', end);
  });
}

function local(context: NodeContext, request: FastifyRequest): string {
  const head = headOf(context, request);
  const isPreflight = queryFlag(request, 'preflight', false);
  const isSigned = queryFlag(request, 'signatureVerification', true);
  const state = stateAt(context, head, queryNumber(request, 'rewindDepth') ?? 0);
  if (state === undefined)
    throw new RequestError(400, 'rewindDepth goes beyond the first block of the chain');
  const prefix = 'Validation failed: ';
  const envelope = orRefused(prefix, () => readEnvelope(jsonBody(request)));
  const command = commandOf(envelope, prefix, !isPreflight);
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

function queryFlag(request: FastifyRequest, name: string, otherwise: boolean): boolean {
  const text = queryText(request, name);
  if (text === undefined) return otherwise;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new RequestError(400, `query parameter ${name} must be true or false, not ${quoted(text)}`);
}
