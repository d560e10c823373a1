/**
 * What the processes of one machine say to each other over their channels: the primary, and each service that it has started. Every question
 * goes by the primary, which asks all of them, or knows the answer itself.
 */

import type { ListenAddress } from '../../core/names/listening.js';

export type ToPrimary =
  /** It is up, with what it says of that. */
  | { readonly up: object }
  | { readonly asks: number; readonly question: string; readonly about: unknown }
  | { readonly answers: number; readonly said: unknown }
  /** It takes connections of this port from now on. */
  | { readonly listens: number; readonly port: string; readonly address: ListenAddress }
  | { readonly leaves: string };

export type ToMember =
  | { readonly asked: number; readonly question: string; readonly about: unknown }
  | { readonly heard: number; readonly all: readonly unknown[] }
  | { readonly listens: number; readonly bound: ListenAddress }
  | { readonly listens: number; readonly code: string; readonly why: string }
  /** With a socket. */
  | { readonly connection: string };

/** Resolves with what goes over the channel as JSON; nothing is said where it rejects. */
export type Answer = (about: unknown) => unknown;

/** What one process is told when it is started, as a variable tells it. */
export interface Membership {
  /** Lowest that no other of them has, from 0 on. */
  readonly slot: number;
}
