/** Commands of ours beside those that the public client library builds, and those of the vectors. */
import { createTransaction } from '@kadena/client';
import { addSigner, composePactCommand, execution, setMeta, setNetworkId, setNonce } from '@kadena/client/fp';
import { transferCreateCommand } from '@kadena/client-utils/coin';
import { hash } from '@kadena/cryptography-utils';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSignatures } from '../../../src/chain/transfers/envelope.js';
import { buildTransfer, type Transfer } from '../../../src/chain/transfers/transfer.js';
import { amountLiteral, parseAmount } from '../../../src/core/money/amount.js';
import { keyOfAccount } from '../../../src/core/names/payable.js';
import { readTransfer } from '../../../src/payouts/command/read.js';
import { readVectors, vectorsArePresent } from '../../helpers/runner/vectors.js';
import { ONE, transfers } from './transfers.js';

/** What the library makes of the same wish. */
function theirs(transfer: Transfer): unknown {
  const { from, to, amount, networkId, chainId, creationTimeS, ttlS, gasLimit, gasPrice, nonce } = transfer;
  const order = {
    sender: { account: from.account, publicKeys: [...from.publicKeys] },
    receiver: { account: to, keyset: { keys: [keyOfAccount(to) ?? ''], pred: 'keys-all' as const } },
    amount: amountLiteral(amount),
    chainId: String(chainId) as '0',
  };
  const composed = composePactCommand(
    transferCreateCommand(order),
    setNetworkId(networkId),
    setNonce(nonce),
    setMeta({
      chainId: String(chainId) as '0',
      creationTime: creationTimeS,
      ttl: ttlS,
      gasLimit,
      gasPrice: Number(amountLiteral(gasPrice)),
    }),
  );
  return JSON.parse(createTransaction(composed()).cmd);
}

describe('the public client library', () => {
  it('builds the same', () => {
    // Its numbers are doubles, and amounts go by a library that writes large ones otherwise.
    const usual = transfers.filter(({ amount }) => amount < 10n ** 24n);
    fc.assert(
      fc.property(usual, (transfer) => {
        expect(JSON.parse(buildTransfer(transfer).cmd)).toEqual(theirs(transfer));
      }),
    );
  });

  it('names it by the same hash', () => {
    fc.assert(
      fc.property(transfers, (transfer) => {
        const { cmd, requestKey } = buildTransfer(transfer);
        expect(hash(cmd)).toBe(requestKey);
      }),
    );
  });

  it('builds others, which are none of ours', () => {
    const more = composePactCommand(
      execution('(coin.transfer "a" "b" 1.0)'),
      addSigner(ONE.from.publicKeys[0] ?? '', (cap) => [cap('coin.GAS')]),
      setMeta({ chainId: '0', senderAccount: ONE.from.account }),
      setNetworkId('development'),
    );
    expect(readTransfer(createTransaction(more()).cmd).is).toBe('other');
  });
});

interface Vector {
  readonly id: string;
  readonly asked: { readonly call: string; readonly amount?: string; readonly receiver?: string };
  readonly command: {
    readonly cmd: string;
    readonly hash: string;
    readonly sigs: readonly { sig: string }[];
  };
  readonly signersPublicKeys: readonly string[];
}

describe('the vectors', { tags: ['vectors'] }, () => {
  const vectors = vectorsArePresent
    ? readVectors<{ valid: Vector[]; refused: Vector[] }>('transfers')
    : undefined;
  const { valid = [], refused = [] } = vectors ?? {};

  it('have the transfer that we would write, and it is signed', () => {
    const vector = valid.find(({ id }) => id === 'transfer-create-1') ?? expect.fail('it is not there');
    const amount = parseAmount(vector.asked.amount ?? '') ?? 0n;
    const { ttl, nonce } = JSON.parse(vector.command.cmd).meta;
    expect(nonce).toBeUndefined();
    const ours = buildTransfer({ ...ONE, to: vector.asked.receiver ?? '', amount, ttlS: ttl });
    const fields = JSON.parse(ours.cmd);
    expect({ ...fields, nonce: 'vec:2' }).toEqual(JSON.parse(vector.command.cmd));
  });

  it('are signed by whom they name, and not where they are broken', () => {
    for (const { id, command, signersPublicKeys } of [...valid, ...refused]) {
      const { signers } = JSON.parse(command.cmd) as { signers: { pubKey: string }[] };
      const keys = signers.map(({ pubKey }) => pubKey);
      const given = keys.map((pubKey, i) => ({ pubKey, sig: command.sigs[i]?.sig ?? null }));
      const checked = checkSignatures(command.cmd, keys, given);
      const isGood = valid.some((one) => one.id === id);
      if (isGood) expect([id, checked]).toEqual([id, expect.objectContaining({ is: 'signed' })]);
      else if (checked.is === 'signed')
        // Another hash than its own, or lacking in what no signature tells.
        expect([id, checked.envelope.hash === command.hash ? keys : 'hash']).not.toEqual([
          id,
          signersPublicKeys,
        ]);
    }
  });

  it('are no commands of ours', () => {
    for (const { id, command } of valid) expect([id, readTransfer(command.cmd).is]).toEqual([id, 'other']);
  });
});
