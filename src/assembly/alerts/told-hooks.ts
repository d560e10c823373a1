/**
 * Webhooks of miners, for who answers them over HTTP: what was changed stands in the timeline, without the URL, which is a
 * secret; that the ledger is away is told as such.
 */
import type { HookAnswer, MinerHooks } from '../../bridge/alerts/alerts.js';
import type { Teller } from '../../bridge/timeline/timeline.js';
import { BooksAwayError } from '../../bridge/watch/books-watch.js';
import { LedgerError, outageOf } from '../../ledger/database/errors.js';

const OWNER = 'the owner of the account';

export function toldHooks(hooks: MinerHooks, teller: Teller): MinerHooks {
  const tell = (order: string, account: string, says: string): void =>
    teller.tell('ordered', says, { order, about: account }, OWNER);
  return {
    async add(asked) {
      const answer = await answered(hooks.add(asked));
      const { account } = asked;
      if (answer.state === 'added')
        tell('webhookAdded', account, `a webhook is told of the rigs of ${account}`);
      return answer;
    },
    async remove(asked) {
      const answer = await answered(hooks.remove(asked));
      const { account } = asked;
      if (answer.state === 'removed')
        tell('webhookRemoved', account, `a webhook is told of the rigs of ${account} no more`);
      return answer;
    },
  };
}

async function answered(answer: Promise<HookAnswer>): Promise<HookAnswer> {
  try {
    return await answer;
  } catch (error) {
    if (!(outageOf(error) instanceof LedgerError)) throw error;
    throw new BooksAwayError('the ledger does not answer now: ask again in a moment', { cause: error });
  }
}
