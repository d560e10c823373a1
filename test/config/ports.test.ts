/** `stratum.ports`: how a list of ports is written, and what is said of one that is wrong. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../src/config/checks.js';
import { ConfigError } from '../../src/config/layers/config-error.js';
import { keyOfPort, portsOf } from '../../src/config/ports.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { effectiveAsJson } from '../../src/config/show/show.js';
import { minimalAsYaml } from '../../src/config/show/yaml.js';
import { temporaryFolder } from '../helpers/folder.js';
import { type LineInput, loadConfig } from '../helpers/stories/load-config.js';

const load = (input: LineInput) => loadConfig(BRIDGE_SETTINGS, input);
const byFlags = (...ports: string[]) => load({ argv: ports.flatMap((port) => ['--stratum-ports', port]) });
const byVariable = (value: string) => load({ env: { STRATUM_BRIDGE_STRATUM_PORTS: value } });
const BY_DEFAULT = { transport: 'both', tls: 'also', proxy: 'also' };

function problemOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n');
    throw error;
  }
  return expect.fail('no problem was found');
}

describe('ports', () => {
  it('are those of stratum.tcp and stratum.ws where none are named', () => {
    const named = (...argv: string[]) => portsOf(load({ argv }).config).map(({ name }) => name);
    expect(portsOf(load({}).config)).toEqual([
      { ...BY_DEFAULT, name: 'tcp', transport: 'tcp', listen: { host: '0.0.0.0', port: 1917 } },
      { ...BY_DEFAULT, name: 'ws', transport: 'ws', listen: { host: '0.0.0.0', port: 1918 } },
    ]);
    expect(named('--stratum-tcp', 'off')).toEqual(['ws']);
    expect(named('--stratum-tcp', 'off', '--stratum-ws', 'off')).toEqual([]);
    expect(named('--stratum-ports', 'name=high,listen=1')).toEqual(['high']);
    const { config } = byFlags('name=tcp,listen=1');
    expect([keyOfPort(config, 'tcp'), keyOfPort(load({}).config, 'tcp')]).toEqual([
      'stratum.ports',
      'stratum.tcp',
    ]);
  });

  it('are written as a flag, as JSON in a variable, and in a file, and mean the same', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'a.yaml');
    const high = { name: 'high', listen: 3334, transport: 'tcp', tls: 'off', start: '1P', min: 1e12 };
    const shut = { name: 'shut', listen: '[::1]:3335', accounts: 'list', list: ['a', 'b*'], proxy: 'only' };
    await writeFile(
      path,
      `stratum:\n  ports:\n    - {name: high, listen: 3334, transport: tcp, tls: off, start: 1P, min: 1e12}
    - {name: shut, listen: "[::1]:3335", accounts: list, list: [a, b*], proxy: only, balancers: [10.0.0.0/8]}\n`,
    );
    const inFile = load({ argv: ['--config', path] }).config['stratum.ports'];
    expect(inFile).toEqual([
      { ...BY_DEFAULT, ...high, listen: { host: '0.0.0.0', port: 3334 }, start: 1e15 },
      { ...BY_DEFAULT, ...shut, listen: { host: '::1', port: 3335 }, balancers: ['10.0.0.0/8'] },
    ]);
    const flags = byFlags(
      'name=high,listen=3334,transport=tcp,tls=off,start=1e15,min=1T',
      'name=shut, listen=[::1]:3335, accounts=list, list=a, list=b*, proxy=only, balancers=10.0.0.0/8',
    );
    expect(flags.config['stratum.ports']).toEqual(inFile);
    const json = JSON.stringify([high, { ...shut, balancers: ['10.0.0.0/8'] }]);
    expect(byVariable(json).config['stratum.ports']).toEqual(inFile);
    expect(byFlags(JSON.stringify(high)).config['stratum.ports']).toEqual(inFile.slice(0, 1));
    expect(byVariable('name=a,listen=1').config['stratum.ports']).toHaveLength(1);
    expect(byVariable('').config['stratum.ports']).toEqual([]);
    // What --minimal writes is read as the same again.
    const again = join(folder.path, 'b.yaml');
    await writeFile(again, minimalAsYaml(BRIDGE_SETTINGS, flags));
    expect(load({ argv: ['--config', again] }).config['stratum.ports']).toEqual(inFile);
  });

  it('have passwords that nobody is shown', () => {
    const port = { name: 'shut', listen: 1, accounts: 'password', passwords: { a: 'S3cret' } };
    for (const loaded of [byVariable(JSON.stringify([port])), byFlags(JSON.stringify(port))]) {
      expect(loaded.config['stratum.ports'][0]?.passwords).toEqual({ a: 'S3cret' });
      expect(JSON.stringify(effectiveAsJson(BRIDGE_SETTINGS, loaded))).not.toContain('S3cret');
      expect(minimalAsYaml(BRIDGE_SETTINGS, loaded)).not.toContain('S3cret');
    }
    const wrong = JSON.stringify([{ ...port, name: 'Shut' }]);
    for (const text of [wrong, JSON.stringify([{ ...port, passwords: { a: '', b: 'S3cret' } }]), `${wrong}]`])
      expect(problemOf(() => byVariable(text))).not.toContain('S3cret');
  });

  it.each([
    ['listen=1', 'has a fault in port 1: name is missing'],
    ['name=High,listen=1', 'has a fault in port High: name "High" is none: 1 to 32 small letters'],
    ['name=web,listen=1', 'has a fault in port web: name "web" is what the web is called'],
    ['name=a', 'has a fault in port a: listen is no address: host:port'],
    [
      'name=a,listen=*:1',
      'has a fault in port a: listen "*:1" is no address: all of this machine are 0.0.0.0:1',
    ],
    ['name=a,listen=1,transport=udp', 'has a fault in port a: transport "udp" is none of tcp, ws, both'],
    ['name=a,listen=1,tls=yes', 'has a fault in port a: tls "yes" is none of off, also, only'],
    ['name=a,listen=1,start=much', 'has a fault in port a: start "much" is no number from 1'],
    ['name=a,listen=1,fixed=0.5', 'has a fault in port a: fixed "0.5" is no number of expected hashes'],
    [
      'name=a,listen=1,accounts=some',
      'has a fault in port a: accounts "some" is none of open, key, list, password',
    ],
    ['name=a,listen=1,balancers=here', 'has a fault in port a: balancers ["here"] is no address or prefix'],
    [
      'name=a,listen=1,deny=10.0.0.0/33',
      'has a fault in port a: deny ["10.0.0.0/33"] is no address or prefix',
    ],
    ['name=a,lsiten=1', 'has a fault in port a: listen is no address'],
    [
      'name=a,listen=1,speed=1',
      'has a fault in port a: it has a key speed, and takes name, listen, transport',
    ],
    ['high', 'has a fault in port 1: it is no map of keys to values'],
  ])('C8: %s', (port, fault) => {
    const said = problemOf(() => byFlags('name=good,listen=2', port));
    expect(said).toContain(`stratum.ports: ${JSON.stringify(port)} (flag --stratum-ports) `);
    expect(said).toContain(fault.replace('port 1:', 'port 2:'));
  });

  it('C8: have a name each, and are not too many', () => {
    expect(problemOf(() => byFlags('name=a,listen=1', 'name=a,listen=2'))).toMatch(
      /two ports of one name: a$/,
    );
    const many = Array.from({ length: 33 }, (_, i) => `name=p${i},listen=${i + 1}`);
    expect(problemOf(() => byFlags(...many))).toMatch(/has 33 ports, and may have 32$/);
    expect(problemOf(() => byVariable('[1'))).toMatch(/is no list of ports/);
  });
});

describe('C8: between ports, and what they share', () => {
  const check = (...argv: string[]) => checkSettings(load({ argv }));
  const HIGH = 'name=high,listen=3334';

  it('nothing is wrong with what goes together', () => {
    expect(
      check('--stratum-ports', `${HIGH},start=1P`, '--stratum-ports', 'name=low,listen=3333,max=1T'),
    ).toEqual([]);
    expect(
      check(
        '--stratum-ports',
        'name=a,listen=0',
        '--stratum-ports',
        'name=b,listen=0',
        '--stratum-tcp',
        'off',
      ),
    ).toEqual([]);
    expect(check('--stratum-ports', `${HIGH},tls=only`, '--stratum-tls-self-signed')).toEqual([]);
    expect(check('--stratum-ports', `${HIGH},proxy=only`, '--stratum-balancers', '10.0.0.1')).toEqual([]);
    expect(check('--stratum-ports', `${HIGH},fixed=1P,min=1T`)).toEqual([]);
  });

  it.each([
    [
      ['--stratum-tcp', '3333', '--stratum-ports', HIGH],
      'stratum.tcp: "3333" (flag --stratum-tcp) is not used, since stratum.ports names all ports',
    ],
    [['--stratum-ws', '3333', '--stratum-ports', HIGH], 'stratum.ws: "3333" (flag --stratum-ws) is not used'],
    [
      ['--stratum-ws', '127.0.0.1:1917'],
      'stratum.ws: "127.0.0.1:1917" (flag --stratum-ws) is the port of stratum.tcp, too',
    ],
    [
      ['--stratum-ports', HIGH, '--stratum-ports', 'name=low,listen=127.0.0.1:3334'],
      'has 127.0.0.1:3334 for high and for low: each needs its own',
    ],
    [
      ['--stratum-ports', HIGH, '--web-listen', '3334'],
      'web.listen: "3334" (flag --web-listen) is the port of stratum.ports (high), too',
    ],
    [['--stratum-ports', `${HIGH},tls=only`], 'has a fault in port high: tls only needs a certificate'],
    [
      ['--stratum-ports', `${HIGH},min=2T,max=1T`],
      'has a fault in port high: min 2000000000000 is above max 1000000000000',
    ],
    [
      ['--stratum-ports', `${HIGH},min=1e19`],
      'has a fault in port high: min 10000000000000000000 is above stratum.vardiff.max',
    ],
    [
      ['--stratum-ports', `${HIGH},max=1`],
      'has a fault in port high: max 1 is below stratum.vardiff.min (65536)',
    ],
    [
      ['--stratum-ports', `${HIGH},start=1,min=5`],
      'has a fault in port high: start 1 is not between the lowest difficulty, 5,',
    ],
    [['--stratum-ports', `${HIGH},start=1P,fixed=1P`], 'has a fault in port high: fixed stands beside start'],
    [['--stratum-ports', `${HIGH},accounts=list`], 'has a fault in port high: accounts list needs a list'],
    [
      ['--stratum-ports', `${HIGH},accounts=password`],
      'has a fault in port high: accounts password needs passwords',
    ],
    [
      ['--stratum-ports', `${HIGH},list=a`],
      'has a fault in port high: list goes together with accounts: list',
    ],
    [['--stratum-ports', `${HIGH},proxy=only`], 'has a fault in port high: proxy only needs balancers'],
    [
      ['--stratum-ports', `${HIGH},proxy=off,balancers=10.0.0.1`],
      'has a fault in port high: balancers stand beside proxy off',
    ],
  ])('C8: %j', (argv, expected) => {
    expect(check(...argv)).toEqual([expect.stringContaining(expected)]);
  });
});
