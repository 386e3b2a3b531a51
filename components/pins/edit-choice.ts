import type { z } from "zod";
import { UTM_NAMES } from "#lib/features/pins/constants.ts";
import type { editDraftsInput, UtmTemplate } from "#lib/features/pins/schema.ts";

export type EditChange = z.input<typeof editDraftsInput>["change"];

export type LinkChoice = "keep" | "set" | "remove";

/** Form state of a change of several pins. Empty fields change nothing. */
export interface EditChoice {
  boardId: string;
  boardSectionId: string | null;
  linkChoice: LinkChoice;
  link: string;
  utm: Required<UtmTemplate>;
  suffix: string;
  altText: string;
}

export const NO_EDIT: EditChoice = {
  boardId: "",
  boardSectionId: null,
  linkChoice: "keep",
  link: "",
  utm: { source: "", medium: "", campaign: "", content: "", term: "" },
  suffix: "",
  altText: "",
};

/** Whether the form has unsaved input. */
export const isChosen = (choice: EditChoice): boolean => JSON.stringify(choice) !== JSON.stringify(NO_EDIT);

/** The request for a choice; null while nothing is chosen. */
export const toChange = (choice: EditChoice): EditChange | null => {
  const { boardId, boardSectionId, linkChoice, link, utm, suffix, altText } = choice;
  const isTagged = linkChoice !== "remove" && UTM_NAMES.some((name) => utm[name].trim() !== "");
  const change = {
    ...(boardId !== "" && { boardId, boardSectionId }),
    ...(linkChoice === "remove" && { link: null }),
    ...(linkChoice === "set" && link.trim() !== "" && { link }),
    ...(isTagged && { utm }),
    ...(suffix.trim() !== "" && { descriptionSuffix: suffix }),
    ...(altText.trim() !== "" && { altText }),
  };
  return Object.keys(change).length > 0 ? change : null;
};
