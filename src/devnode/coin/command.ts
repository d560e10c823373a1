/** Commands: an envelope whose `cmd` text is what its signers signed, to the letter. */
import { commandModel, type SignedCommand } from '../../chain/command-models.js';
import { fromBase64Url } from '../../core/bytes/bytes.js';
import { type Decimal, parseDecimal } from '../../core/money/decimal.js';
import { type Fields, fieldsOf, NumberText, parseJson, readValue, type Value } from './codec.js';
import { commandJson } from './result.js';

interface Envelope {
  /** As given; whether it is that of `cmd` is another question. */
  readonly hash: string;
  readonly sigs: readonly string[];
  readonly cmd: string;
}

export interface Capability {
  readonly name: string;
  readonly args: readonly Value[];
}

export interface Signer {
  readonly publicKey: string;
  readonly scheme: string;
  readonly address: string | undefined;
  /** What the signature is good for; `undefined`: for every guard. */
  readonly scope: readonly Capability[] | undefined;
}

export interface Meta {
  readonly chainId: string;
  readonly sender: string;
  readonly gasLimit: number;
  readonly gasPrice: Decimal;
  /** Seconds; the creation time since the epoch. */
  readonly ttl: number;
  readonly creationTime: number;
}

export interface Command extends Envelope {
  /** As it stands in a block. */
  readonly text: string;
  readonly networkId: string | undefined;
  /** `undefined` for a continuation. */
  readonly code: string | undefined;
  readonly data: Fields;
  readonly signers: readonly Signer[];
  readonly meta: Meta;
}

/** More than anybody sends: signers, and what they sign for. */
const MOST_OF_A_LIST = 1000;

export function envelopeOf({ hash, sigs, cmd }: SignedCommand): Envelope {
  return { hash, sigs: sigs.map(({ sig }) => sig), cmd };
}

/** Throws SyntaxError for what is no envelope. */
export function readEnvelope(json: unknown): Envelope {
  const { data } = commandModel.safeParse(json);
  if (data && fromBase64Url(data.hash)?.length === 32) return envelopeOf(data);
  throw new SyntaxError(
    'a command has the texts "cmd" and "hash", and the list "sigs" of objects with "sig"',
  );
}

/** @param lenient reads without a meta part too. Throws SyntaxError for what is no command. */
export function readCommand(envelope: Envelope, lenient = false): Command {
  const cmd = fieldsOf(parseJson(envelope.cmd));
  if (cmd === undefined) throw new SyntaxError('"cmd" must be the text of a JSON object');
  const { networkId, payload, signers, meta, nonce, verifiers } = cmd;
  if (typeof nonce !== 'string') throw new SyntaxError('"nonce" must be a text');
  if (networkId !== undefined && networkId !== null && typeof networkId !== 'string')
    throw new SyntaxError('"networkId" must be a text');
  if (Array.isArray(verifiers) && verifiers.length > 0)
    throw new SyntaxError('no "verifiers" are known here');
  return {
    ...envelope,
    text: commandJson(envelope.hash, envelope.sigs, envelope.cmd),
    networkId: networkId ?? undefined,
    ...readPayload(payload),
    signers: listOf(signers, 'signers').map(readSigner),
    meta: meta === undefined && lenient ? ANY_META : readMeta(meta),
  };
}

function readPayload(payload: unknown): Pick<Command, 'code' | 'data'> {
  const { exec, cont } = fieldsOf(payload) ?? {};
  if (fieldsOf(cont) !== undefined) return { code: undefined, data: {} };
  const { code, data } = fieldsOf(exec) ?? {};
  if (typeof code !== 'string' || data === undefined)
    throw new SyntaxError('"payload" must have "exec" with "code" and "data", or "cont"');
  return { code, data: fieldsOf(data) ?? {} };
}

function readSigner(json: unknown): Signer {
  const { pubKey, scheme, addr, clist } = fieldsOf(json) ?? {};
  if (typeof pubKey !== 'string') throw new SyntaxError('each of "signers" must have the text "pubKey"');
  const scope = clist === undefined || clist === null ? [] : listOf(clist, 'clist').map(readCapability);
  return {
    publicKey: pubKey,
    scheme: typeof scheme === 'string' ? scheme : 'ED25519',
    address: typeof addr === 'string' ? addr : undefined,
    scope: scope.length === 0 ? undefined : scope,
  };
}

function readCapability(json: unknown): Capability {
  const { name, args } = fieldsOf(json) ?? {};
  const values = Array.isArray(args) ? args.slice(0, MOST_OF_A_LIST).map(readValue) : [undefined];
  if (typeof name !== 'string' || values.includes(undefined))
    throw new SyntaxError('each of "clist" must have the text "name" and the list "args" of values');
  return { name, args: values as Value[] };
}

const ANY_META: Meta = {
  chainId: '',
  sender: '',
  gasLimit: 150_000,
  gasPrice: { mantissa: 0n, places: 0 },
  ttl: 0,
  creationTime: 0,
};

function readMeta(json: unknown): Meta {
  const { chainId, sender, gasLimit, gasPrice, ttl, creationTime } = fieldsOf(json) ?? {};
  if (typeof chainId !== 'string') throw new SyntaxError('"meta" must have the text "chainId"');
  if (typeof sender !== 'string') throw new SyntaxError('"meta" must have the text "sender"');
  const price = numberOf(gasPrice);
  if (price === undefined) throw new SyntaxError('"gasPrice" of "meta" must be a number');
  return {
    chainId,
    sender,
    gasPrice: price,
    gasLimit: wholeOf(gasLimit, 'gasLimit'),
    ttl: wholeOf(ttl, 'ttl'),
    creationTime: wholeOf(creationTime, 'creationTime'),
  };
}

function numberOf(json: unknown): Decimal | undefined {
  if (json instanceof NumberText) return parseDecimal(json.text);
  return typeof json === 'string' ? parseDecimal(json) : undefined;
}

/** A number, rounded, or the text of one, or `{"int": n}`. */
function wholeOf(json: unknown, name: string): number {
  const value = numberOf(fieldsOf(json)?.['int'] ?? json);
  const whole = value && Math.round(Number(value.mantissa) / 10 ** value.places);
  if (whole !== undefined && Number.isSafeInteger(whole)) return whole;
  throw new SyntaxError(`"${name}" of "meta" must be a whole number`);
}

function listOf(json: unknown, name: string): unknown[] {
  if (Array.isArray(json) && json.length <= MOST_OF_A_LIST) return json;
  throw new SyntaxError(`"${name}" must be a list of at most ${MOST_OF_A_LIST} entries`);
}
