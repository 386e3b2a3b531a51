export interface PreparedPicture {
  jpeg: Uint8Array;
  widthPx: number;
  heightPx: number;
}

/** Decoding and encoding of pictures. */
export interface PicturesPort {
  /**
   * A finished pin from a generated picture: cover-cropped to the canvas, JPEG of at most 300 kB,
   * marked as `trainedAlgorithmicMedia` (D10). Null when the bytes are no picture.
   */
  preparePin(image: Uint8Array, canvas: { widthPx: number; heightPx: number }): Promise<PreparedPicture | null>;
}
