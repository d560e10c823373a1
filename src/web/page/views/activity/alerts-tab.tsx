/** What is wrong now, what was, and whether those who should be told of it are. */
import { Card } from '../../parts/card.js';
import { Older } from '../../parts/controls/older.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age, Uptime, When } from '../../parts/figures/age.js';
import { State } from '../../parts/state.js';
import type { Alert, Alerts } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { type Asked, useAnswer } from '../../use/reading.js';
import { kindWords } from '../../words/kinds.js';
import { count, counted } from '../../words/numbers.js';
import { ended, endedSentence } from '../../words/sentences.js';
import { duration } from '../../words/times.js';
import { type Fold, folded } from './fold.js';
import { Said } from './said.js';

const PAGE_ROWS = 200;

export function AlertsTab({ route }: { route: Route }) {
  const before = route.params.get('before') ?? '';
  const query = new URLSearchParams({ limit: String(PAGE_ROWS), ...(before !== '' && { before }) });
  const asked = useAnswer<Alerts>(`/api/v1/alerts?${query}`);
  const { value } = asked;
  const isOver = ({ until }: Alert): boolean => until !== null;
  const next = value?.next;
  return (
    <>
      {value?.isComplete === false && (
        <p class="trouble">
          The ledger or the queue does not answer: this is only what this bridge knows itself.
        </p>
      )}
      {before === '' && <OpenAlerts asked={asked} />}
      {before === '' && value && <Targets targets={value.targets} />}
      {value && <PastAlerts alerts={value.alerts.filter(isOver)} />}
      <Older route={route} label="Pages of alerts" next={typeof next === 'number' ? String(next) : next} />
    </>
  );
}

function OpenAlerts({ asked }: { asked: Asked<Alerts> }) {
  const open = asked.value?.alerts.filter(({ until }) => until === null);
  return (
    <Card id="open-alerts" title="Open" asked={asked}>
      {open?.length === 0 && <p>No alert is open.</p>}
      {open && open.length > 0 && (
        <DataTable
          label="Open alerts"
          columns={[
            SAYS,
            SEVERITY,
            { title: 'Open for', look: 'number', show: ({ from }) => <Uptime at={from} /> },
          ]}
          rows={open}
          keyOf={keyOf}
        />
      )}
    </Card>
  );
}

const SAYS: Column<Alert> = {
  title: 'Alert',
  show: ({ says, condition, about }) => <Said words={ended(says)} facts={{ alert: condition, about }} />,
};
const SEVERITY: Column<Alert> = { title: 'Severity', show: ({ severity }) => <Severity of={severity} /> };

function Severity({ of }: { of: Alert['severity'] }) {
  return <State of={of === 'critical' ? 'fault' : of} words={of} />;
}

/** Those that the ledger does not have yet have no number. */
function keyOf({ id, condition, about }: Alert): string {
  return id === 0 ? `${condition} ${about}` : String(id);
}

/** What only happened, such as a block, comes in numbers, and is folded. */
function PastAlerts({ alerts }: { alerts: readonly Alert[] }) {
  const folds = folded(alerts, { time: ({ from }) => from, kind: ({ condition }) => condition, key: keyOf });
  return (
    <Card id="past-alerts" title="Past">
      {folds.length === 0 ? (
        <p>None yet.</p>
      ) : (
        <DataTable
          label="Past alerts"
          columns={PAST.filter((column) => column !== LASTED || alerts.some(lasted))}
          rows={folds}
          keyOf={({ key }) => key}
        />
      )}
    </Card>
  );
}

const LASTED: Column<Fold<Alert>> = {
  title: 'Lasted',
  look: 'number',
  show: ({ items }) => items.length === 1 && lasted(items[0]),
};

const PAST: readonly Column<Fold<Alert>>[] = [
  { title: 'Alert', look: 'wide', show: ({ items }) => <Past items={items} /> },
  { title: 'Severity', show: ({ items: [{ severity }] }) => <Severity of={severity} /> },
  { title: 'When', look: 'number', show: ({ items: [{ from }] }) => <When at={from} /> },
  LASTED,
];

function Past({ items }: Pick<Fold<Alert>, 'items'>) {
  const [first] = items;
  if (items.length === 1) return <PastWords alert={first} />;
  return (
    <details>
      <summary>
        {endedSentence(`${kindWords(first.condition)} ${counted(items.length, 'time')}`).slice(0, -1)}
      </summary>
      <ul>
        {items.map((alert) => (
          <li key={keyOf(alert)}>
            <PastWords alert={alert} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function PastWords({ alert: { says, condition, about, resolvedSays } }: { alert: Alert }) {
  return (
    <>
      <Said words={ended(says)} facts={{ alert: condition, about }} />
      {resolvedSays !== '' && (
        <span class="aside line">
          <Said words={ended(resolvedSays)} facts={{ alert: condition, about }} />
        </span>
      )}
    </>
  );
}

/** Nothing of what was over as it came. */
function lasted({ from, until }: Alert): string | false {
  return until !== null && until !== from && duration(Date.parse(until) - Date.parse(from));
}

type Target = Alerts['targets'][number];

function Targets({ targets }: Pick<Alerts, 'targets'>) {
  return (
    <Card id="targets" title="Who is told">
      {targets.length === 0 ? (
        <p>
          Nobody: no target is set. Name webhooks, Discord, Slack, Telegram or ntfy in{' '}
          <code>alerts.targets</code>.
        </p>
      ) : (
        <>
          <DataTable label="Targets of alerts" columns={TARGETS} rows={targets} keyOf={({ name }) => name} />
          <p class="note">
            <code>stratum-bridge alerts test</code> sends a test notice to each.
          </p>
        </>
      )}
    </Card>
  );
}

const TARGETS: readonly Column<Target>[] = [
  { title: 'Target', show: ({ name }) => <bdi>{name}</bdi> },
  { title: 'Type', show: ({ type }) => type },
  { title: 'State', show: (target) => <TargetState target={target} /> },
  { title: 'Delivered', look: 'number', show: ({ delivered }) => count(delivered) },
  { title: 'Waiting', look: 'number', show: ({ waiting }) => count(waiting) },
  { title: 'Failed', look: 'number', show: ({ failed }) => count(failed) },
  {
    title: 'Last delivery',
    look: 'number',
    show: ({ lastDeliveredAt }) => (lastDeliveredAt === null ? 'never' : <Age at={lastDeliveredAt} />),
  },
  {
    title: 'Last error',
    look: 'wide',
    show: ({ lastFailure }) =>
      lastFailure && (
        <>
          <Said words={ended(lastFailure.says)} facts={{}} />{' '}
          <span class="aside">
            <Age at={lastFailure.at} />
          </span>
        </>
      ),
  },
];

/** By what was last. */
function TargetState({ target: { lastDeliveredAt, lastFailure } }: { target: Target }) {
  if (lastFailure && (lastDeliveredAt === null || lastFailure.at > lastDeliveredAt))
    return <State of="failed" words="failing" />;
  return lastDeliveredAt === null ? (
    <State of="none" words="not used yet" />
  ) : (
    <State of="healthy" words="works" />
  );
}
