/** Settings of what is shown over HTTP: where, to whom, and who may give orders. */
import { onOff, setting } from './setting.js';

export const WEB_SETTINGS = {
  'web.listen': setting((v, byDefault) => v.listenAddressOrOff(byDefault), {
    default: '127.0.0.1:1920',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Health, metrics and API over HTTP, or off. A port alone keeps the default host.',
  }),
  'web.url': setting((v) => v.webUrl, {
    default: '',
    shape: 'URL',
    live: true,
    help: 'By which people open the page, where a proxy stands before it: https://pool.example. Links to it lead there. Empty: where it listens.',
  }),
  'web.public': onOff({
    default: false,
    live: true,
    help: 'Strangers may see what miners see of a pool: totals, blocks, and an account by its name. Without it they see nothing.',
  }),
  // In a process list everybody of the machine could read them.
  'web.tokens.admin': setting((v) => v.bearerToken, {
    noFlag: true,
    default: '',
    shape: 'TOKEN',
    live: true,
    secret: 'whole',
    help: 'Token that orders over HTTP take; it reads as well. Empty: the one in the file web-admin-token of the data directory, which is made at the first start.',
  }),
  'web.tokens.read': setting((v) => v.bearerToken, {
    noFlag: true,
    default: '',
    shape: 'TOKEN',
    live: true,
    secret: 'whole',
    help: 'Token that reads everything over HTTP and gives no orders, for Prometheus. Empty: the one in the file web-read-token of the data directory, which `web token read` makes.',
  }),
  'web.tokens.approve': setting((v) => v.bearerToken, {
    noFlag: true,
    default: '',
    shape: 'TOKEN',
    live: true,
    secret: 'whole',
    help: 'Token that reads, and prepares, approves, rejects and pauses payouts; it gives no other orders. Empty: there is none.',
  }),
  'web.hosts': setting((v) => v.listOf(v.hostName), {
    default: [],
    shape: 'NAME',
    repeatable: true,
    live: true,
    help: 'Names that the bridge is asked by over HTTP, besides addresses, localhost, the name of this machine and those of web.listen and web.url. By others it does not answer, as web pages of strangers can make theirs lead here.',
  }),
  'web.origins': setting((v) => v.listOf(v.webOrigin), {
    default: [],
    shape: 'ORIGIN',
    repeatable: true,
    live: true,
    help: 'Web pages from elsewhere that may ask and, with the admin token, give orders: https://pool.example; * for all.',
  }),
  'web.proxies': setting((v) => v.listOf(v.addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    help: 'Addresses or prefixes (10.0.0.0/8) of proxies on other machines whose X-Forwarded-For is believed, so that limits count who really asks.',
  }),
  'web.tls.certificate': setting((v) => v.text, {
    default: '',
    shape: 'FILE',
    live: true,
    help: 'PEM certificate. With it web.listen takes TLS alone; read again when it changes.',
  }),
  'web.tls.key': setting((v) => v.text, {
    default: '',
    shape: 'FILE',
    live: true,
    help: 'PEM key of that certificate.',
  }),
  'web.tls.selfSigned': onOff({
    default: false,
    live: true,
    help: 'Make a self-signed pair under the data directory and use it.',
  }),
};
