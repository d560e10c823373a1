/** What the page and the API say that a bridge goes by: also where that is not what is written. */
import { describe, expect, it } from 'vitest';
import { watchSettings, withChosen, withRules } from '../../src/assembly/watch/settings.js';
import { loadConfig } from '../../src/config/layers/load.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { parseAmount } from '../../src/core/money/amount.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';

const loaded = loadConfig(BRIDGE_SETTINGS, { flags: { 'rewards-fee': '0.01', 'web-title': 'ours' } });
const written = watchSettings({
  inForce: () => loaded,
  waiting: () => undefined,
  look: async () => ({ changed: [], refused: [] }),
  ask: async () => ({ tookEffect: [], wantsRestart: [], refused: [] }),
});

describe('WB23: settings in force', () => {
  it('say what they are, what is so by default, and where they come from', () => {
    const title = written.settings().find(({ key }) => key === 'web.title');
    expect(title).toEqual({
      ...{ key: 'web.title', value: 'ours', source: 'flag --web-title', default: 'stratum-bridge' },
      ...{ help: BRIDGE_SETTINGS['web.title'].help, isLive: false, isRule: false, waiting: null },
    });
  });

  it('are the rules of the ledger, where these say otherwise', () => {
    const minimum = parseAmount('2.5') ?? 0n;
    const rules = { ...REWARD_RULES, payoutMode: 'auto', minimum, version: 3 } as const;
    const settings = withRules(written, () => rules).settings();
    const find = (key: string) => settings.find((each) => each.key === key);
    const source = 'rules of the ledger, version 3';
    expect(find('payouts.mode')).toMatchObject({ value: 'auto', source, isRule: true });
    expect(find('payouts.minimum')).toMatchObject({ value: '2.5', source, default: '1' });
    // Written otherwise, it is the same.
    expect(find('rewards.fee')).toMatchObject({
      ...{ value: '0.01', source: 'flag --rewards-fee', isRule: true },
    });
    expect(find('web.title')).toMatchObject({ value: 'ours', isRule: false });
    expect(withRules(written, () => undefined).settings()).toEqual(written.settings());
  });

  it('are those that a command has chosen, where nobody has said anything', () => {
    const limit = parseAmount('1000') ?? 0n;
    const { config } = loaded;
    const chosen = { ...config, 'payouts.mode': 'auto', 'payouts.ttl': 120_000, 'payouts.limit.line': limit };
    const settings = withChosen(written, config, chosen as typeof config).settings();
    const found = ['payouts.mode', 'payouts.ttl', 'payouts.limit.line', 'payouts.schedule'].map((key) => {
      const { value, source } = settings.find((each) => each.key === key) ?? {};
      return [value, source];
    });
    const by = 'chosen by the command';
    expect(found).toEqual([
      ...[
        ['auto', by],
        ['2m', by],
        ['1000', by],
      ],
      ['daily 06:00 UTC', 'default'],
    ]);
  });
});
