/** What may happen to a payer, in any order. Nothing in them takes back what is believed: stories do. */
import fc from 'fast-check';
import { type ChainId, DEPTH, type Takes } from './chains.js';
import { Payer } from './model.js';
import type { Rule } from './rules.js';

type Step = (payer: Payer) => void;

const chain = fc.constantFrom<ChainId>(0, 1);
const account = fc.constantFrom(0, 1);
const machine = fc.constantFrom(0, 1);
const seconds = fc.integer({ min: 1, max: 4 });
const takes = fc.constantFrom<Takes>('nothing', 'oldest', 'newest', 'all');

/** What a failed property prints is {@link says}. */
export interface Named {
  readonly says: string;
  readonly does: Step;
}

type Method = Exclude<keyof Payer, 'finish'>;

/** A step that calls this method with these. */
function step(method: Method, ...given: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<Named> {
  return fc.tuple(...given).map((values) => named(method, values));
}

function named(method: Method, values: readonly unknown[]): Named {
  const act = (payer: Payer): unknown =>
    (payer[method] as (...given: readonly unknown[]) => unknown).call(payer, ...values);
  return { says: [method, ...values].join(' '), does: (payer) => void act(payer) };
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
}

function steps({ blind = false }: Faults): fc.Arbitrary<Named> {
  const weighted: [number, fc.Arbitrary<Named>][] = [
    [8, step('income', account, fc.constantFrom(1, 2))],
    [8, step('learn')],
    [3, step('plan', account, chain)],
    [9, step('take', machine)],
    [4, step('build', machine)],
    [4, step('sign', machine, fc.constantFrom(false, false, false, true))],
    [4, step('send', machine)],
    [14, step('pay', machine, chain)],
    [
      8,
      step(
        'mine',
        chain,
        seconds,
        takes,
        fc.constantFrom(true, true, true, false),
        blind ? fc.constantFrom(false, false, true) : fc.constant(false),
      ),
    ],
    [16, step('pass', seconds, seconds, takes)],
    [8, step('follow', chain)],
    [4, step('reorganise', chain, fc.integer({ min: 1, max: DEPTH }), seconds, takes)],
    [4, step('crash', machine)],
    [5, step('start', machine)],
    [3, step('sync')],
    [3, step('promote')],
    [2, step('dump')],
    [2, step('restore')],
    [2, step('snapshot', machine)],
    [2, step('goBack', machine)],
    [3, step('lag', machine, fc.integer({ min: 0, max: 3 }))],
    [2, step('clock', fc.integer({ min: 0, max: 11 }))],
    [4, step('resume')],
    ...(blind ? ([[5, step('skip', chain)]] as [number, fc.Arbitrary<Named>][]) : []),
  ];
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

export function histories(faults: Faults = {}): fc.Arbitrary<Named[]> {
  return fc.array(steps(faults), { maxLength: 80, size: 'max' });
}

/** Throws where something comes out that must never be. */
export function live(history: readonly Named[], out: readonly Rule[] = []): void {
  const payer = new Payer(out);
  for (const { does } of history) does(payer);
  payer.finish();
}
