/** Settings of the nodes, and of whom their work pays. */
import { listOf } from '../values/lists-and-maps.js';
import { numberOf } from '../values/numbers.js';
import { choice, onOff, setting } from '../values/setting.js';
import { nodeUrl, urlsOf } from '../values/urls.js';
import { autoOr, publicKey, text } from '../values/words.js';

export const UPSTREAM_SETTINGS = {
  'node.urls': setting(urlsOf(nodeUrl, 'names no node'), {
    default: ['http://127.0.0.1:1848'],
    basic: true,
    shape: 'URL',
    repeatable: true,
    secret: 'urls',
    help: 'Nodes in order of preference: the whole base URL, or host and port.',
  }),
  'node.ca': setting(text, {
    default: '',
    shape: 'FILE',
    help: "PEM certificates that vouch for https nodes, besides the system's.",
  }),
  'node.insecure': onOff({
    default: false,
    help: 'Skip certificate checks of https nodes (unsafe on shared networks).',
  }),
  'node.network': setting(text, {
    default: '',
    shape: 'NAME',
    help: 'The network to mine, for example mainnet01; nodes of another are not worked for. Empty: that of the first node in order.',
  }),
  'node.development': choice(['auto', 'yes', 'no'], {
    default: 'auto',
    shape: 'WHEN',
    help: 'Whether the network is one of developers: blocks may lack proof of work, and confirm after 6 instead of 60. auto: by its name (development, NAME-development, test-NAME).',
  }),
  'work.chains': setting(
    autoOr(numberOf('count', 1, 20), 'is neither auto nor a number of chains from 1 to 20'),
    {
      default: 'auto',
      shape: 'N',
      help: 'Chains that are worked on at once, sessions spread over them; auto: one for each rig, and one for the CPU while it mines, as far as there are so many.',
    },
  ),
  'miner.account': setting(text, {
    default: '',
    basic: true,
    shape: 'NAME',
    help: 'The account that blocks pay, usually k: and the public key (`stratum-bridge keygen` makes one).',
  }),
  'miner.publicKeys': setting(listOf(publicKey), {
    default: [],
    shape: 'HEX',
    repeatable: true,
    help: 'Public keys of the account. None: the one in the name of a k: account.',
  }),
  'miner.predicate': choice(['keys-all', 'keys-any', 'keys-2'], {
    default: 'keys-all',
    shape: 'NAME',
    help: 'How many of the keys must sign: keys-all, keys-any or keys-2.',
  }),
};
