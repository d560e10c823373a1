/** What PostgreSQL says of the values and rows of each statement. Made by `npm run rows`: not to be edited. */
export interface Statements {
  'accounts/accounts.sql': {
    know: { values: [ readonly (string | null)[] ]; row: { } };
    idsOf: { values: [ readonly (string | null)[] ]; row: { name: string; id: number; } };
    terms: { values: [ string, string | number | bigint, string | number | bigint ]; row: { account: string;
      feeBasisPoints: number | null; feeSince: string | null; minimumPayout: string | null;
      wishedChain: number | null; beneficiaries: string; note: string; total: number; } };
    agreeFee: { values: [ number, number ]; row: { } };
    agreeMinimum: { values: [ number, string | number ]; row: { } };
    agreeChain: { values: [ number, number ]; row: { } };
    wish: { values: [ number, string | number, number, number ]; row: { id: number; } };
    divide: { values: [ number, readonly (number | null)[], readonly (number | null)[] ]; row: { } };
    dividesNow: { values: [ number ]; row: { account: string; basisPoints: number; } };
    writeNote: { values: [ number, string ]; row: { } };
  };
  'alerts/alerts.sql': {
    countOpen: { values: [ ]; row: { open: number; } };
    open: { values: [ string | number | bigint, readonly (string | null)[] ]; row: { id: string;
      condition: string; about: string; severity: string; says: string; opened_at: Date; reported_at: Date;
      found_by: Json; told_at: Date; resolved_at: Date | null; resolved_says: string; } };
    resolved: { values: [ string | number | bigint, readonly (string | null)[], string | number | bigint,
      Date | string ]; row: { id: string; condition: string; about: string; severity: string; says: string;
      opened_at: Date; reported_at: Date; found_by: Json; told_at: Date; resolved_at: Date;
      resolved_says: string; } };
    payable: { values: [ string | number ]; row: { accounts: number; total: string; sinceMs: number | null;
      } };
    unweighed: { values: [ ]; row: { blocks: number; oldestMs: number; place: string | null; } };
    unclaimed: { values: [ ]; row: { blocks: number; oldestMs: number; } };
    lock: { values: [ ]; row: { } };
    keepWatch: { values: [ ]; row: { } };
    standing: { values: [ string ]; row: { id: string; condition: string; about: string; severity: string;
      says: string; opened_at: Date; reported_at: Date; found_by: Json; told_at: Date;
      resolved_at: Date | null; resolved_says: string; recent: boolean; seen: boolean; lately: boolean; } };
    confirm: { values: [ string, readonly (string | number | bigint | null)[], readonly (string | null)[] ];
      row: { } };
    withdraw: { values: [ string, readonly (string | number | bigint | null)[] ]; row: { } };
    over: { values: [ string, readonly (string | null)[] ]; row: { id: number; off: boolean; } };
    endTold: { values: [ string, string, Date | string, Date | string, string ]; row: { id: string;
      condition: string; about: string; severity: string; says: string; opened_at: Date; reported_at: Date;
      found_by: Json; told_at: Date; resolved_at: Date | null; resolved_says: string; } };
    keepTold: { values: [ string, string, Date | string, Date | string, string, string, string ]; row: {
      id: string; condition: string; about: string; severity: string; says: string; opened_at: Date;
      reported_at: Date; found_by: Json; told_at: Date; resolved_at: Date | null; resolved_says: string; } };
    insert: { values: [ string, string, string, string, boolean, string ]; row: { id: string;
      condition: string; about: string; severity: string; says: string; opened_at: Date; reported_at: Date;
      found_by: Json; told_at: Date; resolved_at: Date | null; resolved_says: string; } };
    tellAgain: { values: [ number ]; row: { id: string; condition: string; about: string; severity: string;
      says: string; opened_at: Date; reported_at: Date; found_by: Json; told_at: Date;
      resolved_at: Date | null; resolved_says: string; } };
    resolve: { values: [ readonly (string | number | bigint | null)[], readonly (string | null)[] ]; row: {
      id: string; condition: string; about: string; severity: string; says: string; opened_at: Date;
      reported_at: Date; found_by: Json; told_at: Date; resolved_at: Date | null; resolved_says: string; } };
    prune: { values: [ string | number | bigint, string | number | bigint ]; row: { } };
    pruneRigs: { values: [ ]; row: { } };
    tooMany: { values: [ readonly (string | null)[], string | number | bigint ]; row: { are: boolean; } };
    events: { values: [ readonly (string | null)[], string | number | bigint, string | number | bigint ];
      row: { id: string; kind: string; says: string; facts: Json; } };
    wasRead: { values: [ string | number | bigint ]; row: { } };
  };
  'alerts/rigs.sql': {
    saw: { values: [ readonly (string | null)[], readonly (string | null)[] ]; row: { } };
    fresh: { values: [ number, readonly (string | null)[], string | number | bigint ]; row: { login: string;
      awayMs: number; seenMs: number; isOverdue: boolean; total: number; } };
    those: { values: [ number, readonly (string | null)[] ]; row: { login: string; awayMs: number;
      seenMs: number; isOverdue: boolean; } };
  };
  'audit/roots.sql': {
    base: { values: [ ]; row: { until: Date; accounts: number[]; work: string[]; shares: string[]; } };
    isThere: { values: [ Date | string ]; row: { } };
    last: { values: [ ]; row: { number: number; text: string; } };
    poolKey: { values: [ string ]; row: { key: string; isOurs: boolean; } };
    names: { values: [ readonly (number | null)[] ]; row: { id: number; name: string; } };
    write: { values: [ number, Date | string, string, string, string, Uint8Array, readonly (number | null)[],
      readonly (string | null)[], readonly (string | null)[] ]; row: { } };
    forget: { values: [ number ]; row: { } };
    listed: { values: [ number, string | number | bigint ]; row: { number: number; until: string;
      madeAt: string; text: string; key: string; signature: string; } };
    kept: { values: [ number ]; row: { seed: Buffer; accounts: number[]; work: string[]; shares: string[];
      } };
    idOf: { values: [ string ]; row: { id: number; } };
    splits: { values: [ string, string | number | bigint ]; row: { id: string; chainId: number;
      height: number; hash: Buffer; foundAt: string; scheme: string; amount: string;
      windowWork: string | null; until: string; wholeFrom: string | null; edgeFrom: string | null;
      roundFrom: string | null; paysRounds: boolean; difficulty: string; feeBasisPoints: number;
      credited: string; } };
  };
  'blocks/blocks.sql': {
    pendingAt: { values: [ number, string | number | bigint ]; row: { id: string; hash: Buffer; foundAt: Date;
      height: number; } };
    confirm: { values: [ string | number | bigint, string, string | number, string | number, string | number,
      string ]; row: { } };
    orphan: { values: [ string | number | bigint ]; row: { } };
    pendingOf: { values: [ number ]; row: { id: string; } };
    named: { values: [ Uint8Array ]; row: { id: string; foundAt: Date; height: number; } };
    isOnChain: { values: [ string | number | bigint ]; row: { } };
    enter: { values: [ Uint8Array, Uint8Array, Uint8Array, number, string | number | bigint, Uint8Array,
      string | number, string | number | bigint, string | number, Date | string, string, string | number,
      string | number ]; row: { id: string; } };
    reverse: { values: [ number, string | number | bigint, Uint8Array ]; row: { id: string;
      wasConfirmed: boolean; } };
    withdraw: { values: [ number, string | number | bigint, Uint8Array ]; row: { } };
    claimable: { values: [ string | number | bigint ]; row: {
      state: 'pending' | 'confirmed' | 'orphaned' | 'unclaimed' | 'disowned'; receiver: string | null;
      coinbase: string | null; fees: string; foundAt: Date; height: number; } };
    claim: { values: [ string | number | bigint, string ]; row: { } };
    disown: { values: [ string | number | bigint ]; row: { } };
    unpriced: { values: [ ]; row: { id: string; receiver: string | null; coinbase: string | null;
      fees: string; foundAt: Date; height: number; } };
    price: { values: [ string | number | bigint, string | number, string ]; row: { } };
    facts: { values: [ string | number | bigint ]; row: { chainId: number; height: number; hash: string;
      node: string; account: string; rig: string; reward: string | null; } };
  };
  'chains/chains.sql': {
    chains: { values: [ number ]; row: { id: number; genesis: string | null; skipTo: string | null;
      isFresh: boolean; height: number | null; hash: string | null; weight: string | null;
      work: string | null; timeMicros: string | null; epochStartMicros: string | null; pending: number[]; } };
    know: { values: [ number, string, string | number | bigint ]; row: { } };
    lock: { values: [ number ]; row: { cursor: string | null; trouble: string; } };
    oldestPending: { values: [ number ]; row: { height: number | null; } };
    begin: { values: [ number, string, string | number | bigint, string, string | number, string | number,
      string | number | bigint, string | number | bigint ]; row: { } };
    advance: { values: [ number, string, readonly (string | number | bigint | null)[],
      readonly (string | null)[], readonly (string | null)[], readonly (string | null)[],
      readonly (string | number | bigint | null)[], readonly (string | number | bigint | null)[],
      string | number | bigint, string | number | bigint, number, string | number ]; row: { } };
    areWell: { values: [ readonly (number | null)[], readonly (string | number | bigint | null)[] ]; row: {
      } };
    stands: { values: [ number, string, number ]; row: { } };
    kept: { values: [ number ]; row: { height: number; hash: string; isFirst: boolean; } };
    settledBelow: { values: [ number, string | number | bigint ]; row: { height: number; hash: string; } };
    late: { values: [ number ]; row: { id: string; height: number; hash: Buffer; header: Buffer; } };
    undo: { values: [ number, string | number | bigint ]; row: { } };
    skip: { values: [ number, string ]; row: { } };
    forget: { values: [ number ]; row: { } };
    shown: { values: [ ]; row: { chainId: number; network: string; height: number | null; hash: string | null;
      headHeight: number; behind: number; followedAt: string; trouble: string; expected: string | null; } };
  };
  'copies/copies.sql': {
    hasMoney: { values: [ ]; row: { has: boolean; } };
    known: { values: [ string ]; row: { id: string; } };
    belowZero: { values: [ ]; row: { owner: string; amount: string; } };
    renew: { values: [ ]; row: { used: boolean; } };
    makeRoom: { values: [ string, readonly (Date | string | null)[] ]; row: { } };
  };
  'database/bridges.sql': {
    lead: { values: [ string | number | bigint ]; row: { leads: boolean; } };
    lease: { values: [ string, string, string, number, boolean ]; row: { number: number | null; } };
    renew: { values: [ number, string, string, string ]; row: { } };
    signers: { values: [ ]; row: { signs: Json; } };
    release: { values: [ string, string ]; row: { } };
    holder: { values: [ number ]; row: { place: string; seconds: number; } };
  };
  'database/clocks.sql': {
    now: { values: [ ]; row: { now: Date; } };
    clock: { values: [ ]; row: { ms: number; } };
  };
  'database/database.sql': {
    server: { values: [ ]; row: { version: number; name: string; lockMs: number; } };
    setting: { values: [ string ]; row: { value: string; } };
    connections: { values: [ ]; row: { most: number; used: number; own: number; } };
    mayMakeBooks: { values: [ ]; row: { may: boolean; } };
    has: { values: [ string ]; row: { there: boolean; } };
    partitioned: { values: [ string ]; row: { name: string; } };
    tables: { values: [ string ]; row: { name: string; needs: string[]; } };
    columns: { values: [ string ]; row: { name: string; type: string; isIdentity: boolean; } };
  };
  'history/history.sql': {
    makeAhead: { values: [ ]; row: { } };
    sumUp: { values: [ string ]; row: { name: string | null; } };
    putInPlace: { values: [ string, string ]; row: { } };
    drop: { values: [ string, number ]; row: { drop_partitions: number | null; } };
    dropLeftOver: { values: [ string ]; row: { } };
    close: { values: [ number, number ]; row: { close_slots: Date | null; } };
    forgetEntries: { values: [ ]; row: { } };
    seeOwed: { values: [ ]; row: { } };
    closeDay: { values: [ number ]; row: { closed: boolean; } };
    forgetWeights: { values: [ number ]; row: { } };
    addDelays: { values: [ number, readonly (string | number | bigint | null)[], readonly (number | null)[] ];
      row: { } };
    forgetDelays: { values: [ readonly (number | null)[], readonly (number | null)[] ]; row: { } };
  };
  'ledger.sql': {
    totals: { values: [ ]; row: { shares: number; work: string; } };
  };
  'orders/orders.sql': {
    give: { values: [ string, string, Date | string, string, boolean ]; row: { } };
    tell: { values: [ string, string ]; row: { told: string | null; } };
    alive: { values: [ number ]; row: { number: number; } };
    after: { values: [ string | number | bigint ]; row: { number: string; kind: string; about: string;
      says: Json | null; } };
  };
  'payer/payer.sql': {
    roleNow: { values: [ ]; row: { token: string; holder: string | null; account: string | null;
      isSilent: boolean; } };
    take: { values: [ string, string, string, string | number | bigint, string | number | bigint, boolean,
      string ]; row: { } };
    renew: { values: [ readonly string[], string ]; row: { stranger: string | null; } };
    leave: { values: [ readonly string[] ]; row: { } };
    becomeReady: { values: [ ]; row: { } };
    waitAgain: { values: [ ]; row: { } };
    now: { values: [ ]; row: { ledgerId: string; isReady: boolean; plannedAtMs: number; nowMs: number;
      isAsked: boolean; pauses: string[]; chains: number[]; isWaiting: boolean; } };
    open: { values: [ string | number | bigint, string | number | bigint ]; row: { id: string; lineId: string;
      attempt: number; requestKey: string; account: string; amount: string; chainId: number; cmd: string;
      gas: string; untilMicros: string; signatures: Json; isSigned: boolean; isSent: boolean;
      isLeftOut: boolean; deadKeys: string[]; } };
    toPay: { values: [ string | number | bigint, readonly (number | null)[] ]; row: { id: string;
      attempt: number; account: string; chainId: number; amount: string; } };
    due: { values: [ string | number, number, string | number | bigint ]; row: { id: number; account: string;
      due: string; wishedChain: number | null; minimum: string; } };
    toBound: { values: [ ]; row: { lastDay: string; payouts: number; formerPayouts: string[]; } };
    planned: { values: [ string, boolean ]; row: { } };
    promised: { values: [ ]; row: { chainId: number; amount: string; count: number; } };
    describe: { values: [ string | number | bigint, number, string ]; row: { } };
    insertLines: { values: [ string | number | bigint, readonly (number | null)[], readonly (number | null)[],
      readonly (string | null)[] ]; row: { } };
    isPaused: { values: [ ]; row: { isPaused: boolean; } };
    covered: { values: [ readonly (string | number | bigint | null)[] ]; row: { id: string;
      isCovered: boolean; } };
    withdraw: { values: [ readonly (string | number | bigint | null)[], string ]; row: { } };
    build: { values: [ string | number | bigint, number, string, string, string | number | bigint,
      string | number ]; row: { } };
    asking: { values: [ readonly (string | number | bigint | null)[] ]; row: { } };
    sign: { values: [ string | number | bigint, string, boolean ]; row: { } };
    refuse: { values: [ string | number | bigint, string ]; row: { } };
    sending: { values: [ readonly (string | number | bigint | null)[] ]; row: { } };
    leaveOut: { values: [ readonly (string | number | bigint | null)[], readonly (string | null)[] ]; row: {
      } };
    pause: { values: [ string, string ]; row: { reason: string; } };
    resume: { values: [ ]; row: { reason: string; } };
    setStranger: { values: [ string, string ]; row: { } };
    forgetStranger: { values: [ ]; row: { } };
    known: { values: [ string ]; row: { id: string; lineId: string;
      state: 'open' | 'paid' | 'failed' | 'dead'; attempt: number; isSaid: boolean; } };
    isTaken: { values: [ string | number | bigint ]; row: { isTaken: boolean; } };
    saidPaid: { values: [ string, string, string | number ]; row: { id: string; isMade: boolean;
      isSame: boolean; } };
    lineFor: { values: [ string | number | bigint, string, number, string | number ]; row: { id: string; } };
    hasLine: { values: [ string | number | bigint ]; row: { has: boolean; } };
    enterLine: { values: [ string | number | bigint, string | number | bigint, number, number,
      string | number, string ]; row: { id: string; } };
    enterTransaction: { values: [ string | number | bigint, number, string, string, string | number | bigint,
      string | number, number ]; row: { id: string; } };
    moveTo: { values: [ string | number | bigint, string | number | bigint ]; row: { } };
    end: { values: [ string | number | bigint, string, string | number | bigint, string, string | number ];
      row: { times: number; } };
    isPaid: { values: [ string | number | bigint, string ]; row: { } };
    isFailed: { values: [ string | number | bigint, string ]; row: { } };
    isOpenAgain: { values: [ string | number | bigint ]; row: { } };
    isUndecided: { values: [ string | number | bigint, string ]; row: { } };
    die: { values: [ number, string | number | bigint, string | number | bigint, string ]; row: {
      lineId: string; refusedWhy: string | null; } };
    endedBy: { values: [ number, string | number | bigint, string ]; row: { id: string; lineId: string;
      requestKey: string; attempt: number; state: 'open' | 'paid' | 'failed' | 'dead'; gas: string;
      times: number; byHand: boolean; newer: string | null; } };
    reopen: { values: [ string | number | bigint ]; row: { } };
    leaveToPeople: { values: [ number, string | number | bigint, string ]; row: { lineId: string; } };
    lineToSettle: { values: [ string | number | bigint ]; row: { id: string;
      state: 'prepared' | 'sent' | 'confirmed' | 'failed' | 'unknown'; openId: string | null; } };
    settle: { values: [ string | number | bigint, string ]; row: { } };
    readers: { values: [ ]; row: { ledgerId: string; account: string | null; isReady: boolean;
      chains: number[]; } };
    prepared: { values: [ string | number | bigint ]; row: { id: string; name: string; hash: string | null;
      approvals: number; approvedBy: string[]; hashNow: string | null; isOpen: boolean; isBuilt: boolean; } };
    approve: { values: [ string | number | bigint, string ]; row: { } };
    reject: { values: [ string | number | bigint, string ]; row: { id: string; } };
    hold: { values: [ number, string ]; row: { } };
    allowAll: { values: [ ]; row: { name: string; } };
    rebind: { values: [ string ]; row: { account: string | null; } };
    ask: { values: [ ]; row: { } };
    shown: { values: [ ]; row: { holder: string | null; account: string | null; heardAt: string | null;
      isPaying: boolean; isReady: boolean; waitsUntil: string | null; cursorAt: string | null; pauses: Json;
      waitingWhy: string; warning: string; plannedAt: string; isAsked: boolean; open: number; sent: number;
      lines: number; waiting: number; held: number; } };
    transactions: { values: [ string, string | number | bigint, string | number | bigint ]; row: {
      line: string; payout: string; account: string; amount: string; chainId: number; attempt: number;
      state: 'open' | 'paid' | 'failed' | 'dead'; requestKey: string; builtAt: string; until: string;
      isSigned: boolean; sentAt: string | null; height: number | null; gas: string | null; why: string;
      total: number; } };
    unsigned: { values: [ ]; row: { id: string; requestKey: string; chainId: number; cmd: string;
      signatures: Json; untilMs: number; cursorMs: number; isHeld: boolean; } };
  };
  'payments/payouts.sql': {
    payouts: { values: [ string | number | bigint, string | number | bigint, string ]; row: { id: string;
      name: string; state: string; chainId: number | null; preparedAt: string; changedAt: string;
      minimum: string; note: string; total: string; lines: Json; } };
    prepared: { values: [ number ]; row: { id: string; } };
    holder: { values: [ ]; row: { holder: string | null; isSilent: boolean; } };
    take: { values: [ string | number | bigint, string ]; row: { id: string; name: string;
      hash: string | null; } };
    linesMeant: { values: [ string | number | bigint, readonly (string | null)[] ]; row: { id: string;
      accountId: number; account: string; amount: string;
      state: 'prepared' | 'sent' | 'confirmed' | 'failed' | 'unknown'; requestKey: string | null; } };
    hasKey: { values: [ string ]; row: { has: boolean; } };
    writeKey: { values: [ string | number | bigint, string ]; row: { } };
    markLines: { values: [ readonly (string | number | bigint | null)[], string, boolean, string ]; row: {
      } };
    writeNote: { values: [ string | number | bigint, string ]; row: { } };
    due: { values: [ string | number, number, string | number | bigint ]; row: { id: number;
      chainId: number | null; amount: string; } };
    insertPayout: { values: [ string, string | number, number, string ]; row: { id: string; } };
    insertLines: { values: [ string | number | bigint, readonly (number | null)[], string, string,
      readonly (number | null)[], readonly (string | null)[], string ]; row: { id: string; } };
    correction: { values: [ string, string ]; row: { id: string; } };
    unfit: { values: [ string | number | bigint ]; row: { account: string; isHeld: boolean; } };
    dueOf: { values: [ number ]; row: { due: string; } };
    facts: { values: [ string | number | bigint, readonly (string | number | bigint | null)[] ]; row: {
      minimum: string; name: string; accounts: number; total: string; } };
  };
  'proof/verify.sql': {
    balances: { values: [ ]; row: { says: string; } };
    blocks: { values: [ string | number | bigint, string | number | bigint ]; row: { says: string; } };
    payouts: { values: [ ]; row: { says: string; } };
    transactions: { values: [ ]; row: { says: string; } };
    days: { values: [ ]; row: { says: string; } };
    shares: { values: [ ]; row: { says: string; } };
    rounds: { values: [ ]; row: { says: string; } };
    minutes: { values: [ Date | string, Date | string ]; row: { says: string; } };
    pps: { values: [ ]; row: { says: string; } };
    weights: { values: [ string | number | bigint, string | number | bigint ]; row: { says: string; } };
    acknowledged: { values: [ ]; row: { says: string; } };
    without: { values: [ ]; row: { says: string; } };
    closed: { values: [ ]; row: { says: string; } };
    bridges: { values: [ ]; row: { says: string; } };
    ofDays: { values: [ ]; row: { piece: string[]; } };
    ofBlocks: { values: [ ]; row: { piece: string[]; } };
  };
  'recording/logs.sql': {
    renew: { values: [ readonly string[], string ]; row: { areWaitedFor: boolean; } };
    ledger: { values: [ ]; row: { id: string; } };
    missing: { values: [ string, string | number | bigint, string | number | bigint ]; row: { first: number;
      last: number; } };
    conflicting: { values: [ string, readonly (string | number | bigint | null)[],
      readonly (string | number | bigint | null)[], readonly (string | null)[] ]; row: { number: string; } };
    giveUp: { values: [ string, string | number | bigint, string, string | number | bigint, string | number,
      string | number | bigint, string | number ]; row: { } };
    giveUpGone: { values: [ string, string | number | bigint, string | number | bigint, string ]; row: {
      areGone: boolean; } };
    accounted: { values: [ readonly string[] ]; row: { log: string; number: string; isWhole: boolean;
      shares: number; work: string; } };
    waitedFor: { values: [ ]; row: { id: string; place: string; startedAt: string; heardAt: string;
      watermark: string; shares: number; missing: string; blocks: number; } };
    heard: { values: [ string ]; row: { place: string; seconds: number; } };
    endByHand: { values: [ string, string, string ]; row: { } };
    place: { values: [ string ]; row: { } };
  };
  'recording/recording.sql': {
    record: { values: [ string, string, string ]; row: { recorded: number[]; conflicting: number[]; } };
    setAside: { values: [ string, string | number | bigint, string | number | bigint, string | number, string,
      string ]; row: { } };
    countParts: { values: [ ]; row: { parts: number; } };
    parts: { values: [ string | number | bigint ]; row: { id: string; log: string; shares: string;
      work: string; part: string; error: string; set_aside_at: Date; } };
    takePart: { values: [ string ]; row: { id: string; log: string; shares: string; work: string;
      part: string; error: string; set_aside_at: Date; } };
    bookPart: { values: [ string, string ]; row: { } };
    giveUpPart: { values: [ string, string ]; row: { id: string; log: string; shares: string; work: string;
      part: string; error: string; set_aside_at: Date; } };
  };
  'rules/rules.sql': {
    at: { values: [ Date | string ]; row: { version: number; rules: Json; fees: Json; } };
    all: { values: [ ]; row: { version: number; validFrom: string | null; madeAt: string; madeBy: string;
      rules: Json; holds: boolean; } };
    newest: { values: [ ]; row: { now: Date; version: number | null; } };
    insert: { values: [ number, Date | string, string, string ]; row: { } };
    firstFees: { values: [ readonly (string | null)[], readonly (number | null)[] ]; row: { } };
  };
  'settlement/rounds.sql': {
    before: { values: [ Date | string ]; row: { before: Date; waits: boolean; } };
    weights: { values: [ Date | string, Date | string ]; row: { account: string; work: string; } };
    workOf: { values: [ Date | string ]; row: { work: string; } };
    hasUndecided: { values: [ Date | string, string ]; row: { has: boolean; } };
    markDependants: { values: [ string | number | bigint ]; row: { } };
  };
  'settlement/splits.sql': {
    isDue: { values: [ ]; row: { due: boolean; } };
    takeDue: { values: [ string | number | bigint ]; row: { id: string; slot: Date;
      state: 'pending' | 'confirmed' | 'orphaned' | 'unclaimed' | 'disowned'; scheme: string; foundAt: Date;
      reward: string | null; fees: string; splitFrom: Date | null; } };
    weightsOf: { values: [ string | number | bigint ]; row: { account: string; work: string; } };
    split: { values: [ string | number | bigint, Date | string, readonly (number | null)[],
      readonly (string | null)[] ]; row: { } };
    divide: { values: [ string | number | bigint ]; row: { } };
    takeBack: { values: [ string | number | bigint ]; row: { done: boolean; } };
    isTakenBack: { values: [ string | number | bigint ]; row: { } };
  };
  'settlement/transfers.sql': {
    transfer: { values: [ readonly (string | null)[], readonly (string | number | bigint | null)[],
      readonly (number | null)[], readonly (number | null)[], readonly (number | null)[],
      readonly (string | null)[] ]; row: { } };
    transferPayments: { values: [ readonly (string | number | bigint | null)[], boolean ]; row: { } };
    chainAccount: { values: [ number ]; row: { id: number; } };
  };
  'settlement/weighing.sql': {
    turn: { values: [ ]; row: { areDue: boolean; } };
    nextSlot: { values: [ ]; row: { slot: Date | null; } };
    isKnown: { values: [ Date | string, number ]; row: { yes: boolean; } };
    close: { values: [ Date | string, number ]; row: { yes: boolean; } };
    firstClosed: { values: [ ]; row: { slot: Date | null; } };
    found: { values: [ Date | string ]; row: { id: string; account: string; foundAt: Date; difficulty: string;
      } };
    writeWeights: { values: [ string | number | bigint, readonly (number | null)[], readonly (string | null)[]
      ]; row: { } };
    isWeighed: { values: [ string | number | bigint, string | number, string | number, string, number,
      string | number, Date | string, Date | string ]; row: { } };
    noteAbsent: { values: [ Date | string, string | number | bigint, number ]; row: { id: string;
      place: string; heardAt: Date; isFirst: boolean; } };
    settledUntil: { values: [ ]; row: { until: Date; now: Date; } };
    isSettled: { values: [ Date | string, Date | string ]; row: { } };
    writePeriod: { values: [ Date | string, string | number | bigint, string | number, string | number ];
      row: { } };
    tip: { values: [ Date | string ]; row: { height: number | null; } };
  };
  'settlement/weights.sql': {
    work: { values: [ Date | string, Date | string, Date | string, Date | string ]; row: { account: number;
      work: string; shares: string; } };
    pieceOf: { values: [ Date | string ]; row: { starts_at: Date; } };
    allWork: { values: [ Date | string, Date | string, Date | string ]; row: { work: string; } };
    pieces: { values: [ Date | string, Date | string ]; row: { starts_at: Date; seconds: number; work: string;
      } };
    firstFrom: { values: [ Date | string ]; row: { starts_at: Date; } };
    expectedIn: { values: [ Date | string, Date | string ]; row: { account: string; expected: string; } };
    openRound: { values: [ ]; row: { until: Date; accounts: number[]; work: string[]; } };
    writeRound: { values: [ Date | string, Date | string, readonly (number | null)[],
      readonly (string | null)[] ]; row: { } };
    near: { values: [ number ]; row: { to: Date; } };
  };
  'statements/statements.sql': {
    account: { values: [ string ]; row: { id: number | null; } };
    opening: { values: [ number, Date | string ]; row: { opening: string; } };
    lines: { values: [ number, Date | string, Date | string ]; row: { at: string;
      what: 'block' | 'fee' | 'block reversed' | 'divided' | 'divided reversed' | 'pps' | 'paid' | 'paid reversed' | 'gas' | 'gas reversed' | 'correction';
      change: string; paid: string; payouts: string; } };
    journal: { values: [ Date | string, Date | string ]; row: { at: string;
      code: 'block' | 'fee' | 'block reversed' | 'divided' | 'divided reversed' | 'pps' | 'paid' | 'paid reversed' | 'gas' | 'gas reversed' | 'correction';
      of: string; time: number; debit: string; credit: string; amount: string; transfers: string; } };
  };
  'timeline.sql': {
    lock: { values: [ ]; row: { } };
    insert: { values: [ string ]; row: { } };
    lines: { values: [ string | number | bigint, string | number | bigint, number, readonly (string | null)[]
      ]; row: { id: number; run: string; number: number; atMs: number; kind: string; says: string;
      facts: Json; instance: number | null; by: string | null; } };
    linesOfRig: { values: [ string | number | bigint, string | number | bigint, number,
      readonly (string | null)[], string, string ]; row: { id: number; run: string; number: number;
      atMs: number; kind: string; says: string; facts: Json; instance: number | null; by: string | null; } };
    linesAfter: { values: [ string | number | bigint, string | number | bigint ]; row: { id: number;
      run: string; number: number; atMs: number; kind: string; says: string; facts: Json;
      instance: number | null; by: string | null; } };
    newest: { values: [ ]; row: { id: number; } };
    hasBlock: { values: [ readonly (string | null)[], string ]; row: { has: boolean; } };
    prune: { values: [ readonly (string | null)[], string | number | bigint, string | number | bigint, boolean
      ]; row: { } };
  };
  'watch/accounts.sql': {
    account: { values: [ string ]; row: { rigs: number; isKnown: boolean; due: string; paying: string;
      paid: string; } };
    expected: { values: [ ]; row: { account: string; amount: string; } };
    moneyOf: { values: [ readonly (string | null)[] ]; row: { account: string; due: string; paying: string;
      paid: string; } };
    allMoney: { values: [ ]; row: { due: string; paying: string; paid: string; next: string;
      nextAccounts: number; tooLittle: string; tooLittleAccounts: number; held: string; heldAccounts: number;
      } };
    paidDays: { values: [ number ]; row: { day: string; paid: string; } };
    rigsOf: { values: [ string, string | number | bigint ]; row: { rig: string; lastShareAt: string | null;
      difficulty: number; at: string | null; } };
    bestOf: { values: [ string ]; row: { difficulty: number; at: string | null; } };
    payoutOf: { values: [ string ]; row: { minimum: string | null; wishedChain: number | null;
      wishedAt: string | null; isOnHold: boolean; } };
    beneficiariesOf: { values: [ string ]; row: { account: string; basisPoints: number; } };
    paymentsOf: { values: [ string, string | number | bigint ]; row: { payout: string; amount: string;
      state: 'prepared' | 'sent' | 'confirmed' | 'failed' | 'unknown'; chainId: number | null;
      requestKey: string | null; preparedAt: string; changedAt: string; note: string; } };
    recentPay: { values: [ string | number | bigint, string ]; row: { reward: string; blocks: number;
      feeBasisPoints: number; } };
    earnedDays: { values: [ string, number ]; row: { day: string; earned: string; } };
    others: { values: [ readonly (string | null)[], string | number | bigint, string | number | bigint,
      readonly (string | null)[], string ]; row: { total: number; account: string | null; due: string;
      paying: string; paid: string; } };
  };
  'watch/blocks.sql': {
    blocks: { values: [ string | number | bigint, string | number | bigint, string, number ]; row: {
      id: string; state: 'pending' | 'confirmed' | 'orphaned' | 'unclaimed' | 'disowned'; chainId: number;
      height: number; hash: string; depth: number; reward: string | null; finder: Json; node: string;
      detail: string; foundAt: string; paysAnother: boolean; effort: number | null; waitsFor: string | null;
      } };
    solutions: { values: [ string | number | bigint, string | number | bigint, string, number ]; row: {
      id: string; state: 'found' | 'received' | 'refused' | 'lost' | 'perhaps'; chainId: number;
      height: number; hash: string; depth: number; reward: string | null; finder: Json; node: string;
      detail: string; foundAt: string; paysAnother: boolean; effort: number | null; waitsFor: string | null;
      } };
    openRound: { values: [ ]; row: { sinceMs: number; work: string; } };
    bestShare: { values: [ ]; row: { difficulty: number; at: string | null; } };
    lastRounds: { values: [ string | number | bigint ]; row: { blocks: number; expected: number; } };
    split: { values: [ string | number | bigint ]; row: { id: string;
      state: 'pending' | 'confirmed' | 'orphaned' | 'unclaimed' | 'disowned'; scheme: string | null;
      fee: number | null; reward: string | null; total: number; } };
    splitLines: { values: [ string | number | bigint, string | number | bigint, string | number | bigint ];
      row: { account: string | null; amount: string; } };
    payouts: { values: [ string | number | bigint, string | number | bigint, string | number | bigint, string,
      boolean ]; row: { id: string; name: string; state: string; chainId: number | null; payments: Json;
      preparedAt: string; changedAt: string; minimum: string; note: string; total: string; accounts: number;
      isSettled: boolean; hash: string | null; approvals: number; approvalWhy: string; approvedBy: string[];
      } };
    payoutLines: { values: [ string | number | bigint, string | number | bigint, string | number | bigint ];
      row: { account: string; chainId: number | null; amount: string;
      state: 'prepared' | 'sent' | 'confirmed' | 'failed' | 'unknown'; requestKey: string | null; } };
    lineCount: { values: [ string | number | bigint, string ]; row: { id: string; total: number; } };
    lines: { values: [ string | number | bigint, string | number | bigint, string | number | bigint ]; row: {
      account: string; chainId: number | null; amount: string;
      state: 'prepared' | 'sent' | 'confirmed' | 'failed' | 'unknown'; requestKey: string | null;
      note: string; changedAt: string; } };
  };
  'watch/bridge-views.sql': {
    look: { values: [ string ]; row: { told: string | null; } };
    others: { values: [ number ]; row: { number: number; place: string; version: string | null;
      ageMs: number | null; } };
    views: { values: [ readonly (number | null)[] ]; row: { number: number; version: string; view: Buffer;
      } };
    show: { values: [ number, Uint8Array ]; row: { told: string | null; } };
  };
  'watch/history.sql': {
    blocks: { values: [ number, number, number, number, string, string ]; row: { step: number; found: number;
      orphaned: number; } };
    effort: { values: [ number, number, number, number ]; row: { step: number; effort: number; } };
    freshness: { values: [ number, number ]; row: { step: number; counts: string[]; } };
    unpaid: { values: [ number, number, number, number ]; row: { step: number; due: number; expected: number;
      paying: number; } };
  };
  'watch/lists.sql': {
    accounts: { values: [ string | number | bigint, string | number | bigint, readonly (string | null)[] ];
      row: { total: number; account: string; rigs: number; best: number; shares: number; work: string;
      rejected: number; rejectedWork: string; due: string; paying: string; paid: string; } };
    operator: { values: [ ]; row: { name: string; balance: string; } };
  };
  'watch/sums.sql': {
    times: { values: [ ]; row: { nowMs: number; } };
    accountId: { values: [ string ]; row: { id: number; } };
    rigId: { values: [ string, string ]; row: { id: number; } };
    ofAccount: { values: [ number, number, number, number, number, readonly number[] ]; row: { step: number;
      kind: number; amount: number; work: number; squares: number; } };
    ofRig: { values: [ number, number, number, number, number, readonly number[] ]; row: { step: number;
      kind: number; amount: number; work: number; squares: number; } };
    rigOnline: { values: [ number, number, number, number, number, number ]; row: { step: number;
      kind: number; amount: number; work: number; squares: number; } };
    ofSlots: { values: [ number, number, number, number, number, readonly number[] ]; row: { step: number;
      kind: number; amount: number; work: number; squares: number; } };
  };
}

/** Anything but null. What it is stands where it is asked for. */
type Json = NonNullable<unknown>;
