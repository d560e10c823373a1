/** Settings of the share log and the queue. */
import { choice, onOff, quantity, setting } from '../values/setting.js';
import { urlOrNothing } from '../values/urls.js';

export const QUEUE_SETTINGS = {
  'queue.redisUrl': setting(urlOrNothing('redis:', 'rediss:', 'unix:'), {
    default: '',
    basic: true,
    shape: 'URL',
    secret: 'url',
    help: 'Redis for the share queue. Empty: the queue lives in the database of the ledger.',
  }),
  'queue.recorder': onOff({
    default: true,
    help: 'Record shares in this process; false where `stratum-bridge recorder` does so elsewhere.',
  }),
  'queue.entries': quantity('count', [10, 1_000_000], {
    default: 10_000,
    help: 'Most entries that wait in the queue; beyond, shares wait in the share log of each bridge.',
  }),
  'shares.durability': choice(['disk', 'queue'], {
    shape: 'WHERE',
    default: 'disk',
    help: 'A rig hears `true` once its share is on this disk, or once the queue has it too: for disks that are not trusted. Answers take longer then. At a stop the disk is enough.',
  }),
  'shares.logSize': quantity('size', ['16MiB', '1000000MiB'], {
    default: '512MiB',
    help: 'Most that the share log takes on disk while queue or ledger are away; beyond, shares are refused.',
  }),
};
