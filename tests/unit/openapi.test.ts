import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, test } from "vitest";
import type { Scope } from "#lib/features/api-keys/constants.ts";
import { OPERATIONS } from "#lib/server/v1/operations.ts";
import { clientTypes } from "#scripts/client-types.ts";
import { inRepository } from "#scripts/root.ts";
import { breakingChanges, type Spec } from "#tests/support/breaking-changes.ts";
import { specification } from "#tests/support/v1-spec.ts";

/** What clients were promised. After an addition: `node --conditions=react-server scripts/write-openapi.ts`. */
const released: Spec = JSON.parse(readFileSync(inRepository("tests", "support", "released-openapi.json"), "utf8"));
const current = specification as unknown as Spec;

test("the specification passes the linter's recommended rules", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    // The product isn't open source, and every call can be refused with the same problems.
    rules: { "info-license": "off", "operation-4xx-response": "error", "no-unused-components": "error" },
  });
  const problems = await lintFromString({ source: JSON.stringify(specification), config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
});

test("the types of the command line's client are those of the specification", () => {
  expect(readFileSync(inRepository("packages", "cli", "src", "api.d.ts"), "utf8")).toBe(clientTypes(specification));
});

test("every call says what it does, in one style", () => {
  const ids = OPERATIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(OPERATIONS.filter(({ summary }) => !/^[A-Z][^.]+$/.test(summary))).toEqual([]);
  expect(OPERATIONS.filter(({ status = 200, response }) => (status === 204) === Boolean(response))).toEqual([]);
});

test("each call takes an API key, or an app's token with the call's scope if apps can ask for it", () => {
  const taken = (scope: Scope) =>
    scope === "webhooks:write" ? [{ apiKey: [] }] : [{ apiKey: [] }, { oauth2: [scope] }];
  const documented = OPERATIONS.map(({ method, path }) => {
    const { security } = specification.paths[path]?.[method.toLowerCase()] ?? {};
    return [method, path, security];
  });
  expect(documented).toEqual(OPERATIONS.map(({ method, path, scope }) => [method, path, taken(scope)]));
});

describe("breaking changes", () => {
  test("the specification breaks nothing that was released", () => {
    expect(breakingChanges(released, current)).toEqual([]);
  });

  const changed = (edit: (spec: Spec) => void): string[] => {
    const copy: Spec = structuredClone(released);
    edit(copy);
    return breakingChanges(released, copy);
  };
  const schemaOf = (spec: Spec, name: string) => spec.components.schemas[name] ?? {};

  test.each<[string, (spec: Spec) => void, string]>([
    ["a removed path", (spec) => delete spec.paths["/credits"], "GET /credits is gone"],
    ["a removed method", (spec) => delete spec.paths["/pins"]?.post, "POST /pins is gone"],
    [
      "a removed field of an answer",
      (spec) => delete schemaOf(spec, "Pin").properties?.title,
      "GET /pins 200 data[].title is gone",
    ],
    [
      "another type of a field",
      (spec) => Object.assign(schemaOf(spec, "CreditBalance").properties?.available ?? {}, { type: "string" }),
      "GET /credits 200 available was integer and is string",
    ],
    [
      "a new required field of a body",
      (spec) => {
        const body = schemaOf(spec, "PinTime");
        body.properties = { ...body.properties, zone: { type: "string" } };
        body.required = [...(body.required ?? []), "zone"];
      },
      "POST /pins/{pin_id}/schedule body zone is now required",
    ],
    [
      "a field that a body no longer has",
      (spec) => delete schemaOf(spec, "PinChange").properties?.link,
      "PATCH /pins/{pin_id} body link is gone",
    ],
    [
      "a value that a body no longer accepts",
      (spec) => Object.assign(schemaOf(spec, "NewGeneration").properties?.quality ?? {}, { enum: ["high"] }),
      'POST /generations body quality no longer accepts "standard"',
    ],
    [
      "a field that may now be null",
      (spec) => Object.assign(schemaOf(spec, "Pin").properties?.title ?? {}, { type: ["string", "null"] }),
      "GET /pins 200 data[].title was string and is string or null",
    ],
    [
      "a tighter limit of an input",
      (spec) => Object.assign(schemaOf(spec, "NewPins").properties?.pins ?? {}, { maxItems: 1 }),
      "POST /pins body pins has a tighter maxItems",
    ],
    [
      "a parameter that every call shares",
      (spec) => delete spec.paths["/pins"]?.post?.parameters,
      "POST /pins parameter #/components/parameters/IdempotencyKey is gone",
    ],
    [
      "another format of an answer",
      (spec) => Object.assign(schemaOf(spec, "Pin").properties?.created_at ?? {}, { format: "date" }),
      "GET /pins 200 data[].created_at has another format",
    ],
    [
      "a tighter shared parameter",
      (spec) => Object.assign(spec.components.parameters?.IdempotencyKey?.schema ?? {}, { maxLength: 5 }),
      "POST /pins parameter #/components/parameters/IdempotencyKey has a tighter maxLength",
    ],
    [
      "a header that is no longer sent",
      (spec) => delete spec.paths["/pins"]?.get?.responses["200"]?.headers?.ETag,
      "GET /pins 200 no longer sends ETag",
    ],
    [
      "another scope",
      (spec) => Object.assign(spec.paths["/pins"]?.get ?? {}, { "x-scope": "schedule:write" }),
      "GET /pins needs another scope",
    ],
  ])("finds %s", (_, edit, expected) => {
    expect(changed(edit)).toContain(expected);
  });

  test("finds a body that must be there now", () => {
    const before = structuredClone(released);
    Object.assign(before.paths["/pins"]?.post?.requestBody ?? {}, { required: false });
    expect(breakingChanges(before, released)).toEqual(["POST /pins now needs a body"]);
  });

  test("finds none in an added path, field, parameter, or value of an input", () => {
    const added = changed((spec) => {
      spec.paths["/more"] = spec.paths["/credits"] ?? {};
      Object.assign(schemaOf(spec, "Pin").properties ?? {}, { color: { type: "string" } });
      Object.assign(schemaOf(spec, "NewGeneration").properties?.quality ?? {}, { enum: ["standard", "high", "best"] });
    });
    expect(added).toEqual([]);
  });
});
