/** The one table of error codes that a rig may hear, with what each means. */
import type { Rejection } from '../core/shares/rejections.js';

export const ERROR_CODES = {
  /** Anything that has no code of its own; the text says what. */
  other: 20,
  /** The job is not known, or no longer counts; the text says which. */
  job: 21,
  duplicate: 22,
  lowDifficulty: 23,
  unauthorized: 24,
  notSubscribed: 25,
  /** The line is no JSON. */
  parse: -32700,
  /** It is JSON but no request. */
  invalidRequest: -32600,
  unknownMethod: -32601,
  /** The method is known, its parameters are wrong. */
  invalidParams: -32602,
} as const;

export type ErrorCode = (typeof ERROR_CODES)[keyof typeof ERROR_CODES];

const CODE_OF_REJECTION: Record<Rejection, ErrorCode> = {
  stale: ERROR_CODES.job,
  unknownJob: ERROR_CODES.job,
  duplicate: ERROR_CODES.duplicate,
  lowDifficulty: ERROR_CODES.lowDifficulty,
  malformed: ERROR_CODES.other,
  unauthorized: ERROR_CODES.unauthorized,
  notSubscribed: ERROR_CODES.notSubscribed,
  tryAgain: ERROR_CODES.other,
};

export function codeOfRejection(reason: Rejection): ErrorCode {
  return CODE_OF_REJECTION[reason];
}
