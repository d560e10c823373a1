/** A list as a file for spreadsheets. It is asked for with a header, which a link cannot send. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Ask, sentence } from '../../reading/ask.js';
import { useReading } from '../../use/reading.js';
import { saveFile } from './save-file.js';

interface SaveTableProps {
  /** Of the file. */
  readonly name: string;
  read(ask: Ask, signal: AbortSignal): Promise<string>;
}

export function SaveTable({ name, read }: SaveTableProps) {
  const { ask } = useReading();
  const [said, setSaid] = useState('');
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const save = async (): Promise<void> => {
    setSaid('Loading …');
    try {
      saveFile(name, 'text/csv', await read(ask, stop.current.signal));
      setSaid(`Saved as ${name}`);
    } catch (error) {
      if (!stop.current.signal.aborted) setSaid(sentence(error));
    }
  };
  return (
    <span class="tools">
      <span class="note" role="status">
        {said}
      </span>
      <button type="button" onClick={() => void save()}>
        Save as CSV
      </button>
    </span>
  );
}
