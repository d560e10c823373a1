/** Light or dark: as the system has it, unless somebody chose. */
import { keep, kept } from './reading/kept.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';

export function chosenTheme(): Theme {
  const chosen = kept(KEY);
  return THEMES.find((theme) => theme === chosen) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  keep(KEY, theme === 'system' ? '' : theme);
  showTheme(theme);
}

export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
