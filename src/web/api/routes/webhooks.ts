/** A miner's own webhook: told of the rigs of his account, and of nothing else. */
import { z } from 'zod';
import type { HookAnswer, MinerHooks } from '../../../bridge/alerts/alerts.js';
import { FAULT, nameOf } from '../schemas/fields.js';
import type { Api } from '../typed.js';

const PARAMS = z.object({ account: nameOf('account').min(1, 'the name of an account') });
const URL_SAYS = 'a URL of at most 500 characters';
const SIGNATURE_SAYS = 'an Ed25519 signature of 128 hex digits';

const PASSWORD_SAYS = 'a text of at most 500 characters';
const TIME_SAYS = 'a time such as 2026-11-22T15:26:37Z';

const FIELDS = {
  url: z.string(URL_SAYS).max(500, URL_SAYS).describe('https, at a public address'),
  password: z
    .string(PASSWORD_SAYS)
    .max(500, PASSWORD_SAYS)
    .optional()
    .describe('of the account, where rigs give one'),
  time: z
    .string(TIME_SAYS)
    .max(40, TIME_SAYS)
    .optional()
    .describe('with signature: now, such as 2026-11-22T15:26:37Z'),
  signature: z
    .string(SIGNATURE_SAYS)
    .regex(/^[0-9a-f]{128}$/i, SIGNATURE_SAYS)
    .optional()
    .describe(
      'by the key of a k: account, of five lines without an end: stratum-bridge webhook, add or remove, the account, url, time',
    ),
};
const BODY = z.strictObject(FIELDS, 'a JSON object');

const FAULTS = { 400: FAULT, 401: FAULT, 403: FAULT, 404: FAULT, 409: FAULT, 429: FAULT, 503: FAULT };

export function addWebhookRoutes(api: Api, hooks: MinerHooks): void {
  const common = { tags: ['orders'], params: PARAMS, body: BODY };
  api.post(
    '/api/v1/accounts/:account/webhooks',
    {
      config: { audience: 'owners' },
      schema: {
        ...common,
        summary: 'Has a webhook told of the rigs of an account',
        description:
          'For the owner of the account, where alerts.minersKey is set. Asked again it gives the same secret, by which notices are signed',
        response: { 200: z.object({ secret: z.string() }), ...FAULTS },
      },
    },
    async ({ params, body }, reply) => {
      const answer = await hooks.add({ ...params, ...body });
      if (answer.state === 'added') return { secret: answer.secret };
      return reply.code(statusOf(answer)).send({ error: saysOf(answer) });
    },
  );
  api.post(
    '/api/v1/accounts/:account/webhooks/remove',
    {
      config: { audience: 'owners' },
      schema: {
        ...common,
        summary: 'Has a webhook told no more',
        response: { 200: z.object({ removed: z.literal(true) }), ...FAULTS },
      },
    },
    async ({ params, body }, reply) => {
      const answer = await hooks.remove({ ...params, ...body });
      if (answer.state === 'removed') return { removed: true as const };
      return reply.code(statusOf(answer)).send({ error: saysOf(answer) });
    },
  );
}

function statusOf(answer: HookAnswer) {
  return answer.state === 'refused' ? answer.status : 409;
}

function saysOf(answer: HookAnswer): string {
  return answer.state === 'refused' ? answer.says : 'nothing was changed';
}
