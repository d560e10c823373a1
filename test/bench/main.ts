/** `npm run bench [-- NAME…]`: what is measured, apart from the tests, as ratios taken in one run. */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

const BENCHES: Readonly<Record<string, () => Promise<unknown>>> = {
  start: async () => (await import('./start.js')).benchStart(),
  rest: async () => (await import('./rest.js')).benchRest(),
  cpu: async () => (await import('./cpu.js')).benchCpu(),
  node: async () => (await import('./node.js')).benchNode(),
  ledger: async () => [
    await (await import('./ledger/ledger.js')).benchLedger(),
    await (await import('./ledger/pieces.js')).benchPieces(),
    await (await import('./ledger/ledger-split.js')).benchSplit(),
    await (await import('./ledger/backlog.js')).benchBacklog(),
    await (await import('./ledger/proof.js')).benchProof(),
  ],
  upstream: async () => (await import('./upstream/upstream.js')).benchUpstream(),
  stratum: async () => (await import('./stratum/stratum.js')).benchStratum(),
  bridges: async () => (await import('./bridges/bridges.js')).benchBridges(),
  web: async () => (await import('./web/web.js')).benchWeb(),
  follow: async () => (await import('./follow.js')).benchFollow(),
  payouts: async () => (await import('./payouts/payouts.js')).benchPayouts(),
  alerts: async () => (await import('./alerts.js')).benchAlerts(),
};

function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
  } catch {
    return 'unknown (no git checkout)';
  }
}

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !(name in BENCHES));
  if (unknown.length > 0)
    throw new Error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  const cores = cpus();
  process.stdout.write(
    `commit ${commit()}, Node.js ${process.version}, ${cores.length} cores of ${cores[0]?.model.trim()}\n`,
  );
  for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
    process.stdout.write(`\n# ${name}\n\n`);
    await BENCHES[name]?.();
  }
}

await main(process.argv.slice(2));
