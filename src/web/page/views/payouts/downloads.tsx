/** The lines of a payout as files: fetched here, as a link sends no token. */
import { useState } from 'preact/hooks';
import { saveFile } from '../../parts/controls/save-file.js';
import type { Payout, PayoutLines } from '../../reading/answers.js';
import { sentence } from '../../reading/ask.js';
import { allLines } from '../../reading/payouts.js';
import { useReading } from '../../use/reading.js';
import { payoutCsv, payoutJson } from '../../words/payouts.js';

/** A pool of ten thousand accounts on a slow line. */
const PATIENCE_MS = 60_000;

interface Form {
  readonly ending: string;
  readonly type: string;
  textOf(payout: Payout, lines: PayoutLines['lines']): string;
}

const FORMS: readonly Form[] = [
  { ending: 'csv', type: 'text/csv', textOf: ({ name }, lines) => payoutCsv(name, lines) },
  { ending: 'json', type: 'application/json', textOf: payoutJson },
];

export function Downloads({ payout }: { payout: Payout }) {
  const { ask } = useReading();
  const [fault, setFault] = useState('');
  const download = async ({ ending, type, textOf }: Form): Promise<void> => {
    setFault('');
    try {
      const lines = await allLines(ask, payout.id, AbortSignal.timeout(PATIENCE_MS));
      saveFile(`payout-${payout.name}.${ending}`, type, textOf(payout, lines));
    } catch (error) {
      setFault(sentence(error));
    }
  };
  return (
    <div class="tools">
      {FORMS.map((form) => (
        <button key={form.ending} type="button" onClick={() => void download(form)}>
          Download {form.ending.toUpperCase()}
        </button>
      ))}
      <p class="problem" role="alert">
        {fault}
      </p>
    </div>
  );
}
