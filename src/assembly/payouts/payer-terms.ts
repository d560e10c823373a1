/** What the payer goes by, from the settings. */
import { type Payer, payerFault } from '../../chain/transfers/accounts.js';
import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings.js';
import { keyOfAccount } from '../../core/names/payable.js';
import type { PayerTerms } from '../../payouts/payer/turn.js';
import { keyFacts } from '../../payouts/signer/key-file.js';
import { bridgePlace, type Site } from '../site.js';

/** Gas of one payment: some 350 are used, and one that fails on chain costs all of it. */
const GAS_LIMIT = 1_000;
/** Offered for a unit at first, 0.00000001 coins; more where nodes ask for it. */
const GAS_PRICE = 10_000n;

/** Whether it says who signs here, or whose signatures are brought. */
export function mayPay(config: BridgeConfig): boolean {
  return [config['payouts.key'], config['payouts.account'], ...config['payouts.signer.command']].some(
    Boolean,
  );
}

/** Who pays. Throws {@link ConfigError} where nobody is said to, or who is said cannot. */
export async function payingAccount(config: BridgeConfig): Promise<Payer> {
  const key = config['payouts.key'];
  const ofKey = key === '' ? undefined : (await keyFacts(key)).account;
  const account = config['payouts.account'] || ofKey || config['miner.account'];
  if (account === '')
    throw new ConfigError([
      'payouts.account is not set: give payouts.key (`stratum-bridge ledger payout key new` makes one)',
    ]);
  const own = keyOfAccount(account);
  const publicKeys = own === undefined ? config['miner.publicKeys'] : [own];
  const predicate = own === undefined ? config['miner.predicate'] : 'keys-all';
  const payer = { account, publicKeys, predicate };
  const fault = payerFault(payer);
  if (fault !== undefined)
    throw new ConfigError([`payouts.account: ${JSON.stringify(account)} cannot pay: ${fault}`]);
  if (ofKey !== undefined && ofKey !== account)
    throw new ConfigError([
      `payouts.key: the key in ${key} is that of ${ofKey}, and ${account} is to pay (payouts.account): leave that empty, or give the key of that account`,
    ]);
  return payer;
}

export function payerTerms(
  site: Pick<Site, 'config' | 'folder'>,
  networkId: string,
  from: Payer,
): PayerTerms {
  const { config } = site;
  return {
    ...{ networkId, from, place: bridgePlace(site), gasLimit: GAS_LIMIT, gasPrice: GAS_PRICE },
    ttlS: Math.floor(config['payouts.ttl'] / 1000),
    maxGasPrice: config['payouts.maxGasPrice'],
  };
}
