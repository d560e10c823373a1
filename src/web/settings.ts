/** Settings of what is shown over HTTP: where, to whom, and who may give orders. */

import { tlsSettings } from '../tls/settings.js';
import { addressOrPrefix, listenAddressOrOff } from '../values/addresses.js';
import { listOf } from '../values/lists-and-maps.js';
import { onOff, setting } from '../values/setting.js';
import { webTokens } from '../values/tokens.js';
import { text } from '../values/words.js';

/** Of this machine, as it is asked for. */
const hostName = text
  .toLowerCase()
  .regex(
    /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*$/,
    'is no host name such as pool.example: without scheme, port and path',
  );

/** As browsers name them. */
const webOrigin = text.refine(
  (value) => value === '*' || (URL.canParse(value) && new URL(value).origin === value),
  'is no origin such as https://pool.example, which has no path and no slash at its end, nor *',
);

/** Of the page. */
const webUrl = text
  .transform((value) => value.replace(/\/$/, ''))
  .refine(
    (value) =>
      value === '' || (/^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value),
    'is no address of a page such as https://pool.example, which has no path',
  );

export const WEB_SETTINGS = {
  'web.listen': setting(listenAddressOrOff, {
    default: '127.0.0.1:1920',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Health, metrics and API over HTTP, or off. A bare port uses the default host.',
  }),
  'web.title': setting(text.min(1, 'is empty').max(40, 'is longer than 40 characters'), {
    default: 'stratum-bridge',
    basic: true,
    shape: 'NAME',
    help: 'What the page calls the pool.',
  }),
  'web.url': setting(webUrl, {
    default: '',
    shape: 'URL',
    live: true,
    help: 'By which people open the page, where a proxy stands before it: https://pool.example. Links to it lead there. Empty: where it listens.',
  }),
  'web.public': onOff({
    default: false,
    live: true,
    help: 'Anonymous users may see what miners see of a pool: totals, blocks, and an account by its name. Without it they see nothing.',
  }),
  'web.tokens': setting(webTokens, {
    noFlag: true,
    default: {},
    shape: 'NAME',
    live: true,
    secret: 'tokens',
    help: 'Tokens that are shown over HTTP, by name, each with its access (read, operate, approve or admin) and its secret: prometheus: { access: read, secret: … }. Where none has admin, the one in the file web-admin-token of the data directory has, which is made at the first start; where none has read, the one in web-read-token, which `web token read` makes. In a variable, JSON.',
  }),
  'web.hosts': setting(listOf(hostName), {
    default: [],
    shape: 'NAME',
    repeatable: true,
    live: true,
    help: 'Names that the bridge is asked by over HTTP, besides addresses, localhost, the name of this machine and those of web.listen and web.url. Other names are refused: any web page could make its own lead here (DNS rebinding).',
  }),
  'web.origins': setting(listOf(webOrigin), {
    default: [],
    shape: 'ORIGIN',
    repeatable: true,
    live: true,
    help: 'Web pages from elsewhere that may ask and, with the admin token, give orders: https://pool.example; * for all.',
  }),
  'web.proxies': setting(listOf(addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    help: 'Addresses or prefixes (10.0.0.0/8) of proxies on other machines whose X-Forwarded-For is believed, so that limits count who really asks.',
  }),
  ...tlsSettings('web', 'With it web.listen takes TLS alone', false),
};
