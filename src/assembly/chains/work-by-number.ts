/**
 * Work by the number of the bridge: rigs get no job before it has one, and new ones at once when it has another, as another
 * bridge may search the nonces of the jobs that they have.
 */
import { residueOfInstance } from '../../bridge/job-roller.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Instance } from '../books/instance.js';
import type { Site } from '../site.js';
import type { Jobs } from './jobs.js';

/** To be opened last and closed first: from here on there is work, and after its end there is no new one. */
export function workByNumber(
  { open }: Pick<Site, 'open'>,
  instance: Pick<Instance, 'onNumber'>,
  { book, dispatcher }: Pick<Jobs, 'book' | 'dispatcher'>,
  upstream: Pick<Upstream, 'start'>,
): void {
  let state: 'new' | 'started' | 'stopping' = 'new';
  open.add('work by number', () => {
    state = 'stopping';
  });
  instance.onNumber((number) => {
    if (state === 'stopping') return;
    book.moveTo(residueOfInstance(number));
    if (state === 'new') upstream.start();
    else dispatcher.renewJobs();
    state = 'started';
  });
}
