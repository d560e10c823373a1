/** A list of what holds by order, from which single lines are taken back. */
import type { ComponentChildren, Key } from 'preact';
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { useAnswer } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { count } from '../../words/numbers.js';

/** As many as the API gives at a time. */
const MOST = 1_000;

/** Rows stand under the name of the list. */
type Answer<T> = { readonly total: number } & { readonly [name: string]: readonly T[] | number };

interface OrderedCardProps<T> {
  /** As the API calls the list. */
  readonly name: string;
  readonly title: string;
  /** Where there are none. */
  readonly none: string;
  readonly columns: readonly Column<T>[];
  /** Rows that stand above those of the API. */
  readonly before?: readonly T[];
  keyOf(row: T): Key;
  /** The order that takes a row back. */
  takeBack(row: T): ComponentChildren;
  /** Orders that add to it. */
  readonly add?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function OrderedCard<T>(props: OrderedCardProps<T>) {
  const { name, title, none, columns, before = [], keyOf, takeBack, add, children } = props;
  const mayOrder = useSession().may('operate');
  const asked = useAnswer<Answer<T>>(`/api/v1/${name}?limit=${MOST}`);
  const ordered = (asked.value?.[name] ?? []) as readonly T[];
  const rows = asked.value ? [...before, ...ordered] : [];
  const { total = 0 } = asked.value ?? {};
  const orders: Column<T> = {
    ...{ title: 'Order', head: <span class="unseen">Order</span>, look: 'row' },
    show: (row) => takeBack(row) ?? '',
  };
  return (
    <Card id={name} title={title} asked={asked} actions={add && mayOrder && <div class="buttons">{add}</div>}>
      {rows.length > 0 && (
        <DataTable
          label={`Table: ${title}`}
          columns={mayOrder ? [...columns, orders] : columns}
          rows={rows}
          keyOf={keyOf}
          isTall
        />
      )}
      {asked.value && rows.length === 0 && <p>{none}</p>}
      {total > ordered.length && (
        <p class="note">
          The first {count(ordered.length)} of {count(total)}.
        </p>
      )}
      {children}
    </Card>
  );
}
