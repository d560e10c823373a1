/** The lines of a payout as files: fetched here, as a link sends no token. */
import { useState } from 'preact/hooks';
import type { Payout, PayoutLines } from '../../reading/answers.js';
import { sentence } from '../../reading/ask.js';
import { allLines } from '../../reading/payouts.js';
import { useReading } from '../../use/reading.js';
import { payoutCsv, payoutJson } from '../../words/payouts.js';
import { endedSentence } from '../../words/sentences.js';

/** A pool of ten thousand accounts on a slow line. */
const PATIENCE_MS = 60_000;

interface Form {
  readonly ending: string;
  readonly type: string;
  textOf(payout: Payout, lines: PayoutLines['lines']): string;
}

const FORMS: readonly Form[] = [
  { ending: 'csv', type: 'text/csv', textOf: ({ id }, lines) => payoutCsv(id, lines) },
  { ending: 'json', type: 'application/json', textOf: payoutJson },
];

export function Downloads({ payout }: { payout: Payout }) {
  const { ask } = useReading();
  const [fault, setFault] = useState('');
  const download = async ({ ending, type, textOf }: Form): Promise<void> => {
    setFault('');
    try {
      const lines = await allLines(ask, payout.id, AbortSignal.timeout(PATIENCE_MS));
      save(`payout-${payout.id}.${ending}`, new Blob([textOf(payout, lines)], { type }));
    } catch (error) {
      setFault(endedSentence(sentence(error)));
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

function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // Once the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), PATIENCE_MS);
}
