/** Server-sent events, read by `fetch`: unlike `EventSource` it says why there is no stream, and can send headers. */

interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Far more than a snapshot of a bridge with many nodes. */
const MAX_CHARS = 4_194_304;

/** Ends when the stream does; rejects as the stream does, or when one event has no end. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const frames = rest.split('\n\n');
      rest = frames.pop() ?? '';
      if (rest.length > MAX_CHARS) throw new RangeError('an event of the stream has no end');
      for (const frame of frames) yield eventOf(frame);
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it has failed already
  }
}

/** `event: snapshot`, `data: {…}`; comments have no name before their colon. */
function eventOf(frame: string): StreamEvent {
  const lines = frame.split('\n').map((line) => /^([^:]*):? ?(.*)$/.exec(line));
  const all = (name: string) => lines.flatMap((line) => (line?.[1] === name ? [line[2] ?? ''] : []));
  return { event: all('event').at(-1) ?? 'message', data: all('data').join('\n') };
}
