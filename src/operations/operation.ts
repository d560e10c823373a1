/** What can be asked of a bridge: an entry each, which `web/api` serves, `ctl` asks and shows, and the page has its types from. */
import { z } from 'zod';
import type { Columns } from './columns.js';
import { PAGE, partOf, SLICE } from './fields.js';

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
  /** Whom it answers besides operators. */
  readonly audience?: 'miners' | 'everyone';
  /** What it answers besides 200, and 400 to a question that is wrong. 404: there is no such thing; 503: the ledger is away. */
  readonly faults?: readonly (403 | 404 | 503)[];
}

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

/** A list that grows at its head, the latest first: it is asked for a page after another, by the `next` of the one before. */
export function pagesOf<
  const Name extends string,
  Item extends z.ZodObject,
  More extends z.ZodRawShape = Record<never, z.ZodType>,
  Beside extends z.ZodRawShape = Record<never, z.ZodType>,
>({ more, beside, ...declared }: Declared<Name, Item, More, Beside>) {
  const input = z.strictObject({ ...PAGE, ...((more ?? {}) as More) });
  const whole = {
    next: z.string().nullable().describe('ask with `before` for what follows; null at the end'),
  };
  const items = { [declared.name]: z.array(declared.item), ...whole } as typeof whole &
    Record<Name, z.ZodArray<Item>>;
  const output = z.object(items).extend((beside ?? {}) as Beside);
  return { ...declared, path: `/api/v1/${declared.name}`, input, output };
}
