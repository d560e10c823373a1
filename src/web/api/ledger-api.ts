/** What the ledger answers and carries out alone, asked in this process and not over HTTP: for commands, where no bridge runs. */
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import type { SetAsideWatch } from '../../bridge/watch/set-aside-watch.js';
import type { Log } from '../../core/names/log.js';
import { LEDGER_ORDERS, type LedgerOrderHandlers } from '../../operations/orders/book-orders.js';
import { checkRequest, tellFaults } from './faults.js';
import { addBookRoutes, addEntryRoutes } from './routes/books.js';
import { serveOrders } from './serve.js';
import { typed } from './typed.js';

interface LedgerApiParts {
  readonly books: BooksWatch;
  readonly orders: LedgerOrderHandlers;
  readonly setAside: SetAsideWatch;
  /** Who asks. */
  readonly by: string;
  readonly log: Log;
}

/** It listens nowhere: who has the ledger is its operator. */
export function ledgerApi({ books, orders, setAside, by, log }: LedgerApiParts): FastifyInstance {
  const app = Fastify();
  app.setValidatorCompiler(checkRequest);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('standing', 'admin');
  app.decorateRequest('askedBy', by);
  tellFaults(app, log);
  const api = typed(app);
  addBookRoutes(api, { books, booksFor: () => books, difficulties: () => [] });
  addEntryRoutes(api, setAside);
  serveOrders(api, LEDGER_ORDERS, orders);
  return app;
}
