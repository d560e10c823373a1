/** What happened, a heading a day, the latest first. */
import { useMemo } from 'preact/hooks';
import { Amount } from '../../parts/amount.js';
import { Icon, type IconName } from '../../parts/icons.js';
import { State } from '../../parts/state.js';
import { Who } from '../../parts/who.js';
import type { EventView } from '../../reading/answers.js';
import { hashOf } from '../../route.js';
import { useNow, useSeen } from '../../use/reading.js';
import { BLOCK_STEPS, groupOf, kindWords, lookOf } from '../../words/kinds.js';
import { counted } from '../../words/numbers.js';
import { endedSentence } from '../../words/sentences.js';
import { dayTitle, exactTimeOf, inFull, timeOf } from '../../words/times.js';
import { blocksWords, byDay, type Fold, foldedHappenings, type Happening } from './fold.js';
import { Said } from './said.js';

/** There may be hundreds of them: they are drawn anew only when there are others. */
export function Days({ lines }: { lines: readonly EventView[] }) {
  return useMemo(() => {
    const days = byDay(foldedHappenings(lines), ({ steps: [{ time }] }) => time);
    return (
      <>
        {days.map(([dayMs, folds]) => (
          <section key={dayMs} class="card" aria-labelledby={`day-${dayMs}`}>
            <DayHead dayMs={dayMs} />
            <ol class="happenings">
              {folds.map((fold) => (
                <li key={fold.key}>
                  {fold.items.length === 1 ? <Line of={fold.items[0]} /> : <Folded fold={fold} />}
                </li>
              ))}
            </ol>
          </section>
        ))}
      </>
    );
  }, [lines]);
}

function DayHead({ dayMs }: { dayMs: number }) {
  return <h2 id={`day-${dayMs}`}>{dayTitle(dayMs, useNow())}</h2>;
}

function Folded({ fold: { items } }: { fold: Fold<Happening> }) {
  const [first] = items[0].steps;
  const isBlocks = first.kind in BLOCK_STEPS;
  const words = isBlocks
    ? blocksWords(items)
    : endedSentence(`${kindWords(first.kind)} ${counted(items.length, 'time')}`).slice(0, -1);
  return (
    <details>
      <summary class="happening">
        <Time at={first.time} isMinute />
        <Sign line={first} />
        <span>{words}</span>
      </summary>
      <ol class="happenings">
        {items.map((item) => (
          <li key={item.key}>
            <Line of={item} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Line({ of: { steps } }: { of: Happening }) {
  const [first] = steps;
  const { kind, says, facts, by, instance } = first;
  const { address } = facts;
  const leadsTo = kind in BLOCK_STEPS ? undefined : LEADS_TO[groupOf(kind) ?? ''];
  return (
    <div class="happening">
      <Time at={first.time} />
      <Sign line={first} />
      <span class="happened">
        {kind in BLOCK_STEPS ? <BlockSteps steps={steps} /> : <Said words={says} facts={facts} />}
        {typeof address === 'string' && address !== '' && <span class="aside">{address}</span>}
        {leadsTo && (
          <a class="aside" href={leadsTo[1]}>
            {leadsTo[0]}
          </a>
        )}
        {instance !== null && <OfBridge instance={instance} />}
        {by !== null && (
          <span class="chip" title={`Ordered by ${by}`}>
            by {by}
          </span>
        )}
      </span>
    </div>
  );
}

/** Where there is more about it; what stands in it by its name leads there itself. */
const LEADS_TO: Readonly<Partial<Record<string, readonly [string, string]>>> = {
  blocks: ['Blocks', hashOf('blocks')],
  nodes: ['Nodes', hashOf('nodes')],
  alerts: ['Alerts', hashOf('activity', { tab: 'alerts' })],
};

/** Where there are several. */
function OfBridge({ instance }: { instance: number }) {
  const bridges = useSeen().summary?.bridges.length ?? 0;
  return bridges > 1 ? <span class="chip">bridge {instance}</span> : null;
}

/** From left to right what became of it. */
function BlockSteps({ steps }: Pick<Happening, 'steps'>) {
  const { chainId, height, account, rig } = steps[0].facts;
  const rewards = steps.map(({ facts: { reward } }) => reward).filter((reward) => typeof reward === 'string');
  return (
    <>
      <a href={hashOf('blocks', { chain: String(chainId) })} title={`Chain ${chainId}, height ${height}`}>
        {`Block ${chainId} · ${height}`}
      </a>
      {typeof account === 'string' && account !== '' && (
        <Who account={account} rig={typeof rig === 'string' ? rig : ''} />
      )}
      {steps.map(({ key, kind, time }, i) => (
        <span key={key} class="step" title={inFull(Date.parse(time))}>
          {i === steps.length - 1 ? (
            <State of={STEP_LOOKS[kind] ?? kind} words={BLOCK_STEPS[kind] ?? kind} />
          ) : (
            <span class="aside">{BLOCK_STEPS[kind]} →</span>
          )}
        </span>
      ))}
      {rewards[0] && <Amount of={rewards[0]} />}
    </>
  );
}

/** By which a state is coloured. */
const STEP_LOOKS: Readonly<Partial<Record<string, string>>> = {
  blockAccepted: 'sent',
  blockRejected: 'refused',
  blockConfirmed: 'confirmed',
};

const SIGNS: Readonly<Partial<Record<string, IconName>>> = {
  ...{ blocks: 'blocks', nodes: 'nodes', rigs: 'rigs', payouts: 'payouts' },
  ...{ bridges: 'settings', books: 'books', alerts: 'alert' },
};

function Sign({ line: { kind, facts } }: { line: EventView }) {
  return (
    <span class={`sign is-${lookOf(kind, facts)}`} title={kindWords(kind)}>
      <Icon name={SIGNS[groupOf(kind) ?? ''] ?? 'activity'} />
      <span class="unseen">{kindWords(kind)}: </span>
    </span>
  );
}

function Time({ at, isMinute = false }: { at: string; isMinute?: boolean }) {
  const atMs = Date.parse(at);
  return (
    <time class="aside" dateTime={at} title={inFull(atMs)}>
      {isMinute ? timeOf(atMs) : exactTimeOf(atMs)}
    </time>
  );
}
