/** Rules of the payer as the ledger has them: each can be taken out, to see what it is good for. */
import { SQL } from '../../../src/ledger/payer/transactions.js';
import type { LeftOut } from './driven-books.js';
import type { Rule } from './rules.js';
import { READY, WITHOUT } from './stories.js';

/** Of a statement's text what is another one without the rule. */
type Change = readonly [statement: keyof typeof SQL, text: string, instead: string];

export interface Out {
  readonly rule: Rule;
  /** What comes out then. */
  readonly kind: string;
  readonly story: string;
  /** Of the statements; of what is simulated where there is none. */
  readonly without: readonly Change[];
}

/** As long as a state of the role is not looked at, it is not known that the wait is over. */
const PAYS = `${READY} | build 0`;
const modelled = (rule: Rule): Pick<Out, 'rule' | 'kind' | 'story'> => {
  const [, kind, story] = WITHOUT.find(([one]) => one === rule) ?? [rule, '', ''];
  return { rule, kind, story };
};

export const OUT: readonly Out[] = [
  {
    ...modelled('comparesToken'),
    without: [['renew', 'token = ANY ($1::uuid[])', '$1::uuid[] IS NOT NULL']],
  },
  { ...modelled('covers'), without: [['covered', 'b.amount >=', 'true OR b.amount >=']] },
  {
    ...modelled('reopensDead'),
    without: [['endedBy', "t.state <> 'open'", "t.state IN ('paid', 'failed')"]],
  },
  {
    ...{ rule: 'alwaysWaits', kind: 'paid twice' },
    story: `${PAYS} | sync | pay 0 0 | promote | take 0 | pay 0 0 | mine 0 1 all`,
    without: [['take', 'is_ready = $6 AND account IS NULL', 'is_ready = $6 OR (is_ready AND holder = $2)']],
  },
  {
    ...{ rule: 'entersAlways', kind: 'paid twice' },
    story: `${PAYS} | sync | pay 0 0 | promote | pass 2 1 newest | pass 1 1 nothing`,
    without: [],
  },
  {
    ...{ rule: 'holderPauses', kind: 'paused for nothing' },
    story: `${PAYS} | sync | pay 0 0 | promote | pass 2 1 newest | pass 1 1 nothing`,
    without: [
      [
        'setStranger',
        'UPDATE payer SET stranger = coalesce(stranger, $1) WHERE is_ready',
        "INSERT INTO pause (reason, says) SELECT 'anotherPayer', $1 FROM payer WHERE is_ready",
      ],
    ],
  },
  {
    ...modelled('takesLater'),
    without: [
      ['take', ', $5::bigint, (SELECT coalesce(max(time_micros), 0) FROM chain_block))', ', $5::bigint * 0)'],
    ],
  },
  {
    ...modelled('waitsForAll'),
    without: [
      ['becomeReady', 'AND NOT EXISTS (', 'AND EXISTS ('],
      ['becomeReady', '< waits_until', '>= waits_until'],
    ],
  },
  {
    ...modelled('standsStill'),
    without: [
      ['now', "trouble = '' AND", ''],
      ['covered', "AND h.trouble = ''", ''],
    ],
  },
  { ...modelled('readsAll'), without: [] },
  { ...modelled('settlesSkipped'), without: [] },
];

const SIMULATED: readonly Rule[] = ['readsAll', 'entersAlways', 'settlesSkipped'] satisfies LeftOut[];

/** Does something with the ledger as it would be. */
export async function withoutRule(
  { rule, without }: Out,
  act: (left: readonly LeftOut[]) => Promise<void>,
): Promise<void> {
  const statements: Record<string, { text: string }> = SQL;
  const before = new Map(Object.entries(statements).map(([name, { text }]) => [name, text]));
  try {
    for (const [name, text, instead] of without) {
      const statement = statements[name];
      if (!statement?.text.includes(text))
        throw new Error(`${name} has no ${text} any more: how is it without?`);
      statement.text = statement.text.replace(text, instead);
    }
    await act(SIMULATED.includes(rule) ? [rule as LeftOut] : []);
  } finally {
    for (const [name, text] of before) if (statements[name]) statements[name].text = text;
  }
}
