import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { sha256 } from "#lib/core/crypto.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import type { CreateBulkInput } from "#lib/features/pins/schema.ts";
import { photo } from "#tests/support/sample-images.ts";
import type { Creator } from "./publishing-harness.ts";

const image = await photo(300, 200);

interface BulkSets {
  /** Writes a file as the server receives it. */
  upload(bytes: Uint8Array): UploadedFile;
  /** Pins with the same photo. */
  bulkOf(creator: Creator, count: number, change?: Partial<CreateBulkInput>): CreateBulkInput;
}

/** Input for bulk creation, with files in a temporary folder of the calling test file. */
export const bulkSets = (): BulkSets => {
  const folder = mkdtempSync(join(tmpdir(), "bulk-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const upload = (bytes: Uint8Array) => {
    files += 1;
    const path = join(folder, String(files));
    writeFileSync(path, bytes);
    return { path, bytes: bytes.length, sha256: sha256(Buffer.from(bytes).toString("base64")) };
  };
  const bulkOf: BulkSets["bulkOf"] = (creator, count, change = {}) => ({
    accountId: creator.account.id,
    idempotencyKey: null,
    pins: Array.from({ length: count }, (_, n) => ({
      boardId: creator.boardId,
      boardSectionId: null,
      title: `Moss ${n + 1}`,
      description: "",
      link: null,
      altText: "",
      image: upload(image),
    })),
    ...change,
  });
  return { upload, bulkOf };
};
