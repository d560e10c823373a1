/** Rigs of an account, as the books know them. */

import { Card } from '../../parts/card.js';
import { RigLink } from '../../parts/controls/links.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { inHashes } from '../../parts/figures/best-ever.js';
import type { AccountDetails } from '../../reading/answers.js';
import { hashOf } from '../../route.js';
import { useSeen } from '../../use/reading.js';
import { count } from '../../words/numbers.js';

export function AccountRigs({ details: { account, rigs, rigCount } }: { details: AccountDetails }) {
  const { isAnonymous } = useSeen();
  return (
    <Card id="account-rigs" title="Rigs">
      {rigs.length === 0 ? (
        <p>No rig of it had a share booked yet.</p>
      ) : (
        <DataTable
          label="Table of its rigs"
          className="tall"
          columns={[
            {
              title: 'Rig',
              look: 'name',
              // The page of a rig is for operators.
              show: ({ rig }) =>
                isAnonymous ? (
                  rig || <span class="none">without a name</span>
                ) : (
                  <RigLink account={account} rig={rig} />
                ),
            },
            BEST_SHARE,
            LAST_SHARE,
          ]}
          rows={rigs}
          keyOf={({ rig }) => rig}
        />
      )}
      {rigCount > rigs.length && (
        <p class="note">
          The {count(rigs.length)} with the latest shares, of {count(rigCount)}.
        </p>
      )}
      {!isAnonymous && (
        <p class="note">
          <a href={hashOf('rigs', { account })}>Connected rigs</a>
        </p>
      )}
    </Card>
  );
}

const BEST_SHARE: Column<AccountDetails['rigs'][number]> = {
  title: 'Best share ever',
  look: 'number',
  show: ({ bestEver }) => (bestEver ? inHashes(bestEver) : '–'),
};

/** Books know of an old share only in which hour, or day, it was: it may be as old as that one's beginning. */
const SHORT_MS = 10_000;

const LAST_SHARE: Column<AccountDetails['rigs'][number]> = {
  title: 'Last share',
  look: 'number',
  show: ({ lastShareAt, lastShareSpanMs }) =>
    lastShareAt === null ? (
      'long ago'
    ) : (
      <>
        {(lastShareSpanMs ?? 0) > SHORT_MS && 'at most '}
        <Age at={lastShareAt} />
      </>
    ),
};
