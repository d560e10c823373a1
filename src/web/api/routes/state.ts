/** The state of the bridge as a whole. */
import { nodes } from '../../../operations/nodes.js';
import { listeners, pool, summary, works } from '../../../operations/state.js';
import { isOperator } from '../../access/standing.js';
import {
  nodesOfAll,
  poolOf,
  publicSummary,
  type SummarySources,
  summarizeAll,
  worksOf,
} from '../../state/summary.js';
import { partAt, serve, serveList } from '../serve.js';
import type { Api } from '../typed.js';

export function addStateRoutes(api: Api, sources: SummarySources): void {
  serve(api, summary, (_, request) => (isOperator(request) ? summarizeAll(sources) : publicSummary(sources)));
  serveList(api, nodes, async (slice) => {
    await sources.bridges.look();
    return partAt(nodesOfAll(sources), slice);
  });
  serve(api, pool, () => poolOf(sources));
  serve(api, works, () => ({ works: worksOf(sources) }));
  serve(api, listeners, () => ({ ports: [...sources.listeners().ports] }));
}
