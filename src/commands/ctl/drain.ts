/** `ctl drain`. */
import type { z } from 'zod';
import type { Asked } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import type { CtlDrainSettings } from '../../config/settings/ctl-settings.js';
import { DRAIN } from '../../web/api/schemas/order-schemas.js';
import { onBridge } from './bridge.js';
import { say } from './say.js';

const PATH = '/api/v1/drain';

export async function drain(asked: Asked<CtlDrainSettings>): Promise<number> {
  return onBridge(asked, async ({ ask, ...on }) => {
    const { overMs, stop, cancel, status } = on.config;
    const given = Object.entries({ stop, cancel, status }).flatMap(([flag, is]) => (is ? [`--${flag}`] : []));
    if (given.length > 1) throw new ConfigError([`${given.join(' and ')} want different things: choose one`]);
    const { json, read } = cancel
      ? await ask(DRAIN, 'DELETE', PATH)
      : await (status ? ask(DRAIN, 'GET', PATH) : ask(DRAIN, 'POST', PATH, { overMs, stop }));
    return say(json, wordsOf(read), on);
  });
}

function wordsOf({
  state,
  stops,
  endsAt,
  by,
  sessions,
  asked,
  deaf,
  left,
}: z.output<typeof DRAIN>): string[] {
  if (state === 'off') return ['No drain is on: rigs are let in'];
  const then = stops ? ', and the bridge stops then' : '';
  const words = {
    draining: `The bridge drains until ${endsAt}${then}: nobody is let in`,
    drained: `The bridge is drained${then}: all rigs have gone, and nobody is let in`,
    timeUp: `The time of the drain is over${then}: nobody is let in`,
  }[state];
  return [
    `${words} (ordered by ${by})`,
    `Sessions: ${left} are here, of ${sessions} at the start; asked to go: ${asked}, cannot be asked: ${deaf}`,
  ];
}
