/** What can be asked of a bridge: an entry each, which `web/api` serves, `ctl` asks and shows, and the page has its types from. */
import { z } from 'zod';
import type { Access } from '../enums.js';
import type { Columns } from './columns.js';
import { MOST_AT_ONCE, PAGE, partOf, SLICE, wholeNumber } from './fields.js';

export interface Operation {
  /** A sentence without its end. */
  readonly summary: string;
  readonly description?: string;
  /** Part of the reference in which it stands. */
  readonly tag: string;
  /** With `:name` where a part of it is a parameter. */
  readonly path: string;
  readonly params?: z.ZodObject;
  /** Of the question: what stands behind `?` in its path. */
  readonly input?: z.ZodObject;
  readonly output: z.ZodType;
  /** Who may ask or order it. */
  readonly access: Access;
  /** What it answers besides 200, and 400 to a question that is wrong. 403: it is not for who asks; 404: there is no such thing; 503: the ledger is away. */
  readonly faults?: readonly (403 | 404 | 503)[];
}

/** What can be ordered. Who carries it out is typed by the entry: {@link Handler}. */
export interface Order<
  Answer extends z.ZodType = z.ZodType,
  Params extends z.ZodObject | undefined = z.ZodObject | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
> extends Omit<Operation, 'params' | 'input'> {
  readonly output: Answer;
  readonly params?: Params;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly body?: Body;
  /** Of the answer where it is refused, beside the sentence that says why. */
  readonly refusal?: z.ZodRawShape;
  /** Of its body; what is usual where it says nothing. */
  readonly bodyLimit?: number;
  /** It may take minutes: who gives it waits. */
  readonly takesLong?: true;
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

interface Filled {
  readonly path: string;
  readonly params: object;
  readonly rest: object;
}

/** The path with what is given for its named parts, and what is left of that. */
export function pathOf(path: string, given: object): Filled {
  const rest = new Map<string, unknown>(Object.entries(given));
  const params: Record<string, unknown> = {};
  const filled = path.replace(/:(\w+)/g, (_, part: string) => {
    params[part] = rest.get(part);
    rest.delete(part);
    return encodeURIComponent(String(params[part]));
  });
  return { path: filled, params, rest: Object.fromEntries(rest) };
}

/** Keeps the types of an entry. */
export function orderOf<
  const Answer extends z.ZodType,
  Params extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(order: Order<Answer, Params, Body>): Order<Answer, Params, Body> {
  return order;
}

/**
 * Why an order was not carried out. `unfit`: the order is wrong. `forbidden`: it is not for who gave it. `unknown`: what it names is
 * not there. `full`: there are too many like it already. `busy`: not now.
 */
export interface Refused {
  readonly refused: 'unfit' | 'forbidden' | 'unknown' | 'full' | 'busy';
  /** As a sentence. */
  readonly why: string;
  /** As the order says in `refusal`. */
  readonly now?: object;
}

type Said<Type> = Type extends z.ZodType ? z.output<Type> : unknown;

/** What an order is given: the parts of its path that have names, and its body. */
export type GivenTo<O extends Order> =
  O extends Order<z.ZodType, infer Params, infer Body> ? Said<Params> & Said<Body> : never;

/** Carries an order out, which is checked. @param by who gives it: the name of a token, or of a person. */
export type Handler<O extends Order> = (
  given: GivenTo<O>,
  by: string,
) => z.output<O['output']> | Refused | Promise<z.output<O['output']> | Refused>;

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
  /** Items of one answer; a thousand where it says nothing. */
  readonly most?: number;
  /** How `ctl` or `ledger` have it, as a command of the same name; where it has none, another command shows the list. */
  readonly command?: {
    readonly summary: string;
    readonly about?: string;
    readonly examples?: readonly string[];
    /** In commander's notation. */
    readonly words?: string;
    /** What is asked by the words: named parts of the path, and of the question. */
    readonly given?: (...words: (string | undefined)[]) => object;
    /** What is said of an answer that is not complete. */
    readonly incomplete?: string;
  };
}

/** All that is asked: named parts of the path as well. */
export type QuestionOf<O extends { readonly input?: z.ZodObject; readonly params?: z.ZodObject }> = Said<
  O['params']
> &
  Said<O['input']>;

type Declared<
  Name extends string,
  Item extends z.ZodObject,
  More extends z.ZodRawShape,
  Beside extends z.ZodRawShape,
> = Omit<List<Name, Item>, 'path' | 'output' | 'input'> & {
  /** Where it is not of its name. */
  readonly path?: string;
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
  const input = z.strictObject({ ...((more ?? {}) as More), ...SLICE, limit: limitOf(declared.most) });
  const output = partOf(declared.name, declared.item).extend((beside ?? {}) as Beside);
  return { path: `/api/v1/${declared.name}`, ...declared, input, output };
}

/** A list that grows at its head, the latest first: it is asked for a page after another, by the `next` of the one before. */
export function pagesOf<
  const Name extends string,
  Item extends z.ZodObject,
  More extends z.ZodRawShape = Record<never, z.ZodType>,
  Beside extends z.ZodRawShape = Record<never, z.ZodType>,
>({ more, beside, ...declared }: Declared<Name, Item, More, Beside>) {
  const input = z.strictObject({ ...PAGE, limit: limitOf(declared.most), ...((more ?? {}) as More) });
  const whole = {
    next: z.string().nullable().describe('ask with `before` for what follows; null at the end'),
  };
  const items = { [declared.name]: z.array(declared.item), ...whole } as typeof whole &
    Record<Name, z.ZodArray<Item>>;
  const output = z.object(items).extend((beside ?? {}) as Beside);
  return { path: `/api/v1/${declared.name}`, ...declared, input, output };
}

function limitOf(most = MOST_AT_ONCE) {
  return wholeNumber(1, most).default(Math.min(100, most));
}
