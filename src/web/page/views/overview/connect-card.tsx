/** What to set in a rig: a way, an address, and the reader's own account. */
import { useEffect, useState } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { Copy } from '../../parts/controls/copy.js';
import { keepAccount, keptAccount } from '../../reading/kept.js';
import { UNKNOWN_POOL, usePool } from '../../use/pool.js';
import { type ConnectLine, connectLines, reachOf } from '../../words/addresses.js';

export function ConnectCard() {
  const pool = usePool();
  if (pool === UNKNOWN_POOL) return null;
  const lines = connectLines(pool.ports, location.hostname);
  return (
    <Card id="connect" title="Connect a rig">
      {lines.length === 0 ? (
        <p>
          The bridge listens for no rigs: <code>stratum.tcp</code> and <code>stratum.ws</code> are off, or its
          ports are not open yet.
        </p>
      ) : (
        <Ways lines={lines} />
      )}
    </Card>
  );
}

const CPU = 'CPU';

function Ways({ lines }: { lines: readonly ConnectLine[] }) {
  const { ports } = usePool();
  const [chosen, choose] = useState('');
  const [account, setAccount] = useState(keptAccount);
  const line = lines.find(({ label }) => label === chosen) ?? lines[0];
  const type = (typed: string): void => {
    setAccount(typed);
    keepAccount(typed);
  };
  if (!line) return null;
  const isCpu = chosen === CPU;
  const user = `${account.trim() || 'ACCOUNT'}.${isCpu ? 'cpu' : 'RIG'}`;
  const reach = reachOf(ports, location.hostname);
  return (
    <div class="connect">
      <fieldset class="segments" aria-label="Way to connect">
        {[...lines.map(({ label }) => label), CPU].map((label) => (
          <button
            key={label}
            type="button"
            aria-pressed={label === (isCpu ? CPU : line.label)}
            onClick={() => choose(label)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <label class="field">
        Your account, which is paid
        <input
          value={account}
          placeholder="k: and a public key"
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          onInput={(event) => type(event.currentTarget.value)}
        />
      </label>
      {isCpu ? (
        <Copy text={`npx stratum-bridge rig --urls ${line.url} --user ${user}`} what="the command" />
      ) : (
        <div class="connect-ways">
          <dl>
            <Line label="Address" text={line.url} />
            <Line label="User" text={user} />
            <Line label="Password" text="x" />
          </dl>
          <QrCode text={line.url} />
        </div>
      )}
      <p class="note">
        {isCpu
          ? 'Any computer with Node.js mines with this.'
          : 'RIG is a name of your choice. A password counts only where the account has one; d=1e12 in it asks for that share difficulty.'}
      </p>
      {reach && (
        <p class="note">
          {reach.says} {reach.flag && <code>{reach.flag}</code>}
        </p>
      )}
    </div>
  );
}

function Line({ label, text }: { label: string; text: string }) {
  return (
    <div class="connect-line">
      <dt>{label}</dt>
      <dd>
        <Copy text={text} what={label.toLowerCase()} />
      </dd>
    </div>
  );
}

/** For a rig with a camera, or a telephone that sets one up. */
function QrCode({ text }: { text: string }) {
  const [svg, setSvg] = useState('');
  useEffect(() => {
    let isOver = false;
    void import('uqr').then(({ renderSVG }) => {
      if (!isOver) setSvg(renderSVG(text, { border: 1 }));
    });
    return () => {
      isOver = true;
    };
  }, [text]);
  // Drawn of squares: there is no letter of the text in it.
  return (
    <div
      class="qr"
      role="img"
      aria-label="The address as a QR code"
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}
