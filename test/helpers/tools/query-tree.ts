/** Statements as PostgreSQL understood them: trees as text (`pg_node_tree`), and what they prove of the columns of rows. */

/** A node, such as `{VAR :varno 1 :varattno 2}`. */
export interface Node {
  readonly type: string;
  readonly fields: Readonly<Record<string, Value>>;
}

type Value = string | Node | readonly Value[];

export function parseTree(text: string): Value {
  const tokens = text.match(/[(){}]|(?:\\.|[^\s(){}\\])+/g) ?? [];
  let at = 0;
  const value = (): Value => {
    const token = tokens[at++] ?? '';
    if (token === '{') return node();
    if (token !== '(') return token;
    const list: Value[] = [];
    while (tokens[at] !== ')') list.push(value());
    at++;
    return list;
  };
  const node = (): Node => {
    const type = tokens[at++] ?? '';
    const fields: Record<string, Value> = {};
    while (tokens[at] !== '}') {
      const name = (tokens[at++] ?? '').slice(1);
      fields[name] = value();
      // The bytes of a constant, which nobody reads.
      while (tokens[at] !== '}' && !tokens[at]?.startsWith(':')) at++;
    }
    at++;
    return { type, fields };
  };
  return value();
}

export interface Known {
  readonly isNullable: boolean;
  /** It is one of these. */
  readonly words?: readonly string[] | undefined;
}

export interface Column extends Known {
  readonly name: string;
}

/** What the database knows of its tables, functions and operators, by their numbers. */
export interface Catalog {
  /** `table.column` -> what holds for all its values. */
  readonly columns: ReadonlyMap<string, Known>;
  readonly functions: ReadonlyMap<string, string>;
  readonly operators: ReadonlyMap<string, string>;
}

/** A query, and the one in which it stands. */
interface Scope {
  readonly query: Node;
  readonly catalog: Catalog;
  readonly outer: Scope | undefined;
}

const UNKNOWN: Known = { isNullable: true };
const NOT_NULL: Known = { isNullable: false };

/** The columns of the rows that a statement returns. What is not proven is nullable. */
export function columnsOf(query: Node, catalog: Catalog, outer?: Scope): Column[] {
  const scope = { query, catalog, outer };
  const united = partsOf(nodeIn(query, 'setOperations'), scope);
  const entries = listIn(query, isSelect(query) ? 'targetList' : 'returningList');
  const shown = entries.filter(({ fields }) => fields['resjunk'] === 'false');
  return shown.map(({ fields }, i) => {
    const known = united
      ? oneOf(united.map((columns) => columns[i] ?? UNKNOWN))
      : knownOf(fields['expr'], scope);
    return { ...known, name: String(fields['resname']).replace(/\\(.)/g, '$1') };
  });
}

const isSelect = ({ fields }: Node): boolean => fields['commandType'] === '1';

/** The columns of each part of a UNION. */
function partsOf(operation: Node | undefined, scope: Scope): Known[][] | undefined {
  if (!operation) return undefined;
  if (operation.type !== 'RANGETBLREF')
    return ['larg', 'rarg'].flatMap((side) => partsOf(nodeIn(operation, side), scope) ?? []);
  const part = listIn(scope.query, 'rtable')[Number(operation.fields['rtindex']) - 1];
  return [columnsOf(needIn(part, 'subquery'), scope.catalog, scope)];
}

/** It has the value of any of these. */
function oneOf(all: readonly Known[]): Known {
  const hasWords = all.every(({ words }) => words);
  const words = hasWords ? [...new Set(all.flatMap((one) => one.words ?? []))] : undefined;
  return { isNullable: all.some(({ isNullable }) => isNullable), words };
}

/** It is null where one of these is, and only there. */
const nullWith = (all: readonly Known[]): Known => ({ isNullable: all.some(({ isNullable }) => isNullable) });

function knownOf(value: Value | undefined, scope: Scope): Known {
  if (!isNode(value)) return UNKNOWN;
  const { type, fields } = value;
  const { functions, operators } = scope.catalog;
  const inField = (field: string): Known[] => listIn(value, field).map((one) => knownOf(one, scope));
  const args = inField('args');
  switch (type) {
    case 'VAR':
      return knownOfVariable(value, scope);
    case 'CONST':
      return { isNullable: fields['constisnull'] !== 'false' };
    case 'NULLTEST':
    case 'DISTINCTEXPR':
    case 'ARRAYEXPR':
      return NOT_NULL;
    case 'COALESCEEXPR':
      return { ...oneOf(args), isNullable: args.every(({ isNullable }) => isNullable) };
    case 'MINMAXEXPR':
      return { isNullable: args.every(({ isNullable }) => isNullable) };
    case 'CASEEXPR':
      return oneOf([...inField('args'), knownOf(fields['defresult'], scope)]);
    case 'CASEWHEN':
      return knownOf(fields['result'], scope);
    case 'TARGETENTRY':
      return knownOf(fields['expr'], scope);
    case 'RELABELTYPE':
    case 'COERCEVIAIO':
    case 'ARRAYCOERCEEXPR':
      return nullWith([knownOf(fields['arg'], scope)]);
    case 'BOOLEXPR':
      return nullWith(args);
    case 'OPEXPR':
      return NULL_OF_VALUES.has(operators.get(String(fields['opno'])) ?? '') ? UNKNOWN : nullWith(args);
    case 'SCALARARRAYOPEXPR': {
      const [, list] = listIn(value, 'args');
      return list?.type === 'ARRAYEXPR'
        ? nullWith([...args, ...listIn(list, 'elements').map((one) => knownOf(one, scope))])
        : UNKNOWN;
    }
    case 'FUNCEXPR': {
      const name = functions.get(String(fields['funcid'])) ?? '';
      if (NEVER_NULL.has(name)) return NOT_NULL;
      return CASTS.has(String(fields['funcformat'])) || NULL_OF_NULL.has(name) ? nullWith(args) : UNKNOWN;
    }
    case 'AGGREF': {
      const name = functions.get(String(fields['aggfnoid'])) ?? '';
      if (name === 'count') return NOT_NULL;
      // A group has a row, and a query without groups may have none.
      const hasRows = listIn(scope.query, 'groupClause').length > 0 && fields['agglevelsup'] === '0';
      return hasRows && fields['aggfilter'] === '<>' && OF_ROWS.has(name) ? nullWith(args) : UNKNOWN;
    }
    case 'WINDOWFUNC':
      return functions.get(String(fields['winfnoid'])) === 'count' ? NOT_NULL : UNKNOWN;
    case 'SUBLINK':
      return knownOfSublink(value, scope);
    default:
      return UNKNOWN;
  }
}

/** Operators that may make null of what is not. All others are null where one of their sides is. */
const NULL_OF_VALUES = new Set(['->', '->>', '#>', '#>>', '@?', '@@']);
const NEVER_NULL = new Set(['now', 'clock_timestamp', 'json_build_object', 'format']);
const NULL_OF_NULL = new Set(['ms_of', 'encode', 'round', 'extract']);
/** Values of `funcformat`: a cast that is written, and one that is not. */
const CASTS = new Set(['1', '2']);
/** Aggregates that are null where all that they are made of is. */
const OF_ROWS = new Set(['sum', 'min', 'max', 'avg']);

function knownOfSublink(value: Node, scope: Scope): Known {
  const [EXISTS, SCALAR, ARRAY] = ['0', '4', '6'];
  const kind = value.fields['subLinkType'];
  if (kind === EXISTS || kind === ARRAY) return NOT_NULL;
  if (kind !== SCALAR) return UNKNOWN;
  const query = needIn(value, 'subselect');
  const parts = ['groupClause', 'havingQual', 'limitCount', 'limitOffset', 'setOperations'];
  const isOneRow = query.fields['hasAggs'] === 'true' && parts.every((part) => query.fields[part] === '<>');
  return isOneRow ? (columnsOf(query, scope.catalog, scope)[0] ?? UNKNOWN) : UNKNOWN;
}

function knownOfVariable(variable: Node, inner: Scope): Known {
  const { varlevelsup, varno, varattno, varnullingrels } = variable.fields;
  const scope = outward(inner, Number(varlevelsup));
  const source = listIn(scope.query, 'rtable')[Number(varno) - 1];
  const known = source ? knownOfColumn(source, Number(varattno), scope) : UNKNOWN;
  // `(b 3)`: the outer joins that have rows without it.
  if (Array.isArray(varnullingrels) && varnullingrels.length > 1) return { ...known, isNullable: true };
  return scope === inner && isTested(variable, scope.query) ? { ...known, isNullable: false } : known;
}

function outward(scope: Scope, levels: number): Scope {
  if (levels === 0) return scope;
  if (!scope.outer) throw new Error('a tree of PostgreSQL refers to a query that is not there');
  return outward(scope.outer, levels - 1);
}

const [RELATION, SUBQUERY, JOIN, CTE, GROUP] = ['0', '1', '2', '6', '9'];

/** @param number from 1 on. */
function knownOfColumn(source: Node, number: number, scope: Scope): Known {
  const { rtekind, relid, ctelevelsup, ctename } = source.fields;
  switch (rtekind) {
    case RELATION:
      return scope.catalog.columns.get(`${relid}.${number}`) ?? UNKNOWN;
    case SUBQUERY:
      return columnsOf(needIn(source, 'subquery'), scope.catalog, scope)[number - 1] ?? UNKNOWN;
    case JOIN:
      return knownOf(listIn(source, 'joinaliasvars')[number - 1], scope);
    case GROUP:
      return knownOf(listIn(source, 'groupexprs')[number - 1], scope);
    case CTE: {
      const of = outward(scope, Number(ctelevelsup));
      const cte = listIn(of.query, 'cteList').find(({ fields }) => fields['ctename'] === ctename);
      if (cte?.fields['cterecursive'] === 'true') return UNKNOWN;
      return columnsOf(needIn(cte, 'ctequery'), scope.catalog, of)[number - 1] ?? UNKNOWN;
    }
    default:
      return UNKNOWN;
  }
}

/** Whether rows in which it is null are left out: `WHERE … IS NOT NULL`. What is written may be null afterwards. */
function isTested(variable: Node, query: Node): boolean {
  const where = nodeIn(needIn(query, 'jointree'), 'quals');
  if (!where || !isSelect(query)) return false;
  const isAnd = where.type === 'BOOLEXPR' && where.fields['boolop'] === 'and';
  return (isAnd ? listIn(where, 'args') : [where]).some((test) => {
    if (test.type !== 'NULLTEST' || test.fields['nulltesttype'] !== '1') return false;
    const tested = nodeIn(test, 'arg')?.fields;
    return ['varno', 'varattno', 'varlevelsup'].every((field) => tested?.[field] === variable.fields[field]);
  });
}

const isNode = (value: Value | undefined): value is Node => typeof value === 'object' && 'type' in value;

function nodeIn({ fields }: Node, field: string): Node | undefined {
  const value = fields[field];
  return isNode(value) ? value : undefined;
}

function needIn(of: Node | undefined, field: string): Node {
  const value = of && nodeIn(of, field);
  if (!value) throw new Error(`a tree of PostgreSQL has no ${field} in ${of?.type}`);
  return value;
}

function listIn({ fields }: Node, field: string): Node[] {
  const value = fields[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}
