import { ApiError } from "./api-error.ts";

type ModelKind = "text" | "image";

/** The models this stand-in plays. Creation times are made up but stable. */
const PLAYED: readonly { id: string; kind: ModelKind }[] = [
  { id: "gpt-5.4-mini", kind: "text" },
  { id: "gpt-5.5", kind: "text" },
  { id: "gpt-5.6-luna", kind: "text" },
  { id: "gpt-5.6-sol", kind: "text" },
  { id: "gpt-6-luna", kind: "text" },
  { id: "gpt-6-sol", kind: "text" },
  { id: "gpt-image-1-mini", kind: "image" },
  { id: "gpt-image-1.5", kind: "image" },
  { id: "gpt-image-2", kind: "image" },
  { id: "gpt-image-2.5-flare", kind: "image" },
  { id: "gpt-image-2.5-sunburst", kind: "image" },
  { id: "gpt-image-2.6-flare", kind: "image" },
  { id: "gpt-image-2.6-sunburst", kind: "image" },
  { id: "chatgpt-image-latest", kind: "image" },
];

const RETIRED = /^(dall-e-[23]|gpt-image-1|gpt-3\.5.*|gpt-4-turbo.*|text-davinci.*)$/;
const IMAGE_NAME = /^(gpt-image-|chatgpt-image-)/;
const TEXT_NAME = /^(gpt-\d|o\d|chatgpt-)/;
const FIRST_CREATED = 1_760_000_000;

export type ModelEntry = { id: string; object: "model"; created: number; owned_by: string };

/** `GET /v1/models`. */
export function listModels(): { object: "list"; data: ModelEntry[] } {
  const data = PLAYED.map(({ id }, index): ModelEntry => {
    return { id, object: "model", created: FIRST_CREATED + index * 86_400, owned_by: "system" };
  });
  return { object: "list", data };
}

/** One entry of the list. @throws ApiError 404 `model_not_found`. */
export function findModel(id: string): ModelEntry {
  const entry = listModels().data.find((model) => model.id === id);
  if (!entry) throw modelNotFound(id);
  return entry;
}

/**
 * Lets through any name that looks like a current model of the kind, so that newer ones can be configured.
 * @throws ApiError 404 `model_not_found` for retired, foreign and misspelt names.
 */
export function assertModel(id: string, kind: ModelKind): void {
  const isImage = IMAGE_NAME.test(id);
  const isKind = kind === "image" ? isImage : TEXT_NAME.test(id) && !isImage;
  if (!isKind || RETIRED.test(id)) throw modelNotFound(id);
}

function modelNotFound(id: string): ApiError {
  const message = `The model '${id}' does not exist here or has been retired.`;
  return new ApiError(404, { message, type: "invalid_request_error", param: "model", code: "model_not_found" });
}
