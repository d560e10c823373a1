/**
 * How one session behaves: what it sends, whether or not that makes messages, and whether its shares are good.
 *
 * All is counted in messages. A line or frame is one, be it empty or a ping, and so are 256 bytes, and a piece that ends
 * neither. It is taken from a budget of the session and from one of its address. Who is past the one is not read for a
 * while, and ended if that does not help; who is past the other only if it has sent more than its part, and nobody who mines
 * is ended for that. A good share costs the address nothing.
 */
import type { Login } from './accounts.js';
import type { Address, UsageShown } from './address.js';
import { SlidingCount, Throttle } from './budgets.js';
import type { StratumLimits } from './limits.js';
import { HISTORY_MS } from './login-histories.js';

const BYTES_A_MESSAGE = 256;
const MESSAGES_A_SHARE = 1.5;
/** So much more than a rig may send, so many bursts, before its connection is not read for a while. */
const FLOOD_RATES = 10;
const FLOOD_BURSTS = 2;
/** Pauses, and seconds owed at their beginning, in a minute; one more ends the session. */
const MAX_OVERRUNS = 10;
const OVERRUNS_WINDOW_MS = 60_000;

/** What is to be done with the connection. */
export type Order = 'goOn' | 'pause' | 'resume' | 'end';

export class Usage implements UsageShown {
  readonly #address: Address;
  readonly #rate: Throttle;
  readonly #own: Throttle;
  readonly #limits: StratumLimits;
  readonly #openedAtMs: number;
  /** From the first pause on. */
  #overruns: SlidingCount | undefined;
  #isPaused = false;
  /** Since the last tick. */
  #spent = 0;
  #bytes = 0;
  #messageAtMs: number | undefined;
  /** The message that was begun and has not ended, and since when. */
  #open: number | undefined;
  #begunAtMs: number | undefined;
  isProven: boolean | undefined;
  /** Of the logins that have had a good share here; nearly always one. */
  good: readonly { readonly login: Login; readonly shares: SlidingCount }[] = [];
  #isOver = false;
  #minedAtMs: number;

  constructor(address: Address, limits: StratumLimits, nowMs: number) {
    const { messagesPerSecond, messageBurst } = limits;
    this.#address = address;
    this.#rate = new Throttle(messagesPerSecond, messageBurst, nowMs);
    this.#own = new Throttle(FLOOD_RATES * messagesPerSecond, FLOOD_BURSTS * messageBurst, nowMs);
    this.#limits = limits;
    this.#openedAtMs = nowMs;
    this.#minedAtMs = nowMs;
  }

  /** How long ago its last good share was, or its beginning. */
  silentMs(nowMs: number): number {
    return nowMs - this.#minedAtMs;
  }

  limitsChanged(): void {
    const { messagesPerSecond, messageBurst } = this.#limits;
    this.#rate.change(messagesPerSecond, messageBurst);
    this.#own.change(FLOOD_RATES * messagesPerSecond, FLOOD_BURSTS * messageBurst);
  }

  /**
   * So many bytes came, which ended so many lines or frames.
   *
   * @param open the number of the message that was begun and has not ended: pings may come between its pieces.
   */
  received(bytes: number, frames: number, nowMs: number, open?: number): Order {
    if (open !== this.#open) this.#begunAtMs = open === undefined ? undefined : nowMs;
    this.#open = open;
    this.#bytes += bytes;
    // A piece that ends nothing takes as long to read as a message does.
    return this.#charge(Math.max(1, frames) + bytes / BYTES_A_MESSAGE, nowMs);
  }

  /**
   * Called about once a second.
   * @param wireBytes read from the wire so far, when that may be more than was received: records of TLS may be empty.
   */
  tick(nowMs: number, wireBytes: number | undefined): Order {
    this.#spent = 0;
    const unseen = wireBytes === undefined ? 0 : Math.max(0, wireBytes - this.#bytes);
    this.#bytes += unseen;
    const order = unseen > 0 ? this.#charge(unseen / BYTES_A_MESSAGE, nowMs) : 'goOn';
    if (order !== 'goOn' || !this.#isPaused || this.#own.owedSeconds(nowMs) > 0) return order;
    this.#isPaused = false;
    return 'resume';
  }

  /** One whole message came, and not an empty one. False when that is more than the session may send. */
  message(nowMs: number): boolean {
    this.#messageAtMs = nowMs;
    return this.#rate.take(nowMs);
  }

  /** Why the session has been silent for too long; `undefined` while all is well. */
  overdue(
    { isAuthorized, works }: { isAuthorized: boolean; works: boolean },
    nowMs: number,
  ): string | undefined {
    const { handshakeTimeoutMs, authorizeTimeoutMs, idleTimeoutMs } = this.#limits;
    const ageMs = nowMs - this.#openedAtMs;
    if (this.#messageAtMs === undefined)
      return ageMs > handshakeTimeoutMs ? 'no message came in time' : undefined;
    if (nowMs - (this.#begunAtMs ?? nowMs) > idleTimeoutMs)
      return 'a message was begun and not ended in time';
    if (!isAuthorized && ageMs > authorizeTimeoutMs) return 'no good authorize came in time';
    // Who works may have nothing to say for hours: whether it is still there shows in TCP, by its jobs and by keep-alive.
    return !works && nowMs - this.#messageAtMs > idleTimeoutMs
      ? 'the rig was silent for too long'
      : undefined;
  }

  /** It was authorized. @param isProven its account has shown a password. */
  letIn(isProven: boolean): void {
    if (this.#isOver || this.isProven !== undefined) return;
    this.isProven = isProven;
    this.#address.letIn(isProven);
  }

  /** A share of this login was accepted. */
  mined(login: Login, nowMs: number): void {
    this.#minedAtMs = nowMs;
    this.#address.giveBack(MESSAGES_A_SHARE);
    this.#spent = Math.max(0, this.#spent - MESSAGES_A_SHARE);
    // A share may be kept only after its session has ended, when nobody would take the good one away again.
    if (this.#isOver) return;
    this.#sharesOf(login).add(nowMs);
  }

  /** The session has ended, in peace or because of what it did. */
  ended(inPeace: boolean, nowMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#address.ended(this, inPeace, nowMs);
    this.good = [];
  }

  #sharesOf(login: Login): SlidingCount {
    for (const each of this.good) if (each.login === login) return each.shares;
    const shares = new SlidingCount(Number.POSITIVE_INFINITY, HISTORY_MS);
    this.good = [...this.good, { login, shares }];
    this.#address.hasGood(login);
    return shares;
  }

  #charge(messages: number, nowMs: number): Order {
    this.#spent += messages;
    const ownSeconds = this.#own.charge(messages, nowMs);
    const addressSeconds = this.#address.charge(messages, nowMs);
    const isOverItsPart = addressSeconds > 0 && this.#spent > this.#address.fairShare;
    if (this.#isPaused || (ownSeconds === 0 && !isOverItsPart)) return 'goOn';
    if (ownSeconds > 0 || this.good.length === 0) {
      if (isOverItsPart && this.#address.isDeepInDebt(nowMs)) return 'end';
      return this.#overrun(ownSeconds, nowMs);
    }
    // Others may have spent it.
    this.#isPaused = true;
    return 'pause';
  }

  /** Nobody is ended who was not paused before. */
  #overrun(ownSeconds: number, nowMs: number): Order {
    const wasPaused = (this.#overruns?.count(nowMs) ?? 0) > 0;
    this.#overruns ??= new SlidingCount(MAX_OVERRUNS, OVERRUNS_WINDOW_MS);
    const isTolerable = this.#overruns.add(nowMs, 1 + ownSeconds);
    if (wasPaused && !isTolerable) return 'end';
    this.#isPaused = true;
    return 'pause';
  }
}
