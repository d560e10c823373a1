/** How many rigs there are. */
import { Figure } from '../../parts/figures/figure.js';
import { OfDay } from '../../parts/figures/sparkline.js';
import type { RigList, Summary } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { count, counted } from '../../words/numbers.js';

const EVERY_MS = 3_000;

/** Those that are online, of all that are known. */
export function RigsFigure({ counts }: { counts: Summary['rigs'] }) {
  const { value } = useAsked('rigs online', EVERY_MS, async (ask, signal) => {
    const total = async (query: string): Promise<number> =>
      (await ask.json<RigList>(`/api/v1/rigs?limit=1${query}`, signal)).total;
    const [online, known] = await Promise.all([total('&state=online'), total('')]);
    return { online, known };
  });
  const parts = [
    counts.resumable > 0 && `${count(counts.resumable)} recently disconnected`,
    counts.waiting > 0 && `${count(counts.waiting)} wait to be let in`,
    counts.bans > 0 && counted(counts.bans, 'ban'),
  ].filter(Boolean);
  return (
    <Figure name="Rigs online" value={value && count(value.online)} spark={<OfDay metric="rigs" />}>
      {value && (value.known === 0 ? 'none yet' : `of ${count(value.known)} known`)}
      {parts.length > 0 && <span class="line">{parts.join(', ')}</span>}
    </Figure>
  );
}

/** Anonymous users are told of sessions alone. */
export function ConnectedFigure({ sessions }: { sessions: number }) {
  return (
    <Figure name="Rigs connected" value={count(sessions)} spark={<OfDay metric="rigs" />}>
      {sessions === 0 ? 'none now' : 'open sessions'}
    </Figure>
  );
}
