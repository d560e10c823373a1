/** Quirks of rigs: what the software of some takes or does otherwise than others, told apart by the name of its agent. */

export interface AgentQuirks {
  /** Lowest vardiff difficulty, in expected hashes. */
  readonly floor?: number | undefined;
  /** It takes no share difficulty but powers of two. */
  readonly powersOfTwo?: boolean | undefined;
  /** It begins with a job at once only when `clean` is true. */
  readonly alwaysClean?: boolean | undefined;
  /** The result of a good `mining.authorize`. */
  readonly authorizeAnswer?: true | readonly [] | undefined;
  /** It reads the bytes of nonce1 in the other order. */
  readonly reversedNonce1?: boolean | undefined;
  /** It writes the bytes of nonce2 in the other order. */
  readonly reversedNonce2?: boolean | undefined;
  /** Whether it follows `client.reconnect`, whatever else it shows of its age. */
  readonly takesReconnect?: boolean | undefined;
  /** The same of `client.show_message`. */
  readonly takesMessages?: boolean | undefined;
}

/** What is so of all agents whose name begins so. */
export interface AgentRule extends AgentQuirks {
  /** Beginning of the name, in letters of either case; empty for every rig, also for one that names none. */
  readonly agent: string;
  /** Where this is known from, for people. */
  readonly note?: string | undefined;
}

/** Characters of an agent's name that are looked at. */
export const AGENT_CHARACTERS = 256;

const NO_QUIRKS: AgentQuirks = {};

/** Of each quirk the first rule that names it and fits counts. */
export function quirksOf(agent: string, rules: readonly AgentRule[]): AgentQuirks {
  const name = agent.toLowerCase();
  const fitting = rules.filter((rule) => name.startsWith(rule.agent.toLowerCase()));
  if (fitting.length === 0) return NO_QUIRKS;
  const named = fitting.map(({ agent: _, note: __, ...quirks }) =>
    Object.entries(quirks).filter(([, value]) => value !== undefined),
  );
  return Object.fromEntries(named.reverse().flat());
}
