/** Whom a payment may go to. */

const ONE_KEY = /^k:([0-9a-f]{64})$/;

/** The one key that guards it, from its name; `undefined` for every other kind of name. */
export function keyOfAccount(account: string): string | undefined {
  return ONE_KEY.exec(account)?.[1];
}

/** Why nothing is paid to this name, as a sentence; `undefined` when it can be paid. */
export function payableFault(account: string): string | undefined {
  if (keyOfAccount(account) !== undefined) return undefined;
  if (/^k:[0-9a-fA-F]{64}$/.test(account))
    return 'the key in the name has capital letters, and is another name than that with small ones';
  if (account.startsWith('k:'))
    return `behind k: stand 64 hex digits in small letters, and not ${[...account].length - 2} characters of other kinds`;
  return 'only accounts named by their key (k: and 64 hex digits) are paid: any other name may be somebody else on another chain';
}
