import { SECTIONS } from "./calls.ts";
import { BOARDS, done } from "./pins.tsx";
import type { renderScreen } from "./render.tsx";

type Shown = Awaited<ReturnType<typeof renderScreen>>;

/** Creates board 777 with the page's first "New board", then its section 8. */
export const chooseNewPlaces = async (
  screen: Shown["screen"],
  calls: Shown["calls"],
  items: readonly object[],
): Promise<void> => {
  const board = { id: "777", name: "Moss walls", description: "", privacy: "PUBLIC" };
  const section = { id: "8", name: "Spring" };
  const create = async (what: "board" | "section", name: string) => {
    await screen
      .getByRole("button", { name: `New ${what}` })
      .first()
      .click();
    const dialog = screen.getByRole("dialog", { name: `New ${what}` });
    await dialog.getByLabelText("Name").fill(name);
    await dialog.getByRole("button", { name: `Create ${what}` }).click();
  };
  calls.set({
    "ACTION createBoardAction": done(board),
    "ACTION createSectionAction": done(section),
    [BOARDS]: { items: [...items, board] },
    [SECTIONS]: { items: [] },
  });
  await create("board", board.name);
  calls.set({ [SECTIONS]: { items: [section] } });
  await create("section", section.name);
};
