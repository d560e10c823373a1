/** Whatever comes over the wire: no exception leaves a session, nothing is held after it, the next good rig is served. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Log } from '../../src/core/log.js';
import { targetOf } from '../../src/core/target.js';
import { LineSplitter } from '../../src/stratum/wire/lines.js';
import { mine, startTestBridge, type TestBridge } from '../helpers/stratum-bridge.js';
import { WIRE_TRANSPORTS, type WireTransport } from '../helpers/wire-rig.js';

const method = fc.constantFrom(
  ...['subscribe', 'authorize', 'submit', 'ping', 'configure', 'extranonce.subscribe', 'notify'].map(
    (m) => `mining.${m}`,
  ),
  ...['suggest_target', 'suggest_difficulty', 'multi_version'].map((m) => `mining.${m}`),
  'client.get_version',
);
const param = fc.oneof(
  fc.constantFrom<unknown>(
    'a.r',
    '5d4',
    '5d5',
    '0123456789ab',
    '0'.repeat(64),
    null,
    ['version-rolling'],
    1e300,
  ),
  fc.jsonValue(),
);
const message = fc
  .record(
    {
      id: fc.jsonValue(),
      method: fc.oneof({ weight: 5, arbitrary: method }, { weight: 1, arbitrary: fc.jsonValue() }),
      params: fc.oneof(fc.array(param, { maxLength: 4 }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  .map((value) => Buffer.from(`${JSON.stringify(value)}\n`));
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const script = fc.array(fc.oneof({ weight: 4, arbitrary: message }, { weight: 1, arbitrary: bytes }), {
  maxLength: 30,
});
/** Where the stream of a script is cut into pieces. */
const cuts = fc.array(fc.nat(400), { maxLength: 20 });

function pieces(stream: Buffer, lengths: readonly number[]): Buffer[] {
  const result: Buffer[] = [];
  let rest = stream;
  for (const length of lengths) {
    result.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return [...result, rest];
}

async function goodRigIsServed(bridge: TestBridge, transport: WireTransport): Promise<void> {
  const { rig, nonce1 } = await bridge.readyRig(transport);
  const job = bridge.book.liveJobs.at(-1) ?? expect.fail();
  await rig.until((notice) => notice.method === 'mining.notify');
  for (let from = 0; ; ) {
    const nonce2 = mine(job, nonce1, targetOf(4n), true, from);
    const answer = await rig.request(3, 'mining.submit', ['a.r', job.id, nonce2]);
    if (answer.result === true) break;
    expect(answer.error?.[0]).toBe(22);
    rig.lines.length = 0;
    from = Number.parseInt(nonce2, 16) + 1;
  }
  rig.vanish();
}

describe.each(WIRE_TRANSPORTS)('fuzz over %s', (transport) => {
  it('ends no bridge, leaks no lease, spoils no other rig', async () => {
    const errors: unknown[] = [];
    const log: Log = { debug() {}, info() {}, warn() {}, error: (fields) => errors.push(fields) };
    await using bridge = await startTestBridge({ log });
    bridge.offer({ difficulty: 1n << 100n });
    await fc.assert(
      fc.asyncProperty(script, cuts, async (parts, lengths) => {
        const rig = await bridge.connect(transport);
        for (const piece of pieces(Buffer.concat(parts), lengths)) rig.sendBytes(piece);
        await sleep(1);
        rig.close();
        await rig.untilClosed();
      }),
      { numRuns: 150 },
    );
    while (bridge.server.sessions > 0) await sleep(5);
    expect(bridge.nonceSpace.leased).toBe(0);
    await goodRigIsServed(bridge, transport);
    expect(errors).toEqual([]);
  });
});

describe('line splitter', () => {
  it('gives the same lines however the bytes are cut, and never holds more than one', () => {
    const line = fc.string({ maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ''));
    const end = fc.constantFrom('\n', '\r\n', '\n\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), cuts, (parts, lengths) => {
        const got: string[] = [];
        const splitter = new LineSplitter(1000, (text) => got.push(text));
        const stream = Buffer.from(parts.map(([text, ending]) => text + ending).join(''));
        for (const piece of pieces(stream, lengths)) expect(splitter.push(piece)).toBe(true);
        expect(got).toEqual(
          parts.map(([text]) => Buffer.from(text).toString()).filter((text) => text !== ''),
        );
      }),
    );
  });

  it('says when a line is too long, whole or in pieces', () => {
    const splitter = () => new LineSplitter(10, () => undefined);
    expect(splitter().push(Buffer.from('0123456789\r\n'))).toBe(true);
    expect(splitter().push(Buffer.from('0123456789a\n'))).toBe(false);
    const inPieces = splitter();
    const taken = Array.from({ length: 20 }, () => inPieces.push(Buffer.from('x')));
    expect(taken.indexOf(false)).toBe(11);
  });
});
