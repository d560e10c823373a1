/** Every setting: what differs from the defaults is open, the rest is folded, and whoever searches sees what he finds. */
import { SearchField } from '../../parts/controls/search-field.js';
import { Segments } from '../../parts/controls/segments.js';
import { Waiting } from '../../parts/waiting.js';
import type { Setting } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { useAnswer } from '../../use/reading.js';
import { replaceHash } from '../../use/route.js';
import { counted } from '../../words/numbers.js';
import { groupsOf, isChanged, valueWords } from '../../words/settings.js';
import { ReloadCard } from './reload-card.js';
import { SettingGroup, Unchanged } from './setting-group.js';

const OPTIONS = [
  ['', 'All'],
  ['set', 'Changed'],
  ['waiting', 'Waiting for a restart'],
] as const;

export function InForce({ route }: { route: Route }) {
  const asked = useAnswer<{ settings: readonly Setting[] }>('/api/v1/settings');
  const settings = asked.value?.settings;
  const q = (route.params.get('q') ?? '').slice(0, 200);
  const which = OPTIONS.find(([value]) => value === route.params.get('which'))?.[0] ?? '';
  const shown = settings?.filter((setting) => isWanted(setting, q.trim().toLowerCase(), which));
  const isSearched = q.trim() !== '' || which !== '';
  const groups = groupsOf(shown ?? []);
  const open = groups.filter(({ changed }) => isSearched || changed > 0);
  const folded = groups.filter((group) => !open.includes(group));
  return (
    <>
      <ReloadCard settings={settings} />
      <div class="tools">
        <SearchField
          q={q}
          label="Search settings"
          hint="Setting, value, source or help"
          change={(next) => replaceHash(hashOf('settings', { q: next, which }))}
        />
        <Segments
          label="Show"
          options={OPTIONS}
          chosen={which}
          hrefOf={(value) => hashOf('settings', { q, which: value })}
        />
        <p class="quiet" role="status">
          {shown && counted(shown.length, 'setting')}
        </p>
      </div>
      <Waiting {...asked} />
      {open.map((group) => (
        <SettingGroup key={group.name} {...group} isOpen={isSearched} />
      ))}
      {folded.length > 0 && <Unchanged groups={folded} />}
      {shown?.length === 0 && <p class="quiet">No setting matches.</p>}
    </>
  );
}

function isWanted(setting: Setting, q: string, which: string): boolean {
  const { key, value, source, help, waiting } = setting;
  if (which === 'set' && !isChanged(setting)) return false;
  if (which === 'waiting' && !waiting) return false;
  return `${key} ${valueWords(value)} ${source} ${help}`.toLowerCase().includes(q);
}
