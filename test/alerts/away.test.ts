/** What a bridge tells by itself while the ledger is away. */
import { describe, expect, it } from 'vitest';
import { AwayAlerts } from '../../src/alerts/away.js';
import { finding } from '../helpers/alerts/alert-looks.js';

function away() {
  const told: string[] = [];
  const alerts = new AwayAlerts(({ about }, what) => told.push(`${what} ${about}`), Date.now);
  return { told, alerts };
}

describe('while the ledger is away', () => {
  it('what was told of a bridge without a number ends as that of the one that it is', () => {
    const { told, alerts } = away();
    alerts.take([finding('a bridge'), finding('web of a bridge')], []);
    alerts.rename('a bridge', 'bridge 3');
    alerts.take([finding('bridge 3', false), finding('web of bridge 3')], []);
    expect(told).toEqual(['opened a bridge', 'opened web of a bridge', 'resolved bridge 3']);
    expect(alerts.open.map(({ about }) => about)).toEqual(['web of bridge 3']);
  });

  it('what was told before a restart is not told anew, and its end is', () => {
    const [first, second] = [away(), away()];
    first.alerts.take([finding('n1'), finding('n2')], []);
    second.alerts.restore(first.alerts.open);
    second.alerts.take([finding('n1'), finding('n2', false)], []);
    expect(second.told).toEqual(['resolved n2']);
  });

  it('something that comes and goes for long ends in no silence', () => {
    const { told, alerts } = away();
    for (let n = 0; n < 300; n++) alerts.take([finding('n1', n % 2 === 0)], []);
    alerts.take([finding('n2')], []);
    expect([told.length, told.at(-1)]).toEqual([301, 'opened n2']);
    expect(alerts.alerts.length).toBeLessThanOrEqual(100);
  });

  it('what the ledger had open before is not told again', () => {
    const { told, alerts } = away();
    const known = away();
    known.alerts.take([finding('n1')], []);
    alerts.take([finding('n1'), finding('n2')], known.alerts.open);
    expect(told).toEqual(['opened n2']);
  });
});
