import { z } from "zod";
import { AppError } from "#lib/core/errors.ts";
import { withoutDirections } from "#lib/core/text.ts";
import { CONTACT_FIELDS, type ContactValues, checkContact, TEXTS } from "./policy.ts";

const legible = (value: string): string =>
  withoutDirections(value.toWellFormed())
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "");

const text = z.preprocess((value) => (typeof value === "string" ? value : ""), z.string().max(20_000));

/** @throws AppError `invalid` with texts by field */
export const contactInput = z
  .object(Object.fromEntries(CONTACT_FIELDS.map((field) => [field, text])))
  .transform((raw) => {
    const typed = raw as ContactValues;
    const wellFormed = Object.fromEntries(
      CONTACT_FIELDS.map((field) => [field, withoutDirections(typed[field].toWellFormed()).trim()]),
    ) as ContactValues;
    const values = { ...wellFormed, message: legible(typed.message).trim() };
    const errors = checkContact(values);
    const fields = Object.fromEntries(Object.entries(errors).map(([field, wrong]) => [field, [wrong]]));
    if (Object.keys(fields).length > 0) throw new AppError("invalid", { text: TEXTS.fixForm, fields });
    return values;
  });
export type ContactInput = z.output<typeof contactInput>;
