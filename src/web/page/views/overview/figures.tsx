/** Six numbers, as far as the API gives them. */

import { Since } from '../../parts/age.js';
import { Figure } from '../../parts/figure.js';
import type { Summary } from '../../reading/answers.js';
import { useSeen } from '../../use/reading.js';
import {
  count,
  counted,
  errorBeside,
  hashRate,
  milliseconds,
  percent,
  withUnit,
} from '../../words/numbers.js';
import { outcomeWords } from '../../words/outcomes.js';

export function Figures() {
  const { summary } = useSeen();
  if (!summary) return <p class="quiet">Waiting for the bridge’s first words.</p>;
  return (
    <dl class="figures">
      <RateFigure summary={summary} />
      <RigsFigure summary={summary} />
      <AcceptedFigure summary={summary} />
      <SolutionsFigure summary={summary} />
      <FreshnessFigure summary={summary} />
      <BooksFigure summary={summary} />
    </dl>
  );
}

/** Over five minutes: long enough to hold some shares, short enough to follow. */
function RateFigure({ summary: { hashRates } }: { summary: Summary }) {
  const rate = hashRates.find(({ minutes }) => minutes === 5);
  if (!rate) return <Figure name="Hash rate" value={undefined} />;
  const { hashesPerSecond, standardError } = rate;
  return (
    <Figure name="Hash rate" value={hashRate(hashesPerSecond)}>
      {hashesPerSecond > 0 && `${errorBeside(hashesPerSecond, standardError)}, `}by shares of 5 minutes
    </Figure>
  );
}

function RigsFigure({ summary: { sessions, rigs } }: { summary: Summary }) {
  const parts = [
    rigs.parked > 0 && `${count(rigs.parked)} may come back`,
    rigs.waiting > 0 && `${count(rigs.waiting)} wait to be let in`,
    rigs.bans > 0 && counted(rigs.bans, 'ban'),
  ].filter(Boolean);
  return (
    <Figure name="Rigs connected" value={count(sessions)}>
      {parts.join(', ') || (sessions === 0 ? 'none yet' : 'open sessions')}
    </Figure>
  );
}

function AcceptedFigure({ summary: { submits, startedAt } }: { summary: Summary }) {
  const all = Object.values(submits).reduce((sum, each) => sum + each, 0);
  if (all === 0)
    return (
      <Figure name="Shares accepted" value={undefined}>
        the first share is awaited
      </Figure>
    );
  const rejected = outcomeWords(submits);
  return (
    <Figure name="Shares accepted" value={percent(submits.accepted, all)}>
      {count(submits.accepted)} of {count(all)} <Since at={startedAt} />
      {rejected && <span class="line">{rejected}</span>}
    </Figure>
  );
}

function SolutionsFigure({ summary: { solutions, startedAt } }: { summary: Summary }) {
  const { found, accepted, rejected, pending, superseded } = solutions;
  if (found === 0)
    return (
      <Figure name="Blocks" value="0">
        none found yet: any share may be the first
      </Figure>
    );
  const others = [
    pending > 0 && `${count(pending)} under way`,
    rejected > 0 && `${count(rejected)} rejected`,
    superseded > 0 && `${count(superseded)} came second`,
  ].filter(Boolean);
  return (
    <Figure name="Blocks" value={count(accepted)}>
      taken by the node, of {count(found)} sent <Since at={startedAt} />
      {others.length > 0 && <span class="line">{others.join(', ')}</span>}
    </Figure>
  );
}

function FreshnessFigure({ summary: { freshness } }: { summary: Summary }) {
  const { delayMs, jobs, staleHashes } = freshness;
  if (jobs === 0)
    return (
      <Figure name="Fresh job within" value={undefined}>
        the first job is awaited
      </Figure>
    );
  return (
    <Figure name="Fresh job within" value={milliseconds(delayMs.p99)}>
      at the last rig, 99 % of jobs; half within {milliseconds(delayMs.p50)}
      <span class="line">{percent(staleHashes, 1)} of the work was stale</span>
    </Figure>
  );
}

function BooksFigure({ summary: { ledger, queue } }: { summary: Summary }) {
  const { shares, work } = ledger;
  const waiting = (queue.waiting ?? 0) + (queue.spooled ?? 0);
  return (
    <Figure name="Shares in the books" value={shares === undefined ? undefined : count(shares)}>
      {work === undefined ? 'not heard of yet' : `worth ${withUnit(Number(work), 'hashes')}`}
      {waiting > 0 && <span class="line">{counted(waiting, 'entry waits', 'entries wait')}</span>}
    </Figure>
  );
}
