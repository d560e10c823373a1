/** Guards of who signs. */
import type { Guard } from './guard.js';

const lines = (title: string) => ['test/long/payouts/payer/lines.test.ts', title] as const;
const signer = (title: string) => ['test/payouts/signer/file-signer.test.ts', title] as const;

export const OF_THE_SIGNER: readonly Guard[] = [
  {
    name: "the signer log's refusal of a second command",
    file: 'src/payouts/signer/signed-book.ts',
    with: 'if (!held.isDead)',
    without: 'if (held === undefined)',
    test: signer('refuses a second command of a payment until'),
  },
  {
    name: "the signer log's sum of 24 hours",
    file: 'src/payouts/signer/signed-book.ts',
    with: 'sum + amount <= daySum',
    without: 'amount <= daySum',
    test: signer('signs no more than its sum in any 24 hours'),
  },
  {
    name: 'that what is signed stands in the log',
    file: 'src/payouts/signer/signer-log.ts',
    with: 'await this.#write(fresh.map((one) => signedText(one, nowMs)));',
    without: '',
    test: signer('refuses a second command of a payment until'),
  },
  {
    name: "the comparison of what is asked for with the command's text",
    file: 'src/payouts/signer/file-signer.ts',
    with: 'if (fault !== undefined) return',
    without: 'if (fault === null) return',
    test: signer('asked for as amount 2'),
  },
  {
    name: 'the check of signatures before they are kept',
    file: 'src/payouts/command/envelope.ts',
    with: 'if (!isSignatureBy(signed, pubKey, small))',
    without: "if (small === '')",
    test: ['test/payouts/signer/command-signer.test.ts', 'with the wrong key is not believed'],
  },
  {
    name: 'the dry run',
    file: 'src/payouts/payer/sign.ts',
    with: "if (tried.kind === 'success') good.push(one);",
    without: 'good.push(one);',
    test: lines('with another guard on its chain is held alone'),
  },
  {
    name: 'that the paying account has the guard that signs',
    file: 'src/payouts/payer/sign.ts',
    with: 'else if (isOurs(said.value, terms)) guarded.add(chainId);',
    without: 'else if (said.value) guarded.add(chainId);',
    test: lines('that another key guards on its chain pauses'),
  },
  {
    name: 'that nothing is signed where nobody can tell who guards the paying account',
    file: 'src/payouts/payer/sign.ts',
    with: 'const built = all.filter(({ chainId }) => guarded.has(chainId));',
    without: 'const built = all;',
    test: lines('that nobody can read: nothing is signed on its chain'),
  },
];
