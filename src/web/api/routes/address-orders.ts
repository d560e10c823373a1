/** Addresses that are allowed or denied by order. */

import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Steering } from '../../../bridge/orders/steering.js';
import { addresses } from '../../../operations/by-order.js';
import { ADDRESS_LISTS } from '../../../operations/enums.js';
import { orderedBy } from '../../access/standing.js';
import { ADDRESSES_ORDERED } from '../schemas/order-schemas.js';
import { partAt, serveList } from '../serve.js';
import type { Api } from '../typed.js';
import { carriedOut, FAULTS, iso } from './orders.js';

const PATH = '/api/v1/addresses/:list/:addresses';
const PARAMS = z.object({
  list: z.enum(ADDRESS_LISTS, 'allow or deny'),
  addresses: z.string().max(60, 'an address or a prefix').describe('such as 192.0.2.7, or 10.0.0.0%2F8'),
});

export function addAddressOrders(api: Api, steering: Steering | undefined): void {
  serveList(api, addresses, async (slice) => {
    const { total, items } = partAt(steering?.listedAddresses() ?? [], slice);
    return {
      total,
      items: items.map(({ list, addresses, sinceMs, by }) => ({ list, addresses, since: iso(sinceMs), by })),
    };
  });
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
