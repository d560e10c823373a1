import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { alone } from '../../src/assembly/machine.js';
import { checkOpenFiles, connectionsWithin, openFilesLimit } from '../../src/assembly/rigs/open-files.js';
import { makeRigs } from '../../src/assembly/rigs/rigs.js';
import { CloseStack } from '../../src/cli/service/stop.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { WireRig } from '../helpers/rigs/wire-rig.js';
import { loadConfig } from '../helpers/stories/load-config.js';
import { startTestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const load = (...argv: string[]) => loadConfig(BRIDGE_SETTINGS, { argv }).config;
const BUILT = fileURLToPath(new URL('../../dist/src/assembly/rigs/open-files.js', import.meta.url));

describe('open files', () => {
  it.skipIf(process.platform === 'win32')('A5: are known as the system limits them', () => {
    const show = `import(${JSON.stringify(BUILT)}).then((m) => console.log(m.openFilesLimit()))`;
    const out = execFileSync('sh', ['-c', 'ulimit -n 700 && exec "$0" -e "$1"', process.execPath, show]);
    expect(String(out).trim()).toBe('700');
    expect(openFilesLimit()).toBeGreaterThan(100);
  });

  it('A5: are left to the bridge first, and the rest are for rigs', () => {
    const two = load('--node-urls', 'http://a:1', '--node-urls', 'http://b:1');
    const connections = (config: typeof two, files: number) => connectionsWithin(config, files).connections;
    expect(connections(two, 1_500)).toBe(1_500 - 512 - 64);
    expect(connections(two, 1_000_000)).toBe(20_000);
    expect(connections(two, Number.POSITIVE_INFINITY)).toBe(20_000);
    expect(connections(load('--stratum-limits-connections', '100'), 1_500)).toBe(100);
    expect(connections(two, 256)).toBe(128);
  });

  it('ST4: bound how many rigs of one address connect, in proportion', () => {
    const ofAddress = (files: number, ...argv: string[]) =>
      connectionsWithin(load(...argv), files).connectionsPerAddress;
    expect(ofAddress(1_000_000)).toBe(5_000);
    // A quarter of 956.
    expect(ofAddress(1_500)).toBe(239);
    expect(ofAddress(1_500, '--stratum-limits-profile', 'public')).toBe(48);
    // One household may have all of it.
    expect(ofAddress(1_500, '--stratum-limits-profile', 'home')).toBe(956);
    expect(ofAddress(4)).toBe(1);
  });

  it('A5: that are too few are a warning of doctor, with a remedy', () => {
    expect(checkOpenFiles(load(), 1_500)).toEqual({
      state: 'warning',
      what: 'open files',
      detail:
        'at most 956 rigs can connect, 239 of one address, not the 20000 of stratum.limits.connections: this process may open 1500 files, and needs 544 itself',
      advice: 'raise the limit (ulimit -n, or LimitNOFILE in systemd), or lower stratum.limits.connections',
    });
    expect(checkOpenFiles(load(), 65_536)).toMatchObject({
      state: 'good',
      detail: '65536: enough for 20000 rigs',
    });
    expect(checkOpenFiles(load(), Number.POSITIVE_INFINITY).detail).toBe('no limit: enough for 20000 rigs');
  });

  it('A5: bound how many rigs connect, and a start says so', async () => {
    await using bridge = await startTestBridge();
    const open = new CloseStack();
    const warnings: string[] = [];
    const log: Log = { ...SILENT, warn: (_fields: unknown, text: string) => void warnings.push(text) } as Log;
    const { judge, nonceSpace: nonces, events } = bridge;
    let sessions = 0;
    const mining = { judge, nonces, clock: { nowMs: Date.now }, nextSessionId: () => ++sessions };
    const config = load(
      '--stratum-tcp',
      '127.0.0.1:0',
      '--stratum-ws',
      'off',
      '--stratum-limits-profile',
      'home',
    );
    const { server: rigs, listen } = await makeRigs(
      { config, folder: '', log, open, events, machine: alone() },
      mining,
      {},
      8,
    );
    try {
      await listen();
      expect(warnings.join()).toMatch(
        /^at most 4 rigs can connect, 4 of one address, not the 1000 .* may open 8 files/,
      );
      const port = rigs.addresses['tcp']?.port ?? 0;
      const all = await Promise.all(Array.from({ length: 6 }, () => WireRig.connect('tcp', port)));
      await until('two are refused', () => rigs.refused === 2);
      for (const rig of all) rig.vanish();
    } finally {
      await open.close(SILENT);
    }
  });
});
