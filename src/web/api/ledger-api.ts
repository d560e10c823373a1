/** What the ledger answers alone, asked in this process and not over HTTP: for commands, where no bridge runs. */
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import type { Log } from '../../core/names/log.js';
import { checkRequest, tellFaults } from './faults.js';
import { addBookRoutes } from './routes/books.js';
import { typed } from './typed.js';

/** It listens nowhere: who has the ledger is its operator. */
export function ledgerApi(books: BooksWatch, log: Log): FastifyInstance {
  const app = Fastify();
  app.setValidatorCompiler(checkRequest);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('standing', 'admin');
  tellFaults(app, log);
  addBookRoutes(typed(app), { books, booksFor: () => books, difficulties: () => [] });
  return app;
}
