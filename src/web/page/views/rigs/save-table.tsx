/** The rigs that are found, as a file. It is asked for with a header, as a token must not stand in an address. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { saveFile } from '../../parts/controls/save-file.js';
import { sentence } from '../../reading/ask.js';
import { askForTable, type RigQuery } from '../../reading/rigs.js';
import { useReading } from '../../use/reading.js';

export function SaveTable({ query }: { query: RigQuery }) {
  const { ask } = useReading();
  const [said, setSaid] = useState('');
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const save = async (): Promise<void> => {
    setSaid('Asking for all of them …');
    try {
      saveFile('rigs.csv', 'text/csv', await askForTable(ask, query, stop.current.signal));
      setSaid('Saved as rigs.csv.');
    } catch (error) {
      if (!stop.current.signal.aborted) setSaid(sentence(error));
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
