/** What a reload would change, the order to do it, and what came of it for each setting. */

import { useState } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { Order } from '../../parts/controls/order.js';
import type { Reload, ReloadLook } from '../../reading/answers.js';
import { type Ask, AskError } from '../../reading/ask.js';
import { useAsked } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { counted } from '../../words/numbers.js';
import { valueWords } from '../../words/values.js';

interface ReloadCardProps {
  readonly reloads: number;
  reloaded(): void;
}

const EVERY_MS = 5_000;

export function ReloadCard({ reloads, reloaded }: ReloadCardProps) {
  const { may } = useSession();
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const asked = useAsked<ReloadLook>(`look ${reloads}`, EVERY_MS, (ask, signal) =>
    ask.json('/api/v1/reload', signal),
  );
  return (
    <Card id="reload" title="A reload" asked={asked}>
      {asked.value && <Look look={asked.value} />}
      {may('operate') ? (
        <Order
          words="Reload"
          asks="Settings and certificates are read again, as by SIGHUP. A fault in any of them changes nothing."
          confirm="Reload them"
          give={async (ask) => {
            const came = await reload(ask);
            setOutcome(came);
            reloaded();
            return came.refused.length > 0
              ? 'Refused: all settings stay as they were'
              : 'The settings were read again';
          }}
        />
      ) : (
        <p class="note">
          To reload, sign in at the foot of this page with a token that gives orders, or send the bridge
          SIGHUP.
        </p>
      )}
      {outcome && <OutcomeList outcome={outcome} />}
    </Card>
  );
}

function Look({ look: { changes, refused } }: { look: ReloadLook }) {
  if (refused.length > 0)
    return (
      <>
        <p>It would be refused, and all settings would stay as they are:</p>
        <Sentences lines={refused} />
      </>
    );
  if (changes.length === 0)
    return (
      <p>It would change no setting: what files and variables say is in force. Certificates are read anew.</p>
    );
  return (
    <>
      <p>It would change {counted(changes.length, 'setting')}:</p>
      <ul class="nodes">
        {changes.map(({ key, value, source, isLive }) => (
          <li key={key}>
            <span class="long">
              <code>{key}</code> to {valueWords(value)}
            </span>
            <span class="aside long">
              {source}, {isLive ? 'in force at once' : 'in force from the next start on'}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface Outcome extends Reload {
  readonly refused: readonly string[];
}

/** What is refused is an outcome too. */
async function reload(ask: Ask): Promise<Outcome> {
  try {
    return { ...((await ask.order('POST', '/api/v1/reload')) as Reload), refused: [] };
  } catch (error) {
    const refused = error instanceof AskError ? error.body['refused'] : undefined;
    if (!Array.isArray(refused)) throw error;
    return { tookEffect: [], wantsRestart: [], ports: [], refused: refused.map(String) };
  }
}

function OutcomeList({ outcome: { tookEffect, wantsRestart, ports, refused } }: { outcome: Outcome }) {
  const lines = [
    ...refused,
    ...tookEffect.map((key) => `${key} took effect`),
    ...wantsRestart.map((key) => `${key} requires a restart`),
    ...ports.map(({ name, why }) => `port ${name}: ${why}`),
  ];
  return lines.length === 0 ? <p>No setting has changed.</p> : <Sentences lines={lines} />;
}

function Sentences({ lines }: { lines: readonly string[] }) {
  return (
    <ul class="nodes long">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
