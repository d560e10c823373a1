/** Which sockets that systemd opened are used for what; test/long/stories/deploy.test.ts hands over real ones. */

import { describe, expect, it } from 'vitest';
import { takeInherited, withInherited } from '../../src/assembly/rigs/inherited.js';
import { ConfigError } from '../../src/config/layers/config-error.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { loadConfig } from '../helpers/stories/load-config.js';

const PID = 4711;
const listens = (): boolean => true;

function handedOver(count: string, names?: string, pid = String(PID)): NodeJS.ProcessEnv {
  return {
    HOME: '/root',
    LISTEN_PID: pid,
    LISTEN_FDS: count,
    ...(names === undefined ? {} : { LISTEN_FDNAMES: names }),
  };
}

function problemsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const load = (...argv: string[]) => loadConfig(BRIDGE_SETTINGS, { argv }).config;

describe('sockets of systemd', () => {
  it('are used in place of the addresses that they are named for, in any order', () => {
    const inherited = takeInherited(handedOver('2', 'web:tcp'), PID, listens);
    const { 'stratum.tcp': tcp, 'stratum.ws': ws, 'web.listen': web } = withInherited(load(), inherited);
    expect(tcp).toEqual({ host: '0.0.0.0', port: 1917, fd: 4 });
    expect(ws).toEqual({ host: '0.0.0.0', port: 1918 });
    expect(web).toEqual({ host: '127.0.0.1', port: 1920, fd: 3 });
  });

  it('are none where none were handed over, or to another process', () => {
    const config = load();
    for (const env of [{}, handedOver('0'), handedOver('1', 'tcp', '1'), handedOver('x', 'tcp', '')]) {
      const inherited = takeInherited(env, PID, listens);
      expect(withInherited(config, inherited)).toEqual(config);
    }
  });

  it('are told to no child', () => {
    for (const pid of [PID, 1]) {
      const env = handedOver('1', 'tcp', String(pid));
      takeInherited(env, PID, listens);
      expect(env).toEqual({ HOME: '/root' });
    }
  });

  it('are refused with a sentence each where the bridge cannot use them', () => {
    const take = (count: string, names?: string, isListening = listens) =>
      problemsOf(() => takeInherited(handedOver(count, names), PID, isListening));
    expect(take('2', 'tcp')).toEqual([
      'LISTEN_FDS says "2" and LISTEN_FDNAMES has 1 names: each socket needs the name of a port of rigs (tcp and ws, or one of stratum.ports), or web (FileDescriptorName= in its unit)',
    ]);
    expect(take('1')).toHaveLength(1);
    expect(take('many', 'tcp')).toHaveLength(1);
    expect(take('3', 'tcp:ws:tcp')).toEqual([
      'socket 5 of LISTEN_FDNAMES, "tcp", is the second of that name: give one; ListenStream= with a port alone takes IPv4 and IPv6',
    ]);
    expect(take('1', 'ws', () => false)).toEqual([
      'socket 3 of LISTEN_FDNAMES, "ws", is no TCP socket that listens: its unit needs ListenStream= with a port, and no Accept=yes',
    ]);
  });

  it('are refused where no port has their name', () => {
    for (const name of ['stratum-bridge.socket', 'constructor', 'high'])
      expect(
        problemsOf(() => withInherited(load(), takeInherited(handedOver('1', name), PID, listens))),
      ).toEqual([
        `socket 3 of LISTEN_FDNAMES, "${name}", has no name of ours: FileDescriptorName= is one of tcp, ws, web`,
      ]);
  });

  it('are those of stratum.ports where that names the ports', () => {
    const config = load(
      '--stratum-ports',
      'name=high,listen=3334',
      '--stratum-ports',
      'name=tls,listen=3335,transport=tcp',
    );
    const { 'stratum.ports': ports } = withInherited(
      config,
      takeInherited(handedOver('1', 'tls'), PID, listens),
    );
    expect(ports.map(({ name, listen }) => [name, listen.fd])).toEqual([
      ['high', undefined],
      ['tls', 3],
    ]);
    expect(
      problemsOf(() => withInherited(config, takeInherited(handedOver('1', 'ws'), PID, listens))),
    ).toEqual([
      'socket 3 of LISTEN_FDNAMES, "ws", has no name of ours: FileDescriptorName= is one of high, tls, web',
    ]);
  });

  it('are refused for a port that is off: nobody would ever answer there', () => {
    const inherited = takeInherited(handedOver('2', 'tcp:ws'), PID, listens);
    expect(problemsOf(() => withInherited(load('--stratum-ws', 'off'), inherited))).toEqual([
      'stratum.ws is off, and systemd hands socket 4 over for it: stop that socket unit, or leave the setting out',
    ]);
  });
});
