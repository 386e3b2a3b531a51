const MARKS = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
] as const;

/** Where browsers look for a declaration. */
const PRESCAN_BYTES = 1_024;

const decoderOf = (label: string): TextDecoder | null => {
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

const charsetIn = (text: string): TextDecoder | null => {
  const label = /charset\s*=\s*(?:["']\s*)?([\w:.-]+)/i.exec(text)?.[1];
  return label === undefined ? null : decoderOf(label);
};

const declaredIn = (bytes: Uint8Array): TextDecoder | null => {
  const start = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString("latin1");
  const tag = /<meta\b[^>]*charset\s*=[^>]*/i.exec(start)?.[0] ?? /^<\?xml[^>]*encoding[^>]*/i.exec(start)?.[0];
  const declared = tag ? charsetIn(tag.replace(/encoding/i, "charset")) : null;
  // The tag was readable as ASCII, so it can't be UTF-16.
  return declared?.encoding.startsWith("utf-16") ? decoderOf("utf-8") : declared;
};

const REPLACEMENT = 0xfffd;

/** Whether most characters beyond ASCII are bytes that are not UTF-8. */
const isMostlyBroken = (text: string): boolean => {
  let balance = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 127) balance += code === REPLACEMENT ? 1 : -1;
  }
  return balance > 0;
};

/**
 * The encoding of a text: by its byte order mark, its header, or its own declaration, in this order. A declaration that
 * the bytes contradict doesn't count: many sites serve UTF-8 as Latin-1, or the other way around.
 */
const encodingOf = (bytes: Uint8Array, contentType: string): string => {
  const mark = MARKS.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
  if (mark) return mark[0];
  const declared = charsetIn(contentType) ?? declaredIn(bytes);
  const isCommon = declared === null || declared.encoding === "utf-8" || declared.encoding === "windows-1252";
  if (!isCommon) return declared.encoding;
  // A beginning may end within a character.
  const asUtf8 = new TextDecoder("utf-8").decode(bytes, { stream: true });
  if (!asUtf8.includes("\ufffd")) return "utf-8";
  const isLatin = declared?.encoding === "windows-1252" || isMostlyBroken(asUtf8);
  return isLatin ? "windows-1252" : "utf-8";
};

export const decodePage = (bytes: Uint8Array, contentType: string): string =>
  new TextDecoder(encodingOf(bytes, contentType)).decode(bytes);

const BEGINNING_BYTES = 65_536;

/** Decodes a text piece by piece. Its beginning, up to 64 kB, decides about the encoding. */
export const decodePieces = async function* (
  pieces: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let beginning = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (decoder) yield decoder.decode(piece, { stream: true });
    else {
      beginning = Buffer.concat([beginning, piece]);
      if (beginning.byteLength < BEGINNING_BYTES) continue;
      decoder = new TextDecoder(encodingOf(beginning, contentType));
      yield decoder.decode(beginning, { stream: true });
    }
  }
  yield decoder ? decoder.decode() : decodePage(beginning, contentType);
};
