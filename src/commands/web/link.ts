import { linkWords } from '../../assembly/watch/web-link.js';
import { type Asked, OK } from '../../cli/line/command.js';
import { makeLink } from '../../operations/session.js';
import { askBridge } from '../ctl/bridge.js';
import type { WebLinkSettings } from './settings.js';

export async function run({ load, io: { stdout } }: Asked<WebLinkSettings>): Promise<number> {
  const { config } = await load();
  const { read: link } = await askBridge(config.dataDir, (ask) =>
    ask(makeLink.output, makeLink.method, makeLink.path),
  );
  stdout.write(config.json ? `${JSON.stringify(link)}\n` : `${linkWords(link).join('\n')}\n`);
  return OK;
}
