/** Settings of what is shown over HTTP: where, to whom, and who may give orders. */
import { onOff, setting } from './setting.js';

export const WEB_SETTINGS = {
  'web.listen': setting('web', (v, byDefault) => v.listenAddressOrOff(byDefault), {
    default: '127.0.0.1:1920',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Health, metrics and API over HTTP, or off. A port alone keeps the default host.',
  }),
  'web.url': setting('web-url', (v) => v.webUrl, {
    default: '',
    shape: 'URL',
    live: true,
    help: 'By which people open the page, where a proxy stands before it: https://pool.example. Links to it lead there. Empty: where it listens.',
  }),
  'web.public': onOff('web-public', {
    default: false,
    live: true,
    help: 'Strangers may see what miners see of a pool: totals, blocks, and an account by its name. Without it they see nothing.',
  }),
  // No flag: in a process list everybody of the machine could read them.
  'web.tokens': setting('', (v) => v.webTokens, {
    default: {},
    shape: 'NAME',
    live: true,
    secret: 'tokens',
    help: 'Tokens that are shown over HTTP, by name, each with its access (read, operate, approve or admin) and its secret: prometheus: { access: read, secret: … }. Where none has admin, the one in the file web-admin-token of the data directory has, which is made at the first start; where none has read, the one in web-read-token, which `web token read` makes. In a variable, JSON.',
  }),
  'web.hosts': setting('web-host', (v) => v.listOf(v.hostName), {
    default: [],
    shape: 'NAME',
    repeatable: true,
    live: true,
    help: 'Names that the bridge is asked by over HTTP, besides addresses, localhost, the name of this machine and those of web.listen and web.url. By others it does not answer, as web pages of strangers can make theirs lead here.',
  }),
  'web.origins': setting('web-origin', (v) => v.listOf(v.webOrigin), {
    default: [],
    shape: 'ORIGIN',
    repeatable: true,
    live: true,
    help: 'Web pages from elsewhere that may ask and, with the admin token, give orders: https://pool.example; * for all.',
  }),
  'web.proxies': setting('web-proxy', (v) => v.listOf(v.addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    help: 'Addresses or prefixes (10.0.0.0/8) of proxies on other machines whose X-Forwarded-For is believed, so that limits count who really asks.',
  }),
  'web.tls.certificateFile': setting('web-tls-certificate', (v) => v.text, {
    default: '',
    shape: 'FILE',
    live: true,
    help: 'PEM certificate. With it web.listen takes TLS alone; read again when it changes.',
  }),
  'web.tls.privateKeyFile': setting('web-tls-key', (v) => v.text, {
    default: '',
    shape: 'FILE',
    live: true,
    help: 'PEM key of that certificate.',
  }),
};
