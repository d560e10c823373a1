/** A recorder in a process of its own, until it is killed. Arguments: the queue's connection as JSON, the ledger's URL. */
import { SILENT } from '../../src/core/names/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';

const [, , connection = '', connectionString = ''] = process.argv;
const ledger = await openLedger({ connectionString, log: SILENT, waits: true });
startShareRecorder({ connection: JSON.parse(connection) as QueueConnection, ledger, log: SILENT });
process.send?.('ready');
