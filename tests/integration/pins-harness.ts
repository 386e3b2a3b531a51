import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import type { Creator, TestSetup } from "./publishing-harness.ts";

const ABSENT = "pin_00000000000000000000000000";

/** Other boards and pins for tests that change several pins. */
export const pinFixtures = (setup: TestSetup) => {
  /** Two more boards of the account. */
  const otherBoards = async ({ account, boardId }: Creator) => {
    const ids = (await setup.pinterest.boardsOf(account.username)).map(({ id }) => id).filter((id) => id !== boardId);
    const [one, two] = ids;
    if (!one || !two) throw new Error("The account has three boards.");
    return [one, two] as const;
  };

  /** Pins that make a change of several pins fail, by error code. */
  const incompatiblePins = async (creator: Creator, stranger: Creator) => {
    const [scheduled, published] = [await setup.scheduled(creator), await setup.scheduled(creator)];
    await setup.drive(published);
    const deleted = await setup.draft(creator);
    await deleteDrafts(creator.ctx, { pinIds: [deleted] });
    return {
      not_found: [await setup.draft(stranger), ABSENT, "' or 1=1 --", deleted],
      wrong_state: [scheduled.pinId, published.pinId],
    };
  };

  return { incompatiblePins, otherBoards };
};
