/** What a signer is asked for by somebody who means ill, or knows no better. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { checkSignatures } from '../../../../src/chain/transfers/envelope.js';
import type { FileSignerOptions } from '../../../../src/payouts/signer/file-signer.js';
import { type Signer, SignerError, type SignRequest } from '../../../../src/payouts/signer/signer.js';
import { signerLogOf } from '../../../../src/payouts/signer/signer-log.js';
import { ALICE, coins, keyIn, openSigner, requestFor } from '../../../payouts/signer/requests.js';
import { temporaryFolder } from '../../folder.js';
import type { Stories } from './story.js';

/** Another command of payment 1 than `requestFor(1)`. */
const ANOTHER = requestFor(1, { ttlS: 901 });
const JOINT = { account: 'joint', publicKeys: [ALICE.key], predicate: 'keys-all' };

interface Between {
  readonly keyFile: string;
  /** Closes the signer, and opens it again. */
  readonly anew: (change?: (keyFile: string) => Promise<void>) => Promise<void>;
  readonly dies: (request: SignRequest) => Promise<void>;
  readonly asks: (...requests: readonly SignRequest[]) => Promise<string>;
}

/** Resolves with what became of the last question. */
async function signing(
  act: (between: Between) => Promise<string>,
  options: Partial<FileSignerOptions> = {},
): Promise<string> {
  await using folder = await temporaryFolder();
  const keyFile = await keyIn(folder.path);
  let signer: Signer | undefined = await openSigner(keyFile, options);
  try {
    return await act({
      keyFile,
      anew: async (change) => {
        await signer?.close();
        signer = undefined;
        await change?.(keyFile);
        signer = await openSigner(keyFile, options);
      },
      dies: async ({ requestKey }) => signer?.markDead([{ requestKey, evidence: 'a test' }]),
      asks: async (...requests) => ((await signer?.sign(requests)) ?? []).map(({ is }) => is).join(),
    });
  } catch (error) {
    if (error instanceof SignerError || (error as Error).message.includes('in use')) return 'refused';
    throw error;
  } finally {
    await signer?.close();
  }
}

const asked = (request: SignRequest, options?: Partial<FileSignerOptions>) => ({
  well: 'refused',
  tell: () => signing(({ asks }) => asks(request), options),
});
const after = (tell: Parameters<typeof signing>[0], options?: Partial<FileSignerOptions>) => ({
  well: 'refused',
  tell: () => signing(tell, options),
});

export const AT_SIGNER: Stories = {
  'for another network': asked(requestFor(1, { networkId: 'mainnet01' })),
  'from another account': asked(requestFor(1, { from: JOINT })),
  'more than the limit of one': asked(requestFor(1, { amount: '50.000000000001' }), { line: coins('50') }),
  'gas for all that there is': asked(requestFor(1, { gasLimit: 10_000, gasPrice: 1_010_000n })),
  'as another amount': asked({ ...requestFor(1), amount: 2n }),
  'and for a new guard': asked({
    ...requestFor(1),
    cmd: requestFor(1).cmd.replace('"clist":[', '"clist":[{"name":"coin.ROTATE","args":["x"]},'),
  }),
  'a second command': after(async ({ asks }) => {
    await asks(requestFor(1));
    return asks(ANOTHER);
  }),
  'two commands at once': {
    well: 'signed,refused',
    tell: () => signing(({ asks }) => asks(requestFor(1), ANOTHER)),
  },
  'a second command, anew': after(async ({ asks, anew }) => {
    await asks(requestFor(1));
    await anew();
    return asks(ANOTHER);
  }),
  'what is dead': after(async ({ asks, dies }) => {
    await asks(requestFor(1));
    await dies(requestFor(1));
    return asks(requestFor(1));
  }),
  'an earlier attempt': after(async ({ asks, dies }) => {
    const second = requestFor(1, { attempt: 2 });
    await asks(second);
    await dies(second);
    return asks(ANOTHER);
  }),
  'more than a day': after(
    async ({ asks, dies }) => {
      await asks(requestFor(1, { amount: '6' }));
      await dies(requestFor(1, { amount: '6' }));
      return asks(requestFor(2, { amount: '6' }));
    },
    { day: coins('10') },
  ),
  'a log without a line': after(async ({ asks, anew }) => {
    await asks(requestFor(1));
    await asks(requestFor(2));
    await anew(async (keyFile) => {
      const lines = (await readFile(signerLogOf(keyFile), 'utf8')).split('\n');
      await writeFile(signerLogOf(keyFile), lines.toSpliced(1, 1).join('\n'));
    });
    return asks(ANOTHER);
  }),
  'a log that others may write': after(async ({ asks, anew }) => {
    await anew((keyFile) => chmod(signerLogOf(keyFile), 0o620));
    return asks(requestFor(1));
  }),
  'two at one key': after(async ({ keyFile, asks }) => {
    const beside = await openSigner(keyFile);
    await asks(requestFor(1));
    const [outcome] = await beside.sign([ANOTHER]);
    await beside.close();
    return outcome?.is ?? '';
  }),
  'any digits': {
    well: 'bad',
    tell: async () =>
      checkSignatures(ANOTHER.cmd, [ALICE.key], [{ pubKey: ALICE.key, sig: 'ab'.repeat(64) }]).is,
  },
};
