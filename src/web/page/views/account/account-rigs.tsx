/** Rigs of an account: of each what the books know, and for operators how it mines now. */
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import { State } from '../../parts/state.js';
import { Who } from '../../parts/who.js';
import type { AccountDetails, Rig, RigList } from '../../reading/answers.js';
import { rateOf } from '../../reading/rigs.js';
import { hashOf } from '../../route.js';
import { useAnswer, useSeen } from '../../use/reading.js';
import { count, inHashes } from '../../words/numbers.js';

/** As many as the API gives at a time. */
const MOST = 1_000;

interface Row {
  readonly account: string;
  readonly rig: string;
  readonly booked?: AccountDetails['rigs'][number] | undefined;
  readonly live?: Rig | undefined;
}

export function AccountRigs({ details }: { details: AccountDetails }) {
  const { account, rigs, rigCount, bestEver } = details;
  const { isAnonymous } = useSeen();
  const query = new URLSearchParams({ account, limit: String(MOST) });
  const { value } = useAnswer<RigList>(isAnonymous ? undefined : `/api/v1/rigs?${query}`);
  const rows = rowsOf(details, value?.rigs ?? []);
  const actions = !isAnonymous && rows.length > 0 && <a href={hashOf('rigs', { account })}>Open in Rigs</a>;
  return (
    <Card id="account-rigs" title="Rigs" actions={actions}>
      {rows.length === 0 ? (
        <p>No rig has had a share accepted yet.</p>
      ) : (
        <DataTable
          label="Rigs of the account"
          isTall
          columns={isAnonymous ? [NAME, LAST_SHARE, BEST_SHARE] : [RIG, STATE, RATE, LAST_SHARE]}
          rows={rows}
          keyOf={({ rig }) => rig}
        />
      )}
      {rigCount > rigs.length && (
        <p class="note">
          The {count(rigs.length)} with the latest shares, of {count(rigCount)}.
        </p>
      )}
      {bestEver && (
        <p class="note">
          Best share of all: {inHashes(bestEver)} hashes, <Age at={bestEver.at} />
        </p>
      )}
    </Card>
  );
}

/** Those that are connected and had no share accepted yet come first: somebody sets them up. */
function rowsOf({ account, rigs }: AccountDetails, live: readonly Rig[]): Row[] {
  const byName = new Map(live.map((rig) => [rig.rig, rig]));
  const booked = rigs.map((one): Row => ({ account, rig: one.rig, booked: one, live: byName.get(one.rig) }));
  const known = new Set(rigs.map(({ rig }) => rig));
  const others = live.filter(({ rig }) => !known.has(rig));
  return [...others.map((one): Row => ({ account, rig: one.rig, live: one })), ...booked];
}

const RIG: Column<Row> = {
  title: 'Rig',
  show: ({ account, rig, live }) => <Who account={account} rig={rig} label={live?.label ?? null} />,
};

/** The page of a rig is for operators. */
const NAME: Column<Row> = {
  title: 'Rig',
  show: ({ account, rig }) => <Who account={account} rig={rig} isHere />,
};

/** Of those that are not in the list of rigs the bridge knows nothing since its start. */
const STATE: Column<Row> = {
  title: 'State',
  show: ({ live }) => <State of={live?.state ?? 'offline'} />,
};

/** Of the time that the rate of the account is of. */
const RATE: Column<Row> = {
  title: 'Hash rate (1 h)',
  look: 'number',
  show: ({ live }) => <Rate rate={live && rateOf(live, 'rate60')} />,
};

/** Books know of an old share only in which hour, or day, it was: it may be as old as that one's beginning. */
const SHORT_MS = 60_000;

const LAST_SHARE: Column<Row> = {
  title: 'Last share',
  look: 'number',
  show: ({ live, booked }) => {
    if (live?.lastShareAt) return <Age at={live.lastShareAt} />;
    if (!booked) return null;
    const { lastShareAt, lastShareSpanMs } = booked;
    if (lastShareAt === null) return 'long ago';
    return (
      <>
        {(lastShareSpanMs ?? 0) > SHORT_MS && 'at most '}
        <Age at={lastShareAt} />
      </>
    );
  },
};

const BEST_SHARE: Column<Row> = {
  title: 'Best share',
  look: 'number',
  show: ({ booked }) => booked?.bestEver && inHashes(booked.bestEver),
};
