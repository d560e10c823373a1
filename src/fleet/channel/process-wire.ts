/** The channel that Node.js keeps between a process and those that it has forked. */
import type { ChildProcess } from 'node:child_process';
import type { Wire } from './channel.js';
import { onGone } from './gone.js';
import { isHanded } from './sockets-wire.js';

/** `serialization: 'advanced'` must be set where it is forked, or numbers and bytes would not come through. */
export function wireOf(end: ChildProcess | NodeJS.Process): Wire {
  return {
    send: (message) => {
      // It may have ended a moment ago: `onEnd` tells.
      if (end.connected) end.send?.(message, undefined, undefined, () => undefined);
    },
    onMessage: (listener) =>
      void end.on('message', (message) => {
        if (!isHanded(message)) listener(message);
      }),
    onEnd: (listener) => onGone(end, listener),
  };
}
