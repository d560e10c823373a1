/** That blocks are still to come: what became of ours among them is not known yet. */
import { useSeen } from '../use/reading.js';
import { counted } from '../words/numbers.js';

export function Unread() {
  const behind = useSeen().summary?.following?.behind;
  return behind ? <p class="note">Still to be read: {counted(behind, 'block')}.</p> : null;
}
