/** What to do when a request to a node fails: one table, by what failed and where. */
import type { NodeErrorCode } from '../../chain/errors.js';

const WRONG_BASE = 'check the base URL: scheme, host, port, /<service segment>/<api version>/<network>';

/** By status where the endpoint does not matter. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: 'something before the node sends us elsewhere: name the address that it sends us to',
  302: 'something before the node sends us elsewhere: name the address that it sends us to',
  307: 'something before the node sends us elsewhere: name the address that it sends us to',
  308: 'something before the node sends us elsewhere: name the address that it sends us to',
  400: 'the node could not read the request: compare it with the text of the answer',
  401: 'the node, or a proxy before it, wants credentials: give them in the URL or as headers',
  403: 'the node, or a proxy before it, does not allow this: ask its operator',
  404: WRONG_BASE,
  405: 'something before the node does not pass this method on: ask the node itself',
  406: 'the node does not write this encoding here: ask for another',
  413: 'send less in one request',
  415: 'something before the node drops the body or its content type: ask the node itself',
  429: 'ask less often, or raise the limits of the node',
  500: 'the node failed inside: look at its log',
  502: 'the proxy before the node cannot reach it: is the node running?',
  503: 'the node is overloaded or stopping: ask less often, or raise its limits',
  504: 'the proxy before the node gave up waiting: raise its time limit, or ask the node itself',
};

/** By the start of the endpoint's path: statuses that mean something else there. The first that fits counts. */
const BY_ENDPOINT: readonly (readonly [path: string, statuses: Readonly<Record<number, string>>])[] = [
  [
    '/mining/solved',
    {
      400: 'the solution is malformed or misses its target: check hash and target before posting',
      404: 'the node no longer has this work: it was solved before, or is older than five minutes. If it speaks of no payload at all, mining is disabled',
    },
  ],
  [
    '/mining/',
    {
      403: 'add this account with these keys and predicate to mining.coordination.miners in the configuration of the node',
      404: 'enable mining.coordination in the configuration of the node',
      503: 'too many works or streams are under way: use fewer chains, or raise limit or updateStreamLimit in mining.coordination',
    },
  ],
  [
    '/chain/{chain}/mempool/',
    {
      400: 'the node refused a transaction or could not read the request: see the text of the answer',
      404: 'real nodes serve the mempool on their peer port only (1789 by default, TLS)',
    },
  ],
  [
    '/chain/{chain}/pact/',
    {
      400: 'the node refused a command: see the text of the answer',
      404: 'is the chain right? Real nodes serve commands on their service port only (1848 by default)',
      503: 'too many requests wait already: ask less often, or poll',
    },
  ],
  [
    '/chain/{chain}/payload/',
    {
      400: 'check hashes and heights; a batch on the peer port is not allowed',
      404: 'the node does not have this payload: is the chain right, and is the node synchronised?',
    },
  ],
  [
    '/chain/{chain}/',
    {
      400: 'check the hashes, heights and the cursor; a branch takes at most 32 upper and 32 lower bounds (4 on the peer port)',
      404: 'nothing matches, or the node does not know the block or chain: is the chain right, and is the node synchronised?',
    },
  ],
  ['/header/updates', { 404: 'set headerStream: true in the configuration of the node' }],
  ['/block/updates', { 404: 'set headerStream: true in the configuration of the node' }],
  [
    '/make-backup',
    { 404: 'set backup.api.enabled: true and a backup directory in the configuration of the node' },
  ],
  [
    '/check-backup/',
    {
      404: 'no backup has this id, or backup.api.enabled is not set in the configuration of the node',
      500: 'real nodes fail so for an id they do not know: check the id',
    },
  ],
  ['/config', { 404: 'real nodes serve the configuration on their peer port only (1789 by default, TLS)' }],
];

/** @param endpoint method and path as the interface names it. */
export function adviceForStatus(endpoint: string, status: number): string {
  const path = endpoint.slice(endpoint.indexOf(' ') + 1);
  const special = BY_ENDPOINT.find(([start, statuses]) => path.startsWith(start) && status in statuses);
  const fallback = status < 300 ? WRONG_BASE : 'see the text of the answer and the log of the node';
  return special?.[1][status] ?? BY_STATUS[status] ?? fallback;
}

export function adviceFor(
  code: Exclude<NodeErrorCode, 'status' | 'not-found' | 'refused'>,
  cause: string,
): string {
  switch (code) {
    case 'timeout':
      return 'the node is overloaded, catching up, or unreachable behind a silent firewall: look at its log, and at what is in between';
    case 'aborted':
      return 'nothing: the caller ended it';
    case 'tls':
      return adviceForTls(cause);
    case 'format':
      return 'is this the node itself, and not a web page or a proxy that changes answers?';
    case 'forged':
      return 'believe nothing of this node, nor of a proxy before it, until you know why: compare it with another node';
    case 'not-a-node':
      return WRONG_BASE;
    default:
      return adviceForConnection(cause);
  }
}

function adviceForTls(cause: string): string {
  if (cause === 'CERT_HAS_EXPIRED') return 'renew the certificate of the node, or check the local clock';
  if (cause === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'use a host name that stands in the certificate of the node, or allow it with tls.insecure (setting node.insecure)';
  }
  if (/CERT|SIGNATURE|VERIFY/.test(cause)) {
    return 'give the authority that signed the certificate as tls.ca (setting node.ca), or allow any certificate with tls.insecure (setting node.insecure)';
  }
  return 'does this port speak TLS? The service port (1848 by default) is plain HTTP: use http://';
}

function adviceForConnection(cause: string): string {
  if (cause === 'ECONNREFUSED') return 'is the node running, and is this its service port (1848 by default)?';
  if (cause === 'ENOTFOUND' || cause === 'EAI_AGAIN')
    return 'check the host name and the DNS of this machine';
  if (cause.startsWith('HPE_')) return 'what answers speaks no HTTP: is it TLS? Then use https://';
  return 'the connection broke: it may be the network, a proxy, the node that restarts, or a port that wants TLS (https://)';
}
