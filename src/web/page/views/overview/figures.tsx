/** Six numbers that tell whether all is well, each with how it went over a day. */
import { Since } from '../../parts/figures/age.js';
import { EffortFigure, LastBlockFigure } from '../../parts/figures/block-figures.js';
import { Figure } from '../../parts/figures/figure.js';
import { OfDay, Sparkline } from '../../parts/figures/sparkline.js';
import type { Blocks, PublicSummary, Summary } from '../../reading/answers.js';
import { useHistory } from '../../use/history.js';
import { useSeen } from '../../use/reading.js';
import { count, errorBeside, hashRate, percent } from '../../words/numbers.js';
import { outcomeWords } from '../../words/outcomes.js';
import { MoneyFigure } from './money-figure.js';
import { ConnectedFigure, RigsFigure } from './rigs-figure.js';

export function Figures({ blocks }: { blocks: Blocks | undefined }) {
  const { summary, totals } = useSeen();
  // Of the last hour there is a rate as soon as there are shares.
  const { value: hour } = useHistory('hashRate', '1h');
  if (!totals) return <p class="quiet">Loading …</p>;
  return (
    <dl class="figures">
      <RateFigure totals={totals} />
      {summary ? <RigsFigure counts={summary.rigs} /> : <ConnectedFigure sessions={totals.sessions} />}
      <AcceptedFigure totals={totals} summary={summary} />
      <LastBlockFigure blocks={blocks} rates={hour} spark={<OfDay metric="blocks" />} />
      <EffortFigure blocks={blocks} spark={<OfDay metric="effort" />} />
      {summary && <MoneyFigure />}
    </dl>
  );
}

/** Over five minutes: long enough to hold some shares, short enough to follow. */
function RateFigure({ totals }: { totals: PublicSummary }) {
  const { hashRates } = totals;
  const { hashesPerSecond = 0, standardError = 0 } = hashRates.find(({ minutes }) => minutes === 5) ?? {};
  return (
    <Figure name="Hash rate" value={hashRate(hashesPerSecond)} spark={<OfDay metric="hashRate" />}>
      {hashesPerSecond > 0
        ? `${errorBeside(hashesPerSecond, standardError)} (5 min)`
        : 'no share in 5 minutes'}
    </Figure>
  );
}

/** Since the bridge started; anonymous users, who are not told when that was, see the shares of a day. */
function AcceptedFigure({ totals, summary }: { totals: PublicSummary; summary: Summary | undefined }) {
  const { value } = useHistory('shares', '24h');
  const columns = value && { accepted: value.values, ...value.others };
  const submits = summary ? totals.submits : columns && sumsOf(columns);
  const spark = <Sparkline values={columns && partsOf(columns)} />;
  const all = sumOf(Object.values(submits ?? {}));
  if (!submits || all === 0)
    return (
      <Figure name="Shares accepted" value={undefined} spark={spark}>
        no shares yet
      </Figure>
    );
  const rejected = outcomeWords(submits);
  const accepted = submits.accepted ?? 0;
  return (
    <Figure name="Shares accepted" value={percent(accepted, all)} spark={spark}>
      {count(accepted)} of {count(all)} {summary ? <Since at={summary.startedAt} /> : 'in 24 hours'}
      {rejected && <span class="line">{rejected}</span>}
    </Figure>
  );
}

type Column = readonly (number | null)[];

function sumsOf(columns: Readonly<Record<string, Column>>): Partial<Record<string, number>> {
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, sumOf(values)]));
}

/** Of each step the part that was accepted. */
function partsOf(columns: Readonly<Record<string, Column>> & { accepted: Column }): Column {
  return columns.accepted.map((accepted, i) => {
    const all = sumOf(Object.values(columns).map((values) => values[i] ?? 0));
    return accepted === null || all === 0 ? null : accepted / all;
  });
}

function sumOf(values: readonly (number | null | undefined)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}
