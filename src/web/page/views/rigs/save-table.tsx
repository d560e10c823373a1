/** The rigs that are found, as a file. It is asked for with a header, as a token must not stand in an address. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { sentence } from '../../reading/ask.js';
import { askForTable, type RigQuery } from '../../reading/rigs.js';
import { useReading } from '../../use/reading.js';
import { endedSentence } from '../../words/sentences.js';

export function SaveTable({ query }: { query: RigQuery }) {
  const { ask } = useReading();
  const [said, setSaid] = useState('');
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const save = async (): Promise<void> => {
    setSaid('Asking for all of them …');
    try {
      saveAs('rigs.csv', await askForTable(ask, query, stop.current.signal));
      setSaid('Saved as rigs.csv.');
    } catch (error) {
      if (!stop.current.signal.aborted) setSaid(endedSentence(sentence(error)));
    }
  };
  return (
    <>
      <button type="button" onClick={() => void save()}>
        Save as CSV
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </>
  );
}

function saveAs(name: string, table: string): void {
  const address = URL.createObjectURL(new Blob([table], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
