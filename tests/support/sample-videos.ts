/** A box of an MP4 file. */
export const box = (type: string, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
};

const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
};

export interface VideoOptions {
  seconds?: number;
  brand?: string;
  /** `vide` for a picture, `soun` for sound. */
  track?: string;
  /** Bytes of media. */
  mediaBytes?: number;
  /** Whether the movie header is at the end, as cameras write it. */
  isMovieLast?: boolean;
}

/** A complete MP4 as far as its boxes go; its media is noise, so no player shows it. */
export const sampleVideo = (options: VideoOptions = {}): Buffer => {
  const { seconds = 6, brand = "isom", track = "vide", mediaBytes = 4_000, isMovieLast = false } = options;
  const type = box("ftyp", Buffer.from(brand, "latin1"), words(512), Buffer.from(`${brand}mp41`, "latin1"));
  const header = box("mvhd", words(0, 0, 0, 1_000, seconds * 1_000), Buffer.alloc(80));
  const handler = box("hdlr", words(0, 0), Buffer.from(track, "latin1"), Buffer.alloc(13));
  const movie = box("moov", header, box("trak", box("mdia", handler)));
  const media = box("mdat", Buffer.alloc(mediaBytes, 0xa7));
  return Buffer.concat(isMovieLast ? [type, media, movie] : [type, movie, media]);
};
