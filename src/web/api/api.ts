/** The API: its routes with their schemas, and the document that falls out of them. */
import type { FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { MachineWatch } from '../../bridge/watch/machine-watch.js';
import type { RigWatch } from '../../bridge/watch/rig-watch.js';
import type { SetAsideWatch } from '../../bridge/watch/set-aside-watch.js';
import type { SettingsWatch } from '../../bridge/watch/settings-watch.js';
import type { Log } from '../../core/names/log.js';
import { BOOK_ORDERS, type BookOrderHandlers } from '../../operations/orders/book-orders.js';
import { RIG_ORDERS, type RigOrderHandlers } from '../../operations/orders/rig-orders.js';
import { isOperator } from '../access/standing.js';
import type { BooksFor } from '../state/anonymous-books.js';
import { anonymousBooks } from '../state/anonymous-books.js';
import { sharedBooks } from '../state/shared-books.js';
import { difficultiesOf, type SummarySources } from '../state/summary.js';
import { checkRequest } from './faults.js';
import { addAccountList } from './routes/accounts.js';
import { addAlertRoutes } from './routes/alerts.js';
import { addBookRoutes, addEntryRoutes } from './routes/books.js';
import { addEventRoutes } from './routes/events.js';
import { addHistory } from './routes/history.js';
import { addMachineRoutes } from './routes/machine.js';
import { addRigRoutes } from './routes/rigs.js';
import { addSessionRoutes, type SignInParts } from './routes/sessions.js';
import { addSettingsRoutes } from './routes/settings.js';
import { addStateRoutes } from './routes/state.js';
import { addStream } from './routes/stream.js';
import { serveOrders } from './serve.js';
import { typed } from './typed.js';

interface ApiSources {
  readonly state: SummarySources;
  readonly rigs: RigWatch;
  /** Without it no settings are shown. */
  readonly settings?: SettingsWatch | undefined;
  /** Without it orders to rigs are refused. */
  readonly operator?: RigOrderHandlers | undefined;
  /** Without it orders about payouts are refused. */
  readonly payouts?: BookOrderHandlers | undefined;
  /** Without it nothing is set aside. */
  readonly setAside?: SetAsideWatch | undefined;
  /** Without it this bridge is alone. */
  readonly machine?: MachineWatch | undefined;
  readonly signIn: SignInParts;
  readonly log: Log;
}

export function addApi(
  app: FastifyInstance,
  { state, rigs, settings, operator, payouts, setAside, machine, signIn, log }: ApiSources,
): void {
  app.setValidatorCompiler(checkRequest);
  app.setSerializerCompiler(serializerCompiler);
  const api = typed(app);
  addStateRoutes(api, state);
  addSessionRoutes(api, signIn);
  addRigRoutes(api, { ...state, rigs });
  addSettingsRoutes(api, settings);
  serveOrders(api, RIG_ORDERS, operator);
  addMachineRoutes(api, rigs, machine);
  serveOrders(api, BOOK_ORDERS, payouts);
  addEventRoutes(api, state.timeline, log);
  addAlertRoutes(api, state.alerts, log);
  const books = sharedBooks(state.books);
  const forAnonymous = sharedBooks(anonymousBooks(state.books));
  const booksFor: BooksFor = (request) => (isOperator(request) ? books : forAnonymous);
  addAccountList(api, rigs, state.bridges, books);
  addBookRoutes(api, { books, booksFor, difficulties: () => difficultiesOf(state) });
  addEntryRoutes(api, setAside);
  addHistory(api, booksFor);
  addStream(api, state, log);
}
