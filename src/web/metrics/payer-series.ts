/** Payouts on chain for Prometheus: of the books, so the same of every bridge on them. */
import { Gauge, type Registry } from 'prom-client';
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import type { PayerReport } from '../../bridge/watch/payer-watch.js';
import { LastKnown } from '../state/last-known.js';
import { PREFIX, readGauge } from './series.js';

export function payerSeries(registry: Registry, { books }: { readonly books: BooksWatch }): void {
  const payer = new LastKnown(() => books.payer());
  const read = (of: (report: PayerReport) => number | undefined) => async () => {
    const { value } = await payer.look();
    return value && of(value);
  };
  const gauge = (name: string, help: string, of: (report: PayerReport) => number | undefined): void =>
    readGauge(registry, name, help, read(of));
  gauge('payouts_paused', '1 while nothing new is paid on chain until somebody resumes', ({ pause }) =>
    Number(pause !== undefined),
  );
  gauge('payouts_paying', '1 while a bridge pays on chain', ({ isSeated }) => Number(isSeated));
  gauge('payouts_run_age_seconds', 'Since batches were planned last; NaN: never', ({ ranAtMs, nowMs }) =>
    ranAtMs === undefined ? undefined : (nowMs - ranAtMs) / 1000,
  );
  const each = (
    name: string,
    help: string,
    label: string,
    of: (report: PayerReport) => readonly (readonly [string, number])[],
  ) => {
    new Gauge({
      ...{ name: PREFIX + name, help, labelNames: [label], registers: [registry] },
      async collect() {
        const { value } = await payer.look();
        this.reset();
        for (const [key, number] of value ? of(value) : []) this.set({ [label]: key }, number);
      },
    });
  };
  const lines = 'Payments of batches on chain that are not settled, by state';
  each('payout_payments', lines, 'state', (report) => Object.entries(report.lines));
  const coins = 'Coins of the paying account in checked blocks';
  each('payout_chain_coins', coins, 'chain', ({ chains }) =>
    chains.flatMap(({ chainId, balance }) =>
      balance === undefined ? [] : [[String(chainId), Number(balance)] as const],
    ),
  );
  const waiting = 'Coins that payments on a chain wait for';
  each('payout_chain_waiting', waiting, 'chain', ({ chains }) =>
    chains.map((chain) => [String(chain.chainId), Number(chain.waiting)] as const),
  );
}
