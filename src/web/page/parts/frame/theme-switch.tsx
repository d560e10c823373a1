import { useState } from 'preact/hooks';
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../../theme.js';

const WORDS: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

export function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (event: { currentTarget: HTMLSelectElement }): void => {
    const chosen = event.currentTarget.value as Theme;
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label class="theme">
      Theme{' '}
      <select value={theme} onChange={choose}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {WORDS[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
