/** Headers of a branch, and whether one may be the parent of another. */
import type { EncodedHeader } from '../../chain/encoded-header.js';
import { ForgedError } from '../../chain/verify.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import { targetFromBytes, weightOfTarget } from '../../core/work/target.js';
import { type WorkedBlock, workFault } from './work-fault.js';

/** A header that was hashed. `work` is what it adds to the weight of its parent. */
export interface Link extends WorkedBlock {
  readonly hash: string;
  readonly parent: string;
  readonly weight: bigint;
  readonly payloadHash: string;
}

export function linkOf({ hash, fields }: EncodedHeader): Link {
  return {
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
export function checkStep(parent: Link, child: Link, isWorked: boolean): void {
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
