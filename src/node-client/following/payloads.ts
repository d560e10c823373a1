/** Payloads of blocks, of whichever node has them. */
import type { PayloadWithOutputs } from '../../chain/models.js';
import { type FollowedNode, faultOf } from './asked-node.js';
import type { Link } from './links.js';

export interface PassedBlock extends Link {
  /** `undefined` where no node has it, and it was to be gone on without. */
  readonly payload: PayloadWithOutputs | undefined;
}

/** Of one question: some MB on a full chain. */
const PAYLOADS = 8;

/** In order, up to the first whose payload nobody gives. @param spared so many of them may go without. */
export async function readPayloads(
  links: readonly Link[],
  nodes: readonly FollowedNode[],
  spared: number,
): Promise<{ blocks: PassedBlock[]; missing: (Link & { readonly asked: string }) | undefined }> {
  const blocks: PassedBlock[] = [];
  const known = new Map<string, PayloadWithOutputs>();
  for (let at = 0; at < links.length; at += PAYLOADS) {
    const some = links.slice(at, at + PAYLOADS);
    const { read, faults } = await askForPayloads(
      some.filter(({ payloadHash }) => !known.has(payloadHash)),
      nodes,
    );
    for (const [hash, payload] of read) known.set(hash, payload);
    for (const link of some) {
      const payload = known.get(link.payloadHash);
      if (!payload && blocks.length >= spared)
        return {
          blocks,
          missing: { ...link, asked: faults.join('; ') || nodes.map(({ node }) => node).join(', ') },
        };
      blocks.push({ ...link, payload });
    }
  }
  return { blocks, missing: undefined };
}

/** The first that has one gives it. */
export async function askForPayloads(
  links: readonly Pick<Link, 'payloadHash' | 'height'>[],
  nodes: readonly FollowedNode[],
): Promise<{ read: Map<string, PayloadWithOutputs>; faults: string[] }> {
  const read = new Map<string, PayloadWithOutputs>();
  const faults: string[] = [];
  const byHash = new Map(links.map((link) => [link.payloadHash, link]));
  for (const node of nodes) {
    const wanted = [...byHash.values()].filter(({ payloadHash }) => !read.has(payloadHash));
    if (wanted.length === 0) break;
    const given = await node.payloads(wanted).catch((error: unknown) => {
      faults.push(faultOf(node, error));
      return [];
    });
    for (const payload of given) read.set(payload.payloadHash, payload);
  }
  return { read, faults };
}
