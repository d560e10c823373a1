/** What a reader of frames makes of some bytes, for comparisons. */
import { FrameReader } from '../../../src/wire/frames.js';

export interface ReadFrames {
  /** In order: what was told. */
  readonly heard: readonly string[];
  readonly open: number | undefined;
}

export function readFrames(chunks: readonly Uint8Array[], maxBytes = 8192): ReadFrames {
  const heard: string[] = [];
  const reader = new FrameReader(maxBytes, {
    onMessage: (text) => void heard.push(`message ${text}`),
    onPing: (payload) => void heard.push(`ping ${payload.toString('latin1')}`),
    onPong: () => void heard.push('pong'),
    onClose: (payload) => void heard.push(`close ${payload.toString('hex')}`),
    onFault: (code, reason) => void heard.push(`${code} ${reason}`),
  });
  // Copies: the mask is taken off in place.
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return { heard, open: reader.open };
}
