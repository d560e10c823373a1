/** Interface 4.7: backups and their state. */
import type { FastifyInstance } from 'fastify';
import type { Backups } from '../backups.js';
import type { NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { pathText, queryText, quoted } from './params.js';
import { refuseStrangeHosts, refuseWebPages } from './web-pages.js';

export function backupRoutes(app: FastifyInstance, context: NodeContext, backups: Backups): void {
  const { profile, listen, peerHostname } = context.settings;
  const started = profile === 'chainweb' ? 202 : 200;
  app.post('/make-backup', async (request, reply) => {
    refuseWebPages(request);
    refuseStrangeHosts(request, [listen.host, peerHostname]);
    const withContractState = queryText(request, 'backupPact') !== undefined;
    const backup = backups.start(withContractState);
    if (backup.outcome === 'full') throw new RequestError(507, backup.reason);
    return reply.code(started).type('text/plain').send(backup.id);
  });
  app.get('/check-backup/:backupId', async (request, reply) => {
    const id = pathText(request, 'backupId');
    const state = /^[a-zA-Z0-9_-]{1,64}$/.test(id) ? backups.state(id) : undefined;
    if (state === undefined) throw new RequestError(404, `there is no backup job ${quoted(id)}`);
    return reply.type('text/plain').send(state);
  });
}
