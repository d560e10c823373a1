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

/**
 * The first answer that says "taken" (2xx), to whichever of the posts. Others are given a little time when one was refused,
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
      const answer = taken ?? refusals.find(({ status }) => status !== FORGOTTEN) ?? refusals[0];
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
      const isTaken = answer !== undefined && answer.status >= 200 && answer.status <= 299;
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
