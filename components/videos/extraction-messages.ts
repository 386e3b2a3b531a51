import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";

export type ExportFormat = "csv" | "json" | "ndjson" | "xlsx";

/** What the worker is asked. A file goes as it is: only the worker reads it. */
export type Question =
  | { type: "extract"; html: string | Blob }
  | { type: "analyse"; selected: readonly number[] }
  | { type: "export"; format: ExportFormat; selected: readonly number[] };

/** What it tells: shares from 0 to 1 on the way, then one answer. */
export type Told =
  | { type: "progress"; share: number }
  | { type: "extracted"; extraction: Extraction; analysis: Analysis }
  | { type: "analysis"; analysis: Analysis }
  | { type: "exported"; blob: Blob; name: string }
  | { type: "failed"; message: string };

export type Answer = Exclude<Told, { type: "progress" | "failed" }>;

/** Both ways with the number of the question, so that two questions at once keep their answers. */
export type Asked = Question & { turn: number };
export type Telling = Told & { turn: number };
