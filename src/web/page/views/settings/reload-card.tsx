/** Whether files and variables say anything else than what is in force, and the order to read them. */
import { Card } from '../../parts/card.js';
import { Order } from '../../parts/orders/order.js';
import type { Reload, ReloadLook, Setting } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { counted } from '../../words/numbers.js';
import { valueWords } from '../../words/settings.js';
import { SettingKey } from './setting-group.js';

interface ReloadCardProps {
  /** Absent while they are asked for. */
  readonly settings: readonly Setting[] | undefined;
}

export function ReloadCard({ settings = [] }: ReloadCardProps) {
  const { may } = useSession();
  const asked = useAnswer<ReloadLook>('/api/v1/reload');
  const { value: look } = asked;
  const differs = look !== undefined && look.changes.length + look.refused.length > 0;
  // A renewed certificate is no change of a setting, and seen by a reload alone.
  const isUseful = differs || settings.some(hasCertificate);
  return (
    <Card
      id="reload"
      title="Reload"
      asked={asked}
      actions={
        isUseful &&
        may('operate') && (
          <Order
            words={differs ? 'Reload' : 'Read certificates again'}
            look={differs ? 'primary' : undefined}
            asks="Settings and certificates are read again, as by SIGHUP; a fault in any of them changes nothing."
            confirm="Reload"
            path="/api/v1/reload"
            said={outcome}
          />
        )
      }
    >
      {look && <Look look={look} />}
      {differs && !may('operate') && (
        <p class="note">To reload, sign in with a token that gives orders, or send the bridge SIGHUP.</p>
      )}
    </Card>
  );
}

/** Of the web, of ports, or of one port. */
function hasCertificate({ key, value }: Setting): boolean {
  if (key === 'stratum.ports') return JSON.stringify(value).includes('"certificate"');
  return key.endsWith('tls.certificate') && value !== '';
}

function outcome({ tookEffect, wantsRestart, ports }: Reload): string {
  const lines = [
    ...tookEffect.map((key) => `${key} took effect`),
    ...wantsRestart.map((key) => `${key} requires a restart`),
    ...ports.map(({ name, why }) => `port ${name}: ${why}`),
  ];
  return `Read again: ${lines.join('; ') || 'no setting has changed'}`;
}

function Look({ look: { changes, refused } }: { look: ReloadLook }) {
  if (changes.length + refused.length === 0) return <p>In force; files on disk are the same.</p>;
  return (
    <>
      <p>
        {refused.length > 0
          ? 'A reload would be refused:'
          : `A reload changes ${counted(changes.length, 'setting')}:`}
      </p>
      <ul class="rows">
        {refused.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {refused.length === 0 &&
          changes.map(({ key, value, source, isLive }) => (
            <li key={key}>
              <SettingKey of={key} /> to <b>{valueWords(value)}</b>{' '}
              <span class="aside">
                {source}, {isLive ? 'at once' : 'after a restart'}
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}
