/** So many characters become bytes at a time: about a millisecond of the main thread. */
const PIECE = 400_000;

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Lets whatever waits go first. A message, since timers that wait for nothing are made to wait. */
const letOthersGo = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * A long text as bytes that the browser may keep on its disk, made piece by piece, so that the page stays free
 * meanwhile. Half a character (a lone surrogate) becomes U+FFFD.
 */
export const blobOfText = async (text: string): Promise<Blob> => {
  const pieces: Blob[] = [];
  let from = 0;
  while (from < text.length) {
    await letOthersGo();
    // A character of two units is not cut in two.
    const end = from + PIECE + Number(isFirstHalf(text.charCodeAt(from + PIECE - 1)));
    pieces.push(new Blob([text.slice(from, end)]));
    from = end;
  }
  return new Blob(pieces, { type: "text/html" });
};
