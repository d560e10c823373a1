/** Bans that keep a rig out, and the order to lift them. */
import { Age } from '../../parts/figures/age.js';
import { LiftBan } from '../../parts/orders/bans.js';
import type { Ban, Rig } from '../../reading/answers.js';
import { useBans } from '../../use/bans.js';
import { useNow } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { ofBridge } from '../../words/bridges.js';
import { endedSentence } from '../../words/sentences.js';
import { until } from '../../words/times.js';

export function RigBans({ rig: { account, state }, login }: { rig: Rig; login: string }) {
  const bans = useBans(({ kind, login: of }) => of === (kind === 'account' ? account : login));
  return (
    <>
      {bans?.map((ban) => (
        <BanBox key={ban.id} ban={ban} />
      ))}
      {bans?.length === 0 && state === 'banned' && (
        <p class="trouble is-fault">
          Its address is banned: <code>stratum-bridge ctl bans</code> lists all bans.
        </p>
      )}
    </>
  );
}

const WHO: Readonly<Partial<Record<Ban['kind'], string>>> = {
  account: 'The whole account is banned',
  login: 'The rig is banned',
};

function BanBox({ ban }: { ban: Ban }) {
  const { may } = useSession();
  const nowMs = useNow();
  const who = WHO[ban.kind] ?? `The rig is banned at ${ban.address}`;
  const end = ban.until === null ? 'until lifted' : `it ends ${until(Date.parse(ban.until), nowMs)}`;
  return (
    <section class="trouble is-fault rig-ban" aria-label="Ban">
      <p>
        <b>
          {who}
          {ofBridge(ban.bridge ?? null)}, {end}.
        </b>{' '}
        {endedSentence(ban.reason)}{' '}
        <span class="aside">
          By {ban.by ?? 'the bridge'}, <Age at={ban.since} />
        </span>
      </p>
      {may('operate') && <LiftBan ban={ban} />}
    </section>
  );
}
