/** The state of the bridge as a whole. */
import { z } from 'zod';
import { nodes } from '../../../operations/nodes.js';
import { isOperator } from '../../access/standing.js';
import { nodesOf, publicSummary, type SummarySources, summarize, worksOf } from '../../state/summary.js';
import { DOORS, PUBLIC_SUMMARY, SUMMARY, WORK } from '../schemas/schemas.js';
import { partAt, serveList } from '../serve.js';
import type { Api } from '../typed.js';

export function addStateRoutes(api: Api, sources: SummarySources): void {
  const tags = ['state'];
  api.get(
    '/api/v1/summary',
    {
      config: { access: 'miner' },
      schema: {
        tags,
        summary: 'The state on one page',
        description:
          'There within a second, whatever is away: then the last known numbers are given. Strangers get the totals alone',
        response: { 200: z.union([SUMMARY, PUBLIC_SUMMARY]) },
      },
    },
    (request) => (isOperator(request) ? summarize(sources) : publicSummary(sources)),
  );
  serveList(api, nodes, async (slice) => partAt(nodesOf(sources), slice));
  api.get(
    '/api/v1/works',
    {
      schema: {
        tags,
        summary: 'The newest work of each chain that is mined',
        response: { 200: z.object({ works: z.array(WORK) }) },
      },
    },
    () => ({ works: worksOf(sources) }),
  );
  api.get(
    '/api/v1/doors',
    { schema: { tags, summary: 'What rigs connect to', response: { 200: DOORS } } },
    () => ({ ports: [...sources.doors().ports] }),
  );
}
