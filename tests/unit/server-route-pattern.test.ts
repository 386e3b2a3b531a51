import { expect, test } from "vitest";
import { patternOf } from "#lib/server/pipeline.ts";

test.each([
  ["/api/users/me/", undefined, "/api/users/me"],
  ["/api/users/me", {}, "/api/users/me"],
  ["/api/users/pinterest/boards/acc_1/", { accountId: "acc_1" }, "/api/users/pinterest/boards/:accountId"],
  ["/api/users/pinterest/boards/boards", { accountId: "boards" }, "/api/users/pinterest/boards/:accountId"],
  ["/api/users/pinterest/boards/a%20b", { accountId: "a b" }, "/api/users/pinterest/boards/:accountId"],
  ["/api/users/pinterest/boards/a%20b", { accountId: "a%20b" }, "/api/users/pinterest/boards/:accountId"],
  ["/api/images/pins/x.jpg", { key: ["pins", "x.jpg"] }, "/api/images/:key"],
  ["/api/what/ever/", { unknown: ["what", "ever"] }, "/api/:unknown"],
  ["/api", { unknown: undefined }, "/api"],
  ["/api/things/acc_1/parts/p", { thing: "acc_1", part: "p" }, "/api/things/:thing/parts/:part"],
  ["/api/things/x/parts/x", { thing: "x", part: "x" }, "/api/things/:thing/parts/:part"],
])("the path %s with %o has the pattern %s", (path, params, pattern) => {
  expect(patternOf(path, params)).toBe(pattern);
});

test("unrecognized paths share one pattern, so that they add no metrics", () => {
  expect(patternOf("/api/users/pinterest/boards/%e2%82%ac", { accountId: "€" })).toBe("other");
  expect(patternOf("/api/x/y", { unknown: ["z"] })).toBe("other");
});
