import type { z } from "zod";
import { UTM_NAMES } from "#lib/features/pins/constants.ts";
import type { editDraftsInput, UtmTemplate } from "#lib/features/pins/schema.ts";

/** What a change of several pins sends. */
export type EditsSent = z.input<typeof editDraftsInput>["change"];

/** What is to become of the pins' links. */
export type LinkChoice = "keep" | "set" | "remove";

/** The form of a change of several pins as it stands. Empty texts change nothing. */
export interface EditChoice {
  boardId: string;
  linkChoice: LinkChoice;
  link: string;
  utm: Required<UtmTemplate>;
  suffix: string;
}

export const NO_EDIT: EditChoice = {
  boardId: "",
  linkChoice: "keep",
  link: "",
  utm: { source: "", medium: "", campaign: "", content: "", term: "" },
  suffix: "",
};

/** Whether the form says anything that would be lost with it. */
export const isChosen = (choice: EditChoice): boolean => JSON.stringify(choice) !== JSON.stringify(NO_EDIT);

/** What to send for a choice; null while nothing is chosen. */
export const toChange = ({ boardId, linkChoice, link, utm, suffix }: EditChoice): EditsSent | null => {
  const isTagged = linkChoice !== "remove" && UTM_NAMES.some((name) => utm[name].trim() !== "");
  const change = {
    ...(boardId !== "" && { boardId }),
    ...(linkChoice === "remove" && { link: null }),
    ...(linkChoice === "set" && link.trim() !== "" && { link }),
    ...(isTagged && { utm }),
    ...(suffix.trim() !== "" && { descriptionSuffix: suffix }),
  };
  return Object.keys(change).length > 0 ? change : null;
};
