import { type BenchHouse, LIST_ROWS } from "./house.ts";
import type { Target } from "./load.ts";

/** A documented read call, and what it is held against. */
export interface ReadCall {
  name: string;
  path: string;
  /** `row`: a query by primary key; otherwise one query for the same rows, sent with the same bytes. */
  floor: string;
  /** What the answer must have, else its speed counts for nothing. */
  isRight(json: unknown): boolean;
}

const has = (json: unknown, ...names: string[]): boolean => names.every((name) => name in Object(json));

const hasRows = (list: unknown): boolean => Array.isArray(list) && list.length === LIST_ROWS;

/** Every documented read call but boards, which waits for Pinterest whenever its short memory has ended. */
export const readCalls = ({ ids }: BenchHouse): ReadCall[] => {
  const row = `/api/row?id=${ids.user}`;
  const users = "/api/users/";
  return [
    {
      ...{ name: "checkAuth", path: `${users}checkAuth/`, floor: row },
      isRight: (json) => Object(json).authenticated === true && has(Object(json).user, "email", "plan"),
    },
    { name: "me", path: `${users}me/`, floor: row, isRight: (json) => has(json, "email", "plan") },
    {
      ...{ name: "credits", path: `${users}credits/`, floor: row },
      isRight: (json) => Object.values(Object(json)).some((value) => typeof value === "number"),
    },
    {
      ...{ name: "accounts", path: `${users}pinterest/accounts/`, floor: row },
      isRight: (json) => Array.isArray(json) && json.length === 1 && has(json[0], "id", "username"),
    },
    {
      ...{ name: "posts, 50", path: `${users}pinterest/generated-pins/${ids.account}/` },
      ...{ floor: `/api/rows?of=posts&id=${ids.account}`, isRight: (json) => hasRows(Object(json).posts) },
    },
    {
      ...{ name: "tracking, 50", path: `${users}pinterest/track-pin-generation/?group_id=${ids.group}` },
      ...{ floor: `/api/rows?of=tasks&id=${ids.group}`, isRight: (json) => hasRows(Object(json).tasks) },
    },
  ];
};

/** Where the two sides of a call are. */
export function targetsOf(house: BenchHouse, { path, floor }: ReadCall): { ours: Target; floor: Target } {
  const headers = { authorization: `Bearer ${house.token}` };
  return {
    ours: { url: `${house.productUrl}${path}`, headers, pid: house.productPid },
    floor: { url: `${house.floorUrl}${floor}`, headers: {}, pid: house.floorPid },
  };
}
