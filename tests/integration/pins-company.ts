import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import type { Maker, World } from "./publishing-house.ts";

const ABSENT = "pin_00000000000000000000000000";

/** What tests about several pins at once need besides the pins they are about. */
export const companyOf = (world: World) => {
  /** Two more boards of the account. */
  const otherBoards = async ({ account, boardId }: Maker) => {
    const ids = (await world.pinterest.boardsOf(account.username)).map(({ id }) => id).filter((id) => id !== boardId);
    const [one, two] = ids;
    if (!one || !two) throw new Error("The account has three boards.");
    return [one, two] as const;
  };

  /** What refuses to be changed together with a draft, by the code of the refusal. */
  const badCompany = async (maker: Maker, stranger: Maker) => {
    const [scheduled, published] = [await world.scheduled(maker), await world.scheduled(maker)];
    await world.drive(published);
    const deleted = await world.draft(maker);
    await deleteDrafts(maker.ctx, { pinIds: [deleted] });
    return {
      not_found: [await world.draft(stranger), ABSENT, "' or 1=1 --", deleted],
      wrong_state: [scheduled.pinId, published.pinId],
    };
  };

  return { badCompany, otherBoards };
};
