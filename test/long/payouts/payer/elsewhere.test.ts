/** Without a key here: exported, signed by others one after the other, imported, paid. And what a signer with one of several keys gives. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSignWithKeypair } from '@kadena/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestKeyOf } from '../../../../src/chain/request-key.js';
import { listBatches } from '../../../../src/ledger/transactions/orders.js';
import { newKeyFile } from '../../../../src/payouts/signer/key-file.js';
import { SignerError } from '../../../../src/payouts/signer/signer.js';
import { newSignerLog, signerLogOf } from '../../../../src/payouts/signer/signer-log.js';
import { useBooks } from '../../../helpers/books/books.js';
import { expectProved } from '../../../helpers/books/money.js';
import { temporaryFolder } from '../../../helpers/folder.js';
import { calling } from '../../../helpers/payouts/killer.js';
import {
  accountOf,
  earn,
  expectPaidOnChain,
  PayerStory,
  type StoryOptions,
} from '../../../helpers/payouts/story.js';
import { World } from '../../../helpers/payouts/world.js';
import { runHere } from '../../../helpers/processes/command.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';
import { signatureOf } from '../../../payouts/command/sign.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(() => books.empty());
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

/** Two keys, both of which sign. */
const [ANNA, BERT] = [keyPair(21), keyPair(22)];
const POOL = { account: 'the pool', publicKeys: [ANNA.key, BERT.key], predicate: 'keys-all' };
const GUARD = { pred: 'keys-all', keys: POOL.publicKeys };

async function begin(story: StoryOptions = { watchOnly: true }): Promise<void> {
  world = await World.start({ funds: [{ account: POOL.account, guard: GUARD, amount: '1000' }] });
  await world.mine(5);
  const eyes = { account: POOL.account };
  payer = await PayerStory.start(world, books, { eyes, ...story, terms: { from: POOL, ...story.terms } });
  await earn(books, { 1: '5', 2: '4' });
  await payer.round();
  await payer.prepare();
  await payer.round();
}

async function ledger(...words: string[]) {
  return runHere('ledger', ['payout', ...words, '--ledger-database-url', books.connectionString]);
}

async function exported(path: string): Promise<Record<string, unknown>> {
  const { code, text, stderr } = await ledger('export', path);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(text);
}

async function refused(path: string): Promise<string> {
  const { code, stderr } = await ledger('import', path);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`nothing of ${path} is taken`)]);
  return stderr;
}

/** With the signer that is shipped. */
async function signedByAnna(folder: string, question: string): Promise<string> {
  const keyFile = join(folder, 'anna.key');
  const { publicKey } = await newKeyFile(keyFile, undefined, (count) =>
    count === 32 ? Buffer.from(ANNA.secret) : randomBytes(count),
  );
  await newSignerLog(signerLogOf(keyFile), publicKey, Date.now());
  const signer = fileURLToPath(new URL('../../../../config/signer.js', import.meta.url));
  const limits = ['--line', '50', '--day', '100', '--gas', '0.01'];
  const who = ['--key', keyFile, '--network', 'development', '--account', POOL.account];
  // As the pages write it: it is a program.
  const child = spawn(signer, [...who, ...limits], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(question);
  let answer = '';
  for await (const chunk of child.stdout) answer += chunk;
  return answer;
}

interface File {
  cmdSigDatas: { cmd: string; sigs: { pubKey: string; sig: string | null }[] }[];
}

/** With the client that others use, into the file as it was exported. */
async function signedByBert(text: string): Promise<string> {
  const file = JSON.parse(text) as File;
  const sign = createSignWithKeypair({
    publicKey: BERT.key,
    secretKey: Buffer.from(BERT.secret).toString('hex'),
  });
  for (const { cmd, sigs } of file.cmdSigDatas) {
    const given = await sign({ cmd, hash: requestKeyOf(cmd), sigs: sigs.map(() => undefined) });
    const at = sigs.findIndex(({ pubKey }) => pubKey === BERT.key);
    const [slot, made] = [sigs[at], given.sigs[at]];
    if (!slot || !made?.sig) throw new Error('the client did not sign');
    slot.sig = made.sig;
  }
  return JSON.stringify(file);
}

describe('without a key', () => {
  it('a dry run is made once, and again when the chain is much longer; who looks sees what to type', async () => {
    const tried: string[] = [];
    const counted = async (story: StoryOptions): Promise<void> => {
      const around: StoryOptions['around'] = (part, name) =>
        name === 'eyes'
          ? calling(part, (call, go) => {
              if (call === 'preflight') tried.push(call);
              return go();
            })
          : part;
      await begin({ ...story, around });
    };
    await counted({ watchOnly: true });
    await payer.round(3);
    expect(tried).toHaveLength(2);
    await payer.blocks(9);
    expect(tried).toHaveLength(2);
    await payer.blocks(1);
    await payer.round(2);
    expect(tried).toHaveLength(4);
    const { code, text } = await ledger('status', '--json');
    const [{ name } = expect.fail('there is no batch')] = await listBatches(books.pool, 1);
    expect(code).toBe(3);
    expect(JSON.parse(text).awaited).toEqual({
      total: 2,
      says: expect.stringMatching(
        new RegExp(
          `^2 payments of payout ${name} wait for signatures until 20.*: \`ledger payout export FILE\``,
        ),
      ),
      lines: [2, 1].map((number) =>
        expect.objectContaining({ payout: name, account: accountOf(number), chainId: 0 }),
      ),
    });
    // Past their time others are made in their place.
    await payer.blocks(25);
    expect((await payer.states()).filter((state) => state === 'built')).toHaveLength(2);
  });

  it('what two keys have signed one after the other is paid', async () => {
    await begin();
    await using folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    expect(await exported(at('one.json'))).toMatchObject({ transactions: 2, signedInPart: 0 });
    expect((await stat(at('one.json'))).mode & 0o777).toBe(0o600);
    const again = await ledger('export', at('one.json'));
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already')]);
    await writeFile(at('anna.json'), await signedByAnna(folder.path, await readFile(at('one.json'), 'utf8')));
    const first = await ledger('import', at('anna.json'));
    expect(JSON.parse(first.text)).toEqual({ complete: 0, signedInPart: 2, missing: [BERT.key] });
    await payer.round();
    expect(await payer.states()).toEqual(['built', 'built']);
    expect(await exported(at('two.json'))).toMatchObject({ transactions: 2, signedInPart: 2 });
    await writeFile(at('bert.json'), await signedByBert(await readFile(at('two.json'), 'utf8')));
    const second = await ledger('import', at('bert.json'));
    expect(JSON.parse(second.text)).toEqual({ complete: 2, signedInPart: 0, missing: [] });
    expect(await payer.states()).toEqual(['signed', 'signed']);
    await payer.round();
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final', 'final']);
    await expectPaidOnChain(world, books, [1, 2]);
    await expectProved(books.pool);
  });

  it('each may sign the same file, and what comes second completes what came first', async () => {
    await begin();
    await using folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    await exported(at('one.json'));
    const text = await readFile(at('one.json'), 'utf8');
    await writeFile(at('bert.json'), await signedByBert(text));
    await writeFile(at('anna.json'), await signedByAnna(folder.path, text));
    await ledger('import', at('bert.json'));
    const { text: said } = await ledger('import', at('anna.json'));
    expect(JSON.parse(said)).toMatchObject({ complete: 2, missing: [] });
    const late = await refused(at('bert.json'));
    expect(late).toContain('is none that waits for a signature here');
  });

  it('what is altered, strange or badly signed is refused whole, with what and where', async () => {
    await begin();
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'in.json');
    await exported(join(folder.path, 'out.json'));
    const text = await signedByBert(await readFile(join(folder.path, 'out.json'), 'utf8'));
    const changed = (change: (file: File) => void): Promise<void> => {
      const file = JSON.parse(text) as File;
      change(file);
      return writeFile(path, JSON.stringify(file));
    };
    const second = (file: File) => file.cmdSigDatas[1] ?? expect.fail('there is one only');
    await changed((file) => {
      second(file).cmd = second(file).cmd.replaceAll(/\b([45])\.0/g, (_, digit) => `${digit}0.0`);
    });
    expect(await refused(path)).toMatch(/transaction 2 of the file .*was altered/);
    await changed((file) => {
      second(file).cmd = '{}';
    });
    expect(await refused(path)).toContain('transaction 2 of the file is none of ours');
    await changed((file) => {
      for (const one of second(file).sigs) one.sig = 'ab'.repeat(64);
    });
    expect(await refused(path)).toContain('is no signature of this command');
    await writeFile(path, 'no JSON');
    await refused(path);
    const { rows } = await books.pool.query('SELECT partial_sigs, sigs FROM transaction');
    expect(rows).toEqual(Array(2).fill({ partial_sigs: null, sigs: null }));
  });

  it('what is past its time by its chain is refused, and not exported any more', async () => {
    await begin();
    await using folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    await exported(at('one.json'));
    await writeFile(at('bert.json'), await signedByBert(await readFile(at('one.json'), 'utf8')));
    await payer.blocks(2, 600);
    expect(await refused(at('bert.json'))).toMatch(/transaction 1 of the file .* is past its time/);
    const { code, stderr } = await ledger('export', at('two.json'));
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 are past their time and left out')]);
  });

  it('nothing is given away while payouts are paused; what was is followed where its batch is rejected', async () => {
    await begin();
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'out.json');
    await payer.seat.pause({ kind: 'operator', says: 'I look first', evidence: {} });
    const paused = await ledger('export', path);
    expect([paused.code, paused.stderr]).toEqual([1, expect.stringContaining('I look first')]);
    await books.pool.query('UPDATE payer SET paused_at = NULL');
    await exported(path);
    const [{ name } = expect.fail('there is no batch')] = (
      await books.pool.query<{ name: string }>('SELECT name FROM payout')
    ).rows;
    const rejected = await ledger('reject', name, '--note', 'too late');
    expect([rejected.code, JSON.parse(rejected.text)]).toMatchObject([0, { followed: 2 }]);
    const again = await ledger('export', join(folder.path, 'again.json'));
    expect(again.stderr).toContain('nothing waits for signatures');
  });
});

describe('a wallet that signs what was exported', () => {
  it('and sends it itself, and nobody imports it: it is paid all the same', async () => {
    await begin();
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'out.json');
    await exported(path);
    const { cmdSigDatas } = JSON.parse(await readFile(path, 'utf8')) as File;
    for (const { cmd } of cmdSigDatas) {
      const sigs = [ANNA, BERT].map((key) => ({ sig: signatureOf(cmd, key) }));
      await payer.eyes.send(0, { cmd, hash: requestKeyOf(cmd), sigs });
    }
    await payer.blocks(1);
    expect(await payer.states()).toEqual(['included', 'included']);
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final', 'final']);
    expect(await payer.pause()).toBeUndefined();
    expect((await listBatches(books.pool, 9, true)).length).toBe(0);
    await expectPaidOnChain(world, books, [1, 2]);
    await expectProved(books.pool);
  });
});

describe('a signer with one of several keys', () => {
  it('is asked once; its signature is kept, and with that of another it is paid', async () => {
    const cmds: string[] = [];
    const around: StoryOptions['around'] = (part, name) =>
      name !== 'signer'
        ? part
        : {
            ...part,
            sign: async (requests: readonly { cmd: string }[]) => {
              cmds.push(...requests.map(({ cmd }) => cmd));
              return requests.map(({ cmd }) => ({
                is: 'partial',
                signatures: [{ pubKey: ANNA.key, sig: signatureOf(cmd, ANNA) }],
                missing: [BERT.key],
              }));
            },
          };
    await begin({ around });
    await payer.round(3);
    expect([cmds.length, await payer.states()]).toEqual([2, ['built', 'built']]);
    expect(JSON.parse((await ledger('status', '--json')).text).awaited).toMatchObject({ total: 2 });
    await using folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    expect(await exported(at('one.json'))).toMatchObject({ transactions: 2, signedInPart: 2 });
    await writeFile(at('bert.json'), await signedByBert(await readFile(at('one.json'), 'utf8')));
    const { text } = await ledger('import', at('bert.json'));
    expect(JSON.parse(text)).toMatchObject({ complete: 2 });
    await payer.round();
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final', 'final']);
    await expectPaidOnChain(world, books, [1, 2]);
  });
});

describe('a signer', () => {
  it('is told once of what is dead, however often it is asked for what comes after', async () => {
    const told: string[] = [];
    const asked: string[] = [];
    const around: StoryOptions['around'] = (part, name) =>
      name !== 'signer'
        ? part
        : {
            ...part,
            sign: async (requests: readonly { requestKey: string }[]) => {
              asked.push(...requests.map(({ requestKey }) => requestKey));
              return requests.map(() => ({ is: 'failed', why: 'it hangs' }));
            },
            markDead: async (requestKey: string) => void told.push(requestKey),
          };
    await begin({ around, terms: { ttlS: 120 } });
    const [first, second] = asked;
    await payer.blocks(8, 60);
    await payer.round(4);
    expect(told.filter((key) => key === first || key === second)).toHaveLength(2);
    expect(new Set(asked).size).toBeGreaterThan(2);
    expect(new Set(told).size).toBe(told.length);
  });

  it('that is not to be told what is dead signs no other attempt of it; all else goes on', async () => {
    let isDeaf = true;
    const signed: string[] = [];
    const both = ({ cmd }: { cmd: string }) =>
      [ANNA, BERT].map((key) => ({ pubKey: key.key, sig: signatureOf(cmd, key) }));
    const around: StoryOptions['around'] = (part, name) =>
      name !== 'signer'
        ? part
        : {
            ...part,
            sign: async (requests: readonly { cmd: string; requestKey: string }[]) => {
              signed.push(...requests.map(({ requestKey }) => requestKey));
              return requests.map((one) => ({ is: 'partial', signatures: both(one), missing: [] }));
            },
            markDead: async () => {
              if (isDeaf) throw new SignerError('command-failed', 'the signer is away');
            },
          };
    world = await World.start({ funds: [{ account: POOL.account, guard: GUARD, amount: '1000' }] });
    await world.mine(5);
    const eyes = { account: POOL.account };
    payer = await PayerStory.start(world, books, { eyes, around, terms: { from: POOL, ttlS: 200 } });
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    world.a.liar.lie({ send: 'dropped' });
    await payer.blocks(10, 60);
    expect(await payer.states()).toEqual(['expired', 'built']);
    world.a.liar.beHonest();
    await earn(books, { 2: '4' });
    await payer.prepare();
    await payer.blocks(1);
    expect(await payer.states()).toEqual(['expired', 'built', 'sent']);
    expect(signed).toHaveLength(2);
    isDeaf = false;
    await payer.blocks(10);
    // Another attempt may have died unsigned meanwhile.
    expect((await payer.states()).filter((state) => state !== 'expired')).toEqual(['final', 'final']);
    await expectPaidOnChain(world, books, [1, 2]);
    await expectProved(books.pool);
  });
});
