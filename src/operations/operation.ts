/** What can be asked of a bridge: an entry each, which `web/api` serves, `ctl` asks and shows, and the page has its types from. */
import { z } from 'zod';
import type { Columns } from './columns.js';
import type { Access } from './enums.js';
import { partOf, SLICE } from './fields.js';

export interface Operation<Output extends z.ZodType = z.ZodType, Params extends z.ZodType = z.ZodType> {
  /** A sentence without its end. */
  readonly summary: string;
  readonly description?: string;
  /** Part of the reference in which it stands. */
  readonly tag: string;
  /** With `:name` where a part of it is a parameter. */
  readonly path: string;
  readonly params?: Params;
  readonly output: Output;
  /** Who may ask or order it. */
  readonly access: Access;
}

/** What can be ordered. Who carries it out is typed by the entry: {@link Handler}. */
export interface Order<
  Answer extends z.ZodType = z.ZodType,
  Params extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> extends Operation<Answer, Params> {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly body?: Body;
  /** How `ctl` gives it: one command or several, by their words. */
  readonly commands?: Readonly<Record<string, OrderCommand<z.output<Answer>>>>;
}

export interface OrderCommand<Answer> {
  readonly summary: string;
  readonly about?: string;
  readonly examples?: readonly string[];
  /** In commander's notation. */
  readonly words?: string;
  /** Keys of the body that are flags, of the same names. */
  readonly flags?: readonly string[];
  /** The rest of parameters and body, by the words; a sentence where they are not what it takes. */
  readonly given?: (...words: string[]) => object | string;
  /** What came of it, in sentences. */
  readonly said: (answer: Answer) => readonly string[];
  /** Shown where no word is given. */
  readonly list?: List;
}

/** Keeps the types of an entry. */
export function orderOf<
  const Answer extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(order: Order<Answer, Params, Body>): Order<Answer, Params, Body> {
  return order;
}

/**
 * Why an order was not carried out. `unfit`: the order is wrong. `unknown`: what it names is not there. `full`: there are too
 * many like it already. `busy`: not now.
 */
export interface Refused {
  readonly refused: 'unfit' | 'unknown' | 'full' | 'busy';
  /** As a sentence. */
  readonly why: string;
}

type Said<Type> = Type extends z.ZodUndefined ? unknown : Type extends z.ZodType ? z.output<Type> : never;

/** Carries an order out, which is checked. @param by who gives it: the name of a token, or of a person. */
export type Handler<O extends Order> =
  O extends Order<infer Answer, infer Params, infer Body>
    ? (
        given: Said<Params> & Said<Body>,
        by: string,
      ) => z.output<Answer> | Refused | Promise<z.output<Answer> | Refused>
    : never;

export type Handlers<Orders extends Readonly<Record<string, Order>>> = {
  readonly [Name in keyof Orders]: Handler<Orders[Name]>;
};

/** What is asked for a part at a time, and shown as a table. */
export interface List<
  Name extends string = string,
  Item extends z.ZodObject = z.ZodObject,
  Input extends z.ZodObject = z.ZodObject,
> extends Operation {
  readonly name: Name;
  /** Of the question. */
  readonly input: Input;
  readonly item: Item;
  readonly columns: Columns<z.output<Item>>;
  /** How `ctl` has it, as a command of the same name; where it has none, another command shows the list. */
  readonly command?: {
    readonly summary: string;
    readonly about?: string;
    readonly examples?: readonly string[];
  };
}

type Declared<
  Name extends string,
  Item extends z.ZodObject,
  More extends z.ZodRawShape,
  Beside extends z.ZodRawShape,
> = Omit<List<Name, Item>, 'path' | 'output' | 'input'> & {
  /** Of the question, beside which part is wanted. */
  readonly more?: More;
  /** Of the answer, beside the items. */
  readonly beside?: Beside;
};

export function listOf<
  const Name extends string,
  Item extends z.ZodObject,
  More extends z.ZodRawShape = Record<never, z.ZodType>,
  Beside extends z.ZodRawShape = Record<never, z.ZodType>,
>({ more, beside, ...declared }: Declared<Name, Item, More, Beside>) {
  const input = z.strictObject({ ...((more ?? {}) as More), ...SLICE });
  const output = partOf(declared.name, declared.item).extend((beside ?? {}) as Beside);
  return { ...declared, path: `/api/v1/${declared.name}`, input, output };
}
