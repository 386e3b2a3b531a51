import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { type Boards, boardLabel, boardNameOf, useBoards } from "#components/accounts/use-boards.tsx";
import { PreviewToggle } from "#components/shared/preview-toggle.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { ALT_TEXT_MAX, DESCRIPTION_MAX, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import type { FormatForm, Problems } from "./use-format-form.ts";

type PinFieldsProps = {
  accounts: AccountOption[];
  form: FormatForm;
  problems: Problems;
  isDisabled: boolean;
  /** The image that stands for the pin: the cover, or the first slide. */
  imageUrl: string | null;
};

type PlaceFieldsProps = Omit<PinFieldsProps, "imageUrl"> & { boards: Boards };

function PlaceFields({ accounts, form: { texts, change }, problems, isDisabled, boards }: PlaceFieldsProps) {
  return (
    <div className="grid grid-cols-2 items-start gap-4 max-md:grid-cols-1">
      <AccountChoice
        accounts={accounts}
        value={texts.accountId}
        disabled={isDisabled}
        error={problems.accountId}
        onChange={(accountId) => change({ accountId, boardId: null, boardSectionId: null })}
      />
      <div className="grid gap-2">
        <SelectField
          label="Board"
          value={texts.boardId ?? ""}
          disabled={isDisabled || !boards.items || boards.items.length === 0}
          aria-busy={boards.isLoading}
          error={boards.problem ?? problems.boardId}
          onChange={({ target }) => change({ boardId: target.value || null, boardSectionId: null })}
        >
          <option value="">{boards.emptyText}</option>
          {boards.items?.map((board) => (
            <option key={board.id} value={board.id}>
              {boardLabel(board)}
            </option>
          ))}
        </SelectField>
        <SectionField
          accountId={texts.accountId}
          boardId={texts.boardId}
          value={texts.boardSectionId}
          isDisabled={isDisabled}
          onChange={(boardSectionId) => change({ boardSectionId })}
        />
        <NewPlace
          boards={boards}
          boardId={texts.boardId}
          onBoard={(boardId) => change({ boardId, boardSectionId: null })}
          onSection={(boardSectionId) => change({ boardSectionId })}
        />
      </div>
    </div>
  );
}

/** Where the pin goes, and its texts. */
export function PinFields({ imageUrl, ...props }: PinFieldsProps) {
  const { accounts, problems, isDisabled } = props;
  const { texts, change } = props.form;
  const { accountId, boardId, title, description, url, altText } = texts;
  const boards = useBoards(accountId);
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4">
      <PlaceFields {...props} boards={boards} />
      <TextField
        label="Title"
        value={title}
        maxLength={TITLE_MAX}
        disabled={isDisabled}
        error={problems.title}
        onChange={({ target }) => change({ title: target.value })}
      />
      <TextAreaField
        label="Description"
        rows={3}
        value={description}
        maxLength={DESCRIPTION_MAX}
        disabled={isDisabled}
        onChange={({ target }) => change({ description: target.value })}
      />
      <TextField
        label="Link"
        type="url"
        inputMode="url"
        placeholder="https:// (optional)"
        value={url}
        maxLength={LINK_MAX}
        disabled={isDisabled}
        error={problems.url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <TextField
        label="Alt text"
        hint="Describe the image for people who can't see it."
        value={altText}
        maxLength={ALT_TEXT_MAX}
        disabled={isDisabled}
        onChange={({ target }) => change({ altText: target.value })}
      />
      <PreviewToggle
        name="your pin"
        pin={{
          ...{ title, description, altText, imageUrl, link: url },
          username: accounts.find(({ id }) => id === accountId)?.username ?? "",
          boardName: boardId === null ? null : boardNameOf(boards, boardId),
        }}
      />
    </div>
  );
}
