/** A file that somebody sent, as it lies on this machine's disk while their call is answered. */
export interface UploadedFile {
  path: string;
  bytes: number;
  /** SHA-256 of its content, hexadecimal. */
  sha256: string;
}
