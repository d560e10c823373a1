/** Addresses that are allowed or denied by order. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ADDRESS_LISTS, type Steering } from '../../../bridge/orders/steering.js';
import { orderedBy } from '../../access/standing.js';
import { FAULT, partOf, SLICE } from '../schemas/fields.js';
import { ADDRESSES_ORDERED, LISTED_ADDRESSES } from '../schemas/order-schemas.js';
import type { Api } from '../typed.js';
import { carriedOut, FAULTS, iso } from './orders.js';

const PATH = '/api/v1/addresses/:list/:addresses';
const PARAMS = z.object({
  list: z.enum(ADDRESS_LISTS, 'allow or deny'),
  addresses: z.string().max(60, 'an address or a prefix').describe('such as 192.0.2.7, or 10.0.0.0%2F8'),
});

export function addAddressOrders(api: Api, steering: Steering | undefined): void {
  addList(api, steering);
  const response = { 200: ADDRESSES_ORDERED, ...FAULTS };
  const order = async (request: FastifyRequest, isOn: boolean) => {
    const { list, addresses } = request.params as z.output<typeof PARAMS>;
    const done = carriedOut(await steering?.listAddresses(list, addresses, isOn, orderedBy(request)));
    return { list, isOn, ...done };
  };
  const put = {
    tags: ['orders'],
    summary: 'Allows or denies an address or prefix, beside those of the settings',
    description:
      'Once any address is allowed, nobody may come from elsewhere; what is denied may not come in any case. Sessions that may not be here any more are closed',
    ...{ params: PARAMS, response },
  };
  api.put(PATH, { schema: put }, (request) => order(request, true));
  const summary = 'Takes back that an address or prefix is allowed or denied by order';
  api.delete(PATH, { schema: { tags: ['orders'], summary, params: PARAMS, response } }, (request) =>
    order(request, false),
  );
}

function addList(api: Api, steering: Steering | undefined): void {
  const schema = {
    tags: ['rigs'],
    summary: 'Addresses that are allowed or denied by order; those of the settings are among the settings',
    querystring: z.strictObject(SLICE),
    response: { 200: partOf('addresses', LISTED_ADDRESSES), 400: FAULT },
  };
  api.get('/api/v1/addresses', { schema }, ({ query: { offset, limit } }) => {
    const all = steering?.listedAddresses() ?? [];
    const addresses = all
      .slice(offset, offset + limit)
      .map(({ list, addresses, sinceMs, by }) => ({ list, addresses, since: iso(sinceMs), by }));
    return { total: all.length, offset, limit, addresses };
  });
}
