import { expect, test } from "vitest";
import { OperatorError, requireSameKey } from "#scripts/operator.ts";

test("R-SRV-05 no command seals with a key that the running product does not have", () => {
  const running = { ENCRYPTION_KEY: "11" };
  expect(() => requireSameKey({ ENCRYPTION_KEY: "22,11" }, running)).toThrow(OperatorError);
  expect(() => requireSameKey({ ENCRYPTION_KEY: "22" }, {})).toThrow(/start it again first/);
  expect(() => requireSameKey(running, { ...running })).not.toThrow();
  expect(() => requireSameKey({}, running)).not.toThrow();
});
