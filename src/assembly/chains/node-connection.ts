/** How nodes are connected to, from the settings. */

import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { ClientOptions } from '../../node-client/client.js';

/** Throws {@link ConfigError} for a file that cannot be read. */
export function nodeConnectionFrom(
  config: Pick<BridgeConfig, 'node.ca' | 'node.insecure' | 'node.development'>,
): ClientOptions {
  const [file, insecure, development] = [
    config['node.ca'],
    config['node.insecure'],
    config['node.development'],
  ];
  return {
    tls: { insecure, ...(file ? { ca: [...rootCertificates, read(file)] } : {}) },
    ...(development === 'auto' ? {} : { verify: { proofOfWork: development === 'no' } }),
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`node.ca: ${file} cannot be read: ${(error as Error).message}`]);
  }
}
