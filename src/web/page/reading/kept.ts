/** What a browser keeps of this page, where it may: what somebody chose, and nothing of who he is but the account that he typed. */
export function kept(key: string): string | null {
  return stored((storage) => storage.getItem(key)) ?? null;
}

/** Nothing is kept in place of an empty text. */
export function keep(key: string, text: string): void {
  stored((storage) => (text === '' ? storage.removeItem(key) : storage.setItem(key, text)));
}

const ACCOUNT = 'account';

/** Whose rigs are to be connected. */
export function keptAccount(): string {
  return kept(ACCOUNT) ?? '';
}

export function keepAccount(account: string): void {
  keep(ACCOUNT, account.trim());
}

/** A browser may be told to keep nothing. */
function stored<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
