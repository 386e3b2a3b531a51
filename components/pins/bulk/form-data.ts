import { type BulkForm, type BulkRow, boardOf, type RowProblems, shownRows } from "#components/pins/bulk/bulk-rows.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";

/** Files that the server kept from an earlier try, with their SHA-256. */
export type KeptFiles = ReadonlyMap<File, string>;

/** The multipart body of R-BULK-08: each pin by itself, and all of them once more, without files that are kept. */
export const toFormData = (form: BulkForm, accountId: string, kept: KeptFiles = new Map()): FormData => {
  const rows = shownRows(form);
  const digestOf = ({ picture }: BulkRow) => (picture ? kept.get(picture.file) : undefined);
  const texts = rows.map((row) => ({
    board_id: boardOf(form, row),
    title: row.title.trim(),
    description: row.description.trim(),
    ...(row.url.trim() && { url: row.url.trim() }),
    ...(digestOf(row) && { image_sha256: digestOf(row) }),
  }));
  const body = new FormData();
  body.set("pinterest_account", accountId);
  body.set("number_of_pins", String(rows.length));
  for (const [index, row] of rows.entries()) {
    const { picture } = row;
    body.set(`pins[${index}]`, JSON.stringify(texts[index]));
    if (picture && !digestOf(row)) body.set(`pins[${index}][image]`, picture.file, picture.file.name);
  }
  body.set("pins", JSON.stringify(texts));
  return body;
};

/** R-BULK-08, R-BULK-10: this call's refusals are read from `message`; without one it is the literal fallback. */
export const failureText = (body: unknown): string => {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : null;
  return typeof message === "string" && message !== "" ? message : TEXTS.bulkFailed;
};

const textIn = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first.replace(/^Pin \d+: /, "") : undefined;
};

/** What a refusal says about single pins, by the keys of their rows. */
export const fieldTexts = (body: unknown, form: BulkForm): Map<string, RowProblems> => {
  const fields: unknown = typeof body === "object" && body !== null && "fields" in body ? body.fields : null;
  const texts = new Map<string, unknown>(typeof fields === "object" && fields !== null ? Object.entries(fields) : []);
  return new Map(
    shownRows(form).flatMap(({ key }, index) => {
      const row = textIn(texts.get(`pins[${index}]`));
      return row === undefined ? [] : [[key, { row }] as const];
    }),
  );
};

/** Which files of a form that was refused the server keeps: they need not be sent again. Null: it does not say. */
export const keptIn = (body: unknown, form: BulkForm): File[] | null => {
  const kept: unknown = typeof body === "object" && body !== null && "kept" in body ? body.kept : null;
  if (!Array.isArray(kept)) return null;
  const names = new Set<unknown>(kept);
  return shownRows(form).flatMap(({ picture }, index) =>
    picture && names.has(`pins[${index}]`) ? [picture.file] : [],
  );
};
