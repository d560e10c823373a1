/** What to set in a rig. */
import { Card } from '../../parts/card.js';
import { Copy } from '../../parts/controls/copy.js';
import type { Listeners } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { connectLines, reachOf, sessionWords } from '../../words/addresses.js';

/** Addresses change with a restart alone, after which they are asked for at once; a bridge that starts opens its listeners last. */
const EVERY_MS = 15_000;
const USER = 'account.rig';

export function ConnectCard() {
  const asked = useAsked<Listeners>('listeners', EVERY_MS, (ask, signal) =>
    ask.json('/api/v1/listeners', signal),
  );
  return (
    <Card id="connect" title="Connect a rig" asked={asked}>
      {asked.value && <Lines listeners={asked.value} />}
    </Card>
  );
}

function Lines({ listeners }: { listeners: Listeners }) {
  const lines = connectLines(listeners, location.hostname);
  const reach = reachOf(listeners, location.hostname);
  const last = lines.at(-1);
  if (!last)
    return (
      <p>
        The bridge listens for no rigs: <code>stratum.tcp</code> and <code>stratum.ws</code> are off, or its
        ports are not open yet.
      </p>
    );
  return (
    <>
      <dl class="lines">
        {lines.map(({ label, url }) => (
          <Line key={label} label={label} text={url} />
        ))}
        <Line label="User" text={USER} />
      </dl>
      <p class="note">Connected now: {sessionWords(listeners)}.</p>
      {reach && (
        <p class="note">
          {reach.says}
          {reach.flag && ' '}
          {reach.flag && <code class="whole">{reach.flag}</code>}.
        </p>
      )}
      <p class="note">
        <b>account</b> says who is paid, usually <code>k:</code> and a public key; what follows the first dot
        is a name for the rig. Any password will do where accounts have none; <code>d=1e12</code> in it asks
        for that share difficulty.
      </p>
      <p class="note">No rig at hand? A CPU is one:</p>
      <Copy text={`npx stratum-bridge rig --urls ${last.url} --user ${USER}`} what="the command" />
    </>
  );
}

function Line({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Copy text={text} what={label} />
      </dd>
    </div>
  );
}
