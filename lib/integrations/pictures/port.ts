export interface PreparedPicture {
  jpeg: Uint8Array;
  widthPx: number;
  heightPx: number;
}

/** What the picture of a shared link shows, and its size. */
export interface SharedPicture {
  /** The product's name, beside the mark. */
  name: string;
  /** Between asterisks its italic phrase. */
  headline: string;
  /** A word in the corner: the part of the site. */
  label?: string;
  /** Names of five pictures in public/posters, hung below. */
  posters: readonly string[];
  widthPx: number;
  heightPx: number;
}

/** The product's mark as an icon. */
export interface AppIcon {
  sizePx: number;
  /** `maskable`: the ground fills the square and the mark stays in the middle, for systems that cut icons to a shape. */
  purpose: "any" | "maskable";
}

/** Decoding, encoding and drawing of pictures. */
export interface PicturesPort {
  /**
   * A finished pin from a generated picture: cover-cropped to the canvas, JPEG of at most 300 kB,
   * marked as `trainedAlgorithmicMedia` (D10). Null when the bytes are no picture.
   */
  preparePin(image: Uint8Array, canvas: { widthPx: number; heightPx: number }): Promise<PreparedPicture | null>;
  /** The picture of a shared link as a JPEG: the same bytes for the same words. */
  drawShared(picture: SharedPicture): Promise<Uint8Array>;
  /** An icon as a PNG. */
  drawIcon(icon: AppIcon): Promise<Uint8Array>;
}
