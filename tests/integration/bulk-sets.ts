import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { sha256 } from "#lib/core/crypto.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import type { CreateBulkInput } from "#lib/features/pins/schema.ts";
import { photo } from "#tests/support/sample-pictures.ts";
import type { Maker } from "./publishing-house.ts";

const image = await photo(300, 200);

interface BulkSets {
  /** A file as the door leaves it on the disk. */
  upload(bytes: Uint8Array): UploadedFile;
  /** So many pins with the same photograph. */
  bulkOf(maker: Maker, count: number, change?: Partial<CreateBulkInput>): CreateBulkInput;
}

/** Sets of pins as somebody sends them, in a folder of the calling test file. */
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
  const bulkOf: BulkSets["bulkOf"] = (maker, count, change = {}) => ({
    accountId: maker.account.id,
    idempotencyKey: null,
    pins: Array.from({ length: count }, (_, n) => ({
      boardId: maker.boardId,
      title: `Moss ${n + 1}`,
      description: "",
      link: null,
      altText: "",
      picture: upload(image),
    })),
    ...change,
  });
  return { upload, bulkOf };
};
