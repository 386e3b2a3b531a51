import { deflateSync } from "node:zlib";
import sharp from "sharp";

// Generated sample files like those that users upload.

const GPS = {
  IFD0: { Make: "Canary Camera", Copyright: "a secret maker", ImageDescription: "taken at home" },
  IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1", GPSLongitudeRef: "W", GPSLongitude: "0/1 7/1 0/1" },
};

const plain = (width: number, height: number, background = "#3a5f4a") =>
  sharp({ create: { width, height, channels: 3, background } });

/** Red on the left half, blue on the right. */
const redAndBlue = (width: number, height: number) =>
  plain(width, height, "#0000ff").composite([
    {
      input: { create: { width: Math.floor(width / 2), height, channels: 3, background: "#ff0000" } },
      left: 0,
      top: 0,
    },
  ]);

/** A photo like a phone's: rotated, with location and camera. */
export const photo = (width = 900, height = 600): Promise<Buffer> =>
  redAndBlue(width, height).withExif(GPS).withMetadata({ orientation: 6, exif: GPS }).jpeg().toBuffer();

export const png = (width = 600, height = 900): Promise<Buffer> => plain(width, height).png().toBuffer();
export const webp = (width = 600, height = 900): Promise<Buffer> => plain(width, height).webp().toBuffer();

/** An animated GIF: the first frame is red, the others are blue. */
export const movingGif = async (frames: number, side = 60): Promise<Buffer> => {
  const images = Array.from({ length: frames }, (_, index) => {
    const background = index === 0 ? "#ff0000" : { r: 0, g: index % 200, b: 255 };
    return sharp({ create: { width: side, height: side, channels: 3, background } })
      .png()
      .toBuffer();
  });
  return sharp(await Promise.all(images), { join: { animated: true } })
    .gif({ loop: 0, delay: Array.from({ length: frames }, () => 40) })
    .toBuffer();
};

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

const crc32 = (bytes: Uint8Array): number =>
  (bytes.reduce((crc, byte) => (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, crc]);
};

/** A small PNG whose header claims a huge size. */
export const hugePng = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(Math.ceil(width / 8) + 1));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
};

const HEIC_HEAD = Buffer.from([0, 0, 0, 24, ...Buffer.from("ftypheic"), 0, 0, 0, 0, ...Buffer.from("mif1heic")]);
const SVG = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;

/** Files that are rejected, with their messages. */
export const badImages = async (): Promise<{ name: string; file: Buffer; says: RegExp }[]> => [
  { name: "nothing", file: Buffer.alloc(0), says: /is empty/ },
  { name: "a text", file: Buffer.from("not an image at all"), says: /isn't an image/ },
  {
    name: "a page named as an image",
    file: Buffer.from("<html><script>1</script>"),
    says: /isn't an image/,
  },
  { name: "an SVG", file: Buffer.from(SVG), says: /an SVG image/ },
  { name: "an SVG behind a comment", file: Buffer.from(`<!-- x -->\n${SVG.slice(21)}`), says: /an SVG image/ },
  { name: "a HEIC", file: Buffer.concat([HEIC_HEAD, Buffer.alloc(500)]), says: /a HEIC image/ },
  { name: "a PDF", file: Buffer.from("%PDF-1.7\n%âãÏÓ"), says: /isn't an image/ },
  { name: "a TIFF", file: await plain(20, 20).tiff().toBuffer(), says: /isn't an image/ },
  { name: "900 million pixels", file: hugePng(30_000, 30_000), says: /50 million pixels/ },
  { name: "the head of a JPEG and no more", file: (await photo()).subarray(0, 400), says: /is damaged/ },
  { name: "half a PNG", file: (await png()).subarray(0, 900), says: /is damaged/ },
  {
    name: "a page after a JPEG signature",
    file: Buffer.from("\xff\xd8\xff\xe0<html>", "latin1"),
    says: /is damaged/,
  },
  { name: "a GIF's signature before a script", file: Buffer.from("GIF89a=1;alert(1)//"), says: /is damaged/ },
];
