/** Whom an account passes parts of what it earns on to: `k:…=12.5%,k:…=2%`. */
import { payableFault } from '../names/payable.js';

export interface Beneficiary {
  readonly account: string;
  /** In 1/10,000 of what is earned. */
  readonly basisPoints: number;
}

const MOST_BENEFICIARIES = 8;
const WHOLE = 10_000;

/** A sentence where it is none. An empty text names nobody. @param of the account, which keeps what is left. */
export function readBeneficiaries(text: string, of: string): Beneficiary[] | string {
  const named: Beneficiary[] = [];
  for (const word of text === '' ? [] : text.split(',')) {
    const [, account = '', whole = '', hundredths = ''] =
      /^(.+)=(\d{1,3})(?:\.(\d{1,2}))?%$/.exec(word.trim()) ?? [];
    if (account === '') return `${JSON.stringify(word)} is no beneficiary such as k:…=12.5%`;
    const fault = payableFault(account);
    if (fault !== undefined) return `beneficiary ${account}: ${fault}`;
    if (account === of || named.some((one) => one.account === account))
      return `beneficiary ${account}: ${account === of ? 'it is the account itself' : 'it is named twice'}`;
    const basisPoints = Number(whole) * 100 + Number(hundredths.padEnd(2, '0'));
    if (basisPoints === 0) return `beneficiary ${account}: a part is above 0%`;
    named.push({ account, basisPoints });
  }
  if (named.length > MOST_BENEFICIARIES)
    return `at most ${MOST_BENEFICIARIES} beneficiaries, and not ${named.length}`;
  const all = named.reduce((sum, { basisPoints }) => sum + basisPoints, 0);
  return all > WHOLE ? `the parts of beneficiaries come to ${all / 100}%: at most all of it` : named;
}

/** As {@link readBeneficiaries} reads it. */
export function beneficiariesText(named: readonly Beneficiary[]): string {
  return named.map(({ account, basisPoints }) => `${account}=${basisPoints / 100}%`).join(',');
}
