/** How payments on chain stand, in sentences. */
import { PAUSES } from './pauses.js';
import type { PayerView } from './payer-view.js';

/** What was found, and what to do about it. */
export function pauseInWords({ reason, says }: PayerView['pauses'][number]): string {
  const { means, advice } = PAUSES[reason];
  return `${means}: ${says}. ${advice[0]?.toUpperCase()}${advice.slice(1)}.`;
}

/** Of all that pays on chain, in sentences; none where nobody ever did. */
export function payerInWords({
  isPaying,
  holder,
  account,
  pauses,
  isReady,
  waitsUntil,
  cursorAt,
  lines,
  open,
  waiting,
  waitingWhy,
  warning,
}: Omit<PayerView, 'words'>): string[] {
  if (account === null) return [];
  const words = pauses.map((pause) => `paused: ${pauseInWords(pause)}`);
  if (!isPaying && holder === null) words.push('no bridge pays on chain now');
  else if (!isPaying) words.push(`the bridge at ${holder} pays, and is silent: another one goes on`);
  if (isPaying && !isReady)
    words.push(
      `nothing is paid until blocks of ${waitsUntil} are taken over${cursorAt ? `, and they are up to ${cursorAt}` : ''}: what was sent before this start is seen by then`,
    );
  if (waiting > 0) words.push(`${waiting} ${waiting === 1 ? 'payout waits' : 'payouts wait'} for approval`);
  if (lines > 0) words.push(`${lines} payments are to be made, ${open} are under way`);
  if (waitingWhy !== '') words.push(waitingWhy);
  if (warning !== '') words.push(`danger: ${warning}`);
  return words.length === 0 ? ['all that is due is paid'] : words;
}
