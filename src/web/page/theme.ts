/** Light or dark: as the system has it, unless somebody chose. The choice is all that a browser keeps of this page. */

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';

export function chosenTheme(): Theme {
  const kept = stored((storage) => storage.getItem(KEY));
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  stored((storage) => (theme === 'system' ? storage.removeItem(KEY) : storage.setItem(KEY, theme)));
  showTheme(theme);
}

export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** A browser may be told to keep nothing. */
function stored<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
