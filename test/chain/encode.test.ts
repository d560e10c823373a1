/** What is written is what is read: headers, payloads, events and pages, of any content. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentsOf, numbersOf } from '../../src/chain/decoded.js';
import {
  type BlockSource,
  blockEvent,
  headerBytes,
  headerEvent,
  headerJson,
  type PayloadSource,
  payloadJson,
  payloadWithOutputsJson,
} from '../../src/chain/encode.js';
import { decodeEncodedHeader } from '../../src/chain/encoded-header.js';
import { parseExactJson } from '../../src/chain/json.js';
import {
  blockEventModel,
  headerEventModel,
  headerModel,
  payloadModel,
  payloadWithOutputsModel,
} from '../../src/chain/models.js';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { toBase64Url, writeUintLittleEndian } from '../../src/core/bytes/bytes.js';
import { encodeHeader, type HeaderFields } from '../../src/core/work/header.js';
import { integerOfTarget, targetFromInteger } from '../../src/core/work/target.js';

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const uint256 = fc.bigInt({ min: 1n, max: (1n << 256n) - 1n });
/** Until the year 2255. */
const micros = fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) });

const fields: fc.Arbitrary<HeaderFields> = fc.record({
  flags: uint64,
  creationTime: micros,
  parent: bytes(32),
  adjacents: fc
    .uniqueArray(fc.integer({ min: 0, max: 19 }), { minLength: 3, maxLength: 3 })
    .chain((ids) =>
      fc.tuple(...ids.sort((a, b) => a - b).map((chainId) => bytes(32).map((hash) => ({ chainId, hash })))),
    ),
  target: uint256.map(targetFromInteger),
  payloadHash: bytes(32),
  chainId: fc.integer({ min: 0, max: 19 }),
  weight: uint256,
  height: fc.maxSafeNat(),
  versionCode: fc.integer({ min: 1, max: 100 }),
  epochStart: micros,
  nonce: uint64,
});

function blockOf(of: HeaderFields): BlockSource {
  const header = encodeHeader(of);
  return {
    ...of,
    header,
    hash: toBase64Url(blockHashOf(header)),
    parent: toBase64Url(of.parent),
    payloadHash: toBase64Url(of.payloadHash),
    weightText: toBase64Url(writeUintLittleEndian(of.weight, 32)),
  };
}

const block = fields.map(blockOf);
const NAMES = { network: 'any', versionKey: 'ledgerVersion' };

it('headers as objects, whatever their numbers, and as bytes', () => {
  fc.assert(
    fc.property(block, fc.constantFrom('ledgerVersion', 'chainwebVersion'), (source, versionKey) => {
      const text = headerJson(source, { network: 'any', versionKey });
      const header = headerModel.parse(parseExactJson(text));
      expect(header).toMatchObject({
        hash: source.hash,
        parent: source.parent,
        ledgerVersion: 'any',
        featureFlags: String(source.flags),
        nonce: String(source.nonce),
        height: source.height,
        adjacents: Object.fromEntries(
          source.adjacents.map(({ chainId, hash }) => [chainId, toBase64Url(hash)]),
        ),
      });
      const numbers = numbersOf(header);
      expect(numbers.target).toBe(integerOfTarget(source.target));
      expect(toBase64Url(writeUintLittleEndian(numbers.weight, 32))).toBe(source.weightText);
      expect(BigInt(numbers.forkNumber) + (BigInt(numbers.forkVotes) << 32n)).toBe(source.flags);
      expect(decodeEncodedHeader(headerBytes(source)).header).toEqual(source.header);
    }),
  );
});

const text64 = (json: unknown): string => Buffer.from(JSON.stringify(json)).toString('base64url');
const hash = bytes(32).map(toBase64Url);
const payload: fc.Arbitrary<PayloadSource> = fc
  .tuple(fc.array(fc.tuple(fc.json(), fc.json()), { maxLength: 5 }), fc.json(), fc.json(), hash, hash, hash)
  .map(([list, minerData, coinbase, transactionsHash, outputsHash, payloadHash]) => ({
    transactions: list.map(([cmd]) => text64({ hash: 'key', sigs: [], cmd })),
    outputs: list.map(([, output]) => text64(output)),
    minerData: text64(minerData),
    coinbase: text64(coinbase),
    ...{ transactionsHash, outputsHash, payloadHash },
  }));

it('payloads without and with outputs, and what they hold', () => {
  fc.assert(
    fc.property(payload, (source) => {
      const without = payloadModel.parse(JSON.parse(payloadJson(source)));
      const whole = payloadWithOutputsModel.parse(JSON.parse(payloadWithOutputsJson(source)));
      expect(without.transactions).toEqual(source.transactions);
      expect(whole.transactions).toEqual(source.transactions.map((one, i) => [one, source.outputs[i]]));
      const contents = contentsOf(whole);
      expect(text64(contents.coinbase)).toBe(source.coinbase);
      expect(text64(contents.miner)).toBe(source.minerData);
      expect(contents.transactions.map(({ output }) => text64(output))).toEqual(source.outputs);
      expect(contentsOf(without).transactions.map(({ requestKey, output }) => [requestKey, output])).toEqual(
        source.transactions.map(() => ['key', undefined]),
      );
    }),
  );
});

it('events of both streams', () => {
  fc.assert(
    fc.property(block, payload, bytes(32), (source, content, powHash) => {
      const dataOf = (event: string): unknown => parseExactJson(event.slice(event.indexOf('data:') + 5, -2));
      const header = headerEventModel.parse(dataOf(headerEvent(source, content, NAMES, powHash)));
      const whole = blockEventModel.parse(dataOf(blockEvent(source, content, NAMES, powHash, 'Block')));
      expect(header.header.hash).toBe(source.hash);
      expect(whole).toMatchObject({ ...header, payloadWithOutputs: { payloadHash: content.payloadHash } });
      expect(Buffer.from(whole.powHash ?? '', 'hex').reverse()).toEqual(Buffer.from(powHash));
    }),
  );
});
