/** Interface 4.7: backups and their state. */
import type { FastifyInstance } from 'fastify';
import type { Backups } from '../backups.js';
import type { NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { pathText, queryText, quoted } from './params.js';

export function backupRoutes(app: FastifyInstance, context: NodeContext, backups: Backups): void {
  const started = context.settings.profile === 'chainweb' ? 202 : 200;
  app.post('/make-backup', async (request, reply) => {
    const withContractState = queryText(request, 'backupPact') !== undefined;
    return reply.code(started).type('text/plain').send(backups.start(withContractState));
  });
  app.get('/check-backup/:backupId', async (request, reply) => {
    const id = pathText(request, 'backupId');
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) {
      throw new RequestError(400, `backupId must be 1 to 64 characters of a-zA-Z0-9_-, not ${quoted(id)}`);
    }
    const state = backups.state(id);
    if (state === undefined) throw new RequestError(404, `there is no backup job ${id}`);
    return reply.type('text/plain').send(state);
  });
}
