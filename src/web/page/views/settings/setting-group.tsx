/** Settings whose keys begin alike. */
import type { ComponentChildren } from 'preact';
import { Card } from '../../parts/card.js';
import { CopyButton } from '../../parts/controls/copy.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import type { Setting } from '../../reading/answers.js';
import { counted } from '../../words/numbers.js';
import { type Group, isChanged, valueWords, yamlLine } from '../../words/settings.js';

interface SettingGroupProps extends Group {
  /** Nothing of it is folded. */
  readonly isOpen: boolean;
}

export function SettingGroup({ name, settings, changed, isOpen }: SettingGroupProps) {
  const open = isOpen ? settings : settings.slice(0, changed);
  const folded = isOpen ? [] : settings.slice(changed);
  return (
    <div class="setting-group">
      <Card id={`group-${name}`} title={name}>
        <SettingTable label={`Settings of ${name}`} rows={open} />
        {folded.length > 0 && (
          <details>
            <summary class="aside">{counted(folded.length, 'default')}</summary>
            <SettingTable label={`Defaults of ${name}`} rows={folded} />
          </details>
        )}
      </Card>
    </div>
  );
}

/** Groups of which nothing has changed, each folded. */
export function Unchanged({ groups }: { groups: readonly Group[] }) {
  return (
    <div class="setting-group">
      <Card id="unchanged" title="Unchanged">
        <div class="unchanged">
          {groups.map(({ name, settings }) => (
            <details key={name}>
              <summary>
                <h3>{name}</h3> <span class="aside">{counted(settings.length, 'default')}</span>
              </summary>
              <SettingTable label={`Defaults of ${name}`} rows={settings} />
            </details>
          ))}
        </div>
      </Card>
    </div>
  );
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    title: 'Setting',
    show: ({ key, help }) => (
      <>
        <SettingKey of={key} />
        <span class="line aside">{withCode(help)}</span>
      </>
    ),
  },
  {
    title: 'Value',
    look: 'wide',
    show: (setting) => (
      <>
        <Value of={setting.value} />
        {isChanged(setting) && (
          <span class="line aside long">
            {setting.source} · default {valueWords(setting.default)}
          </span>
        )}
        {setting.waiting && (
          <span class="line long">
            <span class="chip is-warning">after a restart</span> {valueWords(setting.waiting.value)}{' '}
            <span class="aside">{setting.waiting.source}</span>
          </span>
        )}
      </>
    ),
  },
  {
    title: 'Changed by',
    look: 'row',
    show: (setting) => (
      <span class="setting-end">
        <Changed {...setting} />
        {!yamlLine(setting).includes('***') && (
          <CopyButton text={yamlLine(setting)} what={`${setting.key} as a line of YAML`} />
        )}
      </span>
    ),
  },
];

/** What stands between backticks is to be typed. */
function withCode(help: string): ComponentChildren {
  return help.split('`').map((part, i) => (i % 2 === 0 ? part : <code>{part}</code>));
}

function SettingTable({ label, rows }: { label: string; rows: readonly Setting[] }) {
  return <DataTable label={label} columns={COLUMNS} rows={rows} keyOf={({ key }) => key} />;
}

/** It goes into a second line at its points alone. */
export function SettingKey({ of }: { of: string }) {
  const [first, ...rest] = of.split('.');
  return (
    <code class="setting-key">
      {first}
      {rest.map((part) => (
        <>
          .<wbr />
          {part}
        </>
      ))}
    </code>
  );
}

/** What is long is folded. */
const MOST = 3;

function Value({ of }: { of: unknown }) {
  if (!Array.isArray(of) || of.length <= MOST) return <span class="long">{valueWords(of)}</span>;
  return (
    <details>
      <summary>{counted(of.length, 'entry', 'entries')}</summary>
      <ul class="rows aside">
        {of.map((entry) => (
          <li key={valueWords(entry)}>{valueWords(entry)}</li>
        ))}
      </ul>
    </details>
  );
}

function Changed({ isRule, isLive }: Setting) {
  if (isRule)
    return (
      <span class="chip" title="A rule of the ledger, for all of its bridges: `ledger rules set` changes it">
        ledger rule
      </span>
    );
  return isLive ? (
    <span class="chip is-good" title="A reload puts another value in force">
      live
    </span>
  ) : (
    <span class="chip" title="Another value is in force from the next start on">
      restart
    </span>
  );
}
