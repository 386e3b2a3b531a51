import { bulkUpload, type CreateBulkInput } from "#lib/features/pins/schema.ts";
import { readUpload } from "#lib/features/pins/uploads.ts";

/** Parses a multipart body with fake file paths. @throws ZodError */
export const bulkSubmission = (body: FormData, idempotencyKey: string | null = null): CreateBulkInput => {
  const fields: Record<string, string> = {};
  const files: Record<string, unknown> = {};
  for (const [name, value] of body) {
    if (typeof value === "string") fields[name] = value;
    else files[name] = { path: `/nowhere/${value.name}`, bytes: value.size, sha256: "0" };
  }
  return bulkUpload.transform(readUpload).parse({ fields, files, idempotencyKey });
};
