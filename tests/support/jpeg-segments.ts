const START_OF_SCAN = 0xda;
const FIRST_APPLICATION = 0xe1;
const LAST_APPLICATION = 0xef;
const COMMENT = 0xfe;

/** Metadata segments of a JPEG and their bytes, parsed independently of the library that wrote it. */
export const metadataOf = (jpeg: Uint8Array): { marker: number; bytes: number }[] => {
  const view = Buffer.from(jpeg);
  if (view.readUInt16BE(0) !== 0xffd8) throw new Error("This is not a JPEG.");
  const found: { marker: number; bytes: number }[] = [];
  for (let at = 2; view[at] === 0xff && view[at + 1] !== START_OF_SCAN; at += 2 + view.readUInt16BE(at + 2)) {
    const marker = view[at + 1] ?? 0;
    if ((marker >= FIRST_APPLICATION && marker <= LAST_APPLICATION) || marker === COMMENT)
      found.push({ marker, bytes: view.readUInt16BE(at + 2) });
  }
  return found;
};

/** Bytes after the image's end. */
export const trailingBytes = (jpeg: Uint8Array): number =>
  jpeg.length - (Buffer.from(jpeg).lastIndexOf(Buffer.from([0xff, 0xd9])) + 2);
