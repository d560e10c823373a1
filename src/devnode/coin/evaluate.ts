/** Runs code: the calls of `coin`, and the little that clients put around them. No other contract runs here. */

import type { Decimal } from '../../core/money/decimal.js';
import { type Fields, hasRealKeys, readKeyset, type Value } from './codec.js';
import type { CoinContract } from './contract.js';
import { type Guard, principalOf } from './guards.js';
import { evalError, PactError, txFailure } from './result.js';
import type { Node } from './syntax.js';

export interface Scope {
  readonly contract: CoinContract;
  readonly data: Fields;
  /** Throws where that is more than the limit. */
  charge(gas: number): void;
}

interface Call {
  readonly arity: number;
  readonly gas: number;
  readonly writes?: true;
  run(args: Args, scope: Scope): Value;
}

const CALLS: Readonly<Record<string, Call>> = {
  'coin.transfer': {
    ...{ arity: 3, gas: 156, writes: true },
    run: (args, { contract }) => contract.transfer(args.text(0), args.text(1), args.decimal(2)),
  },
  'coin.transfer-create': {
    ...{ arity: 4, gas: 156, writes: true },
    run: (args, { contract }) =>
      contract.transferCreate(args.text(0), args.text(1), args.guard(2), args.decimal(3)),
  },
  'coin.create-account': {
    ...{ arity: 2, gas: 60, writes: true },
    run: (args, { contract }) => contract.createAccount(args.text(0), args.guard(1)),
  },
  'coin.get-balance': { arity: 1, gas: 10, run: (args, { contract }) => contract.balance(args.text(0)) },
  'coin.details': { arity: 1, gas: 10, run: (args, { contract }) => contract.details(args.text(0)) },
  'read-keyset': { arity: 1, gas: 1, run: (args, { data }) => ({ guard: keysetOf(data, args.text(0)) }) },
  'create-principal': { arity: 1, gas: 1, run: (args) => principalOf(args.guard(0)) },
  at: { arity: 2, gas: 1, run: (args) => args.at(0, 1) },
};

/** What no command may have that is to be included; `undefined` if every call is one that runs here. */
export function unknownCall(nodes: readonly Node[]): string | undefined {
  for (const node of nodes) {
    const fault = node.kind === 'call' ? unknownHead(node.parts) : undefined;
    const inner = fault ?? unknownCall(partsOf(node));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function unknownHead([head, ...args]: readonly Node[]): string | undefined {
  const name = head?.kind === 'name' ? head.name : undefined;
  if (name === 'let') return bindingsOf(args) ? undefined : 'let must have a list of names and values';
  if (name === 'try') return args.length === 2 ? undefined : 'try must have 2 arguments';
  const call = name !== undefined && Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (call === undefined)
    return `${NOT_HERE}: ${name?.slice(0, 80) ?? 'a call without a name'} is none of them`;
  return args.length === call.arity
    ? undefined
    : `${name} must have ${call.arity} arguments, not ${args.length}`;
}

const NOT_HERE = `contracts do not run on this node, which knows ${Object.keys(CALLS).join(', ')}, let and try alone`;

/** The nodes inside that are values or calls. */
function partsOf(node: Node): readonly Node[] {
  if (node.kind === 'list') return node.items;
  if (node.kind === 'object') return node.fields.map(([, value]) => value);
  if (node.kind !== 'call') return [];
  const [head, ...args] = node.parts;
  const bindings = isNamed(head, 'let') ? bindingsOf(args) : undefined;
  return bindings ? [...bindings.map(([, value]) => value), ...args.slice(1)] : args;
}

function isNamed(node: Node | undefined, name: string): boolean {
  return node?.kind === 'name' && node.name === name;
}

/** `((a 1) (b 2))` */
function bindingsOf([first, ...body]: readonly Node[]): [string, Node][] | undefined {
  if (first?.kind !== 'call' || body.length === 0) return undefined;
  const bindings: [string, Node][] = [];
  for (const pair of first.parts) {
    const [name, value, ...more] = pair.kind === 'call' ? pair.parts : [];
    if (name?.kind !== 'name' || value === undefined || more.length > 0) return undefined;
    bindings.push([name.name, value]);
  }
  return bindings;
}

type Names = ReadonlyMap<string, Value>;

/** Runs all, one after the other; the value of the last. Throws {@link PactError}. */
export function evaluateAll(nodes: readonly Node[], scope: Scope): Value {
  const unknown = unknownCall(nodes);
  if (unknown !== undefined) throw evalError(unknown);
  return inOrder(nodes, new Map(), scope);
}

function inOrder(nodes: readonly Node[], names: Names, scope: Scope): Value {
  return nodes.reduce<Value>((_, node) => evaluate(node, names, scope), null);
}

function evaluate(node: Node, names: Names, scope: Scope): Value {
  switch (node.kind) {
    case 'value':
      return node.value;
    case 'name': {
      const value = names.get(node.name);
      if (value === undefined) throw evalError(`Cannot resolve ${node.name.slice(0, 80)}`);
      return value;
    }
    case 'list':
      return node.items.map((item) => evaluate(item, names, scope));
    case 'object':
      return { fields: new Map(node.fields.map(([name, value]) => [name, evaluate(value, names, scope)])) };
    case 'call':
      return call(node.parts, names, scope);
  }
}

function call([head, ...args]: readonly Node[], names: Names, scope: Scope): Value {
  if (isNamed(head, 'let')) return evaluateLet(args, names, scope);
  if (isNamed(head, 'try')) return evaluateTry(args, names, scope);
  const known = CALLS[(head as { name: string }).name] as Call;
  const values = args.map((arg) => evaluate(arg, names, scope));
  scope.charge(known.gas);
  return known.run(new Args(values), scope);
}

function evaluateLet(args: readonly Node[], names: Names, scope: Scope): Value {
  scope.charge(1);
  const inner = new Map(names);
  for (const [name, value] of bindingsOf(args) ?? []) inner.set(name, evaluate(value, inner, scope));
  return inOrder(args.slice(1), inner, scope);
}

/** What fails inside gives way to the first argument; nothing may be written there. */
function evaluateTry([instead, tried]: readonly Node[], names: Names, scope: Scope): Value {
  scope.charge(1);
  const [otherwise, risky] = [instead as Node, tried as Node];
  if (writes([risky])) throw evalError('Operation disallowed in read-only or system-only mode');
  try {
    return evaluate(risky, names, scope);
  } catch (error) {
    if (!(error instanceof PactError) || error.isOutOfGas) throw error;
    return evaluate(otherwise, names, scope);
  }
}

function writes(nodes: readonly Node[]): boolean {
  return nodes.some((node) => {
    const head = node.kind === 'call' ? node.parts[0] : undefined;
    return (head?.kind === 'name' && CALLS[head.name]?.writes) || writes(partsOf(node));
  });
}

function keysetOf(data: Fields, name: string): Guard {
  const json = Object.hasOwn(data, name) ? data[name] : undefined;
  const guard = readKeyset(json);
  if (guard === undefined) throw txFailure('read-keyset failed. Invalid format or missing key.');
  if (hasRealKeys(guard)) return guard;
  throw evalError('Invalid keyset format. Check that keys have the right length and signature scheme.');
}

/** The arguments of a call, by what they must be. */
class Args {
  readonly #values: readonly Value[];

  constructor(values: readonly Value[]) {
    this.#values = values;
  }

  text(i: number): string {
    const value = this.#values[i];
    return typeof value === 'string' ? value : this.#wrong(i, 'string');
  }

  decimal(i: number): Decimal {
    const value = this.#values[i];
    return isObject(value) && 'decimal' in value ? value.decimal : this.#wrong(i, 'decimal');
  }

  guard(i: number): Guard {
    const value = this.#values[i];
    return isObject(value) && 'guard' in value ? value.guard : this.#wrong(i, 'guard');
  }

  /** A field of an object, or an entry of a list. */
  at(i: number, inside: number): Value {
    const [key, value] = [this.#values[i], this.#values[inside]];
    const found =
      typeof key === 'string' && isObject(value) && 'fields' in value
        ? value.fields.get(key)
        : typeof key === 'bigint' && Array.isArray(value)
          ? (value[Number(key)] as Value | undefined)
          : undefined;
    if (found === undefined) throw evalError('at: there is no such entry');
    return found;
  }

  #wrong(i: number, wanted: string): never {
    throw evalError(`Type error: argument ${i + 1} must be a ${wanted}`);
  }
}

function isObject(
  value: Value | undefined,
): value is Exclude<Value, string | boolean | null | bigint | readonly Value[]> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
