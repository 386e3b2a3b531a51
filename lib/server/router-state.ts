import "server-only";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

const HEADER = "next-router-state-tree";
const LENGTH_MAX = 40_000;

const PARAMETER_KINDS = ["c", "ci(..)(..)", "ci(.)", "ci(..)", "ci(...)", "oc"] as const;
const DYNAMIC_KINDS = ["d", "di(..)(..)", "di(.)", "di(..)", "di(...)"] as const;

const segment = z.union([
  z.string(),
  z.tuple([z.string(), z.string(), z.enum([...PARAMETER_KINDS, ...DYNAMIC_KINDS]), z.array(z.string()).nullable()]),
]);

/** As Next checks it. */
const routerState: z.ZodType = z.lazy(() =>
  z.tuple([
    segment,
    z.record(z.string(), routerState),
    z.tuple([z.string(), z.string()]).nullish(),
    z.enum(["refetch", "inside-shared-layout", "metadata-only"]).nullish(),
    z.number().nullish(),
    z.string().optional(),
  ]),
);

const isReadable = (text: string): boolean => {
  if (text.length > LENGTH_MAX) return false;
  try {
    return routerState.safeParse(JSON.parse(decodeURIComponent(text))).success;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof URIError || error instanceof RangeError) return false;
    throw error;
  }
};

/** Next responds with 500 to a router state that it cannot read; without one, it renders the whole page. */
export const dropUnreadableState = (headers: IncomingHttpHeaders): void => {
  const state = headers[HEADER];
  if (state !== undefined && !isReadable(String(state))) delete headers[HEADER];
};
