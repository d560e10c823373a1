/** What it takes to run the embedded PostgreSQL. */
import type { Log } from '../../core/names/log.js';
import type { PostgresBinaries } from './binaries.js';
import type { Cluster } from './cluster.js';
import type { SystemUser } from './system-user.js';

export interface ServerParts {
  readonly binaries: PostgresBinaries;
  readonly user: SystemUser;
  readonly cluster: Cluster;
  readonly log: Log;
}
