/** Headers of a branch, and whether one may be the parent of another. */
import type { EncodedHeader } from '../../chain/encoded-header.js';
import { ForgedError } from '../../chain/verify.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import type { Anchor } from '../../core/work/anchor.js';
import { targetFromBytes, weightOfTarget } from '../../core/work/target.js';
import { workFault } from './work-fault.js';

/** A header that was hashed. `work` is what it adds to the weight of its parent. */
export interface Link extends Anchor {
  readonly parent: string;
  readonly payloadHash: string;
  /** As it is hashed for proof of work. */
  readonly header: Uint8Array;
}

export function linkOf({ hash, fields, header }: EncodedHeader): Link {
  return {
    header,
    height: fields.height,
    hash: toBase64Url(hash),
    parent: toBase64Url(fields.parent),
    timeMicros: fields.creationTime,
    epochStartMicros: fields.epochStart,
    weight: fields.weight,
    work: weightOfTarget(targetFromBytes(fields.target)),
    payloadHash: toBase64Url(fields.payloadHash),
  };
}

/**
 * Throws {@link ForgedError} unless one may be the parent of the other: anybody can write any weight into a header.
 *
 * @param isWorked blocks of its network take work.
 */
export function checkStep(parent: Anchor, child: Link, isWorked: boolean): void {
  const wrong =
    child.parent !== parent.hash
      ? 'another parent'
      : child.height !== parent.height + 1
        ? `the height ${child.height}`
        : child.timeMicros <= parent.timeMicros
          ? `a time that is not later`
          : child.weight !== parent.weight + child.work
            ? `the weight ${child.weight}`
            : isWorked
              ? workFault(parent, child)
              : undefined;
  if (wrong !== undefined)
    throw new ForgedError(`block ${child.hash} has ${wrong}, and block ${parent.hash} before it`);
}
