/** `ledger payout status` and `send`: what the bridge that pays on chain does. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Asked, CommandError, OK } from '../../../cli/line/command.js';
import { payouts } from '../../../operations/books/payouts.js';
import { PAYER_ORDERS, payer } from '../../../operations/payer/payer.js';
import type { PayerView } from '../../../operations/payer/payer-view.js';
import type { AskedBridge } from '../../ctl/bridge.js';
import { showList } from '../../ctl/list-command.js';
import { onLedger } from '../asking.js';
import type { SendSettings, StatusSettings } from './settings.js';

/** Exit codes. */
const UNDER_WAY = 3;
const PAUSED = 4;
/** As often as the payer goes round. */
const LOOK_MS = 1_000;

export async function status(asked: Asked<StatusSettings>): Promise<number> {
  return onLedger(asked, async (on) => {
    const view = await viewBy(on.ask);
    if (on.config.json || !on.io.stdout.isTTY) await showList(on, payer);
    else for (const words of view.account === null ? [NOBODY] : view.words) on.io.stdout.write(`${words}\n`);
    return codeOf(view);
  });
}

const NOBODY =
  'no bridge has paid on chain yet: that takes one whose payouts.mode is approve or auto; by hand, `ledger payout prepare` is next';

function codeOf({ pauses, lines, open }: PayerView): number {
  if (pauses.length > 0) return PAUSED;
  return lines + open > 0 ? UNDER_WAY : OK;
}

async function viewBy(ask: AskedBridge['ask']): Promise<PayerView> {
  const [view] = (await ask(payer.output, 'GET', payer.path)).read.payer;
  if (!view) throw new CommandError('the ledger does not say who pays');
  return view;
}

/** Asks for a payout of what is due now; waits where that is wished, and says each time something else is waited for. */
export async function send(asked: Asked<SendSettings>): Promise<number> {
  return onLedger(asked, async ({ ask, config, io: { stderr } }) => {
    const { askForPayout: order } = PAYER_ORDERS;
    await ask(order.output, order.method, order.path);
    const endsAtMs = performance.now() + config.timeout;
    let said = '';
    for (;;) {
      const view = await viewBy(ask);
      const open = (await ask(payouts.output, 'GET', `${payouts.path}?only=open`)).read.payouts;
      const isOver = !view.isAsked && view.open === 0 && open.every(({ hash }) => hash === null);
      const words = isOver ? view.waitingWhy || 'all that is due is paid' : waitsFor(view);
      if (words !== said) stderr.write(`stratum-bridge: ${words}\n`);
      said = words;
      if (isOver) return view.waitingWhy === '' ? OK : UNDER_WAY;
      if (view.pauses.length > 0) return PAUSED;
      if (!config.wait) return UNDER_WAY;
      if (performance.now() >= endsAtMs) {
        stderr.write('stratum-bridge: it is waited for no longer; the bridge goes on\n');
        return UNDER_WAY;
      }
      await pause(LOOK_MS);
    }
  });
}

function waitsFor(view: PayerView): string {
  const words = view.words.join('; ');
  if (view.account === null) return NOBODY;
  return view.isAsked ? `a payout is asked for; ${words}` : words;
}
