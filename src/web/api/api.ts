/** The API: its routes with their schemas, and the document that falls out of them. */
import type { FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { PayerDesk } from '../../bridge/orders/payer-desk.js';
import type { PayoutDesk } from '../../bridge/orders/payout-desk.js';
import type { Replacing } from '../../bridge/orders/replacing.js';
import type { Steering } from '../../bridge/orders/steering.js';
import type { RigWatch } from '../../bridge/watch/rig-watch.js';
import type { SettingsWatch } from '../../bridge/watch/settings-watch.js';
import type { Log } from '../../core/names/log.js';
import { isOperator } from '../access/standing.js';
import { sharedBooks } from '../state/shared-books.js';
import { strangersBooks } from '../state/strangers-books.js';
import { difficultiesOf, type SummarySources } from '../state/summary.js';
import { checkRequest } from './faults.js';
import { Once } from './once.js';
import { addAccountList } from './routes/accounts.js';
import { addAddressOrders } from './routes/address-orders.js';
import { addAlertRoutes } from './routes/alerts.js';
import { addBanOrders } from './routes/ban-orders.js';
import { addBookRoutes, type BooksFor } from './routes/books.js';
import { addEventRoutes } from './routes/events.js';
import { addHistory } from './routes/history.js';
import { addDrainOrders, addReplaceOrders } from './routes/life-orders.js';
import { addPayerOrders } from './routes/payments/payer-orders.js';
import { addPayoutOrders } from './routes/payments/payout-orders.js';
import { addWishes } from './routes/payments/wishes.js';
import { addRigOrders } from './routes/rig-orders.js';
import { addRigRoutes } from './routes/rigs.js';
import { addSessionOrders } from './routes/session-orders.js';
import { addSessionRoutes, type SignInParts } from './routes/sessions.js';
import { addSettingsRoutes } from './routes/settings.js';
import { addStateRoutes } from './routes/state.js';
import { addStream } from './routes/stream.js';
import { typed } from './typed.js';

export interface ApiSources {
  readonly state: SummarySources;
  readonly rigs: RigWatch;
  /** Without it no settings are shown. */
  readonly settings?: SettingsWatch | undefined;
  /** Without it orders to rigs are refused. */
  readonly steering?: Steering | undefined;
  /** Without it orders to pay are refused. */
  readonly payouts?: PayoutDesk | undefined;
  /** Without it orders about payments on chain are refused. */
  readonly payer?: PayerDesk | undefined;
  /** Without it no other start may take the place of this one. */
  readonly replacing?: Replacing | undefined;
  readonly signIn: SignInParts;
  readonly log: Log;
}

export function addApi(
  app: FastifyInstance,
  { state, rigs, settings, steering, payouts, payer, replacing, signIn, log }: ApiSources,
): void {
  app.setValidatorCompiler(checkRequest);
  app.setSerializerCompiler(serializerCompiler);
  const api = typed(app);
  addStateRoutes(api, state);
  addSessionRoutes(api, signIn);
  addRigRoutes(api, rigs);
  addSettingsRoutes(api, settings);
  addSessionOrders(api, steering);
  addBanOrders(api, steering);
  addRigOrders(api, steering);
  addAddressOrders(api, steering);
  addDrainOrders(api, rigs, steering);
  addReplaceOrders(api, replacing);
  addPayoutOrders(api, payouts);
  addWishes(api, payer);
  addPayerOrders(api, { desk: payer, books: state.books, once: new Once() });
  addEventRoutes(api, state.timeline, log);
  addAlertRoutes(api, state.alerts, log);
  const books = sharedBooks(state.books);
  const forStrangers = sharedBooks(strangersBooks(state.books));
  const booksFor: BooksFor = (request) => (isOperator(request) ? books : forStrangers);
  addAccountList(api, rigs, books);
  addBookRoutes(api, { books, booksFor, difficulties: () => difficultiesOf(state) });
  addHistory(api, booksFor);
  addStream(api, state, log);
}
