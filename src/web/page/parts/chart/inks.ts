/** Colours of the theme as a canvas takes them: it knows neither variables nor `light-dark()`. */
import type { Ink } from './drawing.js';

/** Besides those of lines: axes with their words, and the lines behind all. */
export type Inks = Readonly<Record<Ink | 'words' | 'grid', string>>;

const NAMES: readonly (keyof Inks)[] = ['main', 'good', 'warning', 'fault', 'soft', 'words', 'grid'];

/** As chart.css has them below this element now. */
export function readInks(box: HTMLElement): Inks {
  const probe = box.ownerDocument.createElement('span');
  box.append(probe);
  const colour = (name: string): string => {
    probe.className = `ink-${name}`;
    return getComputedStyle(probe).color;
  };
  const inks = Object.fromEntries(NAMES.map((name) => [name, colour(name)])) as Inks;
  probe.remove();
  return inks;
}

/** @returns what ends it. */
export function onThemeChange(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', changed);
    chosen.disconnect();
  };
}
