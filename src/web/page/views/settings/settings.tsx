/** Every setting as it is in force, where it comes from, what waits for a restart, what a reload would change, and who may come. */
import { useState } from 'preact/hooks';
import { Choice } from '../../parts/controls/choice.js';
import { SearchField } from '../../parts/controls/search-field.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Waiting } from '../../parts/waiting.js';
import type { Setting } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { replaceHash } from '../../use/route.js';
import { counted } from '../../words/numbers.js';
import { valueWords } from '../../words/values.js';
import { AddressCard } from './address-card.js';
import { ReloadCard } from './reload-card.js';

interface SettingList {
  readonly settings: readonly Setting[];
}

const EVERY_MS = 10_000;

const OPTIONS = [
  ['', 'all'],
  ['set', 'set by you'],
  ['waiting', 'waiting for a restart'],
] as const;

const COLUMNS: readonly Column<Setting>[] = [
  { title: 'Setting', show: ({ key }) => <code>{key}</code> },
  {
    title: 'In force',
    show: ({ value, waiting }) => (
      <>
        <span class="long">{valueWords(value)}</span>
        {waiting && (
          <span class="line waits">
            after a restart: {valueWords(waiting.value)} ({waiting.source})
          </span>
        )}
      </>
    ),
  },
  { title: 'Comes from', show: ({ source }) => <span class="long">{source}</span> },
  { title: 'Changed by a', look: 'is-extra', show: ({ isLive }) => (isLive ? 'reload' : 'restart') },
];

export function Settings({ route }: { route: Route }) {
  const [reloads, setReloads] = useState(0);
  const asked = useAsked<SettingList>(`settings ${reloads}`, EVERY_MS, (ask, signal) =>
    ask.json('/api/v1/settings', signal),
  );
  const q = (route.params.get('q') ?? '').slice(0, 200);
  const which = route.params.get('which') ?? '';
  const shown = asked.value?.settings.filter((setting) => isWanted(setting, q, which));
  return (
    <>
      <ReloadCard reloads={reloads} reloaded={() => setReloads((before) => before + 1)} />
      <AddressCard settings={asked.value?.settings} />
      <div class="tools">
        <SearchField
          q={q}
          label="Search settings"
          hint="Setting, value or source"
          change={(next) => replaceHash(hashOf('settings', { q: next, which }))}
        />
        <Choice route={route} name="which" label="Show" options={OPTIONS} />
        <p class="quiet" role="status">
          {shown && counted(shown.length, 'setting')}
        </p>
      </div>
      <Waiting {...asked} />
      {shown && shown.length > 0 && (
        <div class="card">
          <DataTable label="Table of settings" columns={COLUMNS} rows={shown} keyOf={({ key }) => key} />
        </div>
      )}
      {shown?.length === 0 && <p>There is none of these.</p>}
    </>
  );
}

function isWanted({ key, value, source, waiting }: Setting, q: string, which: string): boolean {
  if (which === 'set' && source === 'default') return false;
  if (which === 'waiting' && !waiting) return false;
  return `${key} ${valueWords(value)} ${source}`.toLowerCase().includes(q.trim().toLowerCase());
}
