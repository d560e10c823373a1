/** What to do when a request to a node fails, by what failed; what a status means at one endpoint alone stands in its row. */
import { endpointNamed } from '../../chain/endpoints.js';
import type { NodeErrorCode } from '../../chain/errors.js';

const WRONG_BASE = 'check the base URL: scheme, host, port, /<service segment>/<api version>/<network>';

/** Where the endpoint does not matter. */
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

/** @param endpoint method and path as the interface names it: what a status means there stands in the table of endpoints. */
export function adviceForStatus(endpoint: string, status: number): string {
  const fallback = status < 300 ? WRONG_BASE : 'see the text of the answer and the log of the node';
  return endpointNamed(endpoint)?.advice[status] ?? BY_STATUS[status] ?? fallback;
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
