import { ApiError, type ErrorFacts } from "./api-error.ts";

/** What the image service says about a prompt its safety system refused. */
export const moderationBlocked: ErrorFacts & { moderation_details: object } = {
  message: "This request was refused by the safety system. safety_violations=[sensitive_subject]",
  type: "image_generation_user_error",
  param: null,
  code: "moderation_blocked",
  moderation_details: { categories: ["sensitive_subject"], moderation_stage: "input" },
};

/** Lets people see a refusal without any control call: these words in a prompt are always refused for pictures. */
const FORBIDDEN_WORDS = /forbidden\s+subject/i;

/** @throws ApiError 400 `moderation_blocked` for a prompt with the words "forbidden subject". */
export function assertAllowed(prompt: string): void {
  if (FORBIDDEN_WORDS.test(prompt)) throw new ApiError(400, moderationBlocked);
}
