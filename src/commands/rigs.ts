/** The stratum server, from the settings. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { BridgeConfig } from '../config/settings.js';
import type { ListenAddress } from '../config/values.js';
import type { Log } from '../core/log.js';
import type { AccountPolicy } from '../stratum/accounts.js';
import { Certificate, type CertificateFiles } from '../stratum/certificate.js';
import { STRATUM_LIMITS, type StratumLimits } from '../stratum/limits.js';
import { makeSelfSigned } from '../stratum/self-signed.js';
import { type StratumServer, type StratumServerOptions, startStratumServer } from '../stratum/server.js';
import { connectionsWithin, openFilesLimit, tooFewFiles } from './open-files.js';
import type { CloseStack } from './stop.js';

type Parts = Omit<
  StratumServerOptions,
  | 'tcp'
  | 'ws'
  | 'certificate'
  | 'balancers'
  | 'origins'
  | 'shareDifficulty'
  | 'accounts'
  | 'vardiff'
  | 'agentFloors'
  | 'limits'
>;

const SELF_SIGNED_DAYS = 3650;

export async function startRigs(
  config: BridgeConfig,
  parts: Parts,
  open: CloseStack,
  files = openFilesLimit(),
): Promise<StratumServer> {
  const few = tooFewFiles(config, files);
  if (few) parts.log.warn({ event: 'files', advice: few.advice }, few.detail);
  const certificate = await openCertificate(config, parts.log, open);
  const rigs = await startStratumServer({
    ...parts,
    tcp: listening(config['stratum.tcp']),
    ws: listening(config['stratum.ws']),
    certificate,
    balancers: config['stratum.balancers'],
    origins: config['stratum.origins'],
    shareDifficulty: config['stratum.shareDifficulty'],
    accounts: accountsFrom(config),
    vardiff: {
      secondsPerShare: config['stratum.vardiff.secondsPerShare'],
      startDifficulty: config['stratum.vardiff.startDifficulty'],
      minDifficulty: config['stratum.vardiff.minDifficulty'],
      maxDifficulty: config['stratum.vardiff.maxDifficulty'],
      powersOfTwo: config['stratum.vardiff.powersOfTwo'],
    },
    agentFloors: config['stratum.agentFloors'],
    limits: { ...limitsFrom(config), connections: connectionsWithin(config, files) },
  });
  open.add('rigs', () => rigs.close());
  return rigs;
}

function listening(address: ListenAddress | 'off'): ListenAddress | undefined {
  return address === 'off' ? undefined : address;
}

function accountsFrom(config: BridgeConfig): AccountPolicy {
  const mode = config['stratum.accounts.mode'];
  const [accounts, passwords] = [config['stratum.accounts.list'], config['stratum.accounts.passwords']];
  if (mode === 'list') return { mode, accounts };
  if (mode === 'password') return { mode, passwords };
  return { mode };
}

export function limitsFrom(config: BridgeConfig): StratumLimits {
  const names = Object.keys(STRATUM_LIMITS) as (keyof StratumLimits)[];
  return Object.fromEntries(
    names.map((name) => [name, config[`stratum.limits.${name}`]]),
  ) as unknown as StratumLimits;
}

async function openCertificate(
  config: BridgeConfig,
  log: Log,
  open: CloseStack,
): Promise<Certificate | undefined> {
  const files = await certificateFiles(config, log);
  if (!files) return undefined;
  const certificate = await Certificate.open(files, log);
  open.add('certificate', () => certificate.close());
  return certificate;
}

async function certificateFiles(config: BridgeConfig, log: Log): Promise<CertificateFiles | undefined> {
  const [certificateFile, privateKeyFile] = [
    config['stratum.tls.certificateFile'],
    config['stratum.tls.privateKeyFile'],
  ];
  if (certificateFile !== '') return { certificateFile, privateKeyFile };
  return config['stratum.tls.selfSigned'] ? selfSignedFiles(join(config.dataDir, 'tls'), log) : undefined;
}

/** Made once: rigs that have been told to trust it go on doing so. */
async function selfSignedFiles(folder: string, log: Log): Promise<CertificateFiles> {
  const files = { certificateFile: join(folder, 'certificate.pem'), privateKeyFile: join(folder, 'key.pem') };
  if (existsSync(files.certificateFile) && existsSync(files.privateKeyFile)) return files;
  const hosts = [hostname(), 'localhost', '127.0.0.1', '::1'];
  const pair = makeSelfSigned({ hosts, nowMs: Date.now(), days: SELF_SIGNED_DAYS, serial: randomBytes(16) });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(files.privateKeyFile, pair.privateKey, { mode: 0o600 });
  await writeFile(files.certificateFile, pair.certificate);
  log.info({ ...files, hosts }, 'made a self-signed certificate for rigs');
  return files;
}
