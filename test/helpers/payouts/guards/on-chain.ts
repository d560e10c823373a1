/** Of a payer and its nodes: what nodes say, what blocks hold, and how far that is believed. */
import { requestKeyOf } from '../../../../src/chain/request-key.js';
import { keyPair } from '../../processes/key-pair.js';
import { until } from '../../until.js';
import {
  accountOf,
  held,
  keepPayload,
  MINER,
  OTHER_PAYER,
  PAST_TIME_S,
  PayerStory,
  skipBlock,
} from '../payer-story.js';
import { coins, DEPTH, PAYER, TTL_S } from '../payer-terms.js';
import type { Stories, Story } from './story.js';

/** How transactions stand, and for what payments are paused. */
async function standing(story: PayerStory): Promise<string> {
  const all = [
    ...(await story.states()).sort(),
    ...(await story.pauses()).map((reason) => `paused: ${reason}`),
  ];
  return all.join(', ') || 'nothing';
}

function onChain(well: string, act: (story: PayerStory) => Promise<unknown>, nodes = 1): Story {
  const tell = async (): Promise<string> => {
    await using story = await PayerStory.open({ nodes, needed: nodes });
    const told = await act(story);
    return typeof told === 'string' ? told : await standing(story);
  };
  return { well, tell };
}

type PayerOptions = Parameters<PayerStory['pay']>[0];

/** Five coins are due, and the payer has done what it can. */
async function owed(
  story: PayerStory,
  options: PayerOptions = {},
  amounts: Record<number, string> = { 1: '5' },
) {
  const payer = story.pay(options);
  await story.owe(amounts);
  await until('it has planned', async () => {
    const { isAsked, waitingWhy } = await story.shown();
    return !isAsked || waitingWhy !== '' || (await story.pauses()).length > 0;
  });
  await payer.turn();
  await payer.turn();
}

/** Meanwhile nobody follows; then until each chain was looked at from a look on that begins after that. */
async function followedOver(story: PayerStory, meanwhile: () => Promise<void>): Promise<void> {
  await story.stopFollowing();
  await meanwhile();
  const { rows } = await story.pool.query<{ now: string }>('SELECT now()::text AS now');
  story.follow();
  await until('all chains are looked at', async () => {
    const { rowCount } = await story.pool.query("SELECT FROM chain WHERE followed_at > $1 OR trouble <> ''", [
      rows[0]?.now,
    ]);
    return rowCount === 3;
  });
}

/** Into the next block, with as many on top. */
const include = async (story: PayerStory, depth = DEPTH): Promise<void> => {
  await story.faults({ holdTransactions: false });
  await story.mine(1 + depth);
};

const second = ({ nodes }: PayerStory) => nodes[1] ?? nodes[0] ?? ({} as never);

export const ON_CHAIN: Stories = {
  'in a block of little depth': onChain('1 open sent', async (story) => {
    await held(story);
    await followedOver(story, () => include(story, DEPTH - 1));
  }),
  'in a block by the word of one of two': onChain(
    '1 open sent',
    async (story) => {
      await held(story);
      await followedOver(story, async () => {
        await include(story);
        second(story).tap.set({ refuses: true });
      });
    },
    2,
  ),
  'outputs that a node alters': onChain('1 open sent', async (story) => {
    const {
      transaction: { requestKey },
    } = await held(story);
    story.first.tap.set({
      onAnswer: (text, path) =>
        !path.includes('/payload/')
          ? text
          : text.replace(/[\w-]{200,}/g, (part) => {
              const output = Buffer.from(part, 'base64url').toString();
              if (!output.includes(`"reqKey":"${requestKey}"`)) return part;
              return Buffer.from(output.replace('"success"', '"failure"')).toString('base64url');
            }),
    });
    await followedOver(story, () => include(story));
  }),
  'in a block whose payload is lost': onChain('1 open sent, paused: skipped', async (story) => {
    const {
      transaction: { chainId },
    } = await held(story);
    await story.mine(DEPTH);
    await story.followed();
    const stop = keepPayload(story, chainId);
    await story.mine(1);
    await skipBlock(story, chainId);
    stop();
    await story.pass(PAST_TIME_S);
    await story.bury();
  }),
  'in a block while nobody pays': onChain('1 paid', async (story) => {
    const { payer } = await held(story);
    await payer[Symbol.asyncDispose]();
    await story.faults({ holdTransactions: false });
    await story.bury();
  }),
  'at any price of gas': onChain('1 open sent, paused: gasPrice', async (story) => {
    const words = 'gas price (1.0e-8) is below minimum gas price (1.0e-5)';
    const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: ${words.length}\r\n\r\n`;
    story.first.tap.set({ onAnswer: (text, path) => (path.endsWith('/send') ? head + words : text) });
    await owed(story);
  }),
  'coins by the word of one of two': onChain(
    'nothing',
    async (story) => {
      second(story).tap.set({ onAnswer: (text, path) => (path.includes('/local') ? undefined : text) });
      await owed(story);
    },
    2,
  ),
  'a dry run that one of two refuses': onChain(
    'nothing',
    async (story) => {
      story.first.tap.set({
        onRequest: (text) => {
          const at = text.indexOf('{"cmd":');
          if (at < 0 || text.includes('"cmds"') || !text.includes(accountOf(1))) return text;
          const tried = JSON.parse(text.slice(at));
          const cmd = tried.cmd.replaceAll(accountOf(1), MINER.account);
          return text.slice(0, at) + JSON.stringify({ ...tried, cmd, hash: requestKeyOf(cmd) });
        },
      });
      await owed(story);
    },
    2,
  ),
  'too little gas for anything': onChain('nothing', (story) => owed(story, { terms: { gasLimit: 10 } })),
  'from an account that another key guards': onChain('paused: guard', (story) =>
    owed(story, {
      terms: { from: { account: PAYER.account, publicKeys: [keyPair(9).key], predicate: 'keys-all' } },
    }),
  ),
  'by nodes that are an hour ahead': onChain('over in its time', async (story) => {
    story.first.node.orders.advance(3_600_000);
    await story.mine(DEPTH + 1);
    await story.faults({ holdTransactions: true });
    const [one] = await story.transactions();
    await owed(story);
    const [built = one] = await story.transactions();
    const isLong = Date.parse(built?.until ?? '') > story.nowMs + 1_000 * TTL_S;
    return isLong ? 'longer than it may be waited for' : 'over in its time';
  }),
  'from the reserve': onChain('nothing', (story) => owed(story, { rules: { reserve: coins('999') } })),
  'from what is on its way': onChain('1 open sent, 1 open sent, 1 open sent', async (story) => {
    await story.faults({ holdTransactions: true });
    const payer = story.pay();
    await story.owe({ 1: '900', 2: '900', 3: '900' });
    await story.arrived(3);
    await story.owe({ 4: '350' });
    await payer.turn();
    await payer.turn();
  }),
  'an id that somebody has copied': onChain('nothing', async (story) => {
    const payer = story.pay();
    await until('it may pay', async () => (await story.shown()).isReady);
    await story.copyPays('4711', 1, '5', OTHER_PAYER);
    await story.bury();
    await payer.turn();
  }),
  'a command of a copy': onChain('1 paid, paused: anotherPayer', async (story) => {
    const payer = story.pay();
    await until('it may pay', async () => (await story.shown()).isReady);
    await story.copyPays('4711', 1, '5');
    await story.bury();
    await payer.turn();
  }),
};
