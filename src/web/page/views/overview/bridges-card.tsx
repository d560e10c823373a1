/** The bridges on the ledger, where there are several: what each does of what is shown of all. */

import { Card } from '../../parts/card.js';
import { useSeen } from '../../use/reading.js';
import { bridgeWords } from '../../words/bridges.js';

export function BridgesCard() {
  const { summary } = useSeen();
  if (!summary || summary.bridges.length < 2) return null;
  return (
    <Card id="bridges" title="Bridges">
      <ul class="nodes">
        {summary.bridges.map((bridge, i) => (
          <li key={bridge.instance}>
            <span class="name">bridge {bridge.instance ?? '–'}</span>{' '}
            <span class="aside">{bridgeWords(bridge, i === 0)}</span>
          </li>
        ))}
      </ul>
      <p class="note">Rigs, hash rates, shares and nodes are those of all of them.</p>
    </Card>
  );
}
