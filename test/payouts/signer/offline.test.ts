/** Signing elsewhere: what is written out can be read by people and by quicksign tools, and only that comes back in. */
import { createSignWithKeypair } from '@kadena/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportText, type Import, readImport } from '../../../src/payouts/signer/offline.js';
import { readQuicksignRequest } from '../../../src/payouts/signer/quicksign.js';
import { answerQuicksign } from '../../../src/payouts/signer/reference.js';
import type { SignRequest } from '../../../src/payouts/signer/signer.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { signatureOf } from '../command/sign.js';
import { ALICE, BOB, CAROL, keyIn, NOW_MS, openSigner, requestFor } from './requests.js';

const AT_S = 1_700_000_100;
const REQUESTS = [requestFor(31), requestFor(32, { amount: '2', chainId: 3 })];
const waitingFor = (requests: readonly SignRequest[]) => requests.map(({ cmd }) => ({ cmd, signatures: [] }));
const read = (text: string, requests = REQUESTS, nowS = AT_S): Import =>
  readImport(text, { waiting: waitingFor(requests), chainTimeS: () => nowS });

/** The file with signatures filled in, in whatever way. */
function filled(text: string, sign: (cmd: string, pubKey: string) => string | null): string {
  const file = JSON.parse(text) as {
    cmdSigDatas: { cmd: string; sigs: { pubKey: string; sig: string | null }[] }[];
  };
  for (const { cmd, sigs } of file.cmdSigDatas) for (const one of sigs) one.sig = sign(cmd, one.pubKey);
  return JSON.stringify(file);
}
const byAlice = (cmd: string): string => signatureOf(cmd, ALICE);
const good = filled(exportText(waitingFor(REQUESTS), NOW_MS), byAlice);

/** Another text in place of a command, with a good signature of it. */
const exchanged = (at: number, other: SignRequest): string => {
  const file = JSON.parse(good);
  file.cmdSigDatas[at] = { cmd: other.cmd, sigs: [{ pubKey: ALICE.key, sig: byAlice(other.cmd) }] };
  return JSON.stringify(file);
};

describe('what is written out', () => {
  it('tells people what it pays, and is a question of quicksign', () => {
    const text = exportText(waitingFor(REQUESTS), NOW_MS);
    const { cmdSigDatas, ...about } = JSON.parse(text);
    expect(about).toEqual({
      payoutExport: 1,
      network: 'development',
      account: ALICE.account,
      madeAt: '2027-01-15T08:00:00Z',
      count: 2,
      total: '3.5',
      lines: [
        {
          payment: '31',
          attempt: 1,
          chain: 0,
          to: BOB.account,
          amount: '1.5',
          expires: '2023-11-14T22:28:20Z',
          requestKey: REQUESTS[0]?.requestKey,
        },
        {
          payment: '32',
          attempt: 1,
          chain: 3,
          to: BOB.account,
          amount: '2.0',
          expires: '2023-11-14T22:28:20Z',
          requestKey: REQUESTS[1]?.requestKey,
        },
      ],
    });
    const sigs = [{ pubKey: ALICE.key, sig: null }];
    expect(cmdSigDatas).toEqual(REQUESTS.map(({ cmd }) => ({ cmd, sigs })));
    expect(readQuicksignRequest(text)).toEqual({ cmdSigDatas });
    expect(() => exportText([{ cmd: '{}', signatures: [] }], NOW_MS)).toThrow('has no signer');
  });
});

describe('what is read in', () => {
  it('is the file with its signatures, or the answer of a quicksign tool', async () => {
    await using folder = await temporaryFolder();
    const signer = await openSigner(await keyIn(folder.path));
    const answer = await answerQuicksign(exportText(waitingFor(REQUESTS), NOW_MS), signer);
    await signer.close();
    for (const text of [good, answer]) {
      const taken = read(text);
      expect(taken).toMatchObject({
        is: 'taken',
        transactions: REQUESTS.map(({ cmd, requestKey }) => ({
          requestKey,
          signed: { is: 'signed', envelope: { cmd, hash: requestKey, sigs: [{ sig: byAlice(cmd) }] } },
        })),
      });
    }
  });

  it('is what the public client library signs', async () => {
    const [request] = REQUESTS;
    if (!request) return;
    const secretKey = Buffer.from(ALICE.secret).toString('hex');
    const sign = createSignWithKeypair([{ publicKey: ALICE.key, secretKey }]);
    const signed = await sign({ cmd: request.cmd, hash: request.requestKey, sigs: [undefined] });
    const sig = signed.sigs[0]?.sig ?? expect.fail('it did not sign');
    const text = JSON.stringify({ cmdSigDatas: [{ cmd: request.cmd, sigs: [{ pubKey: ALICE.key, sig }] }] });
    expect(read(text)).toMatchObject({ is: 'taken', transactions: [{ signed: { is: 'signed' } }] });
  });

  it('merges what several keys signed, from one file or from several', () => {
    const from = { account: 'joint', publicKeys: [ALICE.key, BOB.key], predicate: 'keys-all' };
    const requests = [requestFor(1, { from, to: CAROL.account })];
    const cmd = requests[0]?.cmd ?? '';
    const text = exportText(waitingFor(requests), NOW_MS);
    const [a, b] = [byAlice(cmd), signatureOf(cmd, BOB)];
    const partly = (key: string, sig: string) => filled(text, (_, pubKey) => (pubKey === key ? sig : null));
    const first = read(partly(ALICE.key, a), requests);
    const signatures = [{ pubKey: ALICE.key, sig: a }];
    expect(first).toMatchObject({
      is: 'taken',
      transactions: [{ signed: { is: 'partial', missing: [BOB.key], signatures } }],
    });
    const complete = {
      is: 'taken',
      transactions: [{ signed: { is: 'signed', envelope: { sigs: [{ sig: a }, { sig: b }] } } }],
    };
    const second = readImport(partly(BOB.key, b), { waiting: [{ cmd, signatures }], chainTimeS: () => AT_S });
    expect(second).toMatchObject(complete);
    const datas = [partly(ALICE.key, a), partly(BOB.key, b)].flatMap((one) => JSON.parse(one).cmdSigDatas);
    expect(read(JSON.stringify({ cmdSigDatas: datas }), requests)).toMatchObject(complete);
    // What was written out then has the first of them.
    expect(exportText([{ cmd, signatures }], NOW_MS)).toContain(a);
  });

  it('takes nothing for what nobody signed', () => {
    expect(read(exportText(waitingFor(REQUESTS), NOW_MS))).toEqual({ is: 'taken', transactions: [] });
    const one = filled(good, (cmd) => (cmd === REQUESTS[0]?.cmd ? byAlice(cmd) : null));
    expect(read(one)).toMatchObject({ is: 'taken', transactions: [{ requestKey: REQUESTS[0]?.requestKey }] });
  });

  const kadena = '{"cmdSigDatas":[{"cmd":"{\\"signers\\":[]}","sigs":[]}]}';
  it.each<[string, string, RegExp]>([
    ["somebody else's transaction", kadena, /^transaction 1 of the file is none of ours: it has no signer$/],
    [
      'one of another ledger',
      exchanged(1, requestFor(32, { ledgerId: 'other' })),
      /^transaction 2 of the file \(payment 32, attempt 1 of ledger other\) is none that waits/,
    ],
    [
      'one that was paid long ago',
      exchanged(0, requestFor(7)),
      /^transaction 1 of the file \(payment 7, .*is none that waits for a signature here: its signatures are complete, its batch was rejected, it is too late, or it is of other books; export again$/,
    ],
    [
      'an altered amount',
      exchanged(0, requestFor(31, { amount: '15' })),
      /^transaction 1 .*\(payment 31.* was altered: the amount is 15\.0, and 1\.5 was expected$/,
    ],
    [
      'an altered receiver',
      exchanged(1, requestFor(32, { amount: '2', chainId: 3, to: CAROL.account })),
      /^transaction 2 .*was altered: the paid account is /,
    ],
    [
      'an altered price',
      exchanged(0, requestFor(31, { gasPrice: 10n ** 12n })),
      /was altered: the gas price is 1\.0/,
    ],
    [
      'a signature of something else',
      filled(good, () => byAlice('x')),
      /^payment 31 is not signed: what key .* gave is no signature of this command$/,
    ],
    [
      'a signature of somebody else',
      good.replaceAll(`"pubKey":"${ALICE.key}","sig"`, `"pubKey":"${BOB.key}","sig"`),
      /^payment 31 is not signed: key .* is none of those that sign/,
    ],
    ['a refusal', '{"error":{"type":"reject"}}', /^the file is an answer that nothing was signed: reject$/],
    [
      'no JSON',
      'PK\u0003\u0004',
      /^as an answer of a signer the file cannot be read: it is no JSON; as what was written out it cannot be/,
    ],
    [
      'another JSON',
      '{"cmds":[]}',
      /the file cannot be read at responses: .*; as what was written out it cannot be read at cmdSigDatas: /,
    ],
  ])('with %s is refused whole', (_, text, why) => {
    const refusal = read(text);
    expect(refusal).toEqual({ is: 'refused', faults: expect.arrayContaining([expect.stringMatching(why)]) });
  });

  it('past its time by the time of its chain is refused whole', () => {
    const options = {
      waiting: waitingFor(REQUESTS),
      chainTimeS: (chainId: number) => (chainId === 3 ? 1_700_000_900 : AT_S),
    };
    expect(readImport(good, options)).toEqual({
      is: 'refused',
      faults: [
        'transaction 2 of the file (payment 32) is past its time: it was to be on chain 3 by 2023-11-14T22:28:20Z, and that chain is at 2023-11-14T22:28:20Z',
      ],
    });
    expect(readImport(good, { ...options, chainTimeS: () => 1_700_000_899 }).is).toBe('taken');
  });

  it('names no more faults than one can read', () => {
    const many = Array.from({ length: 30 }, (_, i) => requestFor(100 + i));
    const refusal = read(exportText(waitingFor(many), NOW_MS));
    expect(refusal).toMatchObject({ is: 'refused', faults: { length: 21, 20: 'and 10 more' } });
  });

  it('with any character altered is refused, or says the same, or lacks a signature', () => {
    const all = read(good);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.constantFrom('0', '"', 'x', ''), (at, put) => {
        const taken = read(`${good.slice(0, at)}${put}${good.slice(at + 1)}`);
        if (taken.is === 'refused' || all.is === 'refused') return;
        for (const one of taken.transactions) expect(all.transactions).toContainEqual(one);
      }),
      { numRuns: 500 },
    );
  });

  it('is bounded, and any text is answered', () => {
    expect(read(' '.repeat(64 * 2 ** 20 + 1))).toMatchObject({ is: 'refused' });
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(read(text).is).toBe('refused');
      }),
    );
  });
});
