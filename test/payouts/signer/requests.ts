/** A folder with a key and its log, and what is asked of who signs with it. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { buildTransfer, type Transfer } from '../../../src/chain/transfers/transfer.js';
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import { nonceOf } from '../../../src/payouts/command/nonce.js';
import { type FileSignerOptions, openFileSigner } from '../../../src/payouts/signer/file-signer.js';
import { newKeyFile } from '../../../src/payouts/signer/key-file.js';
import type { Signer, SignRequest } from '../../../src/payouts/signer/signer.js';
import { newSignerLog, signerLogOf } from '../../../src/payouts/signer/signer-log.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { ONE } from '../command/transfers.js';

export const [ALICE, BOB, CAROL] = [keyPair(1), keyPair(2), keyPair(3)];
export const NOW_MS = 1_800_000_000_000;

export const coins = (text: string): Amount => parseAmount(text) ?? expect.fail(text);

/** Alice's key and an empty log. */
export async function keyIn(folder: string): Promise<string> {
  const keyFile = join(folder, 'payouts.key');
  const { publicKey } = await newKeyFile(keyFile, undefined, Buffer.from(ALICE.secret));
  await newSignerLog(signerLogOf(keyFile), publicKey, NOW_MS);
  return keyFile;
}

export function openSigner(keyFile: string, more: Partial<FileSignerOptions> = {}): Promise<Signer> {
  return openFileSigner({
    keyFile,
    account: ALICE.account,
    networkId: 'development',
    gas: coins('0.01'),
    nowMs: () => NOW_MS,
    ...more,
  });
}

/** From Alice, of payment 31 unless told. @param amount in coins. */
export function requestFor(
  paymentId: number,
  {
    attempt = 1,
    amount = '1.5',
    ledgerId = 'books',
    ...more
  }: Partial<Omit<Transfer, 'amount'>> & {
    attempt?: number;
    amount?: string;
    ledgerId?: string;
  } = {},
): SignRequest {
  const place = { ledgerId, paymentId: String(paymentId), attempt };
  const transfer = { ...ONE, nonce: nonceOf(place), amount: coins(amount), ...more };
  const { cmd, requestKey } = buildTransfer(transfer);
  const { chainId, from } = transfer;
  return { ...place, cmd, requestKey, account: from.account, amount: transfer.amount, chainId };
}
