/** Every command of the command line. */
import type { Command } from '../cli/line/command.js';
import { command as alerts } from './alerts.js';
import { command as audit } from './audit.js';
import { command as config } from './config.js';
import { command as ctl } from './ctl.js';
import { command as demo } from './demo.js';
import { command as doctor } from './doctor.js';
import { command as keygen } from './keygen.js';
import { command as ledger } from './ledger.js';
import { command as node } from './node.js';
import { command as probe } from './probe.js';
import { command as recorder } from './recorder.js';
import { command as rig } from './rig.js';
import { command as serve } from './serve.js';
import { command as status } from './status.js';
import { command as web } from './web.js';

export const COMMANDS: Readonly<Record<string, Command>> = {
  demo,
  serve,
  status,
  web,
  ctl,
  recorder,
  rig,
  probe,
  node,
  ledger,
  alerts,
  keygen,
  audit,
  config,
  doctor,
};

/** The program itself: the one around them. */
export const ROOT: Command = {
  summary: 'a bridge between nodes of a proof-of-work network and mining rigs',
  commands: COMMANDS,
};
