/** What may happen to a payer, in any order. Nothing in them takes back what is believed: stories do. */
import fc from 'fast-check';
import { type ChainId, DEPTH, type Takes } from './chains.js';
import { Payer } from './model.js';
import type { Rule } from './rules.js';
import { READY } from './stories.js';

type Step = (payer: Payer) => void;

const chain = fc.constantFrom<ChainId>(0, 1);
const account = fc.constantFrom(0, 1);
const machine = fc.constantFrom(0, 1);
const seconds = fc.integer({ min: 1, max: 4 });
const takes = fc.constantFrom<Takes>('nothing', 'oldest', 'newest', 'all');

/** What a failed property prints is {@link says}. */
export interface Named {
  readonly says: string;
  readonly method: Method;
  readonly values: readonly unknown[];
  readonly does: Step;
}

type Method = Exclude<keyof Payer, 'finish' | 'shown'>;

/** A step that calls this method with these. */
function step(method: Method, ...given: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<Named> {
  return fc.tuple(...given).map((values) => named(method, values));
}

function named(method: Method, values: readonly unknown[]): Named {
  const act = (payer: Payer): unknown =>
    (payer[method] as (...given: readonly unknown[]) => unknown).call(payer, ...values);
  return { says: [method, ...values].join(' '), method, values, does: (payer) => void act(payer) };
}

/** As a failed property prints it: `income 0 1 | learn | take 0`. */
export function storyOf(text: string): Named[] {
  return text.split(' | ').map((one) => {
    const [method = '', ...words] = one.split(' ');
    return named(method as Method, words.map(wordOf));
  });
}

function wordOf(word: string): unknown {
  if (word === 'true' || word === 'false') return word === 'true';
  return /^\d+$/.test(word) ? Number(word) : word;
}

export interface Faults {
  /** Payloads that no node has any more. */
  readonly blind?: boolean;
  /** What is believed is taken back, and undone by order. */
  readonly deep?: boolean;
  /** Books and clocks never go back, and no command fails. */
  readonly plain?: boolean;
}

type Weighted = [weight: number, step: fc.Arbitrary<Named>];

function stepsWith({ blind = false, deep = false, plain = false }: Faults): fc.Arbitrary<Named> {
  const succeeds = plain ? fc.constant(true) : fc.constantFrom(true, true, true, false);
  const isBlind = blind ? fc.constantFrom(false, false, true) : fc.constant(false);
  const depth = fc.integer({ min: 1, max: deep ? DEPTH + 3 : DEPTH });
  const weighted: Weighted[] = [
    [8, step('income', account, fc.constantFrom(1, 2))],
    [8, step('learn')],
    [3, step('plan', account, chain)],
    [9, step('take', machine)],
    [4, step('build', machine)],
    [4, step('sign', machine, fc.constantFrom(false, false, false, true))],
    [4, step('send', machine)],
    [14, step('pay', machine, chain)],
    [8, step('mine', chain, seconds, takes, succeeds, isBlind)],
    [16, step('pass', seconds, seconds, takes)],
    [8, step('follow', chain)],
    [4, step('reorganise', chain, depth, seconds, takes)],
    [4, step('crash', machine)],
    [5, step('start', machine)],
    [2, step('snapshot', machine)],
    [2, step('goBack', machine)],
    [4, step('resume')],
    ...(plain ? [] : goesBack),
    ...(blind ? [[5, step('skip', chain)] satisfies Weighted] : []),
    ...(deep ? [[5, step('undo', chain)] satisfies Weighted] : []),
  ];
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const goesBack: readonly Weighted[] = [
  [3, step('sync')],
  [3, step('promote')],
  [2, step('dump')],
  [2, step('restore')],
  [3, step('lag', machine, fc.integer({ min: 0, max: 3 }))],
  [2, step('clock', fc.integer({ min: 0, max: 11 }))],
];

/** From the first day on, or when it may pay already. */
export function histories(faults: Faults = {}): fc.Arbitrary<Named[]> {
  const begins = fc.constantFrom<readonly Named[]>([], storyOf(READY), storyOf(`${READY} | pay 0 0`));
  const steps = fc.array(stepsWith(faults), { maxLength: 80, size: 'max' });
  return fc.tuple(begins, steps).map(([begin, rest]) => [...begin, ...rest]);
}

/** Throws where something comes out that must never be. */
export function live(history: readonly Named[], out: readonly Rule[] = []): void {
  const payer = new Payer(out);
  for (const { does } of history) does(payer);
  payer.finish();
}
