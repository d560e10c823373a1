/** How nodes are connected to, from the settings. */
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { ConnectOptions } from '../../node/client.js';

/** Throws {@link ConfigError} for a file that cannot be read. */
export function nodeConnectionFrom(config: Pick<BridgeConfig, 'node.ca' | 'node.insecure'>): ConnectOptions {
  const [file, insecure] = [config['node.ca'], config['node.insecure']];
  return { tls: { insecure, ...(file ? { ca: [...rootCertificates, read(file)] } : {}) } };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`node.ca: ${file} cannot be read: ${(error as Error).message}`]);
  }
}
