/** A post that must arrive, repeated over new connections while nothing is heard of it. */
import type { HttpAnswer } from '../asking/http.js';

export interface Posted {
  readonly answer: HttpAnswer;
  /** How often it was sent. Beyond once, a 404 may say that an earlier one was taken. */
  readonly posts: number;
}

/** Nodes answer in milliseconds. On a network of 30 s a lost second is a lost block in a hundred. */
const AGAIN_MS = 700;
const MOST_POSTS = 3;
/** A node's answer to a solution of a work that it does not know (any more). */
const FORGOTTEN = 404;

/** Nodes speak plain text and JSON: a page is of something before them. */
function isPage({ headers }: HttpAnswer): boolean {
  return /^text\/html\b/i.test([headers['content-type']].flat()[0] ?? '');
}

/** The node has the solution: 204 as specified, 200 as real nodes say it. */
export function isReceipt(answer: HttpAnswer): boolean {
  return [200, 204].includes(answer.status) && !isPage(answer);
}

/** The node's own last word against it. Any other refusal is of something before the node, which may pass. */
export function isRefusal(answer: HttpAnswer): boolean {
  if (isPage(answer)) return false;
  return answer.status === 400 || (answer.status === FORGOTTEN && /payload/i.test(answer.body.toString()));
}

/**
 * The first answer that says "taken", to whichever of the posts. Others are given a little time when one was refused,
 * because the refusal may be for what they have brought. Rejects when none is answered.
 */
export async function untilTaken(
  first: Promise<HttpAnswer>,
  again: () => Promise<HttpAnswer>,
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const refusals: HttpAnswer[] = [];
    let [posts, open] = [0, 0];
    let last: unknown;
    const finish = (taken?: HttpAnswer): void => {
      const final = refusals.filter(isRefusal);
      const answer = taken ?? final.find(({ status }) => status !== FORGOTTEN) ?? final[0] ?? refusals[0];
      clearInterval(timer);
      if (answer) resolve({ answer, posts });
      else reject(last);
    };
    const send = (post: Promise<HttpAnswer>): void => {
      posts++;
      open++;
      post.then(
        (answer) => heard(answer),
        (error: unknown) => heard(undefined, error),
      );
    };
    const heard = (answer?: HttpAnswer, error?: unknown): void => {
      open--;
      const isTaken = answer !== undefined && isReceipt(answer);
      if (answer) refusals.push(answer);
      else last = error;
      if (isTaken || open === 0) finish(isTaken ? answer : undefined);
      else if (answer) {
        clearInterval(timer);
        timer = setTimeout(finish, AGAIN_MS);
      }
    };
    let timer: NodeJS.Timeout = setInterval(() => {
      if (posts < MOST_POSTS) send(again());
    }, AGAIN_MS);
    send(first);
  });
}
