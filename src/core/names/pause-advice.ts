/** What a person does about each kind of pause of payments on chain. */

const ADVICE: Readonly<Record<string, string>> = {
  operator: 'somebody ordered it: ask who, and why',
  restored:
    '`ledger payout reconcile` reads from the chain what was paid since the copy was made; without it something may be paid twice',
  'books-wrong':
    '`ledger verify` shows all that is wrong: find out who has changed the database, or restore a backup; nothing is paid by wrong books',
  'foreign-debit':
    'somebody else signs with this key, or these are not the books that it pays from: find out who, and take another key if nobody knows. To resume says that this one is known, and only this one: `ledger payout reconcile` lists all there are',
  'coins-missing':
    'coins are gone that were there when the batch was planned: look who took them (`ledger payout reconcile`), send as many to the account, or reject the batch',
  'balance-differs':
    'compare the account with a node of your own choice; no node that was asked may be trusted before that. Who resumes while they still say so takes their word for it',
  'event-differs':
    'look at this transaction on several nodes: it did something else than what was signed. Who resumes lets others be paid; its money stays on hold',
  'left-deep':
    'the chain was reorganised deeper than chain.depth: wait until nodes agree, and think about a greater depth',
  unread:
    'payouts were away for longer than blocks are kept: look with another tool whether coins left the account meanwhile, then resume: the account is read anew from here on',
  undecided:
    'add a node that has kept these blocks to node.urls: it is found out then, and payouts can go on. To resume without it leaves the payment as it is, never paid a second time',
  'guard-changed':
    'the keys of the paying account were changed on this chain: set payouts.key to one that is in its guard',
  'signer-refused':
    'read what the signer says: a limit of its own (payouts.signer.day, or --line and --day of a program) is raised there, with a restart; a payment that it has signed in another form before needs books and signer log of one time',
  preflight: 'most payments fail alike: coins for gas, the gas price or the network are the usual reasons',
  'gas-price':
    'raise payouts.maxGasPrice (and restart), or wait until nodes ask for less. What was offered less is made anew when it is past its time',
  'nodes-clock':
    'find out which of these clocks is right, by one that you trust, and set the others (NTP): this machine, the nodes, or both',
  'nodes-disagree':
    'look at the nodes of node.urls: some follow another chain. Take away those that are wrong',
  'nodes-reorganised-deeper': 'wait until nodes agree on one chain again',
  'nodes-network': 'a node of node.urls is of another network: take it away',
  'nodes-contract':
    'the coin contract is not one that this version knows: a new version of stratum-bridge may know it',
  'nodes-unreadable':
    'a node answers in a form that this version does not know: update it, or stratum-bridge',
};

/** @param kind one word. Of one that is not known here it says where to look. */
export function adviceFor(kind: string): string {
  return ADVICE[kind] ?? 'read its evidence (`ledger payout status --json`) before payouts go on';
}
