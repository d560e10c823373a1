/** Whether jobs flow: `/readyz`. */
import type { SummarySources } from './summary.js';

type MissingSources = Pick<SummarySources, 'nodes' | 'whyReleased' | 'listeners' | 'liveJobs' | 'rigs'>;

/** Jobs flow when a node gives work and a job of it is live, and a rig that comes is let in. */
export function whatIsMissing(sources: MissingSources): string | undefined {
  const nodes = sources.nodes();
  if (nodes.length === 0) return 'no node is set';
  if (!nodes.some((node) => node.state === 'healthy')) {
    return nodes.map((node) => `node ${node.state}: ${node.reason}`).join('; ');
  }
  const dead = sources.whyReleased();
  if (dead !== undefined) return dead;
  if (!sources.listeners().areOpen) return 'the ports of rigs are not open';
  if (sources.liveJobs().length === 0) return 'no job yet';
  return sources.rigs.drain().state === 'off' ? undefined : 'the bridge drains: nobody is let in';
}
