import { type BenchHarness, LIST_ROWS } from "./harness.ts";
import type { Target } from "./load.ts";

/** A documented read call and its baseline. */
export interface ReadCall {
  name: string;
  path: string;
  /** `row`: a query by primary key; otherwise one query for the same rows, with a response of the same size. */
  baseline: string;
  /** Sent with an API key instead of a login's token. */
  hasKey?: true;
  /** Whether the response is correct. */
  isRight(json: unknown): boolean;
}

const has = (json: unknown, ...names: string[]): boolean => names.every((name) => name in Object(json));

const hasRows = (list: unknown): boolean => Array.isArray(list) && list.length === LIST_ROWS;

const v1Calls = ({ ids }: BenchHarness, row: string): ReadCall[] => [
  {
    ...{ name: "v1 credits", path: "/api/v1/credits", baseline: row, hasKey: true },
    isRight: (json) => has(json, "available", "reserved"),
  },
  {
    ...{ name: "v1 pin", path: `/api/v1/pins/${ids.pin}`, baseline: row, hasKey: true },
    isRight: (json) => Object(json).pin?.id === ids.pin,
  },
  {
    ...{ name: "v1 pins, 50", path: `/api/v1/pins?account_id=${ids.account}`, hasKey: true },
    ...{ baseline: `/api/rows?of=pins&id=${ids.account}`, isRight: (json) => hasRows(Object(json).data) },
  },
  {
    ...{ name: "v1 generation, 50", path: `/api/v1/generations/${ids.group}`, hasKey: true },
    ...{ baseline: `/api/rows?of=generation&id=${ids.group}`, isRight: (json) => hasRows(Object(json).tasks) },
  },
];

/** Every documented read call except boards, which waits for Pinterest whenever its short cache has expired. */
export const readCalls = (harness: BenchHarness): ReadCall[] => {
  const { ids } = harness;
  const row = `/api/row?id=${ids.user}`;
  const users = "/api/users/";
  return [
    {
      ...{ name: "checkAuth", path: `${users}checkAuth/`, baseline: row },
      isRight: (json) => Object(json).authenticated === true && has(Object(json).user, "email", "plan"),
    },
    { name: "me", path: `${users}me/`, baseline: row, isRight: (json) => has(json, "email", "plan") },
    {
      ...{ name: "credits", path: `${users}credits/`, baseline: row },
      isRight: (json) => Object.values(Object(json)).some((value) => typeof value === "number"),
    },
    {
      ...{ name: "accounts", path: `${users}pinterest/accounts/`, baseline: row },
      isRight: (json) => Array.isArray(json) && json.length === 1 && has(json[0], "id", "username"),
    },
    {
      ...{ name: "posts, 50", path: `${users}pinterest/generated-pins/${ids.account}/` },
      ...{ baseline: `/api/rows?of=posts&id=${ids.account}`, isRight: (json) => hasRows(Object(json).posts) },
    },
    {
      ...{ name: "tracking, 50", path: `${users}pinterest/track-pin-generation/?group_id=${ids.group}` },
      ...{ baseline: `/api/rows?of=tasks&id=${ids.group}`, isRight: (json) => hasRows(Object(json).tasks) },
    },
    ...v1Calls(harness, row),
  ];
};

/** The two URLs to compare. */
export function targetsOf(
  harness: BenchHarness,
  { path, baseline, hasKey }: ReadCall,
): { ours: Target; baseline: Target } {
  const headers = { authorization: `Bearer ${hasKey ? harness.apiKey : harness.token}` };
  return {
    ours: { url: `${harness.productUrl}${path}`, headers, pid: harness.productPid },
    baseline: { url: `${harness.baselineUrl}${baseline}`, headers: {}, pid: harness.baselinePid },
  };
}
