/** How many processes the settings mean. */
import { availableParallelism } from 'node:os';
import type { BridgeConfig } from '../../config/settings/settings.js';

/** 1: one process does everything. */
export function processesOf({ processes }: Pick<BridgeConfig, 'processes'>): number {
  return processes === 'auto' ? Math.max(1, availableParallelism() - 1) : processes;
}
