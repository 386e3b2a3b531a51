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

export interface FragmentsOptions {
  /** The length of each fragment, of which a sample of one second says its own. */
  seconds: readonly number[];
  /** When the first fragment starts, as in a cut from a live stream. */
  startsAt?: number;
  /** Whether fragments say when they start. */
  hasTimes?: boolean;
}

const TIMESCALE = 30;
const TRACK_ID = 7;

/** A fragmented MP4, as browsers record and streams are saved: its header says that it is 0 seconds long. */
export const fragmentedVideo = ({ seconds, startsAt = 0, hasTimes = true }: FragmentsOptions): Buffer => {
  const handler = box("hdlr", words(0, 0), Buffer.from("vide", "latin1"), Buffer.alloc(13));
  const media = box("mdia", box("mdhd", words(0, 0, 0, TIMESCALE, 0, 0)), handler);
  const track = box("trak", box("tkhd", words(0, 0, 0, TRACK_ID, 0, 0)), media);
  const defaults = box("mvex", box("trex", words(0, TRACK_ID, 1, 1, 0, 0)));
  const movie = box("moov", box("mvhd", words(0, 0, 0, 1_000, 0), Buffer.alloc(80)), track, defaults);
  let at = startsAt * TIMESCALE;
  const fragments = seconds.map((length) => {
    const time = box("tfdt", words(0x0100_0000, 0, at));
    // The samples of the first run have the track's default duration of one unit; the second's says its own.
    const runs = [
      box("trun", words(0, (length - 1) * TIMESCALE)),
      box("trun", words(0x0000_0301, 1, 0, TIMESCALE, 99)),
    ];
    const parts = [box("tfhd", words(0x0002_0000, TRACK_ID)), ...(hasTimes ? [time] : []), ...runs];
    at += length * TIMESCALE;
    return Buffer.concat([
      box("moof", box("mfhd", words(0, 1)), box("traf", ...parts)),
      box("mdat", Buffer.alloc(100)),
    ]);
  });
  return Buffer.concat([sampleVideo().subarray(0, 24), movie, ...fragments]);
};
